// The widths in which a float4 is read depend on its used members, and so do the addresses that are an error. The
// expected answers are an H200's of 2026-11-23 (nvcc 13.0, -arch=sm_90a -O3), the same for global and shared memory.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

enum Member { X = 1, Y = 2, Z = 4, W = 8 };

template <int members, typename Vector>
__device__ float sum(const Vector& v) {
  float total = 0;
  if constexpr ((members & X) != 0) total += v.x;
  if constexpr ((members & Y) != 0) total += v.y;
  if constexpr ((members & Z) != 0) total += v.z;
  if constexpr ((members & W) != 0) total += v.w;
  return total;
}

constexpr int THREADS = 8;
constexpr int FLOATS = 4 * THREADS + 4;

template <int members>
__global__ void read_global(const float* a, float* b, int beyond) {
  const unsigned t = threadIdx.x;
  const float4 v = *reinterpret_cast<const float4*>(a + 4 * t + beyond);
  b[t] = sum<members>(v);
}

template <int members>
__global__ void assign_global(const float* a, float* b, int beyond) {
  const unsigned t = threadIdx.x;
  float4 v;
  v = reinterpret_cast<const float4*>(a + beyond)[t];
  b[t] = sum<members>(v);
}

template <int members>
__global__ void read_shared(const float* a, float* b, int beyond) {
  __shared__ float s[FLOATS];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < FLOATS; i += THREADS) s[i] = a[i];
  __syncthreads();
  const float4 v = *reinterpret_cast<const float4*>(s + 4 * t + beyond);
  b[t] = sum<members>(v);
}

template <int members>
__global__ void read_pair(const float* a, float* b, int beyond) {
  const unsigned t = threadIdx.x;
  const float2 v = *reinterpret_cast<const float2*>(a + 4 * t + beyond);
  b[t] = sum<members>(v);
}

// It is not one of our vector types.
struct alignas(16) Mixed {
  float x;
  int y;
  float z;
  int w;
};

template <int members>
__global__ void read_struct(const float* a, float* b, int beyond) {
  const unsigned t = threadIdx.x;
  const Mixed v = *reinterpret_cast<const Mixed*>(a + 4 * t + beyond);
  float total = 0;
  if constexpr ((members & X) != 0) total += v.x;
  if constexpr ((members & Y) != 0) total += static_cast<float>(v.y);
  if constexpr ((members & Z) != 0) total += v.z;
  if constexpr ((members & W) != 0) total += static_cast<float>(v.w);
  b[t] = total;
}

__global__ void copy(const float* a, float* b, int beyond) {
  reinterpret_cast<float4*>(b)[threadIdx.x] =
      *reinterpret_cast<const float4*>(a + 4 * threadIdx.x + beyond);
}

template <int members>
__global__ void write_global(const float*, float* b, int beyond) {
  float4* const p = reinterpret_cast<float4*>(b + 4 * threadIdx.x + beyond);
  if constexpr ((members & X) != 0) p->x = 1;
  if constexpr ((members & Y) != 0) p->y = 2;
  if constexpr ((members & Z) != 0) p->z = 3;
  if constexpr ((members & W) != 0) p->w = 4;
}

using Kernel = void (*)(const float*, float*, int);

class VectorMembers : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaMalloc(&a_, FLOATS * sizeof(float));
    cudaMalloc(&b_, FLOATS * sizeof(float));
    std::vector<float> values(FLOATS);
    for (int i = 0; i < FLOATS; ++i)
      values[static_cast<size_t>(i)] = static_cast<float>(1 << i % 4);
    cudaMemcpy(a_, values.data(), FLOATS * sizeof(float), cudaMemcpyHostToDevice);
  }
  void TearDown() override { cudaDeviceReset(); }

  // Returns "ok" or "misaligned", for an address `beyond` floats after an aligned one.
  std::string answer(Kernel kernel, int beyond) {
    kernel<<<1, THREADS>>>(a_, b_, beyond);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) return "ok";
    TearDown();
    SetUp();
    return error == cudaErrorMisalignedAddress ? "misaligned" : cudaGetErrorName(error);
  }
  float first() {
    float value = 0;
    cudaMemcpy(&value, b_, sizeof value, cudaMemcpyDeviceToHost);
    return value;
  }

  float* a_ = nullptr;
  float* b_ = nullptr;
};

