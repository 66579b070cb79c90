#include "lsp/transport.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>
#include <string>
#include <thread>

#include "lsp/server.h"
#include "tests/unit/lsp/client.h"

namespace torchleak::lsp {
namespace {

// Two pipes, and the ends that a client holds.
struct Pipes {
  std::array<int, 2> in{}, out{};
  Pipes() {
    ::signal(SIGPIPE, SIG_IGN);
    REQUIRE(::pipe(in.data()) == 0);
    REQUIRE(::pipe(out.data()) == 0);
  }
  ~Pipes() {
    for (const int fd : {in[0], in[1], out[0], out[1]}) {
      if (fd >= 0) ::close(fd);
    }
  }
  void Send(std::string_view bytes) const {
    REQUIRE(::write(in[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
};

void Close(int* fd) { ::close(std::exchange(*fd, -1)); }

std::string Framed(const Json& id, std::string method, Json params = nullptr) {
  return lsp::Framed(Message(id, std::move(method), std::move(params)).dump());
}

std::string Session() {
  return Framed(1, "initialize", Json::object()) + Framed(nullptr, "initialized", Json::object()) +
         Framed(2, "no/such") + Framed(3, "shutdown") + Framed(nullptr, "exit");
}

TEST_CASE("over real pipes: answers in order, and a large frame in many pieces") {
  Pipes pipes;
  FdTransport transport(pipes.in[0], pipes.out[1]);
  Server server(transport);
  const std::string large(std::size_t{1} << 20, 'x');
  server.operations().OnRequest("large", [&](Request&) -> Answer { return Json(large); });
  int status = -1;
  std::thread thread([&] { status = server.Run(); });
  pipes.Send(Framed(1, "initialize", Json::object()) + Framed(9, "large"));
  FdTransport client(pipes.out[0], pipes.in[1]);
  CHECK(ParseMessage(client.Read()->text).id == 1);
  CHECK(ParseMessage(client.Read()->text).result == large);
  pipes.Send(Framed(3, "shutdown") + Framed(nullptr, "exit"));
  CHECK(ParseMessage(client.Read()->text).id == 3);
  thread.join();  // though the client's end is open still
  CHECK(status == 0);
}

TEST_CASE("the input ends at any byte, and the server with it") {
  const std::string session = Session();
  for (std::size_t end = 0; end <= session.size(); ++end) {
    CAPTURE(end);
    MemoryTransport transport;
    transport.Feed(std::string_view(session).substr(0, end));
    transport.End();
    Server server(transport);
    CHECK(server.Run() == (end == session.size() ? 0 : 1));
    for (const std::string& text : transport.TakeWritten()) {
      CHECK(ParseMessage(text).kind != Incoming::Kind::kInvalid);
    }
  }
}

TEST_CASE(
    "sessions with bytes changed anywhere: no request that was read is left without an answer") {
  const std::string session =
      Framed(1, "initialize", Json::object()) +
      Framed(nullptr, "textDocument/didOpen",
             Json::parse(R"({"textDocument":{"uri":"file:///a.py","languageId":"python","version":1,
             "text":"x😀\n"}})")) +
      Framed(nullptr, "textDocument/didChange",
             Json::parse(R"({"textDocument":{"uri":"file:///a.py","version":2},"contentChanges":[
             {"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":3}},"text":"y"}
             ]})")) +
      Framed(2, "no/such") + Framed(3, "echo", {{"x", {1, 2}}}) + Framed(4, "shutdown");
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = session;
    for (auto left = random() % 4 + 1; left > 0; --left) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0:
          bytes[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          bytes.erase(at, random() % 20);
          break;
        default:
          bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 20));
          break;
      }
    }
    MemoryTransport transport;
    Server server(transport);
    AddTextSync(server.operations());
    server.operations().OnRequest("echo", [](Request& r) -> Answer { return r.params; });
    FrameReader reader;
    reader.Feed(bytes);
    reader.Finish();
    std::size_t expected = 0, answered = 0;
    while (const auto frame = reader.Next()) {
      const Incoming message = frame->is_broken ? BrokenMessage("") : ParseMessage(frame->text);
      const bool is_answered =
          message.kind == Incoming::Kind::kRequest || message.kind == Incoming::Kind::kInvalid;
      expected += is_answered && !server.exit_status() ? 1 : 0;
      server.Receive(*frame);
      server.Settle();
    }
    for (const std::string& text : transport.TakeWritten()) {
      answered += ParseMessage(text).kind == Incoming::Kind::kResponse ? 1 : 0;
    }
    REQUIRE(answered == expected);
  }
}

TEST_CASE("a client that stops reading ends the server") {
  Pipes pipes;
  FdTransport transport(pipes.in[0], pipes.out[1]);
  Server server(transport);
  Close(&pipes.out[0]);
  pipes.Send(Framed(1, "initialize", Json::object()));
  CHECK(server.Run() == 1);
}

TEST_CASE("a client's process that ends takes the server with it, one that never was does not") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  MemoryTransport transport;
  Server server(transport);
  transport.Feed(Framed(1, "initialize", {{"processId", child}}));
  std::thread killer([&] {
    while (transport.TakeWritten().empty()) std::this_thread::yield();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  });
  CHECK(server.Run() == 1);
  killer.join();

  MemoryTransport other;
  Server lives(other);
  other.Feed(Framed(1, "initialize", {{"processId", child}}) + Framed(2, "shutdown") +
             Framed(nullptr, "exit"));
  CHECK(lives.Run() == 0);
}

}  // namespace
}  // namespace torchleak::lsp
