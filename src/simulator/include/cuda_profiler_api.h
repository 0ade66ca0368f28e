// cudaProfilerStart and cudaProfilerStop. They do nothing, because the simulator counts from beginning to end.
#pragma once
#pragma GCC system_header

#include "driver_types.h"

extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}
