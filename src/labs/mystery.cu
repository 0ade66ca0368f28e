// Lab: here are the counters. What do these kernels do?
//
// Each kernel copies floats from `in` to `out` in its own order. A sector is 32 bytes, eight floats; a line is 128
// bytes. A plain copy takes 4 sectors of one line a request. Read the counters first
//
//      sgemm_runner lab mystery
//
// and find the addresses of lanes 0 to 31 that give these numbers. Then read on.
//
//
//
//
//
//
//
//
//
//
//
//
//
//
//
//
//
//
//
//      a   in    [31 30 29 .. 02 01 00]              backwards: 4 sectors of one line, as forwards
//      b   in    [.. 00 01 02 .. 30][31 ..           one float past the line: a fifth sector, in a second line
//      c   in    [00 01 .. 15]                       half of the lanes are missing: 2 sectors
//      d   in    [00 .. .. .. .. 01 .. .. .. .. 02   every fifth float: 32 * 20 bytes are 20 sectors in 5 lines
//      e   in    [00 01 .. 07]                       a patch of 8 x 4: 4 sectors again, but each in a line of its own
//                [08 09 .. 15] ..
//      f   in    [00 00 00 01 01 01 02 ..            three floats a lane, one after the other: 12 sectors in 3 lines,
//                                                    three times
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;
constexpr int WARP = 32;

__device__ int64_t thread_number() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// Copies from the last element to the first. The order of the lanes does not change the sectors of a request.
__global__ void __launch_bounds__(THREADS)
    mystery_a_kernel(const float* in, float* out, int64_t elements) {
  const int64_t i = thread_number();
  if (i < elements) out[i] = in[elements - 1 - i];
}

// Copies with a typical error: the index starts at 1.
__global__ void __launch_bounds__(THREADS)
    mystery_b_kernel(const float* in, float* out, int64_t elements) {
  const int64_t i = thread_number();
  if (i < elements) out[i] = in[i + 1];
}

// A plain copy with blocks of 16 threads: each block is half a warp, so there are twice as many requests.
constexpr int HALF_WARP = WARP / 2;

__global__ void __launch_bounds__(HALF_WARP)
    mystery_c_kernel(const float* in, float* out, int64_t elements) {
  const int64_t i = thread_number();
  if (i < elements) out[i] = in[i];
}

// Copies one field of a structure of five floats.
constexpr int FIELDS = 5;

__global__ void __launch_bounds__(THREADS)
    mystery_d_kernel(const float* in, float* out, int64_t elements) {
  const int64_t i = thread_number();
  if (i < elements) out[i] = in[i * FIELDS];
}

// A block covers 4 rows of 64 floats. Each of its warps covers a patch 8 wide and 4 high, as an image filter might.
constexpr int ROW = 64;
constexpr int PATCH_WIDTH = 8;
static_assert(THREADS / ROW == WARP / PATCH_WIDTH, "a warp's patch has as many rows as the block");

__global__ void __launch_bounds__(THREADS)
    mystery_e_kernel(const float* in, float* out, int64_t elements) {
  const int lane = threadIdx.x % WARP;
  const int warp = threadIdx.x / WARP;
  const int row = lane / PATCH_WIDTH;
  const int col = warp * PATCH_WIDTH + lane % PATCH_WIDTH;
  const int64_t i = int64_t{blockIdx.x} * THREADS + row * ROW + col;
  if (i < elements) out[i] = in[i];
}

// A thread copies a point. No load is 12 bytes wide, so there are three loads of 4 bytes; each skips the other two
// floats.
struct Point {
  float x, y, z;
};

__global__ void __launch_bounds__(THREADS)
    mystery_f_kernel(const Point* in, Point* out, int64_t elements) {
  const int64_t i = thread_number();
  if (i < elements) out[i] = in[i];
}

// A function that returns which word of `in` the kernel copies to word i of `out`.
using Source = int64_t (*)(int64_t i, int64_t elements);

int64_t from_the_end(int64_t i, int64_t elements) { return elements - 1 - i; }
int64_t next_word(int64_t i, int64_t) { return i + 1; }
int64_t same_word(int64_t i, int64_t) { return i; }
int64_t first_field(int64_t i, int64_t) { return i * FIELDS; }

