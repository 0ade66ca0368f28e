// Runs products of arrays that lie where this build computes: on a CUDA device, or in the host's memory for the simulated GPU.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "plan.hpp"

namespace python {

#ifdef SGEMM_SIMULATED
inline constexpr bool ON_HOST = true;
#else
inline constexpr bool ON_HOST = false;
#endif

/// CUDA or the library failed.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The device has too little memory.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Computes c = alpha a b + beta c. On a CUDA device the call returns at once, and the product is computed on the stream. Throws
/// WithoutLines and std::invalid_argument as calls_for() does, Failure, and OutOfMemory.
void run(const Array& a, const Array& b, const Array& c, float alpha, float beta, int device,
         uintptr_t stream);

/// Copies a matrix to another of the same shape, on the stream. Throws std::invalid_argument as blocks_for() does, and Failure.
void copy(const Array& from, const Array& to, int device, uintptr_t stream);

/// Waits for the stream. Throws Failure.
void synchronize(int device, uintptr_t stream);

/// Returns the device of a pointer to device memory, or -1 if CUDA knows it as no such pointer. Throws Failure.
int device_of(uintptr_t pointer);

/// Returns memory for `floats` floats where this build computes. Throws OutOfMemory and Failure. free_floats() frees it.
float* new_floats(int64_t floats, int device);
void free_floats(float* memory) noexcept;

}  // namespace python
