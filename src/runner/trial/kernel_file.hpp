// A user's kernel: one file that defines one rung, compiled and loaded while the program runs.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/error.hpp"
#include "app/temporary_folder.hpp"
#include "kernels/ladder.hpp"

namespace runner {

/// A kernel's file does not compile. Has all messages of the compiler.
class DoesNotCompile : public Error {
 public:
  DoesNotCompile(const std::string& message, std::string words)
      : Error(ExitCode::usage, message), words_(std::move(words)) {}
  const std::string& words() const { return words_; }

 private:
  std::string words_;
};

/// A kernel's file is missing, or has no rung that can be run.
class UnusableKernel : public Error {
 public:
  UnusableKernel(const std::string& path, const std::string& why, bool has_a_rung = true);
  const std::string& why() const { return why_; }
  /// False if it defines no rung, or several.
  bool has_a_rung() const { return has_a_rung_; }

 private:
  std::string why_;
  bool has_a_rung_;
};

/// A compiled kernel file: compiled alone, like the ladder (by clang with the simulator's headers, or by nvcc), with
/// src/ on the include path. None of its code has run.
struct CompiledKernel {
  std::string path{};     // of the file
  std::string library{};  // in `folder`
  std::vector<std::string>
      files{};  // the compiled sources: the file and all headers, direct or not
  std::vector<std::string> imports{};  // symbols that its loader must supply
  std::unique_ptr<TemporaryFolder> folder{};
};

/// Compiles the file, followed by the header `appended` if one is named. Throws DoesNotCompile if the file does not
/// compile, UnusableKernel if there is no such file, and Error(ExitCode::interrupted). The compiler's time, memory and
/// output are bounded.
CompiledKernel compile_kernel_file(const std::string& path, const std::string& appended = "");

/// Loads the rung that the file defines, as the files in src/kernels do: a variable of type ladder::Rung, declared
/// `extern const`. Its code stays loaded until the program ends, and is called through guards (judged_code.hpp).
///
/// This runs code of the file: the constructors of its variables. Throws UnusableKernel if it defines no rung, several,
/// or one that cannot be run; the message says which part is missing.
const ladder::Rung& load(const CompiledKernel& compiled);

/// Returns a function of the file that load() has loaded. It must be declared `extern "C"` and visible from outside;
/// nullptr if the file has no function of that name.
void* function_of(const CompiledKernel& loaded, const char* name);

/// Compiles and loads the file.
const ladder::Rung& load_kernel_file(const std::string& path);

}  // namespace runner
