// Finds a program of the CUDA toolkit.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace runner {

/// Returns the path of the program `name`: from a folder of `path` (separated by colons, as in PATH), else from the first
/// of `folders` that has it. The last part of a folder may be "*". It stands for any name; the last one by name, which is
/// the latest version, is searched first.
std::optional<std::string> find_program(const std::string& name, const std::string& path,
                                        const std::vector<std::string>& folders);

/// Returns the same from PATH, from beside the nvcc in PATH, and from the usual folders of CUDA and Nsight Compute.
std::optional<std::string> find_cuda_tool(const std::string& name);

/// The places that find_tool() searched, as words for an error message.
extern const char* const WHERE_CUDA_TOOLS_LIE;

}  // namespace runner
