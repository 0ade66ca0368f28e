// sgemm_workbench: looks into kernels, and teaches with labs.
#include "runner/cli/program.hpp"
#include "runner/cli/workbench_command_line.hpp"
#include "runner/inspect/inspect.hpp"
#include "runner/playground/playground.hpp"
#include "runner/run/run.hpp"
#include "runner/run/workbench_run.hpp"

namespace {

runner::ExitCode run(int argc, char** argv) {
  return std::visit([](const auto& request) { return runner::run(request); },
                    runner::parse_workbench_command_line(argc, argv));
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program("sgemm_workbench", argc, argv, run); }
