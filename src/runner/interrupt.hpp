// Ctrl-C: the run ends at the next good place and prints what is done.
#pragma once

namespace runner {

/// From now on SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) ask for an end instead of
/// making one; a second one ends the process.
void catch_signals();

/// Whether the user has asked for an end.
bool interrupted();

}  // namespace runner
