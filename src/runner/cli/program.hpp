// Shared by the programs behind sgemm_runner. Each serves its part of the table of subcommands and hands other lines on.
#pragma once

#include "app/error.hpp"

namespace runner {

/// main() of the program that is called `name`: `run` does what the line asks for, and its ending becomes an exit code. What
/// is another program's is done by that one, which lies in the same folder and takes this one's place; if it is not there,
/// the user is told how to build it, and the exit code is `usage`.
int run_program(const char* name, int argc, char** argv, ExitCode (*run)(int argc, char** argv));

/// The same for a program that serves every line itself.
int run_program(int argc, char** argv, ExitCode (*run)(int argc, char** argv));

}  // namespace runner
