// sgemm_runner: runs kernels, lists them and shows saved runs.
#include "runner/command_line.hpp"
#include "runner/program.hpp"
#include "runner/run.hpp"

namespace {

runner::ExitCode run(int argc, char** argv) {
  return std::visit([](const auto& request) { return runner::run(request); },
                    runner::parse_command_line(argc, argv));
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program("sgemm_runner", argc, argv, run); }
