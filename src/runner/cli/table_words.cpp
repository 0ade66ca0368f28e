// The command line of `sgemm_runner table`.
#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "runner/cli/help.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/subcommands.hpp"

namespace runner {
namespace {

class TableSubcommand : public Subcommand<sgemm_runner> {
 public:
  void add_options(CLI::App& app) override {
    app.add_option("FILE", file_, "a file that --json=FILE wrote")->option_text(NEEDED);
    add_output_options(app, output_);
  }

  Request request(const CLI::App& app, const std::vector<std::string>&) const override {
    if (file_.empty()) {
      throw Error(ExitCode::usage,
                  "'table' needs a file: sgemm_runner table run.json, which --json=run.json wrote");
    }
    return TableRequest{.file = file_, .presentation = presentation_from(app, output_, nullptr)};
  }

 private:
  std::string file_;
  OutputWords output_;
};

}  // namespace

std::unique_ptr<Subcommand<sgemm_runner>> table_subcommand() {
  return std::make_unique<TableSubcommand>();
}

}  // namespace runner
