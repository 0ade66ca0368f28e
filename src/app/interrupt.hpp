// Ctrl-C: the run stops at the next safe point and prints the results so far.
#pragma once

namespace runner {

/// From now on SIGINT, SIGTERM and SIGHUP no longer end the process: they set interrupted() and call `on_signal`, if
/// any, which must be safe in a signal handler. SIGHUP stays ignored if it was, as under nohup. A second SIGINT or
/// SIGTERM ends the process. A second SIGHUP does not: a terminal that has gone sends several.
void catch_signals(void (*on_signal)() = nullptr);

/// True once the user has asked the program to stop.
bool interrupted();

/// Throws Error(ExitCode::interrupted) if the user has asked to stop. Long work calls it often.
void stop_if_interrupted();

}  // namespace runner
