// Lab: an embedding lookup copies one row of a table for each token. Which threads should share a row?
//
//      out[t][d] = table[tokens[t]][d]      t: one of batch * seq tokens, d: one of dim floats
//
// 16 x 16 threads, or 256 x 1, can cover the output in several ways. A warp is 32 threads with consecutive numbers
// threadIdx.x + blockDim.x * threadIdx.y. A request of a warp to the table, or to the output, covers:
//
//      1-D                                       2-D, x walks the tokens    2-D, x walks the dimension
//
//      t [oooooooooooooooooooooooooooooooo]      t      [oo]                t     [oooooooooooooooo]     o: a lane
//                                                t + 1  [oo]                t + 1 [oooooooooooooooo]
//                                                 ...
//                                                t + 15 [oo]
//
//      4 sectors of 32 bytes, all used           16, 8 bytes of each        4, all used
//
// With float4 a lane copies four neighbours: 16 sectors, all used.
//
// Two more things cost the 1-D kernel time, and no counter of sectors shows them.
//
// First, it must divide: thread i's token is i / dim. No GPU has an instruction for a division. A division of 64-bit
// numbers takes dozens of instructions, even if the compiler tests first whether 32 bits are enough. If i fits into 31
// bits, one multiplication by a number that the host computes once gives the same result.
//
// Second, it must wait twice: for its token, then for the token's float. A thread with one element has one load under
// way, and all threads of a multiprocessor together have too few bytes under way to keep the memory busy. A thread with
// several elements loads all their tokens, then all their floats.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;
constexpr int SIDE = 16;  // of the 2-D blocks
static_assert(SIDE * SIDE == THREADS, "all blocks are of one size, only their shape differs");

// Divides numbers below 2^31 by one divisor, as compilers do for a constant divisor: n / d is the high part of n * m,
// with m = 2^(31 + s) / d rounded up and 2^s the smallest power of two that is at least d.
class Divider {
 public:
  explicit constexpr Divider(uint32_t divisor)
      : divisor_(divisor),
        shift_(31 + std::bit_width(divisor - 1)),
        factor_(static_cast<uint32_t>(((uint64_t{1} << shift_) + divisor - 1) / divisor)) {}

  __host__ __device__ constexpr uint32_t divisor() const { return divisor_; }
  __host__ __device__ constexpr uint32_t quotient(uint32_t n) const {
    return static_cast<uint32_t>(uint64_t{n} * factor_ >> shift_);
  }

 private:
  uint32_t divisor_;
  int shift_;
  uint32_t factor_;
};
constexpr uint32_t BELOW = (uint32_t{1} << 31) - 1;

// Checks the quotients of the divisor's last multiple below 2^31 and of the number before it.
constexpr bool divides_exactly(uint32_t divisor) {
  const uint32_t quotient = BELOW / divisor, multiple = quotient * divisor;
  const Divider by(divisor);
  return by.quotient(multiple) == quotient && by.quotient(multiple - 1) == (multiple - 1) / divisor;
}
static_assert([] {
  for (uint32_t divisor = 1; divisor <= 1024; ++divisor) {
    if (!divides_exactly(divisor)) return false;
  }
  return divides_exactly(BELOW) && divides_exactly((1 << 16) + 1);
}());

// A thread copies EACH elements of type T, float or float4; a row has by_dim.divisor() of them. The elements of a
// thread are THREADS apart, so that the lanes of a warp stay neighbours. The three loops keep all loads of a thread
// under way together. The first two have no branch: past the end they read the last element again.
template <typename T, int EACH>
__global__ void __launch_bounds__(THREADS)
    flat_kernel(const int32_t* tokens, const T* table, T* out, uint32_t elements, Divider by_dim) {
  const uint32_t first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
  int32_t token[EACH];
  uint32_t d[EACH];
  T value[EACH];
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const uint32_t i = min(first + e * THREADS, elements - 1);
    const uint32_t t = by_dim.quotient(i);
    d[e] = i - t * by_dim.divisor();
    token[e] = tokens[t];
  }
#pragma unroll
  for (int e = 0; e < EACH; ++e) value[e] = table[int64_t{token[e]} * by_dim.divisor() + d[e]];
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const uint32_t i = first + e * THREADS;
    if (i < elements) out[i] = value[e];
  }
}

__global__ void __launch_bounds__(THREADS)
    divided_kernel(const int32_t* tokens, const float* table, float* out, int64_t elements,
                   int64_t dim) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i >= elements) return;
  const int64_t t = i / dim;  // the slow division; its remainder adds one multiplication
  const int64_t d = i % dim;
  out[i] = table[tokens[t] * dim + d];
}

