// Lab: which thread computes which element of a product, and what does that choice cost?
//
// C = A * B, one thread for each element, blocks of 1024 threads. A warp is 32 threads with consecutive numbers
// threadIdx.x + blockDim.x * threadIdx.y, so with 32 x 32 threads its lanes differ in x alone. In each step k of the
// sum:
//
//                   lane 0     lane 1         lane 2              A       B       C (written once)
//      x -> row     A[0][k]    A[1][k]        A[2][k]   ...       leaps   same    leaps
//                   B[k][0]    B[k][0]        B[k][0]             32      1       32 sectors a request
//
//      x -> col     A[0][k]    A[0][k]        A[0][k]   ...       same    slides  slides
//                   B[k][0]    B[k][1]        B[k][2]             1       4       4
//
//      1-D          a block of 1024 x 1 threads. The quotient of the thread's number by 32 is the row, the remainder is
//                   the column. That is x -> col again and costs the same.
//
// So "naive" is not slow as such. The first mapping needs the remap; the second is coalesced already.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int TILE = 32;  // a block computes TILE x TILE elements
constexpr int THREADS = TILE * TILE;
static_assert(TILE == 32, "a warp must be one row or one column of the tile");

// Computes one element of C. The matrices are row-major, without padding.
__device__ void compute_element(const float* A, const float* B, float* C, int64_t size, int64_t row,
                                int64_t col) {
  if (row >= size || col >= size) return;
  float sum = 0.0f;
#pragma unroll 8  // loads of several steps are under way at once; a device waits long for each
  for (int64_t k = 0; k < size; ++k) sum += A[row * size + k] * B[k * size + col];
  C[row * size + col] = sum;
}

__global__ void __launch_bounds__(THREADS)
    x_to_row_kernel(const float* A, const float* B, float* C, int64_t size) {
  const int64_t row = int64_t{blockIdx.x} * TILE + threadIdx.x;  // the lanes leap down the rows
  const int64_t col = int64_t{blockIdx.y} * TILE + threadIdx.y;
  compute_element(A, B, C, size, row, col);
}

__global__ void __launch_bounds__(THREADS)
    x_to_col_kernel(const float* A, const float* B, float* C, int64_t size) {
  const int64_t row = int64_t{blockIdx.y} * TILE + threadIdx.y;
  const int64_t col = int64_t{blockIdx.x} * TILE + threadIdx.x;  // the lanes slide along a row
  compute_element(A, B, C, size, row, col);
}

__global__ void __launch_bounds__(THREADS)
    remapped_kernel(const float* A, const float* B, float* C, int64_t size) {
  const int64_t row = int64_t{blockIdx.y} * TILE + threadIdx.x / TILE;
  const int64_t col = int64_t{blockIdx.x} * TILE + threadIdx.x % TILE;  // the lanes slide again
  compute_element(A, B, C, size, row, col);
}

// A[i][k] = p(i) + q(k) and B[k][j] = r(k) * s(j), so that
//
//      C[i][j] = sum over k = s(j) * (p(i) * R + Q)      R = sum of r(k), Q = sum of q(k) * r(k)
//
// and the check of an element needs no loop. p, q, r and s are whole numbers from 1 to 8, 4, 4 and 8, so each sum up to
// k is at most 12 * 32 * k: below 2^24, where FP32 is exact, for every size of the lab.
constexpr int64_t MOST_SIZE = 32768;
static_assert((8 + 4) * 4 * 8 * MOST_SIZE <= 1 << 24, "FP32 must hold every partial sum");

int64_t from_one_to(int64_t most, int64_t seed) {
  return 1 + static_cast<int64_t>(small_number(seed)) % most;
}
int64_t p_of(int64_t i) { return from_one_to(8, i); }
int64_t q_of(int64_t k) { return from_one_to(4, k + 1000003); }
int64_t r_of(int64_t k) { return from_one_to(4, k + 2000003); }
int64_t s_of(int64_t j) { return from_one_to(8, j + 3000017); }

uint32_t word_of(int64_t whole_number) { return word(static_cast<float>(whole_number)); }

Setup setup_product(const Sizes& sizes) {
  const int64_t size = sizes["n"];
  int64_t R = 0, Q = 0;
  for (int64_t k = 0; k < size; ++k) {
    R += r_of(k);
    Q += q_of(k) * r_of(k);
  }
  return {
      .arrays =
          {{.name = "A",
            .words = size * size,
            .before = [size](int64_t at) { return word_of(p_of(at / size) + q_of(at % size)); },
            .after = {}},
           {.name = "B",
            .words = size * size,
            .before = [size](int64_t at) { return word_of(r_of(at / size) * s_of(at % size)); },
            .after = {}},
           {.name = "C",
            .words = size * size,
            .before = {},
            .after =
                [=](int64_t at) { return word_of(s_of(at % size) * (p_of(at / size) * R + Q)); }}},
      .useful_bytes = 0};  // the time is compared with other mappings, not with a copy
}

using Kernel = void (*)(const float* A, const float* B, float* C, int64_t size);

template <Kernel KERNEL, bool IS_FLAT>
cudaError_t launch_product(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t size = sizes["n"];
  const auto tiles = static_cast<unsigned>(ceil_div(size, TILE));
  const dim3 block = IS_FLAT ? dim3(THREADS) : dim3(TILE, TILE);
  KERNEL<<<dim3(tiles, tiles), block, 0, stream>>>(arrays.floats(0), arrays.floats(1),
                                                   arrays.floats(2), size);
  return cudaGetLastError();
}

std::vector<Claim> sectors(double a, double b, double c) {
  return {{"load_sectors_per_request", "A", Relation::equal, a},
          {"load_sectors_per_request", "B", Relation::equal, b},
          {"store_sectors_per_request", "C", Relation::equal, c}};
}

}  // namespace

extern const Lab mappings{
    .name = "mappings",
    .question = "which way should threadIdx.x walk in a naive product?",
    .answer =
        "threadIdx.x should walk along the columns: then the lanes of a warp read one element of "
        "A together and 32 neighbours of B. With threadIdx.x along the rows each lane leaps to "
        "its own row, and memory transfers 32 sectors for 128 useful bytes. The 1-D remap turns "
        "the first kernel into the second; a naive kernel whose x already walks along the columns "
        "gains nothing from it.",
    .parameters = {{.name = "n",
                    .meaning = "rows and columns of A, B and C",
                    .counted = 256,
                    .timed = 4096,
                    .most = MOST_SIZE,
                    .whole = 32}},
    .variants = {{.name = "x_to_row",
                  .idea = "32 x 32 threads, x walks down the rows",
                  .claims = sectors(32, 1, 32),
                  .setup = setup_product,
                  .launch = launch_product<x_to_row_kernel, false>},
                 {.name = "x_to_col",
                  .idea = "32 x 32 threads, x walks along the columns",
                  .claims = sectors(1, 4, 4),
                  .setup = setup_product,
                  .launch = launch_product<x_to_col_kernel, false>},
                 {.name = "remap",
                  .idea = "1024 x 1 threads, the remainder of x by 32 is the column",
                  .claims = sectors(1, 4, 4),
                  .setup = setup_product,
                  .launch = launch_product<remapped_kernel, true>}},
};

}  // namespace lab
