// Names of kernels, for people and for searches.
#pragma once

#include <string>

namespace runner {

/// Returns a kernel's name from its mangled name, without parameters and unnamed namespaces, like the simulated GPU:
/// "ladder::tuned_kernel<ladder::Variant<11ul>, true>". A name that is not mangled stays unchanged.
std::string kernel_name(const std::string& mangled);

}  // namespace runner
