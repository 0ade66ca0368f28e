// Lab: when do the lanes of a warp wait for each other in shared memory?
//
// Shared memory has 32 banks, each 4 bytes wide: word w lies in bank w % 32. In one pass, a wavefront, each bank
// delivers one word, to all lanes that read this word. Lanes that read different words of one bank take turns:
//
//      lane t reads word    banks                                          wavefronts
//      t                    0 1 2 3 ...      all different                 1
//      2 t                  0 2 4 .. 30 0 2  each twice                    2
//      3 t                  0 3 6 .. 30 1 4  3 and 32 share no factor      1
//      16 t                 0 16 0 16 ...    each 16 times                 16
//      32 t                 0 0 0 ...        a column of a 32-wide tile    32
//      33 t                 0 1 2 3 ...      the same column, padded       1
//      0                    0                one word for all: broadcast   1
//
// A stride S takes as many wavefronts as the greatest common divisor of S and 32.
//
// A load of 16 bytes a lane reads up to 512 bytes, and a wavefront delivers 128: shared memory serves it in four
// quarters of 8 lanes. The two quarters of a half-warp merge into one wavefront if every lane reads the same address as
// its neighbour. Neighbours are lanes whose numbers differ in bit 0 (for all lanes of the half) or in bit 1 (for all of
// them):
//
//      lane t reads float4 number    a half-warp's 16 lanes read
//      t                             16 different ones                                        4 wavefronts
//      2 t                           16 different ones, two of a quarter in the same banks    8
//      t / 2                         0 0 1 1 2 2 3 3 | 4 4 5 5 6 6 7 7: merges                2
//      t without its bit 2           0 1 2 3 0 1 2 3 | 8 9 10 11 8 9 10 11: no neighbours     4
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;
constexpr int WARP = 32;

// The number of reads of each thread. Each read is one row of banks after the previous one, so it touches the same
// banks. The reads take longer than the one write to global memory.
constexpr int ROUNDS = 64;
constexpr int WORDS = 3072;
constexpr int FARTHEST = 31 * 33 + WARP * (ROUNDS - 1);  // the last word that any lane reads
static_assert(FARTHEST < WORDS && WORDS % THREADS == 0, "each word that is read is written");

// The first word that a lane reads.
template <int STRIDE>
struct Every {
  static __host__ __device__ constexpr int first(int lane) { return lane * STRIDE; }
};
struct Float4SideBySide {
  static __host__ __device__ constexpr int first(int lane) { return 4 * lane; }
};
struct Float4EverySecond {
  static __host__ __device__ constexpr int first(int lane) { return 4 * 2 * lane; }
};
struct Float4SharedByNeighbours {
  static __host__ __device__ constexpr int first(int lane) { return 4 * (lane / 2); }
};
struct Float4SharedByFourApart {
  static __host__ __device__ constexpr int first(int lane) { return 4 * (lane & ~4); }
};

__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

// T: the type that a lane reads, float or float4. Neighbouring blocks have different words in shared memory, so a block
// that computes the sums of its neighbour writes wrong sums.
template <typename T, typename Walk>
__global__ void __launch_bounds__(THREADS) banks_kernel(float* out, int64_t elements) {
  alignas(16) __shared__ float words[WORDS];
#pragma unroll
  for (int first_word = 0; first_word < WORDS; first_word += THREADS) {
    const int w = first_word + threadIdx.x;
    words[w] = static_cast<float>(w + blockIdx.x % 1024);
  }
  __syncthreads();  // a lane reads words that other lanes have written

  const float* first = &words[Walk::first(threadIdx.x % WARP)];
  float sum = 0.0f;
#pragma unroll
  for (int round = 0; round < ROUNDS; ++round) {
    sum += sum_of(*reinterpret_cast<const T*>(first + WARP * round));
  }
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < elements) out[i] = sum;
}