struct Reading {
  const char* members;
  float sum;  // the sum of 1, 2, 4 and 8 for the used members
  Kernel global, assigned, shared, mixed;
  const char* by_one;  // the answer one float after an aligned address
  const char* by_two;  // and two floats after it
};

#define READING(members, names, by_one, by_two)                                       \
  Reading {                                                                           \
    names, static_cast<float>(members), read_global<members>, assign_global<members>, \
        read_shared<members>, read_struct<members>, by_one, by_two                    \
  }

const Reading READINGS[] = {
    READING(X, "x", "ok", "ok"),
    READING(Y, "y", "ok", "ok"),
    READING(Z, "z", "ok", "ok"),
    READING(W, "w", "ok", "ok"),
    READING(X | Y, "x y", "misaligned", "ok"),
    READING(X | Z, "x z", "ok", "ok"),
    READING(X | W, "x w", "ok", "ok"),
    READING(Y | Z, "y z", "ok", "ok"),
    READING(Y | W, "y w", "ok", "ok"),
    READING(Z | W, "z w", "misaligned", "ok"),
    READING(X | Y | Z, "x y z", "misaligned", "misaligned"),
    READING(X | Y | W, "x y w", "misaligned", "misaligned"),
    READING(X | Z | W, "x z w", "misaligned", "misaligned"),
    READING(Y | Z | W, "y z w", "misaligned", "misaligned"),
    READING(X | Y | Z | W, "x y z w", "misaligned", "misaligned"),
};

TEST_F(VectorMembers, AreReadInTheWidthsOfADevice) {
  for (const Reading& reading : READINGS) {
    const std::pair<const char*, Kernel> ways[] = {{"global", reading.global},
                                                   {"assigned", reading.assigned},
                                                   {"shared", reading.shared},
                                                   {"a struct of one's own", reading.mixed}};
    for (const auto& [where, kernel] : ways) {
      SCOPED_TRACE(std::string(reading.members) + ", " + where);
      EXPECT_EQ(answer(kernel, 0), "ok");
      if (kernel != reading.mixed) EXPECT_EQ(first(), reading.sum);
      EXPECT_EQ(answer(kernel, 1), reading.by_one);
      EXPECT_EQ(answer(kernel, 2), reading.by_two);
    }
  }
}

TEST_F(VectorMembers, OfAFloat2AreReadApartWhereOneIsUsed) {
  EXPECT_EQ(answer(read_pair<X>, 1), "ok");
  EXPECT_EQ(answer(read_pair<Y>, 1), "ok");
  EXPECT_EQ(answer(read_pair < X | Y >, 1), "misaligned");
  EXPECT_EQ(answer(read_pair < X | Y >, 2), "ok");
}

TEST_F(VectorMembers, ThatAreCopiedAreAllUsed) {
  EXPECT_EQ(answer(copy, 0), "ok");
  EXPECT_EQ(answer(copy, 1), "misaligned");
  EXPECT_EQ(answer(copy, 2), "misaligned");
}

TEST_F(VectorMembers, AreWrittenInPairs) {
  EXPECT_EQ(answer(write_global<X>, 1), "ok");
  EXPECT_EQ(answer(write_global < X | W >, 1), "ok");
  EXPECT_EQ(answer(write_global < X | Y >, 1), "misaligned");
  EXPECT_EQ(answer(write_global < X | Y >, 2), "ok");
  EXPECT_EQ(answer(write_global < X | Y | Z | W >, 2), "misaligned");
}

}  // namespace
