// Where the functions of a source file begin and end: as far as braces tell, for showing a part of it.
#pragma once

#include <string_view>
#include <vector>

namespace results {

/// A function in its file, from the first line of its declaration to its closing brace. Lines count from 1.
struct FunctionLines {
  int first = 0, last = 0;
  bool operator==(const FunctionLines&) const = default;
};

/// The functions of a C++ or CUDA source in their order, those of namespaces and classes too. What stands in braces
/// outside of a function, such as a list of values, counts as one. Comments, strings and preprocessor lines are skipped;
/// where braces do not match, what follows is one function to the end of the file.
std::vector<FunctionLines> functions_of(std::string_view source);

}  // namespace results
