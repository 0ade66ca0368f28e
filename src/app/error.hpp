// The exit codes of the program, and the exception that carries one to main.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace runner {

/// The exit codes of the program. Scripts rely on them.
enum class ExitCode : int {
  ok = 0,
  wrong = 1,  // a wrong result or a broken promise
  usage = 2,  // the command line makes no sense
  regression =
      3,  // a kernel is slower than in the base run, or its counters differ from the base run's
  not_comparable = 4,  // the base run has another device, cuBLAS or other kernels
  untrusted = 5,       // with --strict: the measurement cannot be trusted
  failure = 70,        // a CUDA call failed, or the program itself did
  no_device = 77,      // no suitable GPU
  interrupted = 130,   // Ctrl-C; the finished results have been printed
};

/// Ends the program. The message tells the user what was wrong and what would be right.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code), paragraphs_{message} {}
  /// Makes one error of several. Each is a paragraph of its own; what() has them as lines.
  Error(ExitCode code, const std::vector<std::string>& paragraphs)
      : std::runtime_error(joined(paragraphs)), code_(code), paragraphs_(paragraphs) {}
  ExitCode code() const { return code_; }
  const std::vector<std::string>& paragraphs() const { return paragraphs_; }

 private:
  static std::string joined(const std::vector<std::string>& paragraphs) {
    std::string text;
    for (const std::string& one : paragraphs) text += (text.empty() ? "" : "\n") + one;
    return text;
  }

  ExitCode code_;
  std::vector<std::string> paragraphs_;
};

/// Turns the exception being handled into an Error. Call it in a `catch` block.
inline Error caught_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ExitCode::failure, "out of host memory; try a smaller --size"};
  } catch (const std::exception& error) {
    return {ExitCode::failure, std::string("internal error: ") + error.what()};
  }
}

}  // namespace runner