// The place of a thread in a plane of blocks with SIDE x SIDE threads. The grid is one row of blocks, x first, because
// gridDim.y is at most 65,535 and a million tokens need more. Only the block's number is divided, by a multiplication.
struct Place {
  uint32_t x, y;
};
__device__ Place place_of_thread(Divider by_blocks_along_x) {
  const uint32_t block_y = by_blocks_along_x.quotient(blockIdx.x);
  const uint32_t block_x = blockIdx.x - block_y * by_blocks_along_x.divisor();
  return {block_x * SIDE + threadIdx.x, block_y * SIDE + threadIdx.y};
}

__global__ void __launch_bounds__(THREADS)
    x_to_token_kernel(const int32_t* tokens, const float* table, float* out, uint32_t token_count,
                      uint32_t dim, Divider by_blocks_along_x) {
  const auto [t, d] = place_of_thread(by_blocks_along_x);  // the lanes leap from row to row
  if (t < token_count && d < dim) out[int64_t{t} * dim + d] = table[int64_t{tokens[t]} * dim + d];
}

__global__ void __launch_bounds__(THREADS)
    x_to_dim_kernel(const int32_t* tokens, const float* table, float* out, uint32_t token_count,
                    uint32_t dim, Divider by_blocks_along_x) {
  const auto [d, t] = place_of_thread(by_blocks_along_x);  // the lanes slide along a row
  if (t < token_count && d < dim) out[int64_t{t} * dim + d] = table[int64_t{tokens[t]} * dim + d];
}

int64_t count_tokens(const Sizes& sizes) { return sizes["batch"] * sizes["seq"]; }
int64_t count_elements(const Sizes& sizes) { return count_tokens(sizes) * sizes["dim"]; }

// Returns tokens that look random, each once before any repeats: 2654435761 is a prime, so it shares no factor with a
// vocabulary. Neighbours are then never the same token, and no row is in a cache by luck.
int64_t token_at(int64_t t, int64_t vocabulary) { return t * 2654435761 % vocabulary; }

Setup setup_lookup(const Sizes& sizes) {
  const int64_t tokens = count_tokens(sizes);
  const int64_t vocabulary = sizes["vocabulary"], dim = sizes["dim"];
  const int64_t rows_read = std::min(tokens, vocabulary);
  const int64_t words_moved = tokens + (rows_read + tokens) * dim;
  return {
      .arrays = {{.name = "tokens",
                  .words = tokens,
                  .before =
                      [vocabulary](int64_t t) {
                        return word(static_cast<int32_t>(token_at(t, vocabulary)));
                      },
                  .after = {}},
                 {.name = "table",
                  .words = vocabulary * dim,
                  .before = [](int64_t i) { return word(small_number(i)); },
                  .after = {}},
                 {.name = "out",
                  .words = tokens * dim,
                  .before = {},
                  .after =
                      [vocabulary, dim](int64_t i) {
                        return word(small_number(token_at(i / dim, vocabulary) * dim + i % dim));
                      }}},
      .useful_bytes = words_moved * int64_t{sizeof(float)}};
}

// Refuses more elements than a Divider can divide. (Block numbers are never too large: grid_of() allows no more.)
const char* refuses_long_output(const Sizes& sizes) {
  return count_elements(sizes) > BELOW
             ? "batch x seq x dim must be below 2^31 for 32-bit indices; 1d_64bit takes more"
             : nullptr;
}

template <typename T, int EACH>
cudaError_t launch_flat(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  constexpr int64_t FLOATS = sizeof(T) / sizeof(float);
  const int64_t elements = count_elements(sizes) / FLOATS;
  flat_kernel<T, EACH><<<grid_of(ceil_div(elements, THREADS * EACH)), THREADS, 0, stream>>>(
      arrays.ints(0), reinterpret_cast<const T*>(arrays.floats(1)),
      reinterpret_cast<T*>(arrays.floats(2)), static_cast<uint32_t>(elements),
      Divider(static_cast<uint32_t>(sizes["dim"] / FLOATS)));
  return cudaGetLastError();
}

// True if each row starts at a multiple of 16 bytes, since its length is a multiple of four floats.
bool is_wide(const Sizes& sizes) { return sizes["dim"] % 4 == 0; }

const char* path_of_float4(const Sizes& sizes) {
  return is_wide(sizes) ? "16-byte accesses" : "4-byte accesses: dim not divisible by 4";
}

cudaError_t launch_float4(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  return is_wide(sizes) ? launch_flat<float4, 2>(sizes, arrays, stream)
                        : launch_flat<float, 8>(sizes, arrays, stream);
}

cudaError_t launch_divided(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = count_elements(sizes);
  divided_kernel<<<grid_of(ceil_div(elements, THREADS)), THREADS, 0, stream>>>(
      arrays.ints(0), arrays.floats(1), arrays.floats(2), elements, sizes["dim"]);
  return cudaGetLastError();
}

