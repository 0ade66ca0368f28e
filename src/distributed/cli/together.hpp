// What all processes of a program do together: they agree on their arguments, refuse together, and take a GPU each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/error.hpp"

namespace distributed {

/// Returns true if it is true on all processes.
bool is_true_everywhere(bool here);

/// Throws runner::Error(ExitCode::usage) on all processes if one has another version or other arguments than the process 0.
void agree(const std::vector<std::string>& arguments);

/// Runs a step of one process. If it throws runner::Error, all processes throw one, with the same exit code.
void all_or_none(const std::function<void()>& step);

/// Returns this process's place among the processes of its machine, from 0: the number of its GPU. Throws
/// runner::Error(ExitCode::usage) on all processes if a machine has more processes than GPUs.
int own_gpu();

/// Does the work of a program. If it throws runner::Error, which all processes must do alike, the process 0 tells it. Any other
/// exception ends all processes at once, with exit code 70 and the rank.
runner::ExitCode run_together(const char* program, const std::function<runner::ExitCode()>& work);

}  // namespace distributed
