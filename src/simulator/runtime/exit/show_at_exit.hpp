// Pictures of a source line's requests when the program ends.
#pragma once

namespace simulator::runtime {

/// What SIMULATOR_SHOW=FILE:LINE asks for is recorded from now on and drawn on stderr when the program exits: the worst
/// request of each of the line's instructions and buffers. SIMULATOR_SVG=FILE writes the first of them there too. What
/// they cannot mean is said on stderr.
void show_at_exit();

}  // namespace simulator::runtime
