#include "distributed/cli/acceptance_request.hpp"

#include <CLI/CLI.hpp>

#include "app/own_program.hpp"
#include "distributed/cli/parse.hpp"

namespace distributed {
namespace {

constexpr const char* DESCRIPTION =
    R"(Measures all GPUs of a cluster at the same time, and judges each beside the others: which is slower than
the median GPU, too hot, wrong, or of another kind. Neighbours warm each other, as they will in use.
Start it with a process for each GPU: mpirun --bind-to none -n 8 sgemm_acceptance --json cluster.json
)";

constexpr const char* FOOTER =
    R"(All other words go to 'sgemm_runner save': kernels, --size, --runs and so on. Without any: all kernels, at
the usual size. Behind -- stand words that this program would take for its own.
  mpirun --bind-to none -n 8 sgemm_acceptance 12 16 --size 4096,8192
  sgemm_runner table cluster.json     shows the table of a file

Exit codes: 0 all GPUs pass, 3 some do not (stderr names them), 2 bad input, 70 a failure of the test itself.
)";

}  // namespace

AcceptanceRequest parse_acceptance(int argc, const char* const* argv) {
  AcceptanceRequest request;
  CLI::App app(DESCRIPTION);
  app.add_option("--json", request.json_file, "write the verdicts to this file")->type_name("FILE");
  app.add_flag("--replace", request.replace, "replace the file if it exists");
  app.add_option("--runner", request.runner,
                 "measure with this sgemm_runner (default: the one beside this program)")
      ->type_name("PATH");
  app.allow_extras();
  app.footer(FOOTER);
  request.help = parse_or_help(app, argc, argv);
  if (!request.help.empty()) return request;
  request.words = app.remaining();
  std::erase(request.words, "--");
  if (request.runner.empty())
    request.runner = (runner::own_program().parent_path() / "sgemm_runner").string();
  return request;
}

}  // namespace distributed
