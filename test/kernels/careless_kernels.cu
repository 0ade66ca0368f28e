#include "test/kernels/careless_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace careless {
namespace {

using ladder::ceil_div;
using ladder::grid_of;
using ladder::Rung;
using ladder::Sgemm;

enum class Fault {
  none,
  skips_zeros,
  hides_nan,
  clamps,
  flushes,
  block_16_bits,
  rows_in_y,
  cols_in_y,
  row_32_bits,
  col_32_bits,
};

constexpr int TILE = 16;
constexpr float LARGEST = 3.40282347e38f, SMALLEST_NORMAL = 1.17549435e-38f;

template <Fault FAULT>
__device__ float changed(float value) {
  if (FAULT == Fault::hides_nan && isnan(value)) return 0.0f;
  if (FAULT == Fault::clamps && isinf(value)) return copysignf(LARGEST, value);
  if (FAULT == Fault::flushes && fabsf(value) < SMALLEST_NORMAL) return 0.0f;
  return value;
}

// Takes one thread for each element of C, in tiles of TILE x TILE that are numbered row by row.
template <Fault FAULT>
__global__ void careless_kernel(const Sgemm p, const int64_t tiles_n) {
  int64_t tile_row, tile_col;
  if (FAULT == Fault::rows_in_y || FAULT == Fault::cols_in_y) {
    tile_row = FAULT == Fault::rows_in_y ? blockIdx.y : blockIdx.x;
    tile_col = FAULT == Fault::rows_in_y ? blockIdx.x : blockIdx.y;
  } else {
    const int64_t block = FAULT == Fault::block_16_bits ? blockIdx.x & 0xFFFF : blockIdx.x;
    tile_row = block / tiles_n;
    tile_col = block % tiles_n;
  }
  int64_t row = tile_row * TILE + threadIdx.y;
  int64_t col = tile_col * TILE + threadIdx.x;
  if (FAULT == Fault::row_32_bits) row = static_cast<int>(row);
  if (FAULT == Fault::col_32_bits) col = static_cast<unsigned>(col);
  if (row >= p.M || col >= p.N) return;

  float sum = 0.0f;
  for (int64_t k = 0; k < p.K; ++k) {
    const float a = p.A[row * p.lda + k];
    if (FAULT == Fault::skips_zeros && a == 0.0f) continue;
    sum += a * p.B[k * p.ldb + col];
  }
  float* c = &p.C[row * p.ldc + col];
  *c = changed<FAULT>(ladder::blend(p.alpha, sum, p.beta, c));
}

template <Fault FAULT>
cudaError_t launch(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_m = ceil_div(p.M, TILE), tiles_n = ceil_div(p.N, TILE);
  dim3 grid = grid_of(tiles_m * tiles_n);
  if (FAULT == Fault::rows_in_y) grid = dim3(grid_of(tiles_n).x, grid_of(tiles_m).x);
  if (FAULT == Fault::cols_in_y) grid = dim3(grid_of(tiles_m).x, grid_of(tiles_n).x);
  careless_kernel<FAULT><<<grid, dim3(TILE, TILE), 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

constexpr auto sound = launch<Fault::none>;

bool is_aligned(const void* pointer, uintptr_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

cudaError_t with_even_ldc(const Sgemm& given, cudaStream_t stream) {
  Sgemm p = given;
  if (p.ldc % 4 == 2 && p.ldc - 2 >= p.N) p.ldc -= 2;
  return sound(p, stream);
}

cudaError_t with_half_aligned_c(const Sgemm& given, cudaStream_t stream) {
  Sgemm p = given;
  if (is_aligned(p.A, 16) && is_aligned(p.B, 16) && is_aligned(p.C, 8) && !is_aligned(p.C, 16))
    p.C -= 2;
  return sound(p, stream);
}

cudaError_t without_rows_at_k_1(const Sgemm& given, cudaStream_t stream) {
  Sgemm p = given;
  if (p.K == 1 && p.M > 64) p.M = 64;
  return sound(p, stream);
}

cudaError_t without_last_row(const Sgemm& given, cudaStream_t stream) {
  Sgemm p = given;
  if (p.M > 1 && p.M % 128 == 1 && p.N > 1024) --p.M;
  return sound(p, stream);
}

cudaError_t without_sign(const Sgemm& given, cudaStream_t stream) {
  Sgemm p = given;
  if (p.alpha == -1.0f) p.alpha = 1.0f;
  return sound(p, stream);
}

cudaError_t without_small_beta(const Sgemm& given, cudaStream_t stream) {
  Sgemm p = given;
  if (std::fabs(p.beta) < 1e-6f) p.beta = 0.0f;
  return sound(p, stream);
}

cudaError_t with_kept_grid(const Sgemm& p, cudaStream_t stream) {
  static std::mutex mutex;
  static std::map<std::pair<int64_t, int64_t>, dim3> grids;
  const int64_t tiles_n = ceil_div(p.N, TILE);
  const std::lock_guard lock(mutex);
  const auto kept = grids.try_emplace({p.M, p.K}, grid_of(ceil_div(p.M, TILE) * tiles_n)).first;
  careless_kernel<Fault::none><<<kept->second, dim3(TILE, TILE), 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

cudaError_t with_free(const Sgemm& p, cudaStream_t stream) {
  void* memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, 4); error != cudaSuccess) return error;
  const cudaError_t error = sound(p, stream);
  cudaFree(memory);
  return error;
}

cudaError_t with_synchronization(const Sgemm& p, cudaStream_t stream) {
  if (const cudaError_t error = sound(p, stream); error != cudaSuccess) return error;
  return cudaStreamSynchronize(stream);
}

// The size of the buffer in which C is formed before it is copied. Larger products use no buffer.
constexpr int64_t BUFFER_FLOATS = int64_t{1} << 18;

cudaError_t with_shared_buffer(const Sgemm& p, cudaStream_t stream) {
  static float* const buffer = [] {
    void* memory = nullptr;
    return cudaMalloc(&memory, BUFFER_FLOATS * sizeof(float)) == cudaSuccess
               ? static_cast<float*>(memory)
               : nullptr;
  }();
  if (buffer == nullptr || p.beta != 0.0f || p.M * p.N > BUFFER_FLOATS) return sound(p, stream);
  Sgemm to_buffer = p;
  to_buffer.C = buffer;
  to_buffer.ldc = p.N;
  if (const cudaError_t error = sound(to_buffer, stream); error != cudaSuccess) return error;
  const auto bytes = [](int64_t floats) { return static_cast<size_t>(floats) * sizeof(float); };
  return cudaMemcpy2DAsync(p.C, bytes(p.ldc), buffer, bytes(p.N), bytes(p.N),
                           static_cast<size_t>(p.M), cudaMemcpyDeviceToDevice, stream);
}

cudaError_t with_allocation(const Sgemm& p, cudaStream_t stream) {
  static void* memory = nullptr;
  if (memory != nullptr) cudaFree(memory);
  if (const cudaError_t error = cudaMalloc(&memory, 4); error != cudaSuccess) return error;
  return sound(p, stream);
}

cudaError_t with_cut_k(const Sgemm& given, cudaStream_t stream) {
  Sgemm p = given;
  p.K = static_cast<int>(p.K);
  return sound(p, stream);
}

// Each block takes rows with all their columns, 256 at a time.
__global__ void row_kernel(const Sgemm p) {
  for (int64_t row = blockIdx.x; row < p.M; row += gridDim.x) {
    for (int64_t col = threadIdx.x; col < p.N; col += blockDim.x) {
      float sum = 0.0f;
      for (int64_t k = 0; k < p.K; ++k) sum += p.A[row * p.lda + k] * p.B[k * p.ldb + col];
      float* c = &p.C[row * p.ldc + col];
      *c = ladder::blend(p.alpha, sum, p.beta, c);
    }
  }
}

template <int64_t MOST>
cudaError_t launch_rows(const Sgemm& p, cudaStream_t stream) {
  row_kernel<<<static_cast<unsigned>(std::min(p.M, MOST)), 256, 0, stream>>>(p);
  return cudaGetLastError();
}

// Takes at most MOST blocks. A block takes one tile after another, or only its first tile.
template <bool IN_TURNS>
__global__ void capped_kernel(const Sgemm p, const int64_t tiles, const int64_t tiles_n) {
  for (int64_t tile = blockIdx.x; tile < tiles; tile += IN_TURNS ? gridDim.x : tiles) {
    const int64_t row = tile / tiles_n * TILE + threadIdx.y;
    const int64_t col = tile % tiles_n * TILE + threadIdx.x;
    if (row >= p.M || col >= p.N) continue;
    float sum = 0.0f;
    for (int64_t k = 0; k < p.K; ++k) sum += p.A[row * p.lda + k] * p.B[k * p.ldb + col];
    float* c = &p.C[row * p.ldc + col];
    *c = ladder::blend(p.alpha, sum, p.beta, c);
  }
}

template <bool IN_TURNS, int64_t MOST>
cudaError_t launch_capped(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, TILE), tiles = ceil_div(p.M, TILE) * tiles_n;
  const dim3 grid(static_cast<unsigned>(std::min(tiles, MOST)));
  capped_kernel<IN_TURNS><<<grid, dim3(TILE, TILE), 0, stream>>>(p, tiles, tiles_n);
  return cudaGetLastError();
}

// Takes one thread for each element of C.
__global__ void transposing_kernel(const Sgemm p, int64_t row_of_a, int64_t k_of_a, int64_t k_of_b,
                                   int64_t col_of_b) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.M * p.N) return;
  const int64_t row = i / p.N, col = i % p.N;
  float sum = 0.0f;
  for (int64_t k = 0; k < p.K; ++k)
    sum += p.A[row * row_of_a + k * k_of_a] * p.B[k * k_of_b + col * col_of_b];
  float* c = &p.C[row * p.ldc + col];
  *c = ladder::blend(p.alpha, sum, p.beta, c);
}

