// The remark of `check 8` on A_STRIDE. It is compiled after the learner's file, which declares all names that it uses.
#pragma once

#include <string>

#include "workshop/judge/examination.hpp"

namespace ladder {
inline std::string remark_about_the_stride() {
  if (A_STRIDE <= BM + 4) return "";
  return "A row of As is " + std::to_string(A_STRIDE) + " floats long, and " +
         std::to_string(A_STRIDE - BM) +
         " of them are never used: " + std::to_string((A_STRIDE - BM) * BK * 4) +
         " bytes of shared memory, which other blocks could have. Which is the shortest row that "
         "does?";
}
}  // namespace ladder

extern "C" void examine(workshop::Examined& examined) {
  examined.remark = ladder::remark_about_the_stride();
}
