// Lab: what do wider loads and stores change?
//
// Which addresses a warp's lanes ask for is one thing, how many bytes each lane asks for another. Lanes of all variants
// are neighbours; a lane copies 4, 8, 16 or 32 bytes:
//
//      lane       0       1       2       3                     a request
//      float    |0      |1      |2      |3      | ...            4 sectors,  128 of  128 bytes used
//      float2   |0     1|2     3|4     5|6     7| ...            8 sectors,  256 of  256
//      float4   |0 ... 3|4 ... 7|8 .. 11|12.. 15| ...           16 sectors,  512 of  512
//
// A float4 request touches four times as many sectors and wastes none of them: sectors a request are no measure of waste,
// bytes used over bytes fetched are. What is saved is instructions, and each thread has more bytes under way.
//
// 32 bytes are one instruction from compute capability 10.0 on. Before that the compiler makes two of it, and the lanes of
// each are 32 bytes apart:
//
//      float8   |0 .......... 7|8 ......... 15| ...
//      first     ^^^^^^^        ^^^^^^^                         32 sectors,  512 of 1024
//      second           ^^^^^^^        ^^^^^^^                  the same 32 sectors again
//
// `pair` gives a thread the same 32 bytes as two float4 which lie a block's width apart: each of its requests is whole.
//
// Where the number of elements is no multiple of the width, the one thread that meets the end copies what is left, float
// by float.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;

// A structure as anyone would write it. The alignment is what permits wide accesses: without it these are eight of 4 bytes.
struct alignas(32) float8 {
  float v[8];
};

template <typename Vector>
__global__ void __launch_bounds__(THREADS)
    copy_width_kernel(const float* in, float* out, int64_t elements) {
  constexpr int WIDTH = sizeof(Vector) / sizeof(float);
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  const int64_t first = i * WIDTH;
  if (first + WIDTH <= elements) {
    reinterpret_cast<Vector*>(out)[i] = reinterpret_cast<const Vector*>(in)[i];
  } else {
#pragma unroll 1  // the ragged end: few turns, and of one thread
    for (int64_t j = first; j < elements; ++j) out[j] = in[j];
  }
}

// A block copies 2 * THREADS float4: thread t the one at t and the one at THREADS + t.
__global__ void __launch_bounds__(THREADS)
    copy_pair_kernel(const float* in, float* out, int64_t elements) {
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float4* out4 = reinterpret_cast<float4*>(out);
  const int64_t near = int64_t{blockIdx.x} * 2 * THREADS + threadIdx.x, far = near + THREADS;
  if (far * 4 + 4 <= elements) {
    const float4 a = in4[near], b = in4[far];  // both are under way before one is needed
    out4[near] = a;
    out4[far] = b;
  } else {
    for (const int64_t i : {near, far}) {
#pragma unroll 1  // the last block's
      for (int64_t j = i * 4; j < min(i * 4 + 4, elements); ++j) out[j] = in[j];
    }
  }
}

Setup setup_copy(const Sizes& sizes) {
  const int64_t elements = sizes["elements"];
  const Content content = [](int64_t i) { return word(small_number(i)); };
  return {.arrays = {{.name = "in", .words = elements, .before = content, .after = {}},
                     {.name = "out", .words = elements, .before = {}, .after = content}},
          .useful_bytes = 2 * elements * int64_t{sizeof(float)}};
}

// A thread for each WIDTH elements, and for those that are left over.
template <int WIDTH, auto KERNEL>
cudaError_t launch_copy(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  KERNEL<<<grid_of(ceil_div(elements, WIDTH * THREADS)), THREADS, 0, stream>>>(
      arrays.floats(0), arrays.floats(1), elements);
  return cudaGetLastError();
}

struct Counts {
  double sectors, lines, bytes_per_lane, used;
};

template <int WIDTH, auto KERNEL>
Variant width(const char* name, const char* idea, const Counts& request) {
  return {.name = name,
          .idea = idea,
          .claims = {{"load_sectors_per_request", "in", Relation::equal, request.sectors},
                     {"load_lines_per_request", "in", Relation::equal, request.lines},
                     {"load_bytes_per_lane", "in", Relation::equal, request.bytes_per_lane},
                     {"store_sectors_per_request", "out", Relation::equal, request.sectors},
                     {"store_bytes_per_lane", "out", Relation::equal, request.bytes_per_lane},
                     {"bytes_used_over_fetched", "", Relation::equal, request.used}},
          .setup = setup_copy,
          .launch = launch_copy<WIDTH, KERNEL>};
}

}  // namespace

extern const Lab copy_width{
    .name = "copy_width",
    .question = "what do wider loads and stores change?",
    .answer =
        "A float4 request touches 16 sectors and uses every byte of them, with a quarter of the "
        "instructions: what counts is bytes used, not sectors a request. A structure of 32 bytes "
        "is two loads of 16 bytes before compute capability 10.0, each of which uses half of its "
        "sectors; two float4 a block's width apart move the same bytes in whole requests.",
    .parameters = {{.name = "elements",
                    .meaning = "floats to copy",
                    .counted = 1 << 14,
                    .timed = 1 << 27,
                    .most = int64_t{1} << 32,
                    .whole = 8 * THREADS}},
    .variants = {width<1, copy_width_kernel<float>>("float", "4 bytes a lane", {4, 1, 4, 1}),
                 width<2, copy_width_kernel<float2>>("float2", "8 bytes a lane", {8, 2, 8, 1}),
                 width<4, copy_width_kernel<float4>>("float4", "16 bytes a lane", {16, 4, 16, 1}),
                 width<8, copy_width_kernel<float8>>(
                     "float8", "32 bytes a lane: two accesses, their lanes 32 bytes apart",
                     {32, 8, 16, 0.5}),
                 width<8, copy_pair_kernel>("pair", "two float4 a lane, a block's width apart",
                                            {16, 4, 16, 1})},
};

}  // namespace lab
