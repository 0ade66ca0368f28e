// The command line of `sgemm_runner list`.
#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/request/run_request.hpp"

namespace runner {
namespace {

class ListSubcommand : public Subcommand<sgemm_runner> {
 public:
  void add_options(CLI::App& app) override {
    app.add_flag("--numbers", numbers_, "print only the numbers, one to a line");
    app.add_flag("--json", json_, "print JSON, with the promises");
  }

  Request request(const CLI::App&, const std::vector<std::string>&) const override {
    if (numbers_ && json_) throw Error(ExitCode::usage, "--numbers and --json exclude each other");
    return ListRequest{numbers_ ? ListRequest::Style::numbers
                       : json_  ? ListRequest::Style::json
                                : ListRequest::Style::table};
  }

 private:
  bool numbers_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand<sgemm_runner>> list_subcommand() {
  return std::make_unique<ListSubcommand>();
}

}  // namespace runner
