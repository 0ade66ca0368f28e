#include "test/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace {

struct Channel {
  int read = -1, write = -1;
};

Channel make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return {ends[0], ends[1]};
}

Channel make_terminal() {
  int master = -1, slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0)
    throw std::runtime_error("openpty failed");
  fcntl(master, F_SETFD, FD_CLOEXEC);
  fcntl(slave, F_SETFD, FD_CLOEXEC);
  return {master, slave};
}

[[noreturn]] void become(const Call& call, int out, int err) {
  const int null = open("/dev/null", O_RDONLY);
  if (null < 0) _exit(126);
  dup2(null, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::signal(SIGHUP, SIG_DFL);  // the tests may run under nohup
  for (const std::string& setting : call.environment) putenv(const_cast<char*>(setting.c_str()));
  call.before_exec();
  std::vector<char*> words;
  words.reserve(call.words.size() + 1);
  for (const std::string& word : call.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  _exit(127);
}

// Returns false at the end of the stream. A terminal whose other side has gone reports EIO for it.
bool read_some(int descriptor, std::string& into) {
  char buffer[4096];
  const ssize_t got = read(descriptor, buffer, sizeof buffer);
  if (got > 0) into.append(buffer, static_cast<size_t>(got));
  return got > 0;
}

// Returns the system's word on a process behind a name like "State:".
std::string status_of(pid_t process, const std::string& word) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(word)) return line.substr(word.size());
  }
  return "";
}

// True if the signal is set in these bits of a hexadecimal number.
bool is_among(int signal, const std::string& signals) {
  return (std::strtoul(signals.c_str(), nullptr, 16) >> (signal - 1) & 1) != 0;
}

}  // namespace

Ended run_program(const Call& call) {
  const Channel out = make_pipe();
  const bool interrupts = !call.interrupt_at.empty() || call.interrupt_when;
  const auto is_time = [&call](const std::string& text) {
    return call.interrupt_when ? call.interrupt_when(text)
                               : text.find(call.interrupt_at) != text.npos;
  };
  const Channel err = call.err_is_terminal || interrupts ? make_terminal() : make_pipe();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(call, out.write, err.write);
  close(out.write);
  close(err.write);

  Ended ended;
  bool to_interrupt = interrupts;
  std::jthread meanwhile;
  if (call.meanwhile) {
    meanwhile = std::jthread([&](const std::stop_token& stop) { call.meanwhile(stop, child); });
  }
  pollfd streams[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    poll(streams, 2, -1);
    if (streams[0].revents != 0 && !read_some(out.read, ended.out)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !read_some(err.read, ended.err)) streams[1].fd = -1;
    if (to_interrupt && is_time(ended.err)) {
      kill(child, call.interrupt_with);
      if (call.interrupt_twice) {
        usleep(5000);
        kill(child, call.interrupt_with);
      }
      to_interrupt = false;
    }
  }
  close(out.read);
  close(err.read);
  // Its number must stay taken as long as a thread may send it signals.
  siginfo_t ignored{};
  waitid(P_PID, static_cast<id_t>(child), &ignored, WEXITED | WNOWAIT);
  if (meanwhile.joinable()) {
    meanwhile.request_stop();
    meanwhile.join();
  }
  int status = 0;
  waitpid(child, &status, 0);
  ended.signal = WIFEXITED(status) ? 0 : WTERMSIG(status);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + ended.signal;
  return ended;
}

void wait_until_asleep(const std::stop_token& stop, pid_t child) {
  constexpr int LOOKS = 20;  // in a row, with the same answer
  for (int asleep = 0; asleep < LOOKS && !stop.stop_requested();) {
    usleep(10000);
    const bool sleeps = status_of(child, "State:").find("(sleeping)") != std::string::npos;
    asleep = sleeps && is_among(SIGINT, status_of(child, "SigCgt:")) ? asleep + 1 : 0;
  }
}

void wait_until_ignoring(int signal, const std::stop_token& stop, pid_t child) {
  while (!stop.stop_requested() && !is_among(signal, status_of(child, "SigIgn:"))) usleep(1000);
}
