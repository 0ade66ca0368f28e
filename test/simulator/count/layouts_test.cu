// Layouts: the places of 16-byte pieces in shared memory, as tensor copies and wgmma are recorded. The expectations are written by
// hand. That the copies and products themselves use these places is compared with an H200: test/device/tensor_copies.cu,
// matrix_descriptors.cu.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "device/wgmma.cuh"
#include "lens/layout.hpp"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Contiguous;
using device::Factor;
using device::Mbarrier;
using device::Swizzle;
using lens::Laid;
using lens::Layout;
using simulator::test::Managed;

constexpr int ROWS = 8, TILE_BYTES = 16384;

class Layouts : public simulator::test::HazardTest {
 protected:
  Layouts() : HazardTest(__FILE__, {}) {}
  void TearDown() override {
    simulator::stop_recording_layouts();
    HazardTest::TearDown();
  }

  /// Returns the layouts of the launches since recording began.
  static std::vector<Layout> recorded() {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return simulator::recorded_layouts();
  }
  /// Returns the places of the first rows, as numbers of 16-byte pieces behind `from`.
  static std::vector<uint64_t> pieces(const Layout& layout, uint64_t from, size_t rows) {
    std::vector<uint64_t> all;
    for (size_t i = 0; i < rows * layout.columns; ++i)
      all.push_back((layout.places[i] - from) / lens::PIECE_BYTES);
    return all;
  }
};

// --- tensor copies

__global__ void copy(const __grid_constant__ CUtensorMap from,
                     const __grid_constant__ CUtensorMap to, int x, int bytes) {
  __shared__ alignas(1024) char tile[2][2048];
  __shared__ Mbarrier full;
  if (threadIdx.x != 0) return;
  const int at[2] = {x, 0};
  device::init_mbarrier(full, 1);
  device::fence_mbarriers();
  device::expect(full, bytes);
  device::load_tensor(tile[1], from, at, full);  // mark: load
  device::wait(full, 0);
  device::store_tensor(to, at, tile[1]);  // mark: store
  device::commit_bulk();
  device::wait_bulk<0>();
}

// Copies a box of ROWS rows, each of `bytes` bytes, whose first element is number `x`. Returns the layouts.
std::vector<Layout> copy_box(CUtensorMapSwizzle swizzle, int bytes, int x = 0) {
  const Managed<float> in(ROWS * 64), out(ROWS * 64);
  const auto map_of = [&](float* matrix) {
    CUtensorMap map{};
    const cuuint64_t sizes[] = {64, ROWS}, strides[] = {64 * sizeof(float)};
    const cuuint32_t box[] = {static_cast<cuuint32_t>(bytes) / 4, ROWS}, steps[] = {1, 1};
    EXPECT_EQ(
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes, strides,
                               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        CUDA_SUCCESS);
    return map;
  };
  simulator::record_layouts();
  copy<<<1, 32>>>(map_of(in.get()), map_of(out.get()), x, ROWS * bytes);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return simulator::recorded_layouts();
}

