// By what an answer is known: terms joined by "; " that must all hold of its outcome.
#pragma once

#include <string>
#include <vector>

#include "workshop/outcome.hpp"

namespace workshop {

struct Sign {
  std::vector<std::string> terms{};
};

/// Throws runner::Error with `where` it stands if a term is none.
Sign parse_sign(const std::string& text, const std::string& where);
bool matches(const Sign& sign, const Outcome& outcome, const std::string& source);

}  // namespace workshop
