#include "results/tables/table_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace results {
namespace {

constexpr double MOST_DIGITS = 1e12;  // a larger figure is meaningless, and is written short

// Returns 3 significant digits, padded so that the decimal points of a column stand in line: "275
// ", " 22.0 ".
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return text + std::string(static_cast<size_t>(decimals == 0 ? 3 : 2 - decimals), ' ');
}

}  // namespace

std::string decimal(double value, int precision) {
  if (precision < 0) return fmt::format("{:.1e}", value);
  return std::abs(value) < MOST_DIGITS ? fmt::format("{:.{}f}", value, precision)
                                       : fmt::format("{:.2e}", value);
}

std::string time_text(double ms, const text::Signs& signs) {
  return ms < 0.9995 ? fmt::format("{} {}s", three_digits(ms * 1e3), signs.micro)
                     : fmt::format("{} ms", three_digits(ms));
}

std::string thousands_apart(std::string digits) {
  for (auto at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ' ');
  }
  return digits;
}

std::string grouped(double value) {
  if (value >= MOST_DIGITS) return decimal(value, 0);
  if (value < 99.5) return fmt::format("{:.1f}", value);
  return thousands_apart(fmt::format("{:.0f}", value));
}

std::string bar(double percent, const text::Signs& signs) {
  static constexpr const char* EIGHTHS[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<int>(std::lround(std::clamp(percent, 0.0, 125.0) / 100 * 20 * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += signs.blocks ? "█" : "#";
  if (signs.blocks) text += EIGHTHS[eighths % 8];
  return text;
}

std::string factor_text(double factor, const text::Signs& signs) {
  return fmt::format("{:.{}f}{}", factor, factor >= 2 ? 1 : 2, signs.times);
}

std::string size_text(const Problem& p, const text::Signs& signs) {
  if (p.is_square()) return fmt::format("{}{}", p.M, signs.cube);
  return fmt::format("{}{}{}{}{}", p.M, signs.times, p.N, signs.times, p.K);
}

std::string joined(const std::vector<std::string>& facts, const text::Signs& signs) {
  return fmt::format("{}", fmt::join(facts, fmt::format(" {} ", signs.dot)));
}

}  // namespace results
