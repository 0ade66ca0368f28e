// Products of fragments that are all or partly zero, and stores of fragments. The simulated GPU skips these products. The bits must
// follow the rule in docs/simulator.md. (test/device/tensor_bits.cu compares products in general with products of an H200.)
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "device/tensor_core.cuh"
#include "simulator/count/counters.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Factor;
using simulator::test::Managed;

struct Fragments {
  uint32_t a[32][4], b[32][2], c[32][4], d[32][4];
};

template <Factor FACTOR, int K>
__global__ void multiply(Fragments* f) {
  const int lane = threadIdx.x;
  float c[4], d[4];
  for (int i = 0; i < 4; ++i) c[i] = __uint_as_float(f->c[lane][i]);
  device::multiply_fragments<FACTOR, K>(d, f->a[lane], f->b[lane], c);
  for (int i = 0; i < 4; ++i) f->d[lane][i] = __float_as_uint(d[i]);
}

struct Format {
  const char* name;
  void (*multiply)(Fragments*);
  uint32_t one, minus_zero, infinity;  // in every element of a register
};

constexpr Format FORMATS[] = {
    {"f16", multiply<Factor::f16, 16>, 0x3c003c00, 0x80008000, 0x7c007c00},
    {"bf16", multiply<Factor::bf16, 16>, 0x3f803f80, 0x80008000, 0x7f807f80},
    {"tf32", multiply<Factor::tf32, 8>, 0x3f800000, 0x80000000, 0x7f800000},
};

constexpr uint32_t CANONICAL_NAN = 0x7fffffff, INFINITE = 0x7f800000, MINUS_ZERO = 0x80000000;

class Matrices : public testing::TestWithParam<Format> {
 protected:
  Matrices() {
    // Normal, subnormal, large and negative numbers, and both zeros.
    constexpr std::array<uint32_t, 8> NUMBERS = {0x3f800001, 0xbf9d70a4, 0x00000001, 0x807fffff,
                                                 0x7f7fffff, MINUS_ZERO, 0,          0xc2f6e979};
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        fragments_->a[lane][i] = GetParam().one;
        fragments_->c[lane][i] = NUMBERS[static_cast<size_t>(lane * 4 + i) % NUMBERS.size()];
      }
      std::fill_n(fragments_->b[lane], 2, GetParam().one);
    }
  }
  void fill_a(uint32_t bits) {
    for (auto& lane : fragments_->a) std::fill_n(lane, 4, bits);
  }
  void run() {
    GetParam().multiply<<<1, 32>>>(fragments_.get());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  // Expects C's element in D, and +0 for a zero.
  void expect_c(int lane, int i) const {
    const uint32_t c = fragments_->c[lane][i];
    EXPECT_EQ(fragments_->d[lane][i], c == MINUS_ZERO ? 0 : c) << "lane " << lane << " " << i;
  }

  struct Pointer : Managed<Fragments> {
    Pointer() : Managed(1) {}
    Fragments* operator->() const { return get(); }
  } fragments_;
};

TEST_P(Matrices, OfZerosGiveC) {
  for (const uint32_t zero : {0u, GetParam().minus_zero}) {
    fill_a(zero);
    run();
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) expect_c(lane, i);
    }
  }
}

TEST_P(Matrices, OfZerosInBGiveC) {
  for (auto& lane : fragments_->b) std::fill_n(lane, 2, 0u);
  run();
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) expect_c(lane, i);
  }
}

// Row 3 of A lies in a[0] of lanes 12 to 15 (and a[2], its second half); row 3 of D in d[0] and d[1] of the same lanes.
TEST_P(Matrices, WithOneRowLeaveTheOthersC) {
  fill_a(0);
  for (int lane = 12; lane < 16; ++lane)
    fragments_->a[lane][0] = fragments_->a[lane][2] = GetParam().one;
  run();
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      if (lane / 4 != 3 || i >= 2) expect_c(lane, i);
    }
  }
  const float c = std::bit_cast<float>(fragments_->c[12][0]);
  const float k = GetParam().one == 0x3f800000 ? 8 : 16;
  EXPECT_EQ(std::bit_cast<float>(fragments_->d[12][0]), c + k);
}

