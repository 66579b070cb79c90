// Files that are no notebook, or hardly one.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/unit/text/notebooks.h"

namespace torchleak::text {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

TEST_CASE("cut off anywhere, a notebook is an error or a notebook") {
  std::string raw(kSmall);
  while (raw.ends_with('\n')) raw.pop_back();
  for (std::size_t size = 0; size < raw.size(); ++size) {
    CAPTURE(size);
    const std::string message = Refused(raw.substr(0, size));
    CHECK(Has(message, "row "));
    CHECK(Has(message, "expected "));
  }
}

TEST_CASE(
    "any byte changed or left out is an error or a notebook, whose offsets all lead somewhere") {
  const std::string raw =
      Nb(CodeCell(R"(["%time x\n", "\ud83d\ude00\\"])") + "," + CodeCell(R"("'''é")"));
  for (std::size_t at = 0; at < raw.size(); ++at) {
    for (const char c : {'"', '\\', '{', ']', ',', 'u', '0', '\x01', '\n', '\xC3', '\0'}) {
      std::string changed = raw;
      changed[at] = c;
      const auto source = Source::FromBytes("nb.ipynb", changed);
      if (!source) continue;
      REQUIRE(source->code().size() == source->bytes().size());
      for (std::uint32_t i = 0; i <= source->bytes().size(); ++i)
        REQUIRE(source->notebook()->RawOffset(i) < changed.size());
    }
  }
}

TEST_CASE("the error names row, column and what is missing") {
  CHECK(
      Refused("") ==
      "nb.ipynb: is not a Jupyter notebook that can be read: row 1, column 1 of the file: expected "
      "a value; open it in Jupyter and save it again, or take it from version control");
  const auto place = [](std::string raw) {
    const std::string message = Refused(std::move(raw));
    const std::size_t begin = message.find(": row ") + 2;
    return message.substr(begin, message.find("; open") - begin);
  };
  CHECK(place("{\n  \"é\" 1}") ==
        "row 2, column 7 of the file: expected ':' and the value of the key");
  CHECK(place("{\"a\": 1,}") == "row 1, column 9 of the file: expected a key in double quotes");
  CHECK(place("{\"a\": [1 2]}") == "row 1, column 10 of the file: expected ',' or ']'");
  CHECK(place("{\"a\": 1]") == "row 1, column 8 of the file: expected ',' or '}'");
  CHECK(place("{\"a\": 01}") == "row 1, column 8 of the file: expected ',' or '}'");
  CHECK(place("{\"a\": -}") == "row 1, column 8 of the file: expected a digit");
  CHECK(place("{\"a\": \"\\x\"}") ==
        "row 1, column 9 of the file: expected an escape that JSON knows, such as \\n or \\\\");
  CHECK(place("{\"a\": \"\\u12g4\"}") ==
        "row 1, column 12 of the file: expected four hexadecimal digits after \\u");
  CHECK(place("{\"a\": \"\n\"}") ==
        "row 1, column 8 of the file: expected '\"' at the end of the string");
  CHECK(place("{} {}") == "row 1, column 4 of the file: expected the end of the file");
  CHECK(place("[1]") == "row 1, column 1 of the file: expected '{', the notebook's object");
  CHECK(place("<<<<<<< HEAD\n{}") == "row 1, column 1 of the file: expected a value");
  CHECK(place("{\"a\": \"\xFF\"}") ==
        "row 1, column 8 of the file: expected UTF-8, the encoding of notebooks");
  CHECK(place(Nb("1")) == "row 1, column 11 of the file: expected '{' and a cell");
  CHECK(place(Nb(CodeCell("[1]"))) ==
        "row 1, column 55 of the file: expected a string, one line of the cell");
  CHECK(place(Nb(CodeCell("{}"))) ==
        "row 1, column 54 of the file: expected a string or a list of strings as the source of the "
        "cell");
  CHECK(place(Nb(R"({"cell_type":"code"})")) ==
        "row 1, column 11 of the file: expected a cell with \"source\", which this one has not");
}

TEST_CASE("notebooks of another format say how to get to this one") {
  constexpr std::string_view kWayOut =
      "jupyter nbconvert --to notebook --nbformat 4 --inplace nb.ipynb";
  for (const auto& [raw, what] : std::initializer_list<std::pair<std::string, std::string>>{
           {R"({"nbformat":3,"worksheets":[{"cells":[]}]})", "is a notebook of nbformat 3;"},
           {R"({"worksheets":[]})", "is a notebook of nbformat 3 or older;"},
           {R"({"nbformat":2})", "is a notebook of nbformat 2;"},
           {R"({"nbformat":5,"cells":[]})", "is a notebook of nbformat 5;"},
           {R"({"nbformat":4})", "there are no \"cells\""},
           {R"({"cells":[]})", "there is no \"nbformat\""},
           {R"({})", "there is no \"nbformat\""}}) {
    CAPTURE(raw);
    const std::string message = Refused(raw);
    CHECK(Has(message, what));
    CHECK(Has(message, kWayOut));
  }
}

TEST_CASE("no depth overflows, wherever it is") {
  constexpr std::size_t kDepth = 100'000;
  const std::string arrays = std::string(kDepth, '[') + std::string(kDepth, ']');
  std::string objects;
  for (std::size_t i = 0; i < kDepth; ++i) objects += "{\"vscode\":";
  objects += "1" + std::string(kDepth, '}');
  const std::string cell = R"({"cell_type":"code","source":"x","outputs":)";
  CHECK(OpenNotebook(Nb(cell + arrays + "}", objects)).bytes() == "x\n");
  CHECK(OpenNotebook(Nb(cell + objects + R"(,"metadata":)" + objects + "}", arrays)).bytes() ==
        "x\n");
  CHECK(Has(Refused(std::string(kDepth, '[')), "expected '{'"));
  CHECK(Has(Refused("{\"a\":" + std::string(kDepth, '[')), "expected a value or ']'"));
  CHECK(Has(Refused(Nb(CodeCell(arrays))), "one line of the cell"));
}

TEST_CASE("numbers as Python's json writes them") {
  for (std::string_view number : {"0", "-0.5e+10", "1E5", "NaN", "Infinity", "-Infinity", "12.25"})
    CHECK(OpenNotebook(
              Nb(fmt::format(R"({{"cell_type":"code","source":"x","outputs":[{}]}})", number)))
              .bytes() == "x\n");
}

}  // namespace
}  // namespace torchleak::text
