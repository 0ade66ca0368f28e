// The closing lines about hazards, and the program's exit code.
#pragma once

namespace simulator::runtime {

/// Registers the work at the program's exit, after all its handlers and destructors. Memory never freed and
/// errors never asked for become hazards. The last line tells how often hazards were found, if more often than
/// printed. With SIMULATOR_HAZARDS=error a program exits with 1 instead of 0 if it has hazards or a failed
/// kernel. None of this happens if hazards are not looked for by then, or if their output is off: the caller that
/// turns the output off reports them itself.
void hazards_at_exit();

}  // namespace simulator::runtime
