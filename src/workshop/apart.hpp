// Work in a process of its own: whatever it does, a crash, an exit or a loop without end, this one goes on.
#pragma once

#include <functional>
#include <string>

namespace workshop {

/// What the work says of itself while it is done.
class Steps {
 public:
  explicit Steps(int to) : to_(to) {}
  /// What is done from now on, and how long that may take.
  void begin(const std::string& step, double seconds) const;

 private:
  int to_;
};

struct DoneApart {
  enum class End {
    done,       // `said` is what the work returned
    timed_out,  // in `step`, which took longer than it said
    signalled,  // `number` is the signal
    exited,     // with exit code `number`, before the work was done
  } end = End::done;
  std::string said{};
  std::string step{};  // the last that was begun
  double seconds = 0;  // that it may take
  int number = 0;
  std::string printed{};  // what was written to stdout and stderr there, its beginning
};

/// Does the work in a child process, and ends it with all that it has started where it takes too long. Ctrl-C ends it and
/// throws runner::Error(ExitCode::interrupted). Its temporary files (TMPDIR) are gone afterwards. To be called while this
/// process has one thread.
DoneApart do_apart(const std::function<std::string(const Steps& steps)>& work);

}  // namespace workshop
