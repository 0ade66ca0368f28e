// Formats figures for table cells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/values/problem.hpp"
#include "text/page.hpp"

namespace results {

/// Returns "12.35", with `precision` decimals. Numbers above 10^12 are written short, and so is every number if
/// `precision` is below 0: "1.2e-07".
std::string decimal(double value, int precision);
/// Returns "17367040" as "17 367 040".
std::string thousands_apart(std::string digits);
/// Returns "50 900": thousands apart, one decimal below a hundred.
std::string grouped(double value);
/// Returns "275    ms", " 22.0  ms": three digits, so that the decimal points of a column stand in line.
std::string time_text(double ms, const text::Signs& signs);
/// Returns a bar of 20 cells for 100 %; it is cut at 125 %.
std::string bar(double percent, const text::Signs& signs);
/// Returns "12.5x".
std::string factor_text(double factor, const text::Signs& signs);
/// Returns "4096^3" or "128x160x7168".
std::string size_text(const Problem& p, const text::Signs& signs);
/// Returns "grid 2x2 · best · NCCL".
std::string joined(const std::vector<std::string>& facts, const text::Signs& signs);

}  // namespace results
