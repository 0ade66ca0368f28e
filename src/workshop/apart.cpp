#include "workshop/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "runner/error.hpp"
#include "runner/interrupt.hpp"
#include "runner/temporary_folder.hpp"
#include "workshop/text_file.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;
using Clock = std::chrono::steady_clock;

// What goes through the pipe: a line "sSECONDS NAME" for each step, then "r" and what the work returned, to the end.
constexpr char STEP = 's', RESULT = 'r';
constexpr double FIRST_SECONDS = 60;  // until the first step has begun

void write_all(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return;
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
}

[[noreturn]] void be_the_child(int to, const std::string& printed_file,
                               const std::function<std::string(const Steps&)>& work) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  setpgid(0, 0);
  const int printed = open(printed_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (printed >= 0) {
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
  }
  setvbuf(stdout, nullptr, _IOLBF, 0);  // what was printed before a crash counts too
  write_all(to, RESULT + work(Steps(to)));
  close(to);
  _exit(0);  // neither the work's destructors nor ours have anything to say
}

// Reads what the child says.
class Listener {
 public:
  explicit Listener(DoneApart& heard) : heard_(heard) { allow(FIRST_SECONDS); }

  bool is_late() const { return Clock::now() >= deadline_; }
  bool has_result() const { return has_result_; }

  void hear(const char* text, size_t count) {
    buffer_.append(text, count);
    while (!has_result_ && !buffer_.empty()) {
      if (buffer_[0] == RESULT) {
        has_result_ = true;
        buffer_.erase(0, 1);
        break;
      }
      const size_t end = buffer_.find('\n');
      if (end == buffer_.npos) return;
      const size_t name = buffer_.find(' ');
      heard_.step = buffer_.substr(name + 1, end - name - 1);
      allow(std::strtod(buffer_.c_str() + 1, nullptr));
      buffer_.erase(0, end + 1);
    }
    if (!has_result_) return;
    heard_.said += buffer_;
    buffer_.clear();
  }

 private:
  void allow(double seconds) {
    heard_.seconds = seconds;
    deadline_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  DoneApart& heard_;
  std::string buffer_{};
  Clock::time_point deadline_{};
  bool has_result_ = false;
};

// Listens to the end. False if that did not come in time, or the user interrupts.
bool listen(int from, Listener& listener) {
  std::array<char, 4096> piece{};
  while (!listener.is_late() && !runner::interrupted()) {
    pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count == 0) return true;
    if (count > 0) listener.hear(piece.data(), static_cast<size_t>(count));
  }
  return false;
}

std::string beginning_of(const std::string& path) {
  constexpr size_t MOST = 600;
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return "";
  std::string text = read_text(path);
  if (text.size() > MOST) text = text.substr(0, text.rfind('\n', MOST) + 1) + "...\n";
  return text;
}

Error no(const char* what) {
  return {ExitCode::failure, fmt::format("there is no {}: {}", what, std::strerror(errno))};
}

}  // namespace

void Steps::begin(const std::string& step, double seconds) const {
  write_all(to_, fmt::format("{}{} {}\n", STEP, seconds, step));
}

DoneApart do_apart(const std::function<std::string(const Steps& steps)>& work) {
  const runner::TemporaryFolder folder;
  const std::string printed = folder / "printed";
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw no("pipe");
  const pid_t child = fork();
  if (child < 0) throw no("process");
  if (child == 0) {
    setenv("TMPDIR", (folder / "").c_str(), 1);
    be_the_child(ends[1], printed, work);
  }
  close(ends[1]);
  DoneApart done;
  Listener listener(done);
  const bool ended = listen(ends[0], listener);
  close(ends[0]);
  if (!ended) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);  // it may not have its group yet
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);  // what it has started and left
  runner::stop_if_interrupted();

  if (!ended) {
    done.end = DoneApart::End::timed_out;
  } else if (WIFSIGNALED(status)) {
    done.end = DoneApart::End::signalled;
    done.number = WTERMSIG(status);
  } else if (!listener.has_result()) {
    done.end = DoneApart::End::exited;
    done.number = WEXITSTATUS(status);
  }
  done.printed = beginning_of(printed);
  return done;
}

}  // namespace workshop
