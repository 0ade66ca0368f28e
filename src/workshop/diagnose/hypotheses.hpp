// The mistakes that people make in a product, each as what it would leave in C.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workshop/diagnose/evidence.hpp"

namespace workshop {

enum class Fit {
  no,       // the mistake would have left something else
  yes,      // exactly this
  unknown,  // it does not say what is left here
};

/// A mistake, as one may have made it in this product.
struct Hypothesis {
  const char* name;  // of the cause; several hypotheses may be of one
  std::string seen;  // of these elements, in a sentence
  std::function<Fit(int64_t row, int64_t col)> fit;
};

/// All of them for this product. They refer to `facts`.
std::vector<Hypothesis> hypotheses(const ExaminedProduct& facts);

/// A cause's place in the list of them, whose first is the most telling. Throws std::logic_error for a name that is not in it.
size_t place_of_cause(std::string_view name);
/// What usually makes it, in a sentence. Throws likewise.
const char* usual_reason(std::string_view name);

}  // namespace workshop