template <auto KERNEL>
cudaError_t launch_square(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream,
                          int64_t along_x, int64_t along_y) {
  const int64_t blocks_x = ceil_div(along_x, SIDE), blocks_y = ceil_div(along_y, SIDE);
  KERNEL<<<grid_of(blocks_x * blocks_y), dim3(SIDE, SIDE), 0, stream>>>(
      arrays.ints(0), arrays.floats(1), arrays.floats(2),
      static_cast<uint32_t>(count_tokens(sizes)), static_cast<uint32_t>(sizes["dim"]),
      Divider(static_cast<uint32_t>(blocks_x)));
  return cudaGetLastError();
}

cudaError_t launch_x_to_token(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  return launch_square<x_to_token_kernel>(sizes, arrays, stream, count_tokens(sizes), sizes["dim"]);
}

cudaError_t launch_x_to_dim(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  return launch_square<x_to_dim_kernel>(sizes, arrays, stream, sizes["dim"], count_tokens(sizes));
}

// Returns the promise. `sectors`: for the table and for the output, which have the same access pattern.
std::vector<Claim> walk(double token_sectors, double sectors, double bytes_per_lane = 4) {
  return {{"load_sectors_per_request", "tokens", Relation::equal, token_sectors},
          {"load_sectors_per_request", "table", Relation::equal, sectors},
          {"store_sectors_per_request", "out", Relation::equal, sectors},
          {"load_bytes_per_lane", "table", Relation::equal, bytes_per_lane},
          {"store_bytes_per_lane", "out", Relation::equal, bytes_per_lane}};
}

}  // namespace

extern const Lab embedding{
    .name = "embedding",
    .question = "which threads of an embedding lookup should share a row of the table?",
    .answer =
        "The threads of a warp should share a row. If x walks the tokens, a request touches 16 "
        "sectors of the table and 16 of the output and uses 8 bytes of each; if x walks the "
        "dimension, 4 and 4. float4 also takes 16 sectors and wastes nothing. The time shows less "
        "than the counters: in a published run on another GPU the 1-D kernel is 1.80 times as "
        "fast as the one whose x walks the tokens; on an H200 (2026-11-22) 1d_64bit is 1.37 times "
        "as fast as 2d_token at the timed sizes, since its L2 joins the pieces of a sector, and "
        "1.75 times if all data lie in L2 (--batch 8 --seq 512 --vocabulary 10000 --dim 512). "
        "Sectors do not slow 1d: a thread with one element waits for its token, then for "
        "its float. With eight elements it is twice as fast (1d_8); the 64-bit division costs 7 "
        "per cent.",
    .parameters =
        {{.name = "batch", .meaning = "sequences", .counted = 2, .timed = 32, .most = 1 << 14},
         {.name = "seq",
          .meaning = "tokens of a sequence",
          .counted = 64,
          .timed = 4096,
          .most = 1 << 16,
          .whole = 16},
         {.name = "vocabulary",
          .meaning = "rows of the table",
          .counted = 512,
          .timed = 1 << 17,
          .most = 1 << 24,
          .whole = 16},
         {.name = "dim",
          .meaning = "floats of a row",
          .counted = 256,
          .timed = 1024,
          .most = 1 << 16,
          .whole = 128}},
    .variants = {{.name = "1d_64bit",
                  .idea = "256 x 1 threads, an element each, found by a 64-bit division",
                  .claims = walk(1, 4),
                  .setup = setup_lookup,
                  .launch = launch_divided},
                 {.name = "1d",
                  .idea = "the same, with a multiplication for the division",
                  .claims = walk(1, 4),
                  .setup = setup_lookup,
                  .launch = launch_flat<float, 1>,
                  .refuses = refuses_long_output},
                 {.name = "1d_8",
                  .idea = "eight elements a thread, 256 apart: more loads under way",
                  .claims = walk(1, 4),
                  .setup = setup_lookup,
                  .launch = launch_flat<float, 8>,
                  .refuses = refuses_long_output},
                 {.name = "2d_token",
                  .idea = "16 x 16 threads, x walks the tokens: the lanes leap",
                  .claims = walk(2, 16),
                  .setup = setup_lookup,
                  .launch = launch_x_to_token},
                 {.name = "2d_dim",
                  .idea = "16 x 16 threads, x walks the dimension",
                  .claims = walk(1, 4),
                  .setup = setup_lookup,
                  .launch = launch_x_to_dim},
                 {.name = "float4",
                  .idea = "256 x 1 threads, two float4 each, in 16-byte accesses",
                  .claims = walk(1, 16, 16),
                  .setup = setup_lookup,
                  .launch = launch_float4,
                  .path = path_of_float4,
                  .refuses = refuses_long_output}},
};

}  // namespace lab
