// Writing results so that nothing half-written is left behind.
#pragma once

#include <string>
#include <string_view>

namespace runner {

/// Writes to stdout and flushes. A reader who has gone (EPIPE) is no error; a full disk is one:
/// Error(ExitCode::failure).
void write_stdout(std::string_view text);

/// A file that appears whole under its name, or not at all. Something at that name which is no regular
/// file (a terminal, a pipe) is written to directly.
class OutputFile {
 public:
  /// Makes a temporary file beside `path`, so that a path which cannot be written fails before the work
  /// is done and not after it: Error(ExitCode::usage).
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // removes the temporary file if commit() was not reached

  /// Writes the contents and gives the file its name. Throws Error(ExitCode::failure).
  void commit(std::string_view contents);

 private:
  std::string path_;
  std::string temporary_;  // empty if path_ is written directly or the file has its name
  int descriptor_ = -1;
};

}  // namespace runner