// Zero times infinity is NaN. B's column 0, which lanes 0 to 3 hold, has the infinity.
TEST_P(Matrices, OfZerosAndInfinitiesAreNaN) {
  fill_a(0);
  fragments_->b[0][0] = GetParam().infinity;
  run();
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      if (lane % 4 == 0 && i % 2 == 0) {
        EXPECT_EQ(fragments_->d[lane][i], CANONICAL_NAN) << lane << " " << i;
      } else {
        expect_c(lane, i);
      }
    }
  }
}

TEST_P(Matrices, OfZerosKeepInfinitiesInC) {
  fill_a(0);
  fragments_->c[5][1] = INFINITE;
  fragments_->c[6][2] = INFINITE | 1;  // a NaN
  run();
  EXPECT_EQ(fragments_->d[5][1], INFINITE);
  EXPECT_EQ(fragments_->d[6][2], CANONICAL_NAN);
  expect_c(7, 0);
}

// --- stmatrix

constexpr int ROWS = 8,
              PLACES =
                  64;  // rows of a matrix; places for rows in shared memory, one after the other
constexpr uint16_t UNTOUCHED = 0xffff;

// Stores fragments whose elements are numbered: register i of lane l holds 64 i + 2 l and the next number. Lane l gives place
// stride * l. `out` receives shared memory.
template <int COUNT, bool TRANSPOSED>
__global__ void store_numbers(int stride, uint16_t* out) {
  __shared__ __align__(16) uint16_t elements[PLACES][ROWS];
  for (int i = static_cast<int>(threadIdx.x); i < PLACES * ROWS; i += 32)
    elements[0][i] = UNTOUCHED;
  __syncwarp();
  uint32_t registers[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const uint32_t first = static_cast<uint32_t>(i) * 64 + threadIdx.x * 2;
    registers[i] = first | (first + 1) << 16;
  }
  device::store_matrices<COUNT, TRANSPOSED>(
      elements[static_cast<int>(threadIdx.x) * stride % PLACES], registers);
  __syncwarp();
  for (int i = static_cast<int>(threadIdx.x); i < PLACES * ROWS; i += 32) out[i] = elements[0][i];
}

template <int COUNT, bool TRANSPOSED>
void expect_stored(int stride) {
  const Managed<uint16_t> out(PLACES * ROWS);
  simulator::reset_counters();
  store_numbers<COUNT, TRANSPOSED><<<1, 32>>>(stride, out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<uint16_t> want(PLACES * ROWS, UNTOUCHED);
  for (int matrix = 0; matrix < COUNT; ++matrix) {
    for (int row = 0; row < ROWS; ++row) {
      const int place = (matrix * ROWS + row) * stride;
      for (int column = 0; column < ROWS; ++column) {
        const int across = TRANSPOSED ? column : row, along = TRANSPOSED ? row : column;
        want[static_cast<size_t>(place * ROWS + column)] =
            static_cast<uint16_t>(matrix * 64 + across * 8 + along);
      }
    }
  }
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(out[i], want[i]) << COUNT << (TRANSPOSED ? " transposed" : "") << " stride " << stride
                               << " element " << i;
  }
  // A matrix is a phase: its 8 rows lie in different banks if they are neighbours, two by two in the same if every other place
  // is left out.
  const auto rows = simulator::counters().accesses;
  const auto stores = std::ranges::find_if(rows, [](const simulator::AccessCounters& row) {
    return row.access == simulator::Access::shared_store && row.bytes_per_lane == 16;
  });
  ASSERT_NE(stores, rows.end());
  EXPECT_EQ(stores->requests, 1u);
  EXPECT_EQ(stores->lanes, uint64_t{COUNT} * ROWS);
  EXPECT_EQ(stores->wavefronts, static_cast<uint64_t>(COUNT * stride));
  EXPECT_EQ(stores->bank_conflicts, static_cast<uint64_t>(COUNT * (stride - 1)));
}

TEST(MatrixStores, PutEachElementIntoItsRow) {
  for (const int stride : {1, 2}) {
    expect_stored<1, false>(stride);
    expect_stored<1, true>(stride);
    expect_stored<2, false>(stride);
    expect_stored<2, true>(stride);
    expect_stored<4, false>(stride);
    expect_stored<4, true>(stride);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Matrices, testing::ValuesIn(FORMATS),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
