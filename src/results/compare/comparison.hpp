// Two runs held against each other: what became of each row, and how surely that is known. Pure functions.
#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "results/values/run.hpp"

namespace results {

/// Runs that cannot be held against each other. The text says which fact differs.
class NotComparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A change below this is none, however well it is known.
inline constexpr double LEAST_CHANGE = 0.03;
/// Scatter of which a change of so much could hide makes a row unsure.
inline constexpr double HIDDEN_CHANGE = 0.05;
/// So many standard errors must lie between two figures.
inline constexpr double STANDARD_ERRORS = 3;
/// How rarely the rank test may see such a difference where there is none.
inline constexpr double MOST_P_VALUE = 0.01;

/// Gives each row of `now` that has a partner in `base` its verdict (Result::compared), and the run what there is to say of
/// both (Run::compared_with). `file` is where `base` comes from. Partners are of the same kernel, shape, options and kind of reference.
///
/// What was timed beside a reference: by the ratio to it, of which each run of the program gives the median and several runs
/// the mean (median_over_runs). SLOWER or FASTER where the ratios differ by more than the larger of LEAST_CHANGE and
/// STANDARD_ERRORS standard errors of the difference, and Mann and Whitney's U test on the raw ratios agrees. A standard
/// error is that of the medians, and no less than what the scatter between the runs makes it. UNSURE where one of the two
/// says so and the other does not, where it was the reference's time that moved, and where a change of HIDDEN_CHANGE
/// could hide. What was timed alone: by its time, in the same way.
///
/// What was counted: SAME where every count, the path and the launches are, otherwise CHANGED. (Numbers of instructions
/// are not compared: they are the compiler's choice.)
///
/// Throws NotComparable where machine, device or version of cuBLAS differ, or no row has a partner.
void compare(const Run& base, const std::string& file, Run& now);

/// Whether the two rows are of the same kernel, shape, options and kind of reference.
bool is_same_subject(const Result& a, const Result& b);

/// How many rows have each verdict, by Change.
std::array<int, 6> tally(const Run& run);

/// Puts another run of the same program into `all`: its samples behind those that are there, one run after the other; what was
/// not right in either is not right. Rows that are new are added.
void add_run(Run& all, const Run& one);

}  // namespace results