// Returns the sum that thread i must write. Word w holds w + block. The sum stays far below 2^24, so FP32 is exact.
template <typename T, typename Walk>
float expected_sum(int64_t i) {
  constexpr int64_t EACH = sizeof(T) / sizeof(float);  // words a round
  constexpr int64_t READ = EACH * ROUNDS;
  const int64_t block = i / THREADS % 1024;
  const int64_t first = Walk::first(static_cast<int>(i % WARP));
  return static_cast<float>(READ * (first + block) + EACH * WARP * ROUNDS * (ROUNDS - 1) / 2 +
                            ROUNDS * EACH * (EACH - 1) / 2);
}
static_assert(int64_t{4} * ROUNDS * (WORDS + 1024) < 1 << 24, "FP32 must hold every partial sum");

template <typename T, typename Walk>
Setup setup_banks(const Sizes& sizes) {
  const int64_t elements = sizes["elements"];
  return {.arrays = {{.name = "out",
                      .words = elements,
                      .before = {},
                      .after = [](int64_t i) { return word(expected_sum<T, Walk>(i)); }}},
          .useful_bytes = 0};  // shared memory takes the time
}

template <typename T, typename Walk>
cudaError_t launch_banks(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  banks_kernel<T, Walk>
      <<<grid_of(ceil_div(elements, THREADS)), THREADS, 0, stream>>>(arrays.floats(0), elements);
  return cudaGetLastError();
}

// least_wavefronts: the wavefronts for this width without conflicts.
template <typename T, typename Walk>
Variant variant(const char* name, const char* idea, double wavefronts, double least_wavefronts) {
  std::vector<Claim> claims = {
      {"shared_load_wavefronts_per_request", "", Relation::equal, wavefronts},
      {"shared_store_wavefronts_per_request", "", Relation::equal, 1},
      {"store_sectors_per_request", "out", Relation::equal, 4}};
  if (wavefronts == least_wavefronts) {
    claims.push_back({"shared_bank_conflicts", "", Relation::equal, 0});
  } else {
    claims.push_back({"shared_bank_conflicts", "", Relation::at_least, 1});
  }
  return {.name = name,
          .idea = idea,
          .claims = std::move(claims),
          .setup = setup_banks<T, Walk>,
          .launch = launch_banks<T, Walk>};
}

}  // namespace

extern const Lab banks{
    .name = "banks",
    .question = "which strides through shared memory make the lanes wait for each other?",
    .answer =
        "Strides that share a factor with 32, the number of banks, make the lanes wait: 32 is "
        "the worst. A stride of 33 or any odd stride costs nothing, nor does a broadcast. A load "
        "of 16 bytes a lane takes four wavefronts for 512 bytes. It takes two if neighbouring "
        "lanes read the same address, but still four if lanes four apart do.",
    .parameters = {{.name = "elements",
                    .meaning = "threads, each of which writes a float",
                    .counted = 1 << 13,
                    .timed = 1 << 26,
                    .most = 1 << 30,
                    .whole = 32}},
    .variants = {variant<float, Every<1>>("1", "neighbouring words", 1, 1),
                 variant<float, Every<2>>("2", "every second word: half the banks", 2, 1),
                 variant<float, Every<3>>("3", "odd: all banks", 1, 1),
                 variant<float, Every<16>>("16", "two banks", 16, 1),
                 variant<float, Every<32>>("32", "one bank: a column of a 32-wide tile", 32, 1),
                 variant<float, Every<33>>("33", "the column of a padded tile", 1, 1),
                 variant<float, Every<0>>("broadcast", "one word for all lanes", 1, 1),
                 variant<float4, Float4SideBySide>("float4", "16 bytes a lane, side by side", 4, 4),
                 variant<float4, Float4EverySecond>("float4_2", "every second float4", 8, 4),
                 variant<float4, Float4SharedByNeighbours>("float4_pairs",
                                                           "lanes t and t ^ 1 read the same", 2, 2),
                 variant<float4, Float4SharedByFourApart>("float4_apart",
                                                          "lanes t and t ^ 4 read the same", 4, 4)},
};

}  // namespace lab
