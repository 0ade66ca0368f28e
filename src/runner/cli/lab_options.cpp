#include "runner/cli/lab_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

namespace runner {
namespace {

// Returns "floats to copy (copy_stride, copy_width); floats to add (vector_add)".
std::string meaning_of(const std::string& name, std::span<const lab::Lab* const> labs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> meanings;
  for (const lab::Lab* one : labs) {
    for (const lab::Parameter& parameter : one->parameters) {
      if (parameter.name != name) continue;
      auto known = std::ranges::find(meanings, parameter.meaning,
                                     [](const auto& meaning) { return meaning.first; });
      if (known == meanings.end()) known = meanings.insert(meanings.end(), {parameter.meaning, {}});
      known->second.emplace_back(one->name);
    }
  }
  std::vector<std::string> texts;
  texts.reserve(meanings.size());
  for (const auto& [meaning, of] : meanings)
    texts.push_back(fmt::format("{} ({})", meaning, fmt::join(of, ", ")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

void add_reveal_option(CLI::App& app, bool& reveal) {
  app.add_flag("--reveal", reveal, "also show a riddle's kernels, which tells its answer");
}

void add_lab_sizes(CLI::App& app, std::span<const lab::Lab* const> labs, LabSizeWords& words) {
  for (const std::string& name : parameter_names(labs)) {
    const std::string option = "--" + name;
    if (app.get_option_no_throw(option) != nullptr) continue;
    auto& [_, value] = words.emplace_back(name, std::nullopt);
    app.add_option(option, value, meaning_of(name, labs))->type_name("N")->group(LAB_SIZES);
  }
}

SizeWords given(const LabSizeWords& words) {
  SizeWords sizes;
  for (const auto& [name, text] : words) {
    if (text) sizes.emplace_back(name, *text);
  }
  return sizes;
}

}  // namespace runner
