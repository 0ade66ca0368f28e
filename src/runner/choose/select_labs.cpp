#include "runner/choose/select_labs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "app/error.hpp"
#include "app/suggest.hpp"
#include "app/words.hpp"
#include "runner/machine/machine.hpp"

namespace runner {
namespace {

using lab::Lab;
using lab::Parameter;
using lab::Variant;

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

class Selection {
 public:
  explicit Selection(std::span<const Lab* const> labs) : labs_(labs) {}

  void add(std::string_view word) {
    const size_t slash = word.find('/');
    const std::string_view name = word.substr(0, slash);
    if (slash == word.npos && equal_ignoring_case(word, "all")) {
      for (const Lab* one : labs_) add_all(*one);
      return;
    }
    const Lab* found = find_lab(word, labs_);
    if (found == nullptr) throw no_such_lab(name);
    if (slash == word.npos) return add_all(*found);
    add_variant(*found, word.substr(slash + 1));
  }

  // Variants in the order in which the lab shows them.
  std::vector<SelectedLab> take() {
    std::vector<SelectedLab> chosen;
    for (const Lab* one : order_) {
      SelectedLab selected{
          .of = one,
          .sizes = machine::MEASURES_TIME ? lab::timed_sizes(*one) : lab::counted_sizes(*one)};
      for (const Variant& variant : one->variants) {
        if (variants_.contains(&variant)) selected.variants.push_back(&variant);
      }
      chosen.push_back(std::move(selected));
    }
    return chosen;
  }

 private:
  void add(const Lab& of, const Variant& variant) {
    if (std::ranges::find(order_, &of) == order_.end()) order_.push_back(&of);
    variants_.insert(&variant);
  }

  void add_all(const Lab& of) {
    for (const Variant& variant : of.variants) add(of, variant);
  }

  void add_variant(const Lab& of, std::string_view name) {
    for (const Variant& variant : of.variants) {
      if (equal_ignoring_case(name, variant.name)) return add(of, variant);
    }
    std::vector<std::string> known;
    known.reserve(of.variants.size());
    for (const Variant& variant : of.variants) known.emplace_back(variant.name);
    throw usage(fmt::format("the lab '{}' has no variant '{}': it has {}{}", of.name, name,
                            fmt::join(known, ", "), did_you_mean(name, known)));
  }

  Error no_such_lab(std::string_view name) const {
    if (name.empty())
      return usage("a lab's name is empty: before a '/', between two commas, or as ''");
    std::vector<std::string> known = lab_names(labs_);
    known.emplace_back("all");
    return usage(fmt::format("there is no lab '{}'{} (see 'sgemm_runner lab')", name,
                             did_you_mean(name, known)));
  }

  std::span<const Lab* const> labs_;
  std::vector<const Lab*> order_;
  std::set<const Variant*> variants_;
};

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
  return usage(fmt::format("--{} is no size of what is to be run: {}", name, fmt::join(has, ", ")));
}

}  // namespace

results::Identity identity_of(const lab::Lab& of, const lab::Variant& variant,
                              const lab::Sizes& sizes) {
  return {.set = "lab", .name = of.name, .variant = variant.name, .parameters = sizes.all()};
}

bool applies(const Lab& of, const lab::Sizes& sizes) {
  return std::ranges::all_of(of.parameters, [&](const Parameter& parameter) {
    return sizes[parameter.name] % parameter.whole == 0;
  });
}

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
  Selection selection(labs);
  for (const std::string& word : words) {
    for (const std::string& part : split(word, ',')) selection.add(part);
  }
  return selection.take();
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

}  // namespace runner
