#include "runner/trial/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <thread>

#include "app/error.hpp"
#include "app/free_memory.hpp"
#include "app/interrupt.hpp"
#include "app/temporary_folder.hpp"
#include "runner/trial/output_ends.hpp"
#include "text/foreign.hpp"

namespace runner {

// The memory that parent and child share. The child's mapping is locked except while it reports, so no stray write
// reaches it. Two texts take turns, so the parent never reads a half-written one.
struct Told::Board {
  static constexpr size_t STEP_BYTES = 200, TEXT_BYTES = size_t{32} << 20;

  uint32_t steps = 0;  // number of steps begun
  std::array<char, STEP_BYTES> step{};
  uint32_t texts = 0;  // number of texts reported; the last lies in text[texts % 2]
  std::array<uint64_t, 2> bytes{};
  uint32_t is_done = 0;
  std::array<std::array<char, TEXT_BYTES>, 2> text;
};

namespace {

using Board = Told::Board;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int LOOK_EVERY_MS = 20;     // between checks of the time
constexpr int LOOKS_FOR_MEMORY = 3;   // every third check looks at the memory too
constexpr double LONGEST_LOOK = 0.5;  // in seconds: longer means that this process was stopped
constexpr int MOST_PROCESSES = 32;    // of judged code, which now and then starts a symbolizer
constexpr rlim_t MOST_FILE_BYTES = rlim_t{1} << 30;

// The progress of the current launch, for the display only. No judgement depends on it.
struct Blocks {
  std::atomic<int64_t> done{0}, blocks{0};
};

// A value of type T in memory that a child shares. No file backs it, so it needs no descriptor.
template <typename T>
class Shared {
 public:
  Shared() {
    void* const memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw Error(ExitCode::failure,
                  fmt::format("no memory to judge in: {}", std::strerror(errno)));
    }
    value_ = static_cast<T*>(memory);  // all of the memory is 0, the initial value of each T
  }
  ~Shared() { munmap(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }

 private:
  T* value_;
};

void protect(Board& board, int how) { mprotect(&board, sizeof board, how); }

class Unlocked {
 public:
  explicit Unlocked(Board& board) : board_(board) { protect(board_, PROT_READ | PROT_WRITE); }
  ~Unlocked() { protect(board_, PROT_NONE); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Board& board_;
};

// ---- The child.

void end_the_group(int) { kill(0, SIGKILL); }

void set_limit(decltype(RLIMIT_CORE) resource, rlim_t value) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(value, limit.rlim_max);
  limit.rlim_max = limit.rlim_cur;
  setrlimit(resource, &limit);
}

// Lets this process end when its parent ends. Programs that it has started do not inherit this setting, so it ends them too.
void end_with(pid_t parent, bool may_start_processes) {
  if (may_start_processes) std::signal(SIGTERM, end_the_group);
  prctl(PR_SET_PDEATHSIG, may_start_processes ? SIGTERM : SIGKILL);
  if (getppid() != parent) _exit(0);
}

[[noreturn]] void be_the_child(pid_t parent, const Bounds& bounds, int printed, Board& board,
                               Blocks& blocks, const std::function<void(Told&)>& work,
                               bool is_watched) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);  // a pipe without a reader does not end the work
  setpgid(0, 0);
  end_with(parent, bounds.may_start_processes);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(printed, STDOUT_FILENO);
  dup2(printed, STDERR_FILENO);
  setvbuf(stdout, nullptr, _IOLBF, 0);  // by lines, so output before a crash arrives
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, MOST_FILE_BYTES);
  protect(board, PROT_NONE);
  if (is_watched) {
    std::thread([&blocks] {
      for (;; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
        const auto launch = machine::progress();
        blocks.done = launch ? launch->done : 0;
        blocks.blocks = launch ? launch->blocks : 0;
      }
    }).detach();
  }
  Told told(board);
  work(told);
  fflush(stdout);
  {
    const Unlocked unlocked(board);
    board.is_done = 1;
  }
  _exit(0);  // runs no destructors of the work or of ours
}

// ---- The parent.

// The memory of a process and its descendants, and their number.
struct Family {
  int64_t bytes = 0;
  int processes = 0;
};

void add_to(Family& family, pid_t process) {
  if (++family.processes > MOST_PROCESSES) return;
  const std::string folder = fmt::format("/proc/{}/", process);
  int64_t pages = 0, resident = 0;
  std::ifstream(folder + "statm") >> pages >> resident;
  family.bytes += resident * sysconf(_SC_PAGESIZE);
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator(folder + "task", gone)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) add_to(family, child);
  }
}

std::string step_of(const Board& board) {
  const char* const end = std::ranges::find(board.step, '\0');
  return text::plain_line({board.step.data(), end});
}

std::string said_on(const Board& board) {
  const size_t which = board.texts % 2;
  if (board.texts == 0) return "";
  return {board.text.at(which).data(), std::min<size_t>(board.bytes.at(which), Board::TEXT_BYTES)};
}

// Counts time only while this process runs, and not while it is stopped.
class Clocks {
 public:
  void look() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::min(Seconds(now - last_).count(), LONGEST_LOOK);
    last_ = now;
    all_ += seconds;
    step_ += seconds;
  }
  void begin_step() { step_ = 0; }
  double all() const { return all_; }
  double step() const { return step_; }

 private:
  Clock::time_point last_ = Clock::now();
  double all_ = 0, step_ = 0;
};

