#include "app/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "app/interrupt.hpp"

extern char** environ;

namespace runner {
namespace {

constexpr int LOOK_EVERY_MS = 100;  // for a signal that came between two calls

enum class Stderr { dropped, with_stdout, ours };
enum class OnInterrupt { go_on, end_it, hand_on };
struct How {
  Stderr error = Stderr::dropped;
  OnInterrupt on_interrupt = OnInterrupt::go_on;
};

// Waits until there is something to read. Returns false once the user has asked to stop.
bool wait_for_output(int descriptor) {
  pollfd readable{descriptor, POLLIN, 0};
  while (!interrupted()) {
    if (poll(&readable, 1, LOOK_EVERY_MS) > 0) return true;
  }
  return false;
}

Finished run(const std::vector<std::string>& words, const How& how) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (how.error == Stderr::with_stdout) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  } else if (how.error == Stderr::dropped) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const bool interruptible = how.on_interrupt != OnInterrupt::go_on;
  if (interruptible) {  // in its own group: the terminal's Ctrl-C reaches it only through us
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  Finished finished;
  if (error != 0) {
    close(ends[0]);
    finished.code = 127;
    return finished;
  }
  char piece[4096];
  bool handed_on = false;
  for (;;) {
    if (interruptible && !handed_on && !wait_for_output(ends[0])) {
      handed_on = true;
      kill(-child, how.on_interrupt == OnInterrupt::hand_on ? SIGINT : SIGTERM);
      if (how.on_interrupt == OnInterrupt::end_it) break;
    }
    const ssize_t got = read(ends[0], piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    finished.output.append(piece, static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    if (interruptible && !handed_on && interrupted())
      kill(-child, SIGTERM);  // the program had closed its output before it ended
  }
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

}  // namespace

Finished run_command(const std::vector<std::string>& words, bool with_stderr) {
  return run(words, {.error = with_stderr ? Stderr::with_stdout : Stderr::dropped});
}

Finished run_interruptibly(const std::vector<std::string>& words) {
  return run(words, {.error = Stderr::with_stdout, .on_interrupt = OnInterrupt::end_it});
}

Finished run_watched(const std::vector<std::string>& words) {
  return run(words, {.error = Stderr::ours, .on_interrupt = OnInterrupt::hand_on});
}

}  // namespace runner