// Each thread has IN words of `in` and OUT words of `out`. `in` ends with MORE words that belong to no thread.
template <Source SOURCE, int IN = 1, int OUT = 1, int MORE = 0>
Setup setup_copy(const Sizes& sizes) {
  const int64_t elements = sizes["elements"];
  return {.arrays = {{.name = "in",
                      .words = elements * IN + MORE,
                      .before = [](int64_t i) { return word(small_number(i)); },
                      .after = {}},
                     {.name = "out",
                      .words = elements * OUT,
                      .before = {},
                      .after = [elements](
                                   int64_t i) { return word(small_number(SOURCE(i, elements))); }}},
          .useful_bytes = 2 * elements * OUT * int64_t{sizeof(float)}};
}

template <auto KERNEL, typename T, int BLOCK>
cudaError_t launch_copy(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  KERNEL<<<grid_of(ceil_div(elements, BLOCK)), BLOCK, 0, stream>>>(
      reinterpret_cast<const T*>(arrays.floats(0)), reinterpret_cast<T*>(arrays.floats(1)),
      elements);
  return cudaGetLastError();
}

struct Walk {
  double sectors, lines;
};

std::vector<Claim> walks(Walk load, Walk store) {
  return {{"load_sectors_per_request", "in", Relation::equal, load.sectors},
          {"load_lines_per_request", "in", Relation::equal, load.lines},
          {"load_bytes_per_lane", "in", Relation::equal, 4},
          {"store_sectors_per_request", "out", Relation::equal, store.sectors},
          {"store_lines_per_request", "out", Relation::equal, store.lines},
          {"store_bytes_per_lane", "out", Relation::equal, 4}};
}

}  // namespace

extern const Lab mystery{
    .name = "mystery",
    .question = "here are the counters: which access is it?",
    .answer =
        "The set of sectors that the lanes touch is the price of a request: the lanes' order is "
        "free (a), the start is not (b), and missing lanes fetch nothing (c). The sectors per "
        "request show how far apart the lanes are (d: 20 sectors are 640 bytes for 32 lanes); the "
        "lines per request show whether the sectors are neighbours (e). If loads and stores both "
        "cost three times "
        "a plain copy's, look for a structure of three (f). Time depends on more than sectors: c "
        "is by far the slowest on a device, since a multiprocessor holds 32 blocks, here of 16 "
        "threads; f is as fast as a copy, since two of its three loads find their sectors in the "
        "cache.",
    .parameters = {{.name = "elements",
                    .meaning = "threads that copy",
                    .counted = 1 << 14,
                    .timed = 1 << 25,
                    .most = 1 << 28,
                    .whole = THREADS}},
    .variants = {{.name = "a",
                  .idea = "backwards: in[elements - 1 - i]",
                  .claims = walks({4, 1}, {4, 1}),
                  .setup = setup_copy<from_the_end>,
                  .launch = launch_copy<mystery_a_kernel, float, THREADS>},
                 {.name = "b",
                  .idea = "off by one: in[i + 1]",
                  .claims = walks({5, 2}, {4, 1}),
                  .setup = setup_copy<next_word, 1, 1, 1>,
                  .launch = launch_copy<mystery_b_kernel, float, THREADS>},
                 {.name = "c",
                  .idea = "blocks of 16 threads: half a warp each",
                  .claims = walks({2, 1}, {2, 1}),
                  .setup = setup_copy<same_word>,
                  .launch = launch_copy<mystery_c_kernel, float, HALF_WARP>},
                 {.name = "d",
                  .idea = "one field of structures of five floats: in[5 * i]",
                  .claims = walks({20, 5}, {4, 1}),
                  .setup = setup_copy<first_field, FIELDS>,
                  .launch = launch_copy<mystery_d_kernel, float, THREADS>},
                 {.name = "e",
                  .idea = "a warp is a patch of 8 columns and 4 rows",
                  .claims = walks({4, 4}, {4, 4}),
                  .setup = setup_copy<same_word>,
                  .launch = launch_copy<mystery_e_kernel, float, THREADS>},
                 {.name = "f",
                  .idea = "structures of three floats, in three loads and three stores",
                  .claims = walks({12, 3}, {12, 3}),
                  .setup = setup_copy<same_word, 3, 3>,
                  .launch = launch_copy<mystery_f_kernel, Point, THREADS>}},
    .is_riddle = true,
};

}  // namespace lab
