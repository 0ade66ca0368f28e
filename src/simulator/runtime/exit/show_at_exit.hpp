// Pictures of a source line's requests at the program's end.
#pragma once

namespace simulator::runtime {

/// Records the requests of SIMULATOR_SHOW=FILE:LINE from now on, and draws them on stderr when the program exits:
/// the worst request of each of the line's instructions and buffers. SIMULATOR_SVG=FILE also writes the first of
/// them to that file. Invalid values are reported on stderr.
void show_at_exit();

}  // namespace simulator::runtime
