// Files of text as they are: read whole, and never lost.
#pragma once

#include <string>

namespace workshop {

/// What the file holds. Throws runner::Error(ExitCode::usage) with the reason where it cannot be read.
std::string read_text(const std::string& path);

/// Writes the file whole or not at all, and makes the folder that it lies in. Throws runner::Error.
void write_text(const std::string& path, const std::string& text);

/// Moves what lies there to "NAME.1.EXTENSION", or the first number that is free, in a folder `backup` beside it, and says
/// where. Nothing is ever replaced there. Throws runner::Error where it cannot.
std::string move_to_backup(const std::string& path);

}  // namespace workshop