TEST_F(Layouts, OfTensorCopiesHaveEachPieceOfEachSwizzle) {
  struct Case {
    CUtensorMapSwizzle swizzle;
    int bytes;  // of a row
    std::vector<uint64_t> pieces;
  };
  const std::vector<Case> cases = {
      {CU_TENSOR_MAP_SWIZZLE_NONE, 48, {0,  1,  2,   //
                                        3,  4,  5,   //
                                        6,  7,  8,   //
                                        9,  10, 11,  //
                                        12, 13, 14,  //
                                        15, 16, 17,  //
                                        18, 19, 20,  //
                                        21, 22, 23}},
      {CU_TENSOR_MAP_SWIZZLE_32B,
       32,
       {0, 1, 2, 3, 4, 5, 6, 7,  // a line of 128 bytes has four rows
        9, 8, 11, 10, 13, 12, 15, 14}},
      {CU_TENSOR_MAP_SWIZZLE_64B, 64, {0,  1,  2,  3,  4,  5,  6,  7,   // a line has two rows
                                       9,  8,  11, 10, 13, 12, 15, 14,  //
                                       18, 19, 16, 17, 22, 23, 20, 21,  //
                                       27, 26, 25, 24, 31, 30, 29, 28}},
      {CU_TENSOR_MAP_SWIZZLE_128B, 128, {0,  1,  2,  3,  4,  5,  6,  7,   //
                                         9,  8,  11, 10, 13, 12, 15, 14,  //
                                         18, 19, 16, 17, 22, 23, 20, 21,  //
                                         27, 26, 25, 24, 31, 30, 29, 28,  //
                                         36, 37, 38, 39, 32, 33, 34, 35,  //
                                         45, 44, 47, 46, 41, 40, 43, 42,  //
                                         54, 55, 52, 53, 50, 51, 48, 49,  //
                                         63, 62, 61, 60, 59, 58, 57, 56}},
      {CU_TENSOR_MAP_SWIZZLE_64B,  // rows shorter than the swizzle leave gaps
       32,
       {0, 1, 4, 5,      //
        9, 8, 13, 12,    //
        18, 19, 22, 23,  //
        27, 26, 31, 30}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.swizzle) + ", rows of " + std::to_string(c.bytes) + " bytes");
    const std::vector<Layout> layouts = copy_box(c.swizzle, c.bytes);
    ASSERT_EQ(layouts.size(), 2u);
    const Layout &load = layouts[0], &store = layouts[1];
    EXPECT_EQ(load.laid, Laid::loaded_box);
    EXPECT_EQ(store.laid, Laid::stored_box);
    EXPECT_EQ(load.line, line_of("load"));
    EXPECT_EQ(store.line, line_of("store"));
    EXPECT_EQ(load.swizzle, c.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0u : 16u << c.swizzle);
    EXPECT_EQ(load.rows, static_cast<size_t>(ROWS));
    EXPECT_EQ(load.columns, static_cast<size_t>(c.bytes) / 16);
    EXPECT_EQ(load.start_name, "byte 2048 of tile");
    EXPECT_EQ(pieces(load, load.start, ROWS), c.pieces);
    EXPECT_EQ(store.places, load.places);
  }
}

TEST_F(Layouts, OfABoxBeyondTheTensorIsWhole) {
  const std::vector<Layout> inside = copy_box(CU_TENSOR_MAP_SWIZZLE_128B, 128);
  EXPECT_EQ(copy_box(CU_TENSOR_MAP_SWIZZLE_128B, 128, 60), inside);
}

// --- wgmma

// Makes room for matrices. Returns the room's start in a descriptor: byte 0 of shared memory.
__device__ uint64_t start_of(char (&tiles)[TILE_BYTES]) {
  for (int i = static_cast<int>(threadIdx.x); i < TILE_BYTES; i += static_cast<int>(blockDim.x))
    tiles[i] = 0;
  device::fence_for_copies();
  __syncthreads();
  return device::shared_address(tiles) / 16;
}

template <Factor FACTOR, int N, Contiguous A, Contiguous B>
__global__ void multiply(uint64_t a, uint64_t b, int steps, int of_step, float* out) {
  __shared__ alignas(1024) char tiles[TILE_BYTES];
  const uint64_t start = start_of(tiles);
  float d[N / 2] = {};
  device::fence_wgmma();
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const uint64_t at = start + a + step * of_step / 16;
    device::multiply_async<FACTOR, N, A, B>(d, at, start + b, true);  // mark: product
  }
  device::commit_wgmma();
  device::wait_wgmma<0>();
  out[threadIdx.x] = d[0];
}

