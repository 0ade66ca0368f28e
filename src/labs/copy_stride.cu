// Lab: what does a warp pay when its lanes read every second, every eighth, every thousandth float?
//
// Lane t reads float STRIDE * t and writes float t. A request uses 128 bytes at any stride. Memory transfers sectors of
// 32 bytes; eight neighbouring floats are one sector:
//
//      stride 1     [00 01 02 03 04 05 06 07] [08 ...      4 sectors, one 128-byte line: 128 of 128 bytes used
//      stride 2     [00 .. 01 .. 02 .. 03 ..] [04 ...      8 sectors, two lines:         128 of 256
//      stride 8     [00 .. .. .. .. .. .. ..] [01 ...     32 sectors, eight lines:       128 of 1024
//      stride 32    [00 .. .. .. .. .. .. ..] ...         32 sectors, 32 lines: one lane has a line for itself
//      stride 1000  likewise: further apart cannot cost more
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;

// `mask` is the array's length, a power of two, minus one. The index wraps at the array's end, so that a stride of 1000
// needs no array a thousand times as long. From stride 8 on the kernel reads no sector twice.
template <int STRIDE>
__global__ void __launch_bounds__(THREADS)
    copy_stride_kernel(const float* in, float* out, int64_t elements, int64_t mask) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < elements) out[i] = in[i * STRIDE & mask];
}

int64_t words_of(const Sizes& sizes) {
  // Enough words for a warp at stride 1000 and for all elements at stride 32.
  const auto words =
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(sizes["elements"]) * 32));
  return words < 32 * 1024 ? 32 * 1024 : words;
}

template <int STRIDE>
Setup setup_stride(const Sizes& sizes) {
  const int64_t elements = sizes["elements"];
  const int64_t words = words_of(sizes);
  return {
      .arrays = {{.name = "in",
                  .words = words,
                  .before = [](int64_t i) { return word(small_number(i)); },
                  .after = {}},
                 {.name = "out",
                  .words = elements,
                  .before = {},
                  .after =
                      [words](int64_t i) { return word(small_number(i * STRIDE & (words - 1))); }}},
      .useful_bytes = 2 * elements * int64_t{sizeof(float)}};
}

template <int STRIDE>
cudaError_t launch_stride(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  copy_stride_kernel<STRIDE><<<grid_of(ceil_div(elements, THREADS)), THREADS, 0, stream>>>(
      arrays.floats(0), arrays.floats(1), elements, words_of(sizes) - 1);
  return cudaGetLastError();
}

template <int STRIDE>
Variant stride(const char* name, const char* idea, double sectors, double lines) {
  return {.name = name,
          .idea = idea,
          .claims = {{"load_sectors_per_request", "in", Relation::equal, sectors},
                     {"load_lines_per_request", "in", Relation::equal, lines},
                     {"store_sectors_per_request", "out", Relation::equal, 4}},
          .setup = setup_stride<STRIDE>,
          .launch = launch_stride<STRIDE>};
}

}  // namespace

extern const Lab copy_stride{
    .name = "copy_stride",
    .question = "what does a stride between the lanes cost?",
    .answer =
        "A request uses 128 bytes at every stride. At stride 1 they lie in one line. From stride "
        "8 on each lane has its own sector and uses 4 of its 32 bytes; from stride 32 on it has "
        "its own line. The counters then stay the same, but the time does not: an H200 fetches "
        "64 bytes if a sector stands alone (Nsight Compute: 1.07 GB read from memory at stride "
        "32, for 537 MB of sectors).",
    .parameters = {{.name = "elements",
                    .meaning = "floats to copy",
                    .counted = 1 << 14,
                    .timed = 1 << 24,
                    .most = 1 << 27,
                    .whole = 32}},
    .variants = {stride<1>("1", "neighbours", 4, 1), stride<2>("2", "every second float", 8, 2),
                 stride<4>("4", "every fourth", 16, 4),
                 stride<8>("8", "every eighth: a sector for each lane", 32, 8),
                 stride<32>("32", "a line for each lane", 32, 32),
                 stride<1000>("1000", "even further apart: no more sectors or lines", 32, 32)},
};

}  // namespace lab
