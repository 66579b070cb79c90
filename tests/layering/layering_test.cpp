#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/layering/includes.h"

namespace torchleak::layering {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TORCHLEAK_SOURCE_DIR;

bool IsSource(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".def" || extension == ".inc";
}

std::vector<fs::path> Sources() {
  std::vector<fs::path> sources;
  for (const char* folder : {"src", "rules"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.is_regular_file() && IsSource(entry.path())) sources.push_back(entry.path());
    }
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("every include points down") {
  const std::vector<fs::path> sources = Sources();
  REQUIRE(sources.size() > 10);
  for (const fs::path& source : sources) {
    const std::string name = source.lexically_relative(kRoot).generic_string();
    for (const Include& include : ReadIncludes(Read(source))) {
      CAPTURE(name);
      CAPTURE(include.path);
      CHECK_EQ(Complaint(LayerOf(name), include), "");
    }
  }
}

TEST_CASE("quoted includes are written from the include root") {
  for (const fs::path& source : Sources()) {
    CAPTURE(source.lexically_relative(kRoot).generic_string());
    for (const Include& include : ReadIncludes(Read(source))) {
      if (!include.quoted) continue;
      CAPTURE(include.path);
      const bool exists = fs::exists(kRoot / "src" / include.path) ||
                          (include.path.starts_with("rules/") && fs::exists(kRoot / include.path));
      CHECK(exists);
    }
  }
}

TEST_CASE("every folder of src is a layer with a README") {
  const std::vector<std::string_view> layers = Layers();
  for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    const std::string layer = entry.path().filename().string();
    CAPTURE(layer);
    CHECK(std::find(layers.begin(), layers.end(), layer) != layers.end());
    CHECK(fs::exists(entry.path() / "README.md"));
    CHECK(fs::exists(entry.path() / "CMakeLists.txt"));
  }
}

TEST_CASE("ReadIncludes sees every spelling") {
  const auto includes = ReadIncludes(
      "#include \"a/b.h\"\n  #  include <c>  // why\n// #include <d>\n"
      "#include MACRO\n#include\n#include \"e.h\"");
  REQUIRE_EQ(includes.size(), 3);
  CHECK_EQ(includes[0].path, "a/b.h");
  CHECK(includes[0].quoted);
  CHECK_EQ(includes[1].path, "c");
  CHECK_FALSE(includes[1].quoted);
  CHECK_EQ(includes[2].path, "e.h");
}

TEST_CASE("MayUse follows the order downwards only") {
  CHECK(MayUse("flow", "flow"));
  CHECK(MayUse("flow", "syntax"));
  CHECK(MayUse("cli", "text"));
  CHECK(MayUse("facts/compiler", "syntax"));
  CHECK_FALSE(MayUse("facts", "syntax"));
  CHECK_FALSE(MayUse("syntax", "sema"));
  CHECK_FALSE(MayUse("sema", "facts"));
  CHECK_FALSE(MayUse("report", "driver"));
  CHECK_FALSE(MayUse("driver", "report"));
  CHECK_FALSE(MayUse("engine", "rules"));
  CHECK_FALSE(MayUse("text", "no_such_layer"));
}

TEST_CASE("Complaint knows whose header is whose") {
  CHECK_EQ(Complaint("syntax", {"tree_sitter/api.h", false}), "");
  CHECK_NE(Complaint("sema", {"tree_sitter/api.h", false}), "");
  CHECK_NE(Complaint("sema", {"tree_sitter/api.h", true}), "");
  CHECK_NE(Complaint("cli", {"regex", false}), "");
  CHECK_NE(Complaint("report", {"iostream", false}), "");
  CHECK_EQ(Complaint("rules", {"engine/rule.h", true}), "");
  CHECK_EQ(Complaint("rules", {"rules/pages.h", true}), "");
  CHECK_NE(Complaint("engine", {"rules/pages.h", true}), "");
  CHECK_NE(Complaint("text", {"flow/value.h", true}), "");
  CHECK_NE(Complaint("text", {"value.h", true}), "");
}

}  // namespace
}  // namespace torchleak::layering
