// cudaProfilerStart and cudaProfilerStop. The simulator counts from beginning to end, so they do nothing.
#pragma once
#pragma GCC system_header

#include "driver_types.h"

extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}
