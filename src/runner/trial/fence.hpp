// Takes abilities from a process that will run untrusted code.
#pragma once

namespace runner {

/// From now on this process, and whatever it starts, can make no copies of itself, leave its process group, or send signals to
/// others, attach to them or write to their memory. It can start programs (the symbolizer is one), which are bound in the same
/// way. A forbidden copy ends the process with SIGSYS; the other calls return an error. Nothing where the system has no such
/// filters. (A limit on the number of processes would count all that the user runs, and does not bind root.)
void forbid_what_judged_code_may_not();

}  // namespace runner
