// facts_compiler ROOT OUT STUB…: compiles the stubs below ROOT to the C++ file OUT.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "facts/compiler/emit.h"
#include "facts/compiler/link.h"
#include "facts/compiler/stub.h"
#include "facts/table.h"
#include "text/source.h"

namespace torchleak::facts::stubs {
namespace {

namespace fs = std::filesystem;

Stub ReadFile(const fs::path& root, const fs::path& path, std::vector<Error>* errors) {
  std::ifstream in(path, std::ios::binary);
  std::string raw{std::istreambuf_iterator<char>(in), {}};
  auto source = text::Source::FromBytes(path.generic_string(), std::move(raw));
  if (!in || !source) {
    errors->push_back({path.generic_string(), 1, source ? "cannot read" : source.error().message});
    return {};
  }
  return ReadStub(ModuleOf(path.lexically_relative(root).generic_string()), *source, errors);
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) {
    std::fprintf(stderr, "usage: facts_compiler ROOT OUT STUB...\n");
    return 2;
  }
  std::vector<Error> errors;
  std::vector<Stub> stubs;
  for (std::size_t i = 2; i < arguments.size(); ++i)
    stubs.push_back(ReadFile(arguments[0], arguments[i], &errors));
  const Linked linked = Link(stubs, &errors);
  if (linked.names.size() >= table::kNoIndex)
    errors.push_back({arguments[0], 1, "more names than a 16-bit index can tell apart"});
  for (const Error& error : errors) std::fprintf(stderr, "%s\n", Format(error).c_str());
  if (!errors.empty()) return 1;
  std::ofstream out(arguments[1], std::ios::binary);
  out << Emit(linked);
  out.close();
  if (out) return 0;
  std::fprintf(stderr, "%s: cannot write\n", arguments[1].c_str());
  return 1;
}

}  // namespace
}  // namespace torchleak::facts::stubs

int main(int argc, char** argv) {
  return torchleak::facts::stubs::Run(std::vector<std::string>(argv + 1, argv + argc));
}
