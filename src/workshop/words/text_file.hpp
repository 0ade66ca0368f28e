// Text files, read and written whole, and never lost.
#pragma once

#include <string>

namespace workshop {

/// Returns the file's text. Throws runner::Error(ExitCode::usage), with the reason, if it cannot be read.
std::string read_text(const std::string& path);

/// Writes the file whole or not at all, and makes its folder. Throws runner::Error.
void write_text(const std::string& path, const std::string& text);

/// Moves a file to "NAME.1.EXTENSION", or the first free number, in the folder `backup` beside it, and returns the new
/// path. Never replaces a file. Throws runner::Error if the move fails.
std::string move_to_backup(const std::string& path);

}  // namespace workshop
