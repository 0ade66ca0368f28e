// The closing lines about hazards, and what a program ends with.
#pragma once

namespace simulator::runtime {

/// When the program exits, after all its handlers and destructors: what it never freed and what it never asked becomes
/// a hazard, and the last line says how often hazards were found if that is more than they were said. With
/// SIMULATOR_HAZARDS=error a program with hazards, or with a kernel that failed, that would have ended with 0 ends with 1. Nothing of it where no
/// hazards are looked for by then, or their output is switched off: who does that tells of them itself.
void hazards_at_exit();

}  // namespace simulator::runtime
