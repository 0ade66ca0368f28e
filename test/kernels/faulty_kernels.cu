// One plain kernel, with a fault planted at the place that FAULT names.
#include "test/kernels/faulty_kernels.hpp"

#include <array>

#include "device/async_copy.cuh"

namespace faulty {
namespace {

using ladder::Relation;
using ladder::Rung;
using ladder::Sgemm;

enum class Fault {
  none,
  nan,           // one element is a NaN
  one_wrong,     // one element is off by one
  unwritten,     // one element is never written
  transposed_b,  // B[col][k] in place of B[k][col]
  skips_last_k,  // the last product is left out
  ignores_alpha,
  past_a,
  past_b,
  past_row,
  before_c,
  past_c,
  reads_c_always,
  tf32,
  bits20,
  int_index_a,
  int_index_b,
  int_index_c,
};

constexpr int TILE = 16;

__device__ float eleven_bits(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1FFFu);
}

__device__ float twenty_bits(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x8u) & ~0xFu);
}

template <Fault FAULT, Fault TRUNCATES>
__device__ int64_t index(int64_t i) {
  return FAULT == TRUNCATES ? static_cast<int>(i) : i;
}

template <Fault FAULT>
__global__ void faulty_kernel(const Sgemm p, const int64_t tiles_n) {
  const int64_t row = (blockIdx.x / tiles_n) * TILE + threadIdx.y;
  const int64_t col = (blockIdx.x % tiles_n) * TILE + threadIdx.x;
  if (row >= p.M || col >= p.N) return;
  const bool chosen = row == p.M / 2 && col == p.N - 1;

  float sum = 0.0f;
  for (int64_t k = 0; k < p.K - (FAULT == Fault::skips_last_k ? 1 : 0); ++k) {
    float a = p.A[index<FAULT, Fault::int_index_a>(row * p.lda + k)];
    if (FAULT == Fault::tf32) a = eleven_bits(a);
    if (FAULT == Fault::bits20) a = twenty_bits(a);
    // Both indices stay within a matrix of any shape.
    const bool transpose = FAULT == Fault::transposed_b && k < p.N && col < p.K;
    sum += a * (transpose ? p.B[col * p.ldb + k]
                          : p.B[index<FAULT, Fault::int_index_b>(k * p.ldb + col)]);
  }
  if (FAULT == Fault::past_a) sum += p.A[row * p.lda + p.K] * p.B[col];
  if (FAULT == Fault::past_b) sum += p.A[row * p.lda] * p.B[p.K * p.ldb + col];

  float* c = &p.C[index<FAULT, Fault::int_index_c>(row * p.ldc + col)];
  if (FAULT == Fault::unwritten && chosen) return;
  if (FAULT == Fault::reads_c_always) {
    *c = p.alpha * sum + p.beta * *c;
    return;
  }
  *c = ladder::blend(FAULT == Fault::ignores_alpha ? 1.5f : p.alpha, sum, p.beta, c);
  if (FAULT == Fault::nan && chosen) *c = __int_as_float(0x7FFFFFFF);
  if (FAULT == Fault::one_wrong && chosen) *c += 1.0f;
  if (FAULT == Fault::past_row && col == p.N - 1) c[1] = 1.0f;
  if (FAULT == Fault::before_c && row == 0 && col == 0) c[-1] = 1.0f;
  if (FAULT == Fault::past_c && row == p.M - 1 && col == p.N - 1) c[1] = 1.0f;
}

