#include "preload/choose/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace preload {
namespace {

constexpr struct {
  std::string_view word;
  Mode mode;
} MODES[] = {{"", Mode::automatic},
             {"off", Mode::off},
             {"fp32", Mode::fp32},
             {"12", Mode::rung_12},
             {"16", Mode::rung_16}};

std::string complaint_of(std::string_view variable, std::string_view value,
                         std::string_view allowed) {
  std::string text = "libsgemm_ladder_cublas.so: ";
  text.append(variable).append(" is '").append(value).append("'; ").append(allowed);
  return text += "; it counts as unset\n";
}

}  // namespace

Settings settings_of(const char* sgemm_ladder, const char* sgemm_ladder_log) {
  Settings s;
  const std::string_view mode = sgemm_ladder == nullptr ? "" : sgemm_ladder;
  bool is_known = false;
  for (const auto& one : MODES) {
    if (mode != one.word) continue;
    s.mode = one.mode;
    is_known = true;
  }
  if (!is_known)
    s.complaints += complaint_of("SGEMM_LADDER", mode, "off, fp32, 12 and 16 are allowed");

  const std::string_view log = sgemm_ladder_log == nullptr ? "" : sgemm_ladder_log;
  if (log == "1") {
    s.has_log = true;
  } else if (log.ends_with(".json")) {
    s.has_log = true;
    s.log_file = log;
  } else if (!log.empty() && log != "0") {
    s.complaints += complaint_of("SGEMM_LADDER_LOG", log,
                                 "0, 1 and the name of a file that ends in .json are allowed");
  }
  return s;
}

const Settings& settings() {
  static const Settings& of_process = []() -> const Settings& {
    // Never destroyed: calls may come while the process ends.
    const auto* s =
        new Settings(settings_of(std::getenv("SGEMM_LADDER"), std::getenv("SGEMM_LADDER_LOG")));
    if (!s->complaints.empty()) std::fputs(s->complaints.c_str(), stderr);
    return *s;
  }();
  return of_process;
}

}  // namespace preload
