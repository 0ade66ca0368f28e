// Finds a program of the CUDA toolkit.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace runner {

/// The path of the program `name`: in a folder of `path` (as PATH has it: separated by colons), else in the first of
/// `folders` that has it. The last part of a folder may be "*": of several the last by name, which is the latest version.
std::optional<std::string> find_program(const std::string& name, const std::string& path,
                                        const std::vector<std::string>& folders);

/// The same in PATH, beside the nvcc that is found there, and where CUDA and Nsight Compute install themselves.
std::optional<std::string> find_cuda_tool(const std::string& name);

/// The places that find_tool() searched, as words for an error message.
extern const char* const WHERE_CUDA_TOOLS_LIE;

}  // namespace runner