enum class Forgets { nothing, op_of_b, lda };

template <Forgets FORGETS>
cudaError_t launch_transposing(const Sgemm& p, cudaStream_t stream) {
  const bool trans_a = p.op_a == ladder::Op::transpose;
  const bool trans_b = p.op_b == ladder::Op::transpose && FORGETS != Forgets::op_of_b;
  const int64_t lda = trans_a && FORGETS == Forgets::lda ? p.M : p.lda;
  const dim3 grid = grid_of(ceil_div(p.M * p.N, TILE * TILE));
  transposing_kernel<<<grid, TILE * TILE, 0, stream>>>(p, trans_a ? 1 : lda, trans_a ? lda : 1,
                                                       trans_b ? 1 : p.ldb, trans_b ? p.ldb : 1);
  return cudaGetLastError();
}

Rung transposing_rung(const char* name, cudaError_t (*launch)(const Sgemm&, cudaStream_t)) {
  return {.number = 99,
          .name = name,
          .idea = "wrong on purpose",
          .promise = {},
          .launch = launch,
          .takes_transposes = true};
}

cudaError_t with_shared_b(const ladder::Call& call, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  for (int64_t i = 0; i < call.batch && error == cudaSuccess; ++i) {
    Sgemm p = call.product_at(i);
    p.B = call.product.B;
    error = sound(p, stream);
  }
  return error;
}

