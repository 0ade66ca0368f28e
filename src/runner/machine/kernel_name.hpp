// What a kernel is called, for people and for whoever looks for one.
#pragma once

#include <string>

namespace runner {

/// "ladder::tuned_kernel<ladder::Variant<11ul>, true>" of the name that a compiler gave it: without its parameters and
/// without the namespaces that have no name, which is also what the simulated GPU calls it. A name that is not mangled
/// stays as it is.
std::string kernel_name(const std::string& mangled);

}  // namespace runner
