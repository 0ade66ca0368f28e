// Lab: what do wider loads and stores change?
//
// A request has two properties: the addresses of its lanes, and the bytes that each lane accesses. Here the lanes are
// always neighbours, and a lane copies 4, 8, 16 or 32 bytes:
//
//      lane       0       1       2       3                     a request
//      float    |0      |1      |2      |3      | ...            4 sectors,  128 of  128 bytes used
//      float2   |0     1|2     3|4     5|6     7| ...            8 sectors,  256 of  256
//      float4   |0 ... 3|4 ... 7|8 .. 11|12.. 15| ...           16 sectors,  512 of  512
//
// A float4 request touches four times as many sectors and wastes none of them. So sectors a request do not measure
// waste; bytes used over bytes fetched do. float4 saves instructions, and each thread has more bytes under way.
//
// From compute capability 10.0 on one instruction moves 32 bytes. For older devices the compiler makes two
// instructions, and the lanes of each are 32 bytes apart:
//
//      float8   |0 .......... 7|8 ......... 15| ...
//      first     ^^^^^^^        ^^^^^^^                         32 sectors,  512 of 1024
//      second           ^^^^^^^        ^^^^^^^                  the same 32 sectors again
//
// `pair` also copies 32 bytes a thread, as two float4 that lie a block's width apart. Each of its requests uses all
// bytes of its sectors.
//
// If the number of elements is not a multiple of the width, the thread at the end copies the rest float by float.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;

// The alignment permits wide accesses: without it the compiler makes eight accesses of 4 bytes.
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
#pragma unroll 1  // the ragged end: one thread copies a few floats
    for (int64_t j = first; j < elements; ++j) out[j] = in[j];
  }
}

// A block copies 2 * THREADS float4: thread t copies float4 t and float4 THREADS + t.
__global__ void __launch_bounds__(THREADS)
    copy_pair_kernel(const float* in, float* out, int64_t elements) {
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float4* out4 = reinterpret_cast<float4*>(out);
  const int64_t near = int64_t{blockIdx.x} * 2 * THREADS + threadIdx.x, far = near + THREADS;
  if (far * 4 + 4 <= elements) {
    const float4 a = in4[near], b = in4[far];  // both loads are under way before one is needed
    out4[near] = a;
    out4[far] = b;
  } else {
    for (const int64_t i : {near, far}) {
#pragma unroll 1  // the ragged end, in the last block
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

// Launches one thread for every WIDTH elements; the last thread may have fewer.
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
        "instructions. Bytes used over bytes fetched measure the waste, sectors a request do "
        "not. Before compute capability 10.0 a structure of 32 bytes is two loads of 16 bytes, "
        "and each uses half of its sectors. Two float4 a block's width apart move the same bytes "
        "in whole requests.",
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
