// sgemm_workshop: exercises, checked.
#include "runner/output.hpp"
#include "runner/program.hpp"
#include "runner/run.hpp"
#include "workshop/workshop.hpp"

namespace {

runner::ExitCode run(int argc, char** argv) {
  return std::visit([](const auto& request) { return run(request); },
                    workshop::parse_workshop_command_line(argc, argv));
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program("sgemm_workshop", argc, argv, run); }
