#include "distributed/accept/own_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/subprocess.hpp"
#include "app/temporary_folder.hpp"
#include "app/words.hpp"
#include "results/files/json.hpp"
#include "text/foreign.hpp"

namespace distributed {
namespace {

using runner::ExitCode;

constexpr const char* VISIBLE = "CUDA_VISIBLE_DEVICES";
constexpr int CANNOT_BE_RUN = 126, NOT_FOUND = 127;  // exit codes of `env`

// Returns a line without spaces and semicolons at its ends: the line becomes a clause among others.
std::string trimmed(const std::string& line) {
  constexpr const char* ENDS = " ;";
  const size_t first = line.find_first_not_of(ENDS);
  if (first == line.npos) return "";
  return line.substr(first, line.find_last_not_of(ENDS) - first + 1);
}

// Returns the last lines that a program wrote, each once. The last line often names a consequence, and one before it the cause.
std::string last_lines(const std::string& output) {
  constexpr size_t MOST = 4;
  constexpr std::string_view NAME = "sgemm_runner: ";
  std::vector<std::string> lines;
  for (const std::string& line : runner::split(output, '\n')) {
    std::string plain = text::plain_line(line);
    if (plain.starts_with(NAME)) plain.erase(0, NAME.size());
    plain = trimmed(plain);
    if (plain.empty()) continue;
    std::erase(lines, plain);
    lines.push_back(plain);
  }
  std::string told;
  for (size_t i = lines.size() - std::min(MOST, lines.size()); i < lines.size(); ++i)
    told += lines[i] + "\n";
  return told;
}

OwnRun::End end_of(int code) {
  switch (code) {
    case static_cast<int>(ExitCode::wrong):
      return OwnRun::End::wrong;
    case static_cast<int>(ExitCode::usage):
    case CANNOT_BE_RUN:
    case NOT_FOUND:
      return OwnRun::End::refused;
    default:
      return OwnRun::End::failed;
  }
}

}  // namespace

std::string gpu_at(int place) {
  const char* const list = std::getenv(VISIBLE);
  const std::vector<std::string> words = runner::split(list == nullptr ? "" : list, ',');
  const auto at = static_cast<size_t>(place);
  return at < words.size() && !words[at].empty() ? words[at] : std::to_string(place);
}

OwnRun measure_gpu(const std::string& gpu, const std::string& runner,
                   const std::vector<std::string>& words) {
  try {
    const runner::TemporaryFolder folder(runner::TemporaryFolder::For::files);
    const std::string file = folder / "run.json";
    // Messages of sgemm_runner are not to be wrapped. GPUs are numbered as nvidia-smi does, unless the user has numbered them.
    std::vector<std::string> command{"env", "--unset=COLUMNS"};
    if (std::getenv(VISIBLE) == nullptr) command.emplace_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
    command.insert(command.end(), {fmt::format("{}={}", VISIBLE, gpu), runner, "save", file});
    command.insert(command.end(), words.begin(), words.end());
    const runner::Finished finished = runner::run_interruptibly(command);
    runner::stop_if_interrupted();
    if (finished.code != 0) {
      const OwnRun::End end = end_of(finished.code);
      std::string reasons = last_lines(finished.output);
      if (end == OwnRun::End::failed)
        reasons += fmt::format("sgemm_runner save ended with {}", finished.code);
      return {end, reasons};
    }
    return {OwnRun::End::saved, results::to_json(results::read_run(file))};
  } catch (const results::Unusable& error) {
    return {OwnRun::End::failed, error.what()};
  } catch (const runner::Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    return {OwnRun::End::failed, error.what()};
  }
}

}  // namespace distributed
