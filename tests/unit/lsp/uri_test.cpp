#include "lsp/uri.h"

#include <doctest/doctest.h>

namespace torchleak::lsp {
namespace {

std::string Posix(std::string_view uri) { return PathOf(uri, PathStyle::kPosix).value_or("-"); }
std::string Windows(std::string_view uri) { return PathOf(uri, PathStyle::kWindows).value_or("-"); }

TEST_CASE("paths of URIs") {
  CHECK(Posix("file:///home/a/x.py") == "/home/a/x.py");
  CHECK(Posix("FILE:///x.py") == "/x.py");
  CHECK(Posix("file:/x.py") == "/x.py");
  CHECK(Posix("file://localhost/x.py") == "/x.py");
  CHECK(Posix("file:///caf%C3%A9%20%F0%9F%98%80/%61.py") == "/café 😀/a.py");
  CHECK(Posix("file:///café.py") == "/café.py");
  CHECK(Posix("file:///a%/b%4/c%zz%41") == "/a%/b%4/c%zzA");
  CHECK(Posix("file:///a/./b/../../c//d/") == "/c/d");
  CHECK(Posix("file:///a/%2E%2E/../../b") == "/b");
  CHECK(Posix("file:///") == "/");
  CHECK(Posix("file:///x.py?a#b") == "/x.py");
  CHECK(Posix("file:///x%23.py") == "/x#.py");
  CHECK(Posix("file:///c%3A/x.py") == "/c:/x.py");
  CHECK(Posix("file:///a+b.py") == "/a+b.py");
}

TEST_CASE("what is no file") {
  for (const char* uri :
       {"untitled:Untitled-1", "git:/x.py", "vscode-notebook-cell:/x.ipynb#W0", "", "file",
        "file:", "file:x.py", "file://host/x.py", "/x.py", "file:///a%00b"}) {
    CAPTURE(uri);
    CHECK(Posix(uri) == "-");
    CHECK(DocumentKey(uri, PathStyle::kPosix) == uri);
  }
}

TEST_CASE("Windows paths") {
  CHECK(Windows("file:///c%3A/a%20b/x.py") == "c:\\a b\\x.py");
  CHECK(Windows("file:///C:/a/../x.py") == "c:\\x.py");
  CHECK(Windows("file://server/share/x.py") == "\\\\server\\share\\x.py");
  CHECK(Windows("file:////server/share/x.py") == "\\\\server\\share\\x.py");
  CHECK(Windows("file:///x.py") == "-");
}

TEST_CASE("URIs of paths, and back") {
  CHECK(UriOf("/a b/é#?%.py", PathStyle::kPosix) == "file:///a%20b/%C3%A9%23%3F%25.py");
  CHECK(UriOf("c:\\a b\\x.py", PathStyle::kWindows) == "file:///c%3A/a%20b/x.py");
  CHECK(UriOf("\\\\server\\share\\x.py", PathStyle::kWindows) == "file://server/share/x.py");
  for (const char* path : {"/", "/a", "/a:b/%41/é 😀/\xff.py"}) {
    CHECK(Posix(UriOf(path, PathStyle::kPosix)) == path);
  }
  for (const char* path : {"c:\\a\\%41 é.py", "\\\\h\\s\\x.py"}) {
    CHECK(Windows(UriOf(path, PathStyle::kWindows)) == path);
  }
}

}  // namespace
}  // namespace torchleak::lsp
