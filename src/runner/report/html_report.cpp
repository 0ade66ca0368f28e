#include "runner/report/html_report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/own_program.hpp"
#include "app/project.hpp"
#include "app/subprocess.hpp"
#include "app/temporary_folder.hpp"
#include "results/files/json.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/programs.hpp"
#include "text/page.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

// Returns this program if it can count for the page: on the simulated GPU, with the program of `show` beside it.
// Otherwise ./sgemm_runner builds one.
std::optional<std::string> own_counting_program() {
  if (machine::MEASURES_TIME) return std::nullopt;
  const fs::path own = own_program();
  const bool shows = fs::exists(own.parent_path() / program_behind({"", "show"}));
  return shows ? std::optional(own.string()) : std::nullopt;
}

// Returns the call of Python. SGEMM_BUILD is removed: the page counts with the simulator's build, even if another build
// runs here.
std::vector<std::string> command(const std::string& run_file, const std::string& page_file,
                                 const std::string& data_name) {
  std::vector<std::string> words{
      "env", "-C",    project_folder(), "-u",     "SGEMM_BUILD", "python3", "-B",
      "-m",  "plots", "report",         run_file, "-o",          page_file};
  words.push_back("--name=" + data_name);
  if (const auto program = own_counting_program()) words.push_back("--runner=" + *program);
  return words;
}

// Returns the reason from the last line of the output, without the program's name.
std::string reason(const Finished& ended) {
  const std::vector<std::string_view> lines = text::lines_of(ended.output);
  if (lines.empty()) return fmt::format("python3 ended with {} and said nothing", ended.code);
  const std::string_view name = "plots: ", last = lines.back();
  return std::string(last.starts_with(name) ? last.substr(name.size()) : last);
}

}  // namespace

void HtmlReport::commit(const results::Run& run, const std::string& data_name) {
  const TemporaryFolder folder(TemporaryFolder::For::files);
  const std::string run_file = folder / "run.json", page_file = folder / "report.html";
  OutputFile(run_file).commit(results::to_json(run));
  const Finished ended = run_interruptibly(command(run_file, page_file, data_name));
  stop_if_interrupted();
  if (ended.code != 0) {
    const bool by_the_user = ended.code == static_cast<int>(ExitCode::usage) || ended.code == 127;
    throw Error(by_the_user ? ExitCode::usage : ExitCode::failure,
                fmt::format("no report was written: {}", reason(ended)));
  }
  std::ostringstream page;
  page << std::ifstream(page_file, std::ios::binary).rdbuf();
  file_.commit(page.str());
}

}  // namespace runner
