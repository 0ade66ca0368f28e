// The playground as one HTML file.
#pragma once

#include <string>

namespace runner::playground {

/// The page. It asks for nothing else: no file, no network.
std::string page();

}  // namespace runner::playground
