// Ctrl-C: the run ends at the next good place and prints what is done.
#pragma once

namespace runner {

/// From now on SIGINT and SIGTERM ask for an end instead of making one; a second one ends the process.
/// SIGPIPE is ignored: writing to a closed pipe returns an error.
void catch_signals();

/// Whether the user has asked for an end.
bool interrupted();

}  // namespace runner
