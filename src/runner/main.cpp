// sgemm_runner: parses the command line, runs, and turns every ending into an exit code.
#include <fcntl.h>

#include <csignal>
#include <exception>

#include "runner/command_line.hpp"
#include "runner/error.hpp"
#include "runner/output.hpp"
#include "runner/run.hpp"

namespace {

// A file that is opened must never take the number of a standard stream that the caller has closed.
void open_closed_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDWR);
  }
}

runner::ExitCode run(int argc, char** argv) {
  try {
    return std::visit([](const auto& request) { return runner::run(request); },
                      runner::parse_command_line(argc, argv));
  } catch (const std::exception&) {
    const runner::Error error = runner::caught_error();
    runner::warn(error.what());
    return error.code();
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_closed_streams();
  // Writing to a reader who has gone, or beyond the size that a file may have, returns an error instead.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return static_cast<int>(run(argc, argv));
}
