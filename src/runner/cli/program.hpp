// Shared by the programs behind sgemm_runner. Each serves its part of the table of subcommands and hands other lines
// on.
#pragma once

#include "app/error.hpp"

namespace runner {

/// Serves as main() of the program `name`. `run` carries out the command line, and its result becomes the exit code. A
/// subcommand of another program is handed to that program, in the same folder, which replaces this process. If it is
/// missing, the user is told how to build it, and the exit code is `usage`.
int run_program(const char* name, int argc, char** argv, ExitCode (*run)(int argc, char** argv));

/// Does the same for a program that serves every line itself.
int run_program(int argc, char** argv, ExitCode (*run)(int argc, char** argv));

}  // namespace runner