// Returns the layouts of A and B. `a`, `b`: their descriptors.
template <Factor FACTOR, int N, Contiguous A = Contiguous::in_k, Contiguous B = Contiguous::in_k>
std::vector<Layout> product(uint64_t a, uint64_t b, int steps = 1, int of_step = 0,
                            int blocks = 1) {
  const Managed<float> out(128);
  simulator::record_layouts();
  multiply<FACTOR, N, A, B><<<blocks, 128>>>(a, b, steps, of_step, out.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return simulator::recorded_layouts();
}

// As describe_matrix() does on the device.
uint64_t descriptor(uint64_t start, uint64_t leading, uint64_t stride, Swizzle swizzle) {
  return start / 16 | leading / 16 << 16 | stride / 16 << 32 | static_cast<uint64_t>(swizzle) << 62;
}

TEST_F(Layouts, OfWgmmaFollowTheDescriptorsSwizzle) {
  // The second step of 16 k: pieces 2 and 3 of each row.
  const std::vector<Layout> layouts = product<Factor::f16, 8>(
      descriptor(32, 16, 1024, Swizzle::bytes_128), descriptor(8192, 16, 256, Swizzle::bytes_32));
  ASSERT_EQ(layouts.size(), 2u);
  const Layout &a = layouts[0], &b = layouts[1];
  EXPECT_EQ(a.instruction, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16");
  EXPECT_EQ(a.line, line_of("product"));
  EXPECT_EQ(a.laid, Laid::a);
  EXPECT_EQ(a.start_name, "byte 32 of tiles");
  EXPECT_EQ(a.rows, 64u);
  EXPECT_EQ(a.columns, 2u);
  EXPECT_EQ(std::vector({a.start, a.leading, a.stride, a.swizzle, a.base}),
            (std::vector<uint64_t>{32, 16, 1024, 128, 0}));
  const std::vector<uint64_t> first = {2,  3,  11, 10, 16, 17, 25, 24,
                                       38, 39, 47, 46, 52, 53, 61, 60};
  EXPECT_EQ(pieces(a, 0, 8), first);
  for (size_t row = 8; row < 64; ++row) {
    for (size_t column = 0; column < 2; ++column)
      EXPECT_EQ(a.place(row, column), a.place(row - 8, column) + 1024);
  }
  EXPECT_EQ(b.laid, Laid::b);
  EXPECT_EQ(b.rows, 8u);
  EXPECT_EQ(b.swizzle, 32u);
  EXPECT_EQ(pieces(b, 8192, 8),
            (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 11, 10, 13, 12, 15, 14}));
}

TEST_F(Layouts, OfWgmmaWithoutASwizzleFollowLeadingAndStride) {
  // A core matrix of 8 rows has 128 bytes. The next one along k is 1024 bytes further, the next rows 128.
  const std::vector<Layout> layouts = product<Factor::tf32, 8>(
      descriptor(0, 1024, 128, Swizzle::none), descriptor(8192, 128, 256, Swizzle::none));
  ASSERT_EQ(layouts.size(), 2u);
  const Layout &a = layouts[0], &b = layouts[1];
  EXPECT_EQ(a.swizzle, 0u);
  EXPECT_EQ(a.element_bytes, 4u);
  EXPECT_EQ(a.columns, 2u);
  EXPECT_EQ(pieces(a, 0, 10), (std::vector<uint64_t>{0, 64, 1, 65, 2, 66, 3, 67, 4, 68,
                                                     5, 69, 6, 70, 7, 71, 8, 72, 9, 73}));
  EXPECT_EQ(pieces(b, 8192, 8),
            (std::vector<uint64_t>{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}));
}

TEST_F(Layouts, OfMatricesAcrossKHaveARowForEachK) {
  // A: a k has 64 rows, 128 bytes. B: 64 columns of 8 bytes a row would not fit a swizzle, so a core matrix has 8 k x 8 columns.
  const std::vector<Layout> layouts =
      product<Factor::f16, 64, Contiguous::across_k, Contiguous::across_k>(
          descriptor(0, 4096, 1024, Swizzle::bytes_128),
          descriptor(8192, 1024, 128, Swizzle::none));
  ASSERT_EQ(layouts.size(), 2u);
  const Layout &a = layouts[0], &b = layouts[1];
  EXPECT_TRUE(a.across_k && b.across_k);
  EXPECT_EQ(a.rows, 16u);
  EXPECT_EQ(a.columns, 8u);
  EXPECT_EQ(pieces(a, 0, 2), (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7,  //
                                                    9, 8, 11, 10, 13, 12, 15, 14}));
  EXPECT_EQ(a.place(8, 0), 1024u);
  EXPECT_EQ(b.columns, 8u);
  EXPECT_EQ(pieces(b, 8192, 2), (std::vector<uint64_t>{0, 8, 16, 24, 32, 40, 48, 56,  //
                                                       1, 9, 17, 25, 33, 41, 49, 57}));
  EXPECT_EQ(b.place(8, 0), 8192u + 1024);
}

