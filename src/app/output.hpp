// Writes results; an error or an interruption leaves no half-written file.
#pragma once

#include <string>
#include <string_view>

#include "app/error.hpp"

namespace runner {

/// Writes to stdout and flushes. Ignores a reader who has gone (EPIPE). Throws Error(ExitCode::failure) if the text
/// cannot be written, as on a full disk.
void write_stdout(std::string_view text);

/// Writes to stderr. A failure is ignored: there is nowhere left to report it.
void write_stderr(std::string_view text);

/// Writes "sgemm_runner: " and a line of text to stderr, wrapped to its width (text/terminal.hpp). Writes a text of
/// several lines as it is, because it is laid out already, like a compiler's messages.
void warn(std::string_view text);
/// Writes an error in the same way. Wraps each of its paragraphs.
void warn(const Error& error);

/// Throws Error(ExitCode::usage) if `path` is a regular file and `replace` is false.
void require_free_or_replaced(const std::string& path, bool replace);

/// A file that appears whole under its name, or not at all. Only a regular file is replaced. A terminal, a pipe, and
/// names like /dev/stdout or /dev/fd/3 are written to directly; earlier output there stays.
class OutputFile {
 public:
  /// Makes a temporary file beside `path` and removes it again. So a path that cannot be written fails before the work,
  /// with Error(ExitCode::usage). Waits for a pipe's reader; an interruption ends the wait.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Writes the contents to a temporary file and gives it the name. Throws Error(ExitCode::failure).
  void commit(std::string_view contents);

 private:
  int make_temporary(std::string& name) const;

  std::string path_;
  int descriptor_ = -1;  // of a terminal or pipe, to which commit() writes directly
};

}  // namespace runner
