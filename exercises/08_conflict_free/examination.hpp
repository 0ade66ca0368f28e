// What `check 8` says of A_STRIDE besides what the counters show. It is compiled behind the file, which has all that it names.
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
