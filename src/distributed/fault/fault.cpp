#include "distributed/fault/fault.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>
#include <string_view>

namespace distributed {
namespace {

std::atomic<int> planted_call{-1};  // none
std::atomic<int> calls_until{0};

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// Cuts the text up to the next colon off.
std::string_view cut(std::string_view& text) {
  const size_t end = std::min(text.find(':'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return part;
}

}  // namespace

std::string plant_fault(const std::string& text, int rank) {
  if (text.empty()) return "";
  std::string_view rest = text;
  const std::optional<int> faulty_rank = number_of(cut(rest));
  const std::string_view name = cut(rest);
  const std::optional<int> number = rest.empty() ? 1 : number_of(rest);
  const auto* const call = std::ranges::find(FAULTY_CALLS, name);
  if (!faulty_rank || call == FAULTY_CALLS.end() || !number || *number == 0) {
    std::string names;
    for (const char* one : FAULTY_CALLS) names += std::string(names.empty() ? "" : ", ") + one;
    return "SGEMM_FAULT is '" + text + "'; it must be RANK:CALL or RANK:CALL:N, and CALL one of " +
           names;
  }
  if (*faulty_rank != rank) return "";
  calls_until = *number;
  planted_call = static_cast<int>(call - FAULTY_CALLS.begin());
  return "";
}

bool is_faulty(Faulty call) { return planted_call == static_cast<int>(call) && --calls_until == 0; }

}  // namespace distributed
