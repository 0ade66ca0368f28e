#include "runner/request/programs.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace runner {
namespace {

constexpr SubcommandLine TABLE[] = {
#define SUBCOMMAND(name, program, packages, build, what) {#name, #program, #build},
#include "runner/request/subcommands.def"
#undef SUBCOMMAND
};

}  // namespace

const SubcommandLine* subcommand_of(const std::vector<std::string>& line) {
  const auto is_no_option = [](const std::string& word) { return !word.starts_with('-'); };
  const auto word = std::ranges::find_if(line | std::views::drop(1), is_no_option);
  if (word == line.end()) return nullptr;
  const auto* const found = std::ranges::find(TABLE, *word, &SubcommandLine::name);
  return found == std::end(TABLE) ? nullptr : found;
}

std::string program_behind(const std::vector<std::string>& line) {
  const SubcommandLine* subcommand = subcommand_of(line);
  return std::string(subcommand == nullptr ? "sgemm_runner" : subcommand->program);
}

}  // namespace runner
