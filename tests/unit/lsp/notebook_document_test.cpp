#include "lsp/notebook_document.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "text/notebook.h"

namespace torchleak::lsp {
namespace {

NotebookCell Cell(std::string name, bool is_code = true) {
  return {is_code, "cell:" + name, nullptr};
}
TextDocumentItem Text(std::string name, std::string text, std::string language = "python") {
  return {"cell:" + name, std::move(language), std::move(text), 1};
}

NotebookDocument Opened(lsp::Json metadata = nullptr) {
  NotebookDocument notebook("file:///a/x.ipynb", "jupyter-notebook", 1, std::move(metadata));
  CHECK(notebook
            .Open({Cell("title", false), Cell("a"), Cell("sh"), Cell("b")},
                  {Text("title", "# Title", "markdown"), Text("a", "x = '😀'; y = 1"),
                   Text("sh", "ls (", "shellscript"), Text("b", "%time z = 2\n")})
            .empty());
  return notebook;
}

text::Source SourceOf(const NotebookDocument& notebook) {
  auto source = text::Source::FromBytes(notebook.key(), notebook.FileText());
  REQUIRE(source);
  return *std::move(source);
}

std::vector<std::string> Apply(NotebookDocument* notebook, const char* change) {
  const lsp::Json json = lsp::Json::parse(change);
  const Fields fields(json, "change");
  auto complaints = notebook->Apply(notebook->version() + 1, fields, PositionEncoding::kUtf16);
  if (auto error = fields.error()) complaints.push_back(error->message);
  return complaints;
}

std::string Ids(const NotebookDocument& notebook) {
  std::string ids;
  for (const auto& cell : notebook.cells())
    ids += cell.said.document.substr(5) + '=' + cell.id + ' ';
  return ids;
}

TEST_CASE("the cells become the file that would be saved") {
  const NotebookDocument notebook = Opened();
  const text::Source source = SourceOf(notebook);
  CHECK(source.bytes() == "x = '😀'; y = 1\n%time z = 2\n");
  REQUIRE(source.notebook()->cells().size() == 2);
  CHECK(source.notebook()->cells()[0].number == 2);
  CHECK(source.notebook()->cells()[1].number == 4);
  CHECK(source.notebook()->cells()[1].id == "cell-4");
  const lsp::Json file = lsp::Json::parse(notebook.FileText());
  CHECK(file["cells"][0]["cell_type"] == "markdown");
  CHECK(file["cells"][2]["metadata"]["vscode"]["languageId"] == "shellscript");
  CHECK(file["nbformat_minor"] == 5);
}

TEST_CASE("places lead to their cell, and back") {
  const NotebookDocument notebook = Opened();
  const text::Source source = SourceOf(notebook);
  for (const auto& [word, uri] : {std::pair("y = 1", "cell:a"), std::pair("z = 2", "cell:b")}) {
    const auto offset = static_cast<std::uint32_t>(source.bytes().find(word));
    const auto place = notebook.CellPlaceOf(source, offset);
    REQUIRE(place);
    CHECK(place->cell->uri() == uri);
    CHECK(place->cell->text().substr(place->offset).starts_with(word));
    CHECK(notebook.SourceOffsetOf(source, uri, place->offset) == offset);
  }
  // The line end that the first cell was given in the source is the end of its text.
  const auto end = static_cast<std::uint32_t>(source.bytes().find("\n%time"));
  CHECK(notebook.CellPlaceOf(source, end)->offset ==
        notebook.FindCell("cell:a")->text->text().size());
  CHECK(notebook.CellPlaceOf(source, end + 1)->cell->uri() == "cell:b");
  CHECK(notebook.CellPlaceOf(source, 9999)->cell->uri() == "cell:b");
  CHECK_FALSE(notebook.SourceOffsetOf(source, "cell:sh", 0));
  CHECK_FALSE(notebook.SourceOffsetOf(source, "cell:none", 0));
}

TEST_CASE("the kernel's language counts, however deep the client keeps it") {
  const char* const nested = R"({"metadata":{"kernelspec":{"language":"R"}}})";
  CHECK(SourceOf(Opened(lsp::Json::parse(nested))).bytes().empty());
  CHECK(SourceOf(Opened({{"custom", lsp::Json::parse(nested)}})).bytes().empty());
  CHECK(
      SourceOf(Opened(lsp::Json::parse(R"({"language_info":{"name":"julia"}})"))).bytes().empty());
  CHECK_FALSE(SourceOf(Opened(lsp::Json::parse(R"({"metadata":1})"))).bytes().empty());
}

TEST_CASE("cells are put in, taken out and moved; ids stay") {
  NotebookDocument notebook = Opened();
  CHECK(Ids(notebook) == "title=cell-1 a=cell-2 sh=cell-3 b=cell-4 ");
  CHECK(Apply(&notebook, R"({"cells":{"structure":{"array":{"start":1,"deleteCount":1,"cells":[
      {"kind":2,"document":"cell:c"},{"kind":2,"document":"cell:a"}]},
      "didOpen":[{"uri":"cell:c","languageId":"python","version":1,"text":"c = 3"}]}}})")
            .empty());
  CHECK(Ids(notebook) == "title=cell-1 c=cell-5 a=cell-2 sh=cell-3 b=cell-4 ");
  CHECK(SourceOf(notebook).bytes() == "c = 3\nx = '😀'; y = 1\n%time z = 2\n");
  CHECK(Apply(&notebook, R"({"cells":{"structure":{"array":{"start":2,"deleteCount":3},
      "didClose":[{"uri":"cell:a"},{"uri":"cell:b"}]}}})")
            .empty());
  CHECK(SourceOf(notebook).bytes() == "c = 3\n");
}

