// Shortens a compiler's output on a learner's file: each error once, at the learner's lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/page.hpp"

namespace workshop {

/// An error, at the place where the learner can correct it.
struct CompilerError {
  int line = 0;  // the line of the learner's file, from 1 on; 0 if the compiler names none
  int col = 0;   // the column, likewise
  std::string message{};
  bool operator==(const CompilerError&) const = default;
};

/// Returns the errors in clang's or nvcc's `output` on a file, in their order. An error in a header gets the line of
/// the file that includes or calls it. An unknown name gets the nearest word of `source`, the file's text.
std::vector<CompilerError> compiler_errors(std::string_view output, const std::string& file,
                                           std::string_view source);

/// Returns the first three errors, each with its source line and a mark below the place, and the number of others. Ends
/// in a newline. If the output has no error, returns its beginning.
std::string compiler_words(std::string_view output, const std::string& file,
                           std::string_view source, const text::Page& page);

}  // namespace workshop
