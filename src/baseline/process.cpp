// Standard input is an unnamed file, so that neither side waits for the other to read; the two
// outputs are polled together for the same reason.
#include "baseline/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

extern char** environ;

namespace torchleak::baseline {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

struct Pipe {
  std::array<int, 2> ends = {-1, -1};
  bool Open() {
#ifdef __APPLE__  // has no pipe2()
    return pipe(ends.data()) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
#else
    return pipe2(ends.data(), O_CLOEXEC) == 0;
#endif
  }
  void Close(std::size_t end) {
    if (ends[end] >= 0) close(std::exchange(ends[end], -1));
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
};

text::Error Failed(const std::string& program, int code) {
  return {program + ": " + std::generic_category().message(code)};
}

// What the two pipes give, until both are closed.
void Collect(Pipe* out, Pipe* err, Finished* finished) {
  std::array<pollfd, 2> polled = {{{out->ends[0], POLLIN, 0}, {err->ends[0], POLLIN, 0}}};
  const std::array<std::string*, 2> texts = {&finished->out, &finished->err};
  std::vector<char> chunk(std::size_t{1} << 16);
  for (int open = 2; open > 0;) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      const ssize_t got = read(polled[i].fd, chunk.data(), chunk.size());
      if (got > 0) texts[i]->append(chunk.data(), static_cast<std::size_t>(got));
      if (got > 0 || (got < 0 && errno == EINTR)) continue;
      polled[i].fd = -1;
      --open;
    }
  }
}

// With the signals of a fresh program: ours may be blocked or ignored.
int Spawn(const std::vector<std::string>& argv, int in, int out, int err, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, pipe_only;
  sigemptyset(&none);
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipe_only);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> words, variables;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("LC_ALL=") && !text.starts_with("LANGUAGE="))
      variables.push_back(*variable);
  }
  char english[] = "LC_ALL=C";
  variables.push_back(english);
  variables.push_back(nullptr);
  const int code =
      posix_spawnp(child, words[0], &actions, &attributes, words.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

}  // namespace

text::Result<Finished> RunProcess(const std::vector<std::string>& argv, std::string_view input) {
  const std::unique_ptr<std::FILE, CloseFile> in(std::tmpfile());
  if (in == nullptr) return Failed(argv[0], errno);
  const bool given = input.empty() ||  // of a null pointer not even nothing may be written
                     std::fwrite(input.data(), 1, input.size(), in.get()) == input.size();
  if (!given || std::fflush(in.get()) != 0) {
    return Failed(argv[0], errno);
  }
  std::rewind(in.get());
  Pipe out, err;
  if (!out.Open() || !err.Open()) return Failed(argv[0], errno);
  pid_t child = 0;
  const int code = Spawn(argv, fileno(in.get()), out.ends[1], err.ends[1], &child);
  if (code != 0) return Failed(argv[0], code);
  out.Close(1);
  err.Close(1);
  Finished finished;
  Collect(&out, &err, &finished);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

}  // namespace torchleak::baseline
