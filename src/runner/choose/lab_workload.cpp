#include "runner/choose/lab_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/error.hpp"
#include "app/suggest.hpp"
#include "app/words.hpp"
#include "runner/choose/select.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/lab_trial.hpp"

namespace runner {
namespace {

using lab::Lab;
using lab::Parameter;
using lab::Variant;

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

Error no_such_lab(std::string_view word, std::span<const Lab* const> labs) {
  const size_t slash = std::min(word.find('/'), word.size());
  const std::string_view name = word.substr(0, slash);
  if (name.empty())
    return usage("a lab's name is empty: before a '/', between two commas, or as ''");
  std::vector<std::string> known;
  const Lab* const of = find_lab(word, labs);
  if (of == nullptr) {
    known = lab_names(labs);
    known.emplace_back("all");
    return usage(fmt::format("there is no lab '{}'{} (see 'sgemm_runner lab')", name,
                             did_you_mean(name, known)));
  }
  const std::string_view variant = word.substr(slash + 1);
  for (const Variant& one : of->variants) known.emplace_back(one.name);
  return usage(fmt::format("the lab '{}' has no variant '{}': it has {}{}", of->name, variant,
                           fmt::join(known, ", "), did_you_mean(variant, known)));
}

std::string variant_name(const Lab& of, const Variant& variant) {
  return fmt::format("{}/{}", of.name, variant.name);
}

const Parameter* find_parameter(const Lab& of, const std::string& name) {
  for (const Parameter& parameter : of.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

Error nobody_has(const std::string& name, const std::vector<SelectedLab>& chosen) {
  if (chosen.empty()) {
    return usage(
        fmt::format("--{} is a size of labs, and no lab is named; a kernel's is --size", name));
  }
  std::vector<std::string> has;
  for (const SelectedLab& one : chosen) {
    std::vector<std::string> options;
    options.reserve(one.of->parameters.size());
    for (const Parameter& parameter : one.of->parameters)
      options.push_back(fmt::format("--{}", parameter.name));
    std::string text =
        fmt::format("{} has {}", one.of->name,
                    options.empty() ? "none" : fmt::format("{}", fmt::join(options, " ")));
    if (std::ranges::find(has, text) == has.end()) has.push_back(std::move(text));
  }
  return usage(fmt::format("--{} is no size of these kernels: {}", name, fmt::join(has, ", ")));
}

}  // namespace

const Lab* find_lab(std::string_view word, std::span<const Lab* const> labs) {
  const std::string_view name = word.substr(0, word.find('/'));
  const auto found = std::ranges::find_if(
      labs, [name](const Lab* one) { return equal_ignoring_case(name, one->name); });
  return found == labs.end() ? nullptr : *found;
}

std::vector<std::string> lab_names(std::span<const Lab* const> labs) {
  std::vector<std::string> names;
  names.reserve(labs.size());
  for (const Lab* one : labs) names.emplace_back(one->name);
  return names;
}

std::vector<SelectedLab> select_labs(std::span<const std::string> words,
                                     std::span<const Lab* const> labs) {
  std::vector<std::pair<const Lab*, const Variant*>> variants;
  std::vector<Nameable> list;
  for (const Lab* of : labs) {
    for (const Variant& variant : of->variants) {
      variants.emplace_back(of, &variant);
      list.push_back({{of->name, variant_name(*of, variant)}});
    }
  }
  std::vector<SelectedLab> selected;
  for (const Meant& meant :
       meant_by(words, list, [&](std::string_view word) { return no_such_lab(word, labs); })) {
    const auto [of, variant] = variants[meant.place];
    auto known = std::ranges::find(selected, of, &SelectedLab::of);
    if (known == selected.end()) {
      known = selected.insert(known, {.of = of,
                                      .sizes = machine::MEASURES_TIME ? lab::timed_sizes(*of)
                                                                      : lab::counted_sizes(*of)});
    }
    known->variants.push_back(variant);
  }
  for (SelectedLab& one : selected) std::ranges::sort(one.variants);  // in the lab's order
  return selected;
}

std::vector<std::string> parameter_names(std::span<const Lab* const> labs) {
  std::vector<std::string> names;
  for (const Lab* one : labs) {
    for (const Parameter& parameter : one->parameters) {
      if (std::ranges::find(names, parameter.name) == names.end())
        names.emplace_back(parameter.name);
    }
  }
  return names;
}

void set_sizes(std::vector<SelectedLab>& chosen, const SizeWords& words) {
  for (const auto& [name, text] : words) {
    bool taken = false;
    for (SelectedLab& one : chosen) {
      const Parameter* parameter = find_parameter(*one.of, name);
      if (parameter == nullptr) continue;
      taken = true;
      const std::string option = "--" + name;
      const int64_t size = parse_integer(option.c_str(), text, parameter->least, parameter->most,
                                         fmt::format("for {} ", one.of->name));
      auto sizes = one.sizes.all();
      for (auto& [known, value] : sizes) {
        if (known == name) value = size;
      }
      one.sizes = lab::Sizes(std::move(sizes));
    }
    if (!taken) throw nobody_has(name, chosen);
  }
}

lab::Sizes odd_sizes(const Lab& of) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  sizes.reserve(of.parameters.size());
  for (const Parameter& parameter : of.parameters)
    sizes.emplace_back(parameter.name, odd_size(parameter));
  return lab::Sizes(std::move(sizes));
}

int64_t odd_size(const Parameter& parameter) {
  return std::clamp(parameter.counted / 2 * 2 - 3, parameter.least, parameter.most);
}

Workload lab_variant(const lab::Lab& of, const lab::Variant& variant, const lab::Sizes& sizes) {
  Workload workload{
      .who = {.set = "lab", .name = of.name, .variant = variant.name, .parameters = sizes.all()},
      .name = variant_name(of, variant),
      .idea = variant.idea,
      .source_file = fmt::format("{}.cu", of.name),
      .promise = variant.claims,
      .lesson = results::Lesson{.lab = of.name, .question = of.question, .answer = of.answer},
      .is_riddle = of.is_riddle};
  workload.words.push_back(workload.name);
  for (const auto& [key, value] : sizes.all()) {
    workload.size += fmt::format("{}{}={}", workload.size.empty() ? "" : " ", key, value);
    workload.words.push_back("--" + key);
    workload.words.push_back(fmt::format("{}", value));
  }
  workload.asked = fmt::format("{}", fmt::join(workload.words, " "));
  const bool is_whole = std::ranges::all_of(of.parameters, [&](const Parameter& parameter) {
    return sizes[parameter.name] % parameter.whole == 0;
  });
  if (is_whole) workload.claims = variant.claims;
  if (const char* refusal = lab::refusal(variant, sizes)) {
    workload.refusal = refusal;
    return workload;
  }
  workload.bytes = LabTrial::bytes_needed(variant.setup(sizes), machine::GUARD);
  workload.lay_out = [&variant, sizes](Matrices&) {
    return std::make_unique<LabTrial>(variant, sizes, machine::GUARD);
  };
  return workload;
}

std::vector<Workload> workloads_of(const std::vector<SelectedLab>& labs) {
  std::vector<Workload> workloads;
  for (const SelectedLab& one : labs) {
    for (const lab::Variant* variant : one.variants)
      workloads.push_back(lab_variant(*one.of, *variant, one.sizes));
  }
  return workloads;
}

}  // namespace runner
