// sgemm_workshop: the program of the exercises.
#include "app/output.hpp"
#include "runner/cli/program.hpp"
#include "runner/run/run.hpp"
#include "workshop/commands/workshop.hpp"

namespace {

runner::ExitCode run(int argc, char** argv) {
  return std::visit([](const auto& request) { return run(request); },
                    workshop::parse_workshop_command_line(argc, argv));
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program("sgemm_workshop", argc, argv, run); }
