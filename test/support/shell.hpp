// Runs a line of shell and keeps its output.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "test/support/files.hpp"

namespace simulator::test {

using ::contents;

/// A folder whose name needs no quotes in lines of shell.
class TemporaryFolder : public ::TemporaryFolder {
 public:
  TemporaryFolder() : ::TemporaryFolder("simulator_test.XXXXXX") {}
};

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs a line of shell.
inline Outcome run(const std::string& command) {
  const TemporaryFolder folder;
  const int status = std::system(("( " + command + " ) >'" + (folder / "out").string() + "' 2>'" +
                                  (folder / "err").string() + "'")
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          contents(folder / "out"), contents(folder / "err")};
}

}  // namespace simulator::test