Rung rung(const char* name, cudaError_t (*launch)(const Sgemm&, cudaStream_t)) {
  return {.number = 99, .name = name, .idea = "wrong on purpose", .promise = {}, .launch = launch};
}

}  // namespace

extern const Rung takes_even_ldc = rung("takes_even_ldc", with_even_ldc);
extern const Rung takes_half_aligned_c = rung("takes_half_aligned_c", with_half_aligned_c);
extern const Rung leaves_rows_at_k_1 = rung("leaves_rows_at_k_1", without_rows_at_k_1);
extern const Rung loses_the_last_row = rung("loses_the_last_row", without_last_row);

extern const Rung takes_transposes =
    transposing_rung("takes_transposes", launch_transposing<Forgets::nothing>);
extern const Rung forgets_op_of_b =
    transposing_rung("forgets_op_of_b", launch_transposing<Forgets::op_of_b>);
extern const Rung forgets_lda = transposing_rung("forgets_lda", launch_transposing<Forgets::lda>);

extern const Rung shares_b_always{.number = 99,
                                  .name = "shares_b_always",
                                  .idea = "wrong on purpose",
                                  .promise = {},
                                  .launch = sound,
                                  .launch_batch = with_shared_b};

extern const Rung loses_a_sign = rung("loses_a_sign", without_sign);
extern const Rung drops_a_small_beta = rung("drops_a_small_beta", without_small_beta);
extern const Rung skips_zeros = rung("skips_zeros", launch<Fault::skips_zeros>);
extern const Rung hides_nan = rung("hides_nan", launch<Fault::hides_nan>);
extern const Rung clamps_infinities = rung("clamps_infinities", launch<Fault::clamps>);
extern const Rung flushes_subnormals = rung("flushes_subnormals", launch<Fault::flushes>);

extern const Rung keeps_its_grid = rung("keeps_its_grid", with_kept_grid);
extern const Rung frees_memory = rung("frees_memory", with_free);
extern const Rung synchronizes = rung("synchronizes", with_synchronization);
extern const Rung shares_a_buffer = rung("shares_a_buffer", with_shared_buffer);
extern const Rung allocates_memory = rung("allocates_memory", with_allocation);

extern const Rung takes_whole_rows = rung("takes_whole_rows", launch_rows<INT32_MAX>);
extern const Rung takes_rows_in_turns = rung("takes_rows_in_turns", launch_rows<65535>);

extern const Rung takes_tiles_in_turns = rung("takes_tiles_in_turns", launch_capped<true, 65535>);
extern const Rung takes_many_tiles_in_turns =
    rung("takes_many_tiles_in_turns", launch_capped<true, 950'000>);
extern const Rung leaves_tiles_beyond_its_grid =
    rung("leaves_tiles_beyond_its_grid", launch_capped<false, 65535>);
extern const Rung leaves_tiles_beyond_31_bits =
    rung("leaves_tiles_beyond_31_bits", launch_capped<false, INT32_MAX>);

extern const Rung cuts_block_number = rung("cuts_block_number", launch<Fault::block_16_bits>);
extern const Rung rows_in_grid_y = rung("rows_in_grid_y", launch<Fault::rows_in_y>);
extern const Rung cols_in_grid_y = rung("cols_in_grid_y", launch<Fault::cols_in_y>);
extern const Rung cuts_row = rung("cuts_row", launch<Fault::row_32_bits>);
extern const Rung cuts_col = rung("cuts_col", launch<Fault::col_32_bits>);
extern const Rung cuts_k = rung("cuts_k", with_cut_k);

}  // namespace careless
