// The rounding modes, by which cuda-samples and others name conversions.
#pragma once
#pragma GCC system_header

enum cudaRoundMode {
  cudaRoundNearest,
  cudaRoundZero,
  cudaRoundPosInf,
  cudaRoundMinInf,
};
