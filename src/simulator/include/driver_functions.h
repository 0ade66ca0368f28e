// Functions that put together the structures of copies in three dimensions.
#pragma once
#pragma GCC system_header

#include "driver_types.h"

static inline __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t xsize,
                                                                 size_t ysize) {
  const struct cudaPitchedPtr pitched = {pointer, pitch, xsize, ysize};
  return pitched;
}
static inline __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  const struct cudaPos position = {x, y, z};
  return position;
}
static inline __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  const struct cudaExtent extent = {width, height, depth};
  return extent;
}
