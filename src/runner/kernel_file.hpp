// Anybody's kernel: one file that defines one rung, compiled and loaded while the program runs.
#pragma once

#include <string>
#include <utility>

#include "kernels/ladder.hpp"
#include "runner/error.hpp"

namespace runner {

/// A kernel's file that does not compile, and all that the compiler said of it.
class DoesNotCompile : public Error {
 public:
  DoesNotCompile(const std::string& message, std::string words)
      : Error(ExitCode::usage, message), words_(std::move(words)) {}
  const std::string& words() const { return words_; }

 private:
  std::string words_;
};

/// The rung that a .cu file defines, as the files in src/kernels do: a variable of type ladder::Rung, declared
/// `extern const`. The file is compiled by what compiled the ladder (clang and the simulator's headers, or nvcc),
/// alone, with src/ on the include path. Its code stays loaded until the program ends.
///
/// Throws DoesNotCompile if it does not, and Error(ExitCode::usage) with what is missing if it
/// defines no rung, or several, or one that cannot be run.
const ladder::Rung& load_kernel_file(const std::string& path);

}  // namespace runner
