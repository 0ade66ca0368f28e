#include "runner/cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/output.hpp"
#include "app/own_program.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/programs.hpp"

namespace runner {
namespace {

// Opens each standard stream that the caller has closed, so that no file takes its number.
void open_closed_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDWR);
  }
}

// Replaces this process. Returns only after a failure, with the error.
Error become(const std::string& program, const SubcommandLine* subcommand, char** argv) {
  const std::string path = (own_program().parent_path() / program).string();
  execv(path.c_str(), argv);
  if (errno != ENOENT || subcommand == nullptr)
    return {ExitCode::usage, fmt::format("cannot run {}: {}", path, std::strerror(errno))};
  const std::string_view build = subcommand->build != "any"                     ? subcommand->build
                                 : machine::KIND == results::Machine::simulator ? "sim"
                                                                                : "cuda";
  return {ExitCode::usage,
          fmt::format("'{0}' is done by {1}, which is not built ({2} is not there): say "
                      "./sgemm_runner {0} --build {3}, which builds it first",
                      subcommand->name, program, path, build)};
}

// Makes a write to a closed pipe, or beyond a limit on file sizes, return an error instead of a signal. A program that
// replaces this process would inherit that.
void ignore_signals_of_writing() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int exit_code_of(const std::function<ExitCode()>& work) {
  open_closed_streams();
  machine::look_for_hazards(false);  // a request may turn it on
  ExitCode code = ExitCode::ok;
  try {
    code = work();
  } catch (const std::exception&) {
    const Error error = caught_error();
    warn(error);
    code = error.code();
  }
  return static_cast<int>(code);
}

}  // namespace

int run_program(const char* name, int argc, char** argv, ExitCode (*run)(int argc, char** argv)) {
  return exit_code_of([&] {
    const std::vector<std::string> line(argv, argv + argc);
    if (const std::string program = program_behind(line); program != name)
      throw become(program, subcommand_of(line), argv);
    ignore_signals_of_writing();
    return run(argc, argv);
  });
}

int run_program(int argc, char** argv, ExitCode (*run)(int argc, char** argv)) {
  return exit_code_of([&] {
    ignore_signals_of_writing();
    return run(argc, argv);
  });
}

}  // namespace runner