template <Fault FAULT>
cudaError_t launch_faulty(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ladder::ceil_div(p.N, TILE);
  const dim3 grid = ladder::grid_of(ladder::ceil_div(p.M, TILE) * tiles_n);
  faulty_kernel<FAULT><<<grid, dim3(TILE, TILE), 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

cudaError_t launch_ignoring_stream(const Sgemm& p, cudaStream_t) {
  return launch_faulty<Fault::none>(p, nullptr);
}

cudaError_t launch_hiding_errors(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ladder::ceil_div(p.N, TILE);
  const dim3 grid = ladder::grid_of(ladder::ceil_div(p.M, TILE) * tiles_n);
  faulty_kernel<Fault::none><<<grid, dim3(TILE, TILE), 0, stream>>>(p, tiles_n);
  return cudaSuccess;
}

cudaError_t launch_truncating_grid(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ladder::ceil_div(p.N, TILE);
  const auto grid = static_cast<unsigned>(ladder::ceil_div(p.M, TILE) * tiles_n);
  faulty_kernel<Fault::none><<<grid, dim3(TILE, TILE), 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

__global__ void scale_kernel(const Sgemm p) {
  float* c = &p.C[blockIdx.x / p.N * p.ldc + blockIdx.x % p.N];
  *c = ladder::blend(p.alpha, 0.0f, p.beta, c);
}

__global__ void add_kernel(const Sgemm p) {
  const int64_t element = blockIdx.x % (p.M * p.N), row = element / p.N, col = element % p.N;
  const int64_t k = blockIdx.x / (p.M * p.N);
  atomicAdd(&p.C[row * p.ldc + col], p.alpha * p.A[row * p.lda + k] * p.B[k * p.ldb + col]);
}

// Takes a block of one thread for each product.
cudaError_t launch_adding(const Sgemm& p, cudaStream_t stream) {
  scale_kernel<<<ladder::grid_of(p.M * p.N), 1, 0, stream>>>(p);
  if (p.K > 0) add_kernel<<<ladder::grid_of(p.M * p.N * p.K), 1, 0, stream>>>(p);
  return cudaGetLastError();
}

Rung rung(const char* name, cudaError_t (*launch)(const Sgemm&, cudaStream_t)) {
  return {.number = 99, .name = name, .idea = "wrong on purpose", .promise = {}, .launch = launch};
}

template <Fault FAULT>
Rung rung(const char* name) {
  return rung(name, launch_faulty<FAULT>);
}

}  // namespace

extern const Rung sound = rung<Fault::none>("sound");
extern const Rung reads_past_a = rung<Fault::past_a>("reads_past_a");
extern const Rung reads_past_b = rung<Fault::past_b>("reads_past_b");
extern const Rung writes_past_row = rung<Fault::past_row>("writes_past_row");
extern const Rung writes_before_c = rung<Fault::before_c>("writes_before_c");
extern const Rung writes_past_c = rung<Fault::past_c>("writes_past_c");
extern const Rung reads_c_always = rung<Fault::reads_c_always>("reads_c_always");
extern const Rung rounds_to_tf32 = rung<Fault::tf32>("rounds_to_tf32");

// Its results are within FP32's bound, which is wide, but not within the limits that it promises.
extern const Rung rounds_to_20_bits = [] {
  Rung made = rung<Fault::bits20>("rounds_to_20_bits");
  made.arithmetic.limits = {
      .frobenius = 1.5e-7, .frobenius_all_positive = 2.5e-7, .largest = 0x1p-21};
  return made;
}();

extern const Rung truncates_index_into_a = rung<Fault::int_index_a>("truncates_index_into_a");
extern const Rung truncates_index_into_b = rung<Fault::int_index_b>("truncates_index_into_b");
extern const Rung truncates_index_into_c = rung<Fault::int_index_c>("truncates_index_into_c");
extern const Rung ignores_stream = rung("ignores_stream", launch_ignoring_stream);
extern const Rung hides_errors = rung("hides_errors", launch_hiding_errors);
extern const Rung truncates_grid = rung("truncates_grid", launch_truncating_grid);
extern const Rung adds_in_any_order = rung("adds_in_any_order", launch_adding);

extern const Rung breaks_promise{
    .number = 98,
    .name = "breaks_promise",
    .idea = "claims what it does not do",
    .promise = {.whole_tiles = 16,
                .claims = {{"load_sectors_per_request", "A", Relation::equal, 31}}},
    .launch = launch_faulty<Fault::none>,
};

namespace {

constexpr int COPIED_ROWS = 32, COPIED_K = 8;

template <int STRIDE>
__global__ void copy_transposed(const Sgemm p) {
  __shared__ float As[COPIED_K * STRIDE];
  const int row = threadIdx.x / COPIED_K, k = threadIdx.x % COPIED_K;
  ladder::copy_async(&As[k * STRIDE + row], &p.A[row * p.lda + k]);
  ladder::commit_async();
  ladder::wait_async<0>();
  __syncthreads();
  if (k == 0) p.C[row * p.ldc] = As[row];
}

template <int STRIDE>
cudaError_t launch_copy(const Sgemm& p, cudaStream_t stream) {
  copy_transposed<STRIDE><<<1, COPIED_ROWS * COPIED_K, 0, stream>>>(p);
  return cudaGetLastError();
}

template <int STRIDE>
Rung copy_rung(const char* name) {
  return {.number = 97,
          .name = name,
          .idea = "a tile of A is copied, transposed, and nothing else",
          .promise = {.whole_tiles = COPIED_ROWS,
                      .claims = {{"shared_bank_conflicts", "", Relation::equal, 0}}},
          .launch = launch_copy<STRIDE>};
}

}  // namespace

extern const Rung padded_copy = copy_rung<128 + 4>("padded_copy");
extern const Rung unpadded_copy = copy_rung<128>("unpadded_copy");

std::span<const Rung> wrong_results() {
  static const std::array rungs{
      rung<Fault::nan>("nan"),
      rung<Fault::one_wrong>("one_wrong"),
      rung<Fault::unwritten>("unwritten"),
      rung<Fault::transposed_b>("transposed_b"),
      rung<Fault::skips_last_k>("skips_last_k"),
      rung<Fault::ignores_alpha>("ignores_alpha"),
  };
  return rungs;
}

}  // namespace faulty
