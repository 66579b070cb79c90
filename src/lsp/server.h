// Server: the life of a language server, its messages and the order of its work. What it knows to
// do is added as Operations (operation.h).
//
//   FdTransport stdio(0, 1);
//   Server server(stdio);
//   AddTextSync(server.operations());
//   server.SetWork([&] { return analysis.Publish(server); });
//   return server.Run();                       // 0 after shutdown and exit, else 1
//
// One thread handles messages, in the order in which they came; another one only reads. When no
// message is left and Schedule()d work is due, the work is called; it should give way when
// HasPending() and is called again then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/documents.h"
#include "lsp/json_rpc.h"
#include "lsp/operation.h"
#include "lsp/queue.h"
#include "lsp/transport.h"

namespace torchleak::lsp {

enum class MessageType { kError = 1, kWarning = 2, kInfo = 3, kLog = 4 };
enum class WorkState { kDone, kInterrupted };

class Server {
 public:
  using Clock = std::function<Queue::TimePoint()>;
  using Work = std::function<WorkState()>;
  // `error` is null when the client did as asked.
  using Callback = std::function<void(const Json& result, const ResponseError* error)>;

  explicit Server(Transport& transport, Clock clock = &std::chrono::steady_clock::now);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Operations& operations() { return operations_; }
  Documents& documents() { return documents_; }
  // Sent in answer to `initialize`; operations add theirs: server.capabilities()["hoverProvider"].
  Json& capabilities() { return capabilities_; }
  // Of the client: {} before `initialize`.
  const Json& initialize_params() const { return initialize_params_; }
  const Json& client_capabilities() const;
  // Told to the client: {"name": "torchleak", "version": …}.
  void SetVersion(std::string_view version) { version_ = version; }
  // The member at a path of the client's capabilities, such as "workspace/applyEdit", is true.
  bool ClientCan(std::string_view path) const;
  // Called in `initialize` before it is answered, and when `initialized` comes.
  void OnInitialize(std::function<void()> hook) { on_initialize_.push_back(std::move(hook)); }
  void OnInitialized(std::function<void()> hook) { on_initialized_.push_back(std::move(hook)); }

  int Run();

  // For tests, instead of Run(): what the reading thread does with each frame, and the handling of
  // all that was received, with the work that is scheduled, whether its time has come or not.
  void Receive(const Frame& frame);
  void Settle();
  std::optional<int> exit_status() const { return exit_status_; }

  // To the client.
  void Notify(std::string_view method, const Json& params);
  void Ask(std::string_view method, const Json& params, Callback callback = {});
  void Respond(const Json& id, const Answer& answer);  // of a request that got `Later`
  void Log(MessageType type, std::string_view text);
  void SetLogLevel(MessageType vaguest) { log_level_ = vaguest; }
  bool Logs(MessageType type) const { return type <= log_level_; }
  void LogAll(const std::vector<std::string>& warnings);
  void Show(MessageType type, std::string_view text);  // to the user, by window/showMessage
  void Trace(std::string_view text);                   // $/logTrace, when the client wants it

  // Work.
  void SetWork(Work work) { work_ = std::move(work); }
  // Once `delay` has passed. A later call puts it off: edits that follow each other are one.
  void Schedule(std::chrono::milliseconds delay);
  bool HasPending() const { return queue_.HasPending(); }
  bool IsCancelled(const Json& id) const { return queue_.IsCancelled(id); }

 private:
  enum class Phase { kNew, kRunning, kShutDown };

  int Loop();
  void Handle(Incoming message);
  void HandleRequest(const Incoming& message);
  void HandleNotification(const Incoming& message);
  void HandleResponse(const Incoming& message);
  void HandleCancel(const Json& params);
  void HandleUnknown(const std::string& method);
  Answer Initialize(const Json& params);
  Answer AnswerTo(const Incoming& message);
  Answer Dispatch(const Incoming& message);
  Answer Shutdown(const Json& own_id);
  void DoWork();
  void Send(std::string_view text);
  void WatchClient();
  bool IsClientAlive() const;
  Queue::TimePoint NextWake() const;

  Transport& transport_;
  Clock clock_;
  Queue queue_;
  Operations operations_;
  Documents documents_;
  Json capabilities_, initialize_params_;
  std::vector<std::function<void()>> on_initialize_, on_initialized_;
  Phase phase_ = Phase::kNew;
  std::optional<int> exit_status_;
  std::int64_t client_process_ = 0;  // 0: none is watched
  bool is_client_gone_ = false;
  std::string version_, trace_ = "off";
  MessageType log_level_ = MessageType::kInfo;
  Work work_;
  std::optional<Queue::TimePoint> due_;
  std::int64_t next_id_ = 1;
  std::map<std::int64_t, Callback> asked_;
  std::map<std::string, Json> open_;  // ids of requests without an answer, by their text
  std::set<std::string> unknown_;     // notifications that were logged
};

// {"textDocumentSync": …, "notebookDocumentSync": …}: what this layer does by itself.
Json BasicCapabilities();

}  // namespace torchleak::lsp
