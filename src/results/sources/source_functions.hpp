// Finds the functions of a source file by their braces, to show a part of the file.
#pragma once

#include <string_view>
#include <vector>

namespace results {

/// A function in its file, from the first line of its declaration to its closing brace. Lines count from 1.
struct FunctionLines {
  int first = 0, last = 0;
  bool operator==(const FunctionLines&) const = default;
};

/// Returns the functions of a C++ or CUDA source in order, also those in namespaces and classes. Other braces outside
/// of functions, such as a list of values, count as a function. Comments, strings and preprocessor lines are skipped.
/// If braces do not match, the rest of the file is one function.
std::vector<FunctionLines> functions_of(std::string_view source);

}  // namespace results
