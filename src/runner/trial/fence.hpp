// Takes abilities from a process that will run untrusted code.
#pragma once

namespace runner {

/// Bounds this process and its descendants. They cannot fork, leave their process group, signal other processes, attach
/// to them or write to their memory. They can start programs (such as a symbolizer), which are bound in the same way. A
/// forbidden fork ends the process with SIGSYS; the other calls return an error. Has no effect if the system has no
/// such filters. (A limit on the number of processes would count all processes of the user, and does not bind root.)
void forbid_what_judged_code_may_not();

}  // namespace runner
