// Runs another program to its end.
#pragma once

#include <string>
#include <vector>

namespace runner {

struct Finished {
  int code = -1;  // its exit code; 128 + the signal that ended it; 127 if it could not be started
  std::string output;  // its stdout, and its stderr if requested
};

/// Runs words[0], looked up in PATH, with the others as its arguments and nothing on stdin.
Finished run_command(const std::vector<std::string>& words, bool with_stderr);

/// The same, but the command runs in a process group of its own, and the output includes its stderr. After
/// catch_signals(), Ctrl-C ends the whole group; the output then holds all that was written before.
Finished run_interruptibly(const std::vector<std::string>& words);

/// Does the same, but stderr goes to our stderr, and Ctrl-C is passed on to the program once. The output includes the
/// text that it writes while it stops. For programs that stop cleanly.
Finished run_watched(const std::vector<std::string>& words);

}  // namespace runner
