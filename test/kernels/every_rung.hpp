// For a test that runs once for each rung: the rungs, and their names in the output.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "kernels/ladder.hpp"
#include "runner/choose/select.hpp"

namespace ladder {

// Prints a parameter for GoogleTest, which finds this function beside the parameter's type.
inline void PrintTo(const Rung* rung, std::ostream* out) { *out << runner::label(*rung); }

}  // namespace ladder

/// Returns the rungs from number `first` on, for INSTANTIATE_TEST_SUITE_P.
inline auto rungs_from(int first) {
  const auto rungs = ladder::all();
  return testing::ValuesIn(rungs.begin() + first, rungs.end());
}

inline std::string name_of(const testing::TestParamInfo<const ladder::Rung*>& tested) {
  return runner::label(*tested.param);
}
