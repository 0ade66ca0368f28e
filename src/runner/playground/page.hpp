// The playground as one HTML file.
#pragma once

#include <string>

namespace runner::playground {

/// Returns the page. It loads nothing else: no file, nothing from the network.
std::string page();

}  // namespace runner::playground
