// Parses the user's words, or refuses them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// Each function throws Error(ExitCode::usage), which names `option` and says what would be right.

/// Parses a number that FP32 can hold, as people write it: "0.5", "-1e-3", "3.4028235e38".
float parse_float(const char* option, std::string_view text);
/// Parses a whole number from `least` to `most`. `reason` explains these limits and ends in ", so ".
int64_t parse_integer(const char* option, std::string_view text, int64_t least, int64_t most,
                      const std::string& reason = "");
/// Parses a whole number from 0 to 2^64 - 1.
uint64_t parse_natural(const char* option, std::string_view text);
/// Parses a number of seconds above 0.
double parse_seconds(const char* option, std::string_view text);

/// Returns the parts of a text between separators, the empty parts too.
std::vector<std::string> split(std::string_view text, char separator);

bool equal_ignoring_case(std::string_view a, std::string_view b);

/// Makes a foreign text fit for a message: text::plain_lines() of it, with long words cut.
std::string printable(std::string_view text);

}  // namespace runner
