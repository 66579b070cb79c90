#include "lsp/documents.h"

#include <doctest/doctest.h>

#include <string>

namespace torchleak::lsp {
namespace {

struct Heard {
  std::string events;
  void Listen(Documents* documents) {
    documents->SetListener([this](const DocumentEvent& event) {
      constexpr const char* kKinds[] = {"open", "change", "save", "close"};
      events += std::string(kKinds[static_cast<int>(event.kind)]) + ' ' + event.key + ';';
    });
  }
};

TEST_CASE("two spellings are one document") {
  Documents documents;
  Heard heard;
  heard.Listen(&documents);
  CHECK(documents.Open({"file:///a%20b.py", "python", "x", 1}).empty());
  const std::vector<ContentChange> full = {{std::nullopt, "y"}};
  CHECK(documents.Change("file:///./a b.py", 2, full).empty());
  CHECK(documents.Find("file:///a b.py")->text() == "y");
  CHECK(documents.Find("file:///a b.py")->uri() == "file:///a%20b.py");
  CHECK(documents.FindByKey("/a b.py") != nullptr);
  CHECK(documents.Save("file:///a%20b.py").empty());
  CHECK(documents.Close("file:///a b.py").empty());
  CHECK(documents.Find("file:///a b.py") == nullptr);
  CHECK(heard.events == "open /a b.py;change /a b.py;save /a b.py;close /a b.py;");
}

TEST_CASE("opened twice, and not at all") {
  Documents documents;
  Heard heard;
  heard.Listen(&documents);
  CHECK(documents.Change("file:///a.py", 1, {}).size() == 1);
  CHECK(documents.Save("file:///a.py").size() == 1);
  CHECK(documents.Close("file:///a.py").size() == 1);
  CHECK(documents.SaveNotebook("file:///a.ipynb").size() == 1);
  CHECK(documents.CloseNotebook("file:///a.ipynb").size() == 1);
  CHECK(heard.events.empty());
  CHECK(documents.Open({"file:///a.py", "python", "x", 1}).empty());
  CHECK(documents.Open({"file:///%61.py", "python", "y", 1}).size() == 1);
  CHECK(documents.Find("file:///a.py")->text() == "y");
  CHECK(documents.Find("file:///a.py")->uri() == "file:///%61.py");
  CHECK(documents.texts().size() == 1);
}

TEST_CASE("cells of notebooks are documents") {
  Documents documents;
  auto notebook =
      std::make_unique<NotebookDocument>("file:///x.ipynb", "jupyter-notebook", 1, nullptr);
  CHECK(documents
            .OpenNotebook(std::move(notebook), {{true, "cell:a", nullptr}},
                          {{"cell:a", "python", "x", 1}})
            .empty());
  CHECK(documents.Find("cell:a")->text() == "x");
  CHECK(documents.Find("cell:b") == nullptr);
  CHECK(documents.NotebookOfCell("cell:a") == documents.FindNotebook("file:///x.ipynb"));
  CHECK(documents.FindNotebookByKey("/x.ipynb")->cells().size() == 1);
  CHECK(documents.texts().empty());
  CHECK(documents.CloseNotebook("file:///x.ipynb").empty());
  CHECK(documents.Find("cell:a") == nullptr);
}

}  // namespace
}  // namespace torchleak::lsp
