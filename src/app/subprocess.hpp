// Another program, run to its end.
#pragma once

#include <string>
#include <vector>

namespace runner {

struct Finished {
  int code = -1;  // its exit code; 128 + the signal that ended it; 127 if it could not be started
  std::string output;  // what it wrote to stdout, and to stderr if that was asked for
};

/// Runs words[0], looked up in PATH, with the others as its arguments and nothing on stdin.
Finished run_command(const std::vector<std::string>& words, bool with_stderr);

/// The same with stderr, in a process group of its own: once catch_signals() was called, Ctrl-C ends it and all that it
/// has started, and what it had written until then is the output.
Finished run_interruptibly(const std::vector<std::string>& words);

/// The same, but what it says on stderr is seen where ours is, and Ctrl-C is handed on to it once: what it still writes before it
/// ends is the output. For programs that stop cleanly.
Finished run_watched(const std::vector<std::string>& words);

}  // namespace runner