// The child, watched by its parent.
class Watched {
 public:
  Watched(pid_t child, int printed, const Bounds& bounds, const Board& board)
      : child_(child),
        printed_(printed),
        bounds_(bounds),
        board_(board),
        ends_(bounds.output_bytes) {
    const int64_t free = most_of_free_memory();
    if (bounds_.memory_bytes <= 0 || bounds_.memory_bytes > free) bounds_.memory_bytes = free;
    fcntl(printed_, F_SETFL, O_NONBLOCK);
  }

  // Waits until the child ends, or ends it.
  DoneApart wait(const std::function<void()>& look) {
    while (!has_ended()) {
      if (!is_within_bounds()) {
        kill_all();
        break;
      }
      look();
      pollfd readable{.fd = is_open_ ? printed_ : -1, .events = POLLIN, .revents = 0};
      poll(&readable, 1, is_open_ ? LOOK_EVERY_MS : 1);
      read_what_is_there();
    }
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-child_, SIGKILL);  // the processes that it left running
    read_what_is_there();
    done_.step = step_of(board_);
    done_.said = said_on(board_);
    done_.printed = text::plain_lines(ends_.text());
    if (done_.end == DoneApart::End::done) tell_end(status);
    return done_;
  }

 private:
  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child_;
  }

  void kill_all() const {
    kill(-child_, SIGKILL);
    kill(child_, SIGKILL);  // the child may not have its group yet
  }

  bool is_within_bounds() {
    if (interrupted()) {
      done_.end = DoneApart::End::interrupted;
      return false;
    }
    clocks_.look();
    if (const uint32_t steps = std::atomic_ref(const_cast<uint32_t&>(board_.steps)).load();
        steps != steps_) {
      steps_ = steps;
      clocks_.begin_step();
    }
    const bool step_is_late = clocks_.step() > bounds_.step_seconds;
    if (step_is_late || clocks_.all() > bounds_.seconds) {
      done_.end = DoneApart::End::timed_out;
      done_.seconds = step_is_late ? bounds_.step_seconds : bounds_.seconds;
      return false;
    }
    if (++looks_ % LOOKS_FOR_MEMORY != 0) return true;
    Family family;
    add_to(family, child_);
    if (!bounds_.may_start_processes && family.processes > MOST_PROCESSES) {
      done_.end = DoneApart::End::started_a_process;
      return false;
    }
    if (family.bytes > bounds_.memory_bytes) {
      done_.end = DoneApart::End::too_much_memory;
      done_.bytes = bounds_.memory_bytes;
      return false;
    }
    return true;
  }

  // Reads the waiting output. Never waits, and returns after a bounded number of pieces, so that the time is checked.
  void read_what_is_there() {
    std::array<char, 65536> piece{};
    for (int pieces = 0; pieces < 64 && is_open_; ++pieces) {
      const ssize_t got = read(printed_, piece.data(), piece.size());
      if (got > 0) ends_.add({piece.data(), static_cast<size_t>(got)});
      if (got == 0) is_open_ = false;
      if (got < 0) return;
    }
  }

  void tell_end(int status) {
    if (WIFSIGNALED(status)) {
      done_.number = WTERMSIG(status);
      done_.end =
          done_.number == SIGSYS ? DoneApart::End::started_a_process : DoneApart::End::signalled;
    } else if (board_.is_done == 0 || WEXITSTATUS(status) != 0) {
      done_.end = DoneApart::End::exited;
      done_.number = WEXITSTATUS(status);
    }
  }

  pid_t child_;
  int printed_;
  Bounds bounds_;
  const Board& board_;
  OutputEnds ends_;
  Clocks clocks_{};
  uint32_t steps_ = 0;
  int looks_ = 0;
  bool is_open_ = true;
  DoneApart done_{};
};

Error no(const char* what) {
  return {ExitCode::failure, fmt::format("there is no {}: {}", what, std::strerror(errno))};
}

}  // namespace

void Told::begin(std::string_view step) {
  const Unlocked unlocked(board_);
  board_.step.fill('\0');
  std::ranges::copy(step.substr(0, Board::STEP_BYTES - 1), board_.step.begin());
  std::atomic_ref(board_.steps).fetch_add(1);
}

void Told::say(std::string_view text) {
  if (text.size() > Board::TEXT_BYTES) {
    throw Error(ExitCode::failure, "there is more to say of the result than there is room for");
  }
  const Unlocked unlocked(board_);
  const size_t which = (board_.texts + 1) % 2;
  std::ranges::copy(text, board_.text.at(which).begin());
  board_.bytes.at(which) = text.size();
  std::atomic_ref(board_.texts).fetch_add(1);
}

DoneApart do_apart(const Bounds& bounds, const std::function<void(Told& told)>& work,
                   const std::function<void(const Underway&)>& watch) {
  const TemporaryFolder folder;
  const Shared<Board> board;
  const Shared<Blocks> blocks;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw no("pipe");
  const pid_t parent = getpid();
  fflush(stdout);  // otherwise the child would print it as well
  const pid_t child = fork();
  if (child < 0) {
    const Error error = no("process");
    close(ends[0]);
    close(ends[1]);
    throw Error(error);
  }
  if (child == 0) {
    setenv("TMPDIR", (folder / "").c_str(), 1);
    be_the_child(parent, bounds, ends[1], *board, *blocks, work, static_cast<bool>(watch));
  }
  close(ends[1]);
  const DoneApart done = Watched(child, ends[0], bounds, *board).wait([&] {
    if (!watch) return;
    Underway underway{.step = step_of(*board)};
    if (blocks->blocks > 0) underway.launch = machine::LaunchProgress{blocks->done, blocks->blocks};
    watch(underway);
  });
  close(ends[0]);
  return done;
}

}  // namespace runner
