#include "runner/choose/subject.hpp"

#include <fmt/format.h>

#include "runner/choose/select.hpp"
#include "runner/choose/select_labs.hpp"

namespace runner {

results::Result Subject::result() const {
  results::Result result;
  if (lab == nullptr) {
    result.who = kernel_file.empty() ? identity_of(*rung) : identity_of_stranger(*rung);
    result.problem = problem;
  } else {
    result.who = identity_of(*lab, *variant, sizes);
  }
  return result;
}

std::string Subject::name() const {
  if (lab != nullptr) return fmt::format("{}/{}", lab->name, variant->name);
  return kernel_file.empty() ? fmt::format("{} {}", rung->number, rung->name) : rung->name;
}

std::string Subject::size() const {
  if (rung != nullptr) return problem.size();
  std::string text;
  for (const auto& [key, value] : sizes.all()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text;
}

const std::vector<device::Claim>& Subject::promise() const {
  return rung != nullptr ? rung->promise.claims : variant->claims;
}

std::vector<device::Claim> Subject::claims() const {
  if (rung != nullptr)
    return applies(rung->promise, problem) ? promise() : std::vector<device::Claim>();
  return applies(*lab, sizes) ? promise() : std::vector<device::Claim>();
}

std::vector<std::string> Subject::words() const {
  if (rung != nullptr) return {fmt::format("{}", rung->number), "--size", problem.size()};
  std::vector<std::string> words{name()};
  for (const auto& [key, value] : sizes.all()) {
    words.push_back("--" + key);
    words.push_back(fmt::format("{}", value));
  }
  return words;
}

}  // namespace runner
