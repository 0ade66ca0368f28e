#include "results/values/run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace results {
std::optional<double> Traffic::count(std::string_view key, std::string_view buffer) const {
  std::optional<double> sum;
  for (const Count& one : counts) {
    if (one.key != key || (!buffer.empty() && one.buffer != buffer)) continue;
    sum = sum.value_or(0) + static_cast<double>(one.value);
  }
  return sum;
}

void add_hazards(const std::vector<Hazard>& found, std::vector<Hazard>& known) {
  for (const Hazard& hazard : found) {
    const auto same = std::ranges::find_if(
        known, [&hazard](const Hazard& other) { return other.is_same(hazard); });
    if (same == known.end()) {
      known.push_back(hazard);
    } else {
      same->times += hazard.times;
    }
  }
}

std::string text_of(const std::vector<ExpectedRung>& expected) {
  std::string text;
  for (const auto& [number, name, us] : expected) {
    text += fmt::format("{}{} {} in {} us", text.empty() ? "" : "; ", number, name,
                        us < 100 ? fmt::format("{:.1f}", us) : fmt::format("{:.0f}", us));
  }
  return text;
}

bool is_of_a_lab(const Result& result) { return result.who.set == "lab"; }

std::string label(const Identity& who) {
  return who.number ? fmt::format("{:02}_{}", *who.number, who.name) : who.name;
}

std::string spoken_name(const Identity& who) {
  if (who.set == "lab") return who.name + "/" + who.variant;
  std::string text = who.number ? fmt::format("{} {}", *who.number, who.name) : who.name;
  return who.variant.empty() ? text : text + " " + who.variant;
}

std::string sizes_of(const Identity& who) {
  std::string text;
  for (const auto& [name, size] : who.parameters)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, size);
  return text;
}

std::string full_name(const Result& result) {
  std::string name = fmt::format("{}/{}", result.who.set, label(result.who));
  if (!result.who.variant.empty()) name += "/" + result.who.variant;
  if (result.problem) name += "/" + result.problem->size();
  if (result.problem && result.problem->data != Data::uniform)
    name += fmt::format("/data={}", name_of(result.problem->data));
  if (result.problem && result.problem->transposes_a) name += "/trans_a";
  if (result.problem && result.problem->transposes_b) name += "/trans_b";
  if (result.problem && result.problem->is_batch())
    name += fmt::format("/batch={}", result.problem->batch);
  for (const auto& [key, value] : result.who.parameters) name += fmt::format("/{}={}", key, value);
  return name;
}

}  // namespace results
