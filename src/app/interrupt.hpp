// Ctrl-C: the run ends at the next good place and prints what is done.
#pragma once

namespace runner {

/// From now on SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) ask for an end instead of
/// making one. A second SIGINT or SIGTERM ends the process; SIGHUP comes more than once from a terminal that
/// has gone. `on_signal`, if any, is called then too; it must be safe in a signal handler.
void catch_signals(void (*on_signal)() = nullptr);

/// Whether the user has asked for an end.
bool interrupted();

/// Throws Error(ExitCode::interrupted) if so: what takes seconds need not be waited for.
void stop_if_interrupted();

}  // namespace runner
