// Mistakes that people make in a product, each with the C that it would leave.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workshop/diagnose/evidence.hpp"

namespace workshop {

enum class Fit {
  no,       // the mistake would have left something else
  yes,      // the mistake leaves exactly this
  unknown,  // the mistake does not determine this element
};

/// A mistake that may explain this product.
struct Hypothesis {
  const char* name;  // the name of the cause; several hypotheses may share a cause
  std::string seen;  // the finding on these elements, as a sentence
  std::function<Fit(int64_t row, int64_t col)> fit;
};

/// Returns all hypotheses for this product. They keep a reference to `facts`.
std::vector<Hypothesis> hypotheses(const ExaminedProduct& facts);

/// Returns a cause's place in the list of causes, the most telling first. Throws std::logic_error for an unknown name.
size_t place_of_cause(std::string_view name);
/// Returns the usual mistake behind a cause, as a sentence. Throws std::logic_error for an unknown name.
const char* usual_reason(std::string_view name);

}  // namespace workshop
