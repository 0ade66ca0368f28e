// What a compiler says of a learner's file, in the learner's lines: short, and each thing once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/page.hpp"

namespace workshop {

/// An error, where the learner can mend it.
struct CompilerError {
  int line = 0;  // of the learner's file, from 1 on; 0 where the compiler names none
  int col = 0;   // likewise
  std::string message{};
  bool operator==(const CompilerError&) const = default;
};

/// The errors in clang's or nvcc's `output` on a file, in its order. An error in a header is told at the line of the file that
/// has led there. A name that is not known comes with the nearest word of `source`, which is what the file holds.
std::vector<CompilerError> compiler_errors(std::string_view output, const std::string& file,
                                           std::string_view source);

/// The first three, each with its line's text and a sign below the place, and how many there are besides. Ends in a newline.
/// Where no error is found in the output: its beginning, as it is.
std::string compiler_words(std::string_view output, const std::string& file,
                           std::string_view source, const text::Page& page);

}  // namespace workshop
