// Runs work in its own process, for anybody's code. If the code crashes, exits, loops without end or floods the output,
// this process goes on and bounds it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runner/machine/machine.hpp"

namespace runner {

/// The limits of the work. This process measures time and memory itself; no report of the work changes them.
struct Bounds {
  double step_seconds = 60;  // the limit of a step; the first step begins with the process
  double seconds = 3600;     // the limit of all steps together
  int64_t memory_bytes = 0;  // for the work and the processes it starts; 0: most of the free memory
  size_t output_bytes = 2048;        // kept of its output, half from each end
  bool may_start_processes = false;  // a compiler does, and judged code does not
};

/// The work's reports. They go through memory that is locked between reports, and not through a file descriptor.
class Told {
 public:
  struct Board;
  explicit Told(Board& board) : board_(board) {}

  /// Reports the current activity, in a few words for people.
  void begin(std::string_view step);
  /// Replaces the report so far. Throws Error if the text is too long.
  void say(std::string_view text);

 private:
  Board& board_;
};

/// Reports the progress.
struct Underway {
  std::string step{};
  std::optional<machine::LaunchProgress> launch{};
};

struct DoneApart {
  enum class End {
    done,               // `said` is complete
    timed_out,          // in `step`: the step, or all steps, took too long
    too_much_memory,    // in `step`
    started_a_process,  // started a process, or did something else that judged code may not do
    signalled,          // `number` is the signal
    exited,             // with exit code `number`, before the work was done
    interrupted,        // by the user
  } end = End::done;
  std::string said{};  // the work's last report, even if it did not end
  std::string step{};  // the last step that was begun
  double seconds = 0;  // timed out: the bound that was passed
  int64_t bytes = 0;   // too much memory: the amount
  int number = 0;
  std::string printed{};  // to stdout and stderr: all of it, or its beginning and its end
};

/// Does the work in a child process. Ends the child, with all processes that it has started, in three cases: it breaks
/// its bounds, the user interrupts, or this process ends in any way. The work's stdin is empty, and its temporary files
/// (TMPDIR) are removed afterwards. Calls `watch` now and then meanwhile.
///
/// The child is a fork: no CUDA device may be open here. The work must catch its own exceptions.
DoneApart do_apart(const Bounds& bounds, const std::function<void(Told& told)>& work,
                   const std::function<void(const Underway&)>& watch = {});

}  // namespace runner