TEST_CASE("a cell changes its language") {
  NotebookDocument notebook = Opened();
  CHECK(Apply(&notebook, R"({"cells":{"structure":{"array":{"start":2,"deleteCount":0},
      "didOpen":[{"uri":"cell:sh","languageId":"python","version":1,"text":"s = 1"}],
      "didClose":[{"uri":"cell:sh"}]}}})")
            .empty());
  CHECK(SourceOf(notebook).bytes() == "x = '😀'; y = 1\ns = 1\n%time z = 2\n");
}

TEST_CASE("texts, data and metadata change") {
  NotebookDocument notebook = Opened();
  CHECK(Apply(&notebook, R"({"cells":{"textContent":[{"document":{"uri":"cell:a","version":2},
      "changes":[{"range":{"start":{"line":0,"character":7},"end":{"line":0,"character":7}},
                  "text":"!"}]}]}})")
            .empty());
  CHECK(SourceOf(notebook).bytes().starts_with("x = '😀!'; y"));
  CHECK(Apply(&notebook, R"({"cells":{"data":[{"kind":1,"document":"cell:a"}]}})").empty());
  CHECK(SourceOf(notebook).bytes() == "%time z = 2\n");
  CHECK(Apply(&notebook, R"({"metadata":{"kernelspec":{"language":"R"}}})").empty());
  CHECK(SourceOf(notebook).bytes().empty());
}

TEST_CASE("what does not fit is clamped or passed over") {
  NotebookDocument notebook = Opened();
  for (const char* change :
       {R"({"cells":{"structure":{"array":{"start":99,"deleteCount":1}}}})",
        R"({"cells":{"textContent":[{"document":{"uri":"cell:no","version":2},"changes":[]}]}})",
        R"({"cells":{"data":[{"kind":2,"document":"cell:no"}]}})", R"({"cells":[]})",
        R"({"cells":{"structure":{"array":{"start":-1,"deleteCount":1}}}})",
        R"({"cells":{"structure":{"array":{"start":0,"deleteCount":1,"cells":[1]}}}})",
        R"({"cells":{"structure":{"array":{"start":0,"deleteCount":0},"didOpen":[
            {"uri":"cell:no","languageId":"python","version":1,"text":""}]}}})",
        R"({"metadata":"x"})"}) {
    CAPTURE(change);
    CHECK(Apply(&notebook, change).size() == 1);
    CHECK(notebook.cells().size() == 4);
  }
  CHECK(
      Apply(&notebook, R"({"cells":{"structure":{"array":{"start":3,"deleteCount":9}}}})").size() ==
      1);
  CHECK(notebook.cells().size() == 3);
  CHECK(notebook.Open({}, {Text("a", "x")}).size() == 1);
  CHECK(SourceOf(notebook).bytes().empty());
}

TEST_CASE("NUL and U+FFFD in a cell move nothing") {
  NotebookDocument notebook("file:///x.ipynb", "jupyter-notebook", 1, nullptr);
  notebook.Open({Cell("a")}, {Text("a", std::string("'\0\uFFFD'; y", 9))});
  const text::Source source = SourceOf(notebook);
  const auto offset = static_cast<std::uint32_t>(source.bytes().find('y'));
  CHECK(notebook.CellPlaceOf(source, offset)->offset == 8);
}

}  // namespace
}  // namespace torchleak::lsp
