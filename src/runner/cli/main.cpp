// sgemm_runner: runs kernels, lists them and shows saved runs.
#include "runner/cli/command_line.hpp"
#include "runner/cli/program.hpp"
#include "runner/run/run.hpp"

namespace {

runner::ExitCode run(int argc, char** argv) {
  return std::visit([](const auto& request) { return runner::run(request); },
                    runner::parse_command_line(argc, argv));
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program("sgemm_runner", argc, argv, run); }
