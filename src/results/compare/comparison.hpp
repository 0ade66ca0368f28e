// Compares two runs: a verdict for each row, and the certainty behind it. Pure functions.
#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "results/values/run.hpp"

namespace results {

/// Two runs cannot be compared. The text names the fact that differs.
class NotComparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A smaller change counts as no change, even if it is certain.
inline constexpr double LEAST_CHANGE = 0.03;
/// A row is unsure if its scatter could hide a change this large.
inline constexpr double HIDDEN_CHANGE = 0.05;
/// Two figures differ if they lie this many standard errors apart.
inline constexpr double STANDARD_ERRORS = 3;
/// The largest p-value of the rank test at which a difference counts.
inline constexpr double MOST_P_VALUE = 0.01;

/// Gives each row of `now` with a partner in `base` its verdict (Result::compared), and the run its notes (Run::compared_with).
/// `file` is the file of `base`. Partners have the same kernel, shape, options and kind of reference.
///
/// A row timed beside a reference is compared by its ratio to the reference: the median of one run of the program, or
/// the mean over several runs (median_over_runs). It is SLOWER or FASTER if two criteria hold. The ratios differ by
/// more than the larger of LEAST_CHANGE and STANDARD_ERRORS standard errors of the difference. Mann and Whitney's U
/// test on the raw ratios agrees. The standard error is the medians', and at least that of the scatter between runs.
/// The row is UNSURE if only one of the two criteria holds, if the reference's time moved instead, or if a change of
/// HIDDEN_CHANGE could hide. A row timed alone is compared by its time, in the same way.
///
/// A counted row is SAME if every count, the path and the launches are equal, otherwise CHANGED. Numbers of instructions are
/// not compared: the compiler chooses them.
///
/// Throws NotComparable if machine, device or cuBLAS version differ, or if no row has a partner.
void compare(const Run& base, const std::string& file, Run& now);

/// Compares a row with the same row of another GPU, with the same statistics and by the kernel's own times alone: the reference is judged
/// like any other row, and another clock does not make the row UNSURE.
Compared compare_own_times(Result base, Result now);

/// True if the two rows have the same kernel, shape, options and kind of reference.
bool is_same_subject(const Result& a, const Result& b);

/// Counts the rows of each verdict, by Change.
std::array<int, 6> tally(const Run& run);

/// Appends another run of the same program to `all`, sample by sample. A row that is wrong in either run is wrong. New rows are
/// added.
void add_run(Run& all, const Run& one);

}  // namespace results