__global__ void multiply_registers(uint64_t b, float* out) {
  __shared__ alignas(1024) char tiles[TILE_BYTES];
  const uint64_t start = start_of(tiles);
  float d[4] = {};
  const uint32_t a[4] = {};
  device::fence_wgmma();
  device::multiply_async<Factor::f16, 8>(d, a, start + b, true);
  device::commit_wgmma();
  device::wait_wgmma<0>();
  out[threadIdx.x] = d[0];
}

TEST_F(Layouts, OfARegisterMatrixThereIsNone) {
  const Managed<float> out(128);
  simulator::record_layouts();
  multiply_registers<<<1, 128>>>(descriptor(0, 0, 256, Swizzle::bytes_32), out.get());
  const std::vector<Layout> layouts = recorded();
  ASSERT_EQ(layouts.size(), 1u);
  EXPECT_EQ(layouts[0].laid, Laid::b);
}

// --- which layout is kept

TEST_F(Layouts, KeepTheFirstOfALineAndTheLaterStarts) {
  const uint64_t a = descriptor(0, 16, 1024, Swizzle::bytes_128);
  const uint64_t b = descriptor(8192, 16, 256, Swizzle::bytes_32);
  std::vector<Layout> layouts = product<Factor::f16, 8>(a, b, 6, 32);
  ASSERT_EQ(layouts.size(), 2u);
  EXPECT_EQ(layouts[0].start, 0u);
  EXPECT_EQ(layouts[0].later_starts, (std::vector<uint64_t>{32, 64, 96, 128, 160}));
  EXPECT_TRUE(layouts[1].later_starts.empty()) << "B stays";
  // Neither the order nor the number of blocks matters.
  for (uint64_t seed = 1; seed < 5; ++seed) {
    simulator::set_schedule(seed);
    EXPECT_EQ((product<Factor::f16, 8>(a, b, 6, 32, 20)), layouts);
  }
}

// Each block has another start.
__global__ void multiply_elsewhere(uint64_t a, uint64_t b, float* out) {
  __shared__ alignas(1024) char tiles[TILE_BYTES];
  const uint64_t start = start_of(tiles);
  float d[4] = {};
  device::fence_wgmma();
  device::multiply_async<Factor::f16, 8>(d, start + a + blockIdx.x * 2, b, true);
  device::commit_wgmma();
  device::wait_wgmma<0>();
  out[threadIdx.x] = d[0];
}

TEST_F(Layouts, KeepTheFirstBlockInEveryOrder) {
  const Managed<float> out(128);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    simulator::set_schedule(seed);
    simulator::record_layouts();
    for (const uint64_t start : {64, 0}) {  // the second launch does not count
      multiply_elsewhere<<<4, 128>>>(descriptor(start, 16, 1024, Swizzle::bytes_128),
                                     descriptor(8192, 16, 256, Swizzle::bytes_32), out.get());
    }
    const std::vector<Layout> layouts = recorded();
    ASSERT_EQ(layouts.size(), 2u);
    EXPECT_EQ(layouts[0].start, 64u);
    EXPECT_TRUE(layouts[0].later_starts.empty());
  }
}

TEST_F(Layouts, AreOfTheWantedLine) {
  const Managed<float> out(128);
  const auto recorded_at = [&](const std::string& file, int line) {
    simulator::record_layouts(file, line);
    multiply<Factor::f16, 8, Contiguous::in_k, Contiguous::in_k>
        <<<1, 128>>>(descriptor(0, 0, 256, Swizzle::bytes_32),
                     descriptor(0, 0, 256, Swizzle::bytes_32), 1, 0, out.get());
    return recorded().size();
  };
  const int line = line_of("product");
  EXPECT_EQ(recorded_at("layouts_test.cu", line), 2u);
  EXPECT_EQ(recorded_at("layouts_test.cu", line + 1), 0u);
  EXPECT_EQ(recorded_at("other.cu", line), 0u);
  EXPECT_EQ(recorded_at("", 0), 2u);
  simulator::stop_recording_layouts();
  multiply<Factor::f16, 8, Contiguous::in_k, Contiguous::in_k><<<1, 128>>>(0, 0, 1, 0, out.get());
  EXPECT_TRUE(recorded().empty());
}

}  // namespace
