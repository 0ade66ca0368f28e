#include "results/files/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "results/files/json.hpp"
#include "text/foreign.hpp"

namespace results {
namespace {

constexpr size_t LONGEST_TEXT = 4096;

std::string_view beginning(std::string_view text) { return text.substr(0, LONGEST_TEXT); }

bool is_date(std::string_view text) {
  constexpr std::string_view PATTERN = "9999-99-99T99:99:99";
  const auto fits = [](std::string_view given, std::string_view pattern) {
    return std::ranges::equal(
        given, pattern, [](char c, char p) { return p == '9' ? c >= '0' && c <= '9' : c == p; });
  };
  if (!fits(text.substr(0, PATTERN.size()), PATTERN)) return false;
  const auto number = [&](size_t at) { return 10 * (text[at] - '0') + text[at + 1] - '0'; };
  const std::chrono::year_month_day day{std::chrono::year(100 * number(0) + number(2)),
                                        std::chrono::month(static_cast<unsigned>(number(5))),
                                        std::chrono::day(static_cast<unsigned>(number(8)))};
  if (!day.ok() || number(11) > 23 || number(14) > 59 || number(17) > 59) return false;
  const std::string_view zone = text.substr(PATTERN.size());
  return zone == "Z" || ((zone.starts_with('+') || zone.starts_with('-')) &&
                         fits(zone.substr(1), "99:99") && number(20) <= 23 && number(23) <= 59);
}

}  // namespace

void Place::refuse(const std::string& why) const { throw Unusable(path_ + ": " + why); }

bool Place::has(const char* key) const {
  if (!json_.is_object()) refuse("is not an object");
  return json_.contains(key) && !json_.at(key).is_null();
}

Place Place::at(const char* key) const {
  if (!json_.is_object()) refuse("is not an object");
  if (!json_.contains(key)) refuse(fmt::format("has no '{}'", key));
  return {json_.at(key), fmt::format("{}.{}", path_, key)};
}

std::string Place::text() const { return text::plain_line(beginning(whole_text())); }
std::string Place::text_of_lines() const { return text::plain_lines(beginning(whole_text())); }

bool Place::truth() const {
  if (!json_.is_boolean()) refuse("is neither true nor false");
  return json_.get<bool>();
}

int64_t Place::integer(int64_t least, int64_t most) const {
  if (!json_.is_number_integer()) refuse("is not a whole number");
  const bool too_large =
      json_.is_number_unsigned() && json_.get<uint64_t>() > static_cast<uint64_t>(most);
  if (too_large || json_.get<int64_t>() < least || json_.get<int64_t>() > most) {
    refuse(fmt::format("is not between {} and {}", least, most));
  }
  return json_.get<int64_t>();
}

uint64_t Place::natural() const {
  if (!json_.is_number_unsigned()) refuse("is not a whole number from 0");
  return json_.get<uint64_t>();
}

double Place::number(double least, double most) const {
  if (!json_.is_number()) refuse("is not a number");
  const double value = json_.get<double>();
  if (!(value >= least && value <= most)) {
    refuse(fmt::format("is not between {:g} and {:g}", least, most));
  }
  return value;
}

double Place::any_number() const {
  if (json_.is_number()) return json_.get<double>();
  const std::string word = text();
  const double infinity = std::numeric_limits<double>::infinity();
  if (word == "inf") return infinity;
  if (word == "-inf") return -infinity;
  if (word == "nan" || word == "-nan") return std::numeric_limits<double>::quiet_NaN();
  refuse("is not a number");
}

std::string Place::date() const {
  const std::string date = text();
  if (!date.empty() && !is_date(date)) refuse("is no date such as 2026-11-22T10:00:00+00:00");
  return date;
}

std::string Place::plain_key(std::string_view key) { return text::plain_line(beginning(key)); }

const std::string& Place::whole_text() const {
  if (!json_.is_string()) refuse("is not a text");
  return json_.get_ref<const std::string&>();
}

}  // namespace results
