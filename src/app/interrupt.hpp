// Ctrl-C: the run stops at the next safe point and prints the results so far.
#pragma once

namespace runner {

/// From now on SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) ask for an end instead of
/// making one. A second SIGINT or SIGTERM ends the process; SIGHUP comes more than once from a terminal that
/// has gone. `on_signal`, if any, is called then too; it must be safe in a signal handler.
void catch_signals(void (*on_signal)() = nullptr);

/// True once the user has asked the program to stop.
bool interrupted();

/// Throws Error(ExitCode::interrupted) if the user has asked to stop. Long work calls it often.
void stop_if_interrupted();

}  // namespace runner
