// The values of mathematical functions, to twice the digits of a double.
#pragma once

#include <array>
#include <string>

namespace simulator::test {

/// Returns the distance of `got` from the function's value, in units of the last place of the nearest number of T. 0 if
/// both are NaN or the same infinity. Infinite if only one is, or if an exact zero has the wrong sign.
template <typename T>
double error_in_ulps(const std::string& function, T got, const std::array<T, 4>& arguments);

enum class Operation { add, mul, div, rcp, sqrt, fma, convert };
enum class Direction { zero, up, down };

/// True if `got` is the result rounded in this direction: on the right side of the exact result, with no number of T
/// between. The operands must leave the exact result, or the value compared in its place, within 113 bits.
template <typename T, typename S>
bool is_rounded(Operation operation, Direction direction, T got, S a, S b, S c);

}  // namespace simulator::test
