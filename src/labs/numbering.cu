// Lab: which threads of a two-dimensional block form a warp?
//
// Threads are numbered x first: number = threadIdx.x + blockDim.x * threadIdx.y. A warp is 32 threads with consecutive
// numbers. Every thread copies element (row, col), with the same expressions in every variant:
//
//      row = blockIdx.y * blockDim.y + threadIdx.y        y leaps down the rows
//      col = blockIdx.x * blockDim.x + threadIdx.x        x slides along memory
//
// All blocks have 256 threads, and all variants copy the same matrix. The block's width differs. It decides how many
// rows a warp touches, and how many floats of each row:
//
//      32 x 8    y = 0   x = 0 .................. 31      one row of 32 floats        4 sectors, 1 line
//
//      16 x 16   y = 0   x = 0 ...... 15                  two rows of 16              4 sectors, 2 lines
//                y = 1   x = 0 ...... 15
//
//      8 x 32    y = 0   x = 0 .. 7                       four rows of 8: a sector    4 sectors, 4 lines
//                ...     y = 3 likewise                   each
//
//      4 x 64    y = 0   x = 0 . 3                        eight rows of 4: half a     8 sectors, 8 lines
//                ...     y = 7 likewise                   sector each
//
// So a block is wide enough if its x covers whole sectors: multiples of 8 floats. And x must walk along a row: in
// `swapped` the block is as wide as the first one, but x walks down the rows.
#include "labs/lab.hpp"

namespace lab {
namespace {

// X_WALKS_ROWS: true if x walks down the rows and y along them.
template <bool X_WALKS_ROWS>
__global__ void numbering_kernel(const float* in, float* out, int64_t width, int64_t height) {
  const int64_t x = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t y = int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const int64_t row = X_WALKS_ROWS ? x : y;
  const int64_t col = X_WALKS_ROWS ? y : x;
  if (row < height && col < width) out[row * width + col] = in[row * width + col];
}

Setup setup_numbering(const Sizes& sizes) {
  const int64_t elements = sizes["width"] * sizes["height"];
  const Content content = [](int64_t i) { return word(small_number(i)); };
  return {.arrays = {{.name = "in", .words = elements, .before = content, .after = {}},
                     {.name = "out", .words = elements, .before = {}, .after = content}},
          .useful_bytes = 2 * elements * int64_t{sizeof(float)}};
}

template <int BLOCK_X, int BLOCK_Y, bool X_WALKS_ROWS>
cudaError_t launch_numbering(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t width = sizes["width"], height = sizes["height"];
  const int64_t along_x = X_WALKS_ROWS ? height : width;
  const int64_t along_y = X_WALKS_ROWS ? width : height;
  const dim3 grid(static_cast<unsigned>(ceil_div(along_x, BLOCK_X)),
                  static_cast<unsigned>(ceil_div(along_y, BLOCK_Y)));
  numbering_kernel<X_WALKS_ROWS><<<grid, dim3(BLOCK_X, BLOCK_Y), 0, stream>>>(
      arrays.floats(0), arrays.floats(1), width, height);
  return cudaGetLastError();
}

// A grid is at most 65,535 blocks high, and the flattest block here is 8 high.
constexpr int64_t MOST = 1 << 18;
static_assert(MOST / 8 <= 65535);

template <int BLOCK_X, int BLOCK_Y, bool X_WALKS_ROWS = false>
Variant block(const char* name, const char* idea, double sectors, double lines, double used) {
  return {.name = name,
          .idea = idea,
          .claims = {{"load_sectors_per_request", "in", Relation::equal, sectors},
                     {"load_lines_per_request", "in", Relation::equal, lines},
                     {"store_sectors_per_request", "out", Relation::equal, sectors},
                     {"store_lines_per_request", "out", Relation::equal, lines},
                     {"bytes_used_over_fetched", "", Relation::equal, used}},
          .setup = setup_numbering,
          .launch = launch_numbering<BLOCK_X, BLOCK_Y, X_WALKS_ROWS>};
}

}  // namespace

extern const Lab numbering{
    .name = "numbering",
    .question = "which threads of a two-dimensional block form a warp?",
    .answer =
        "The index expression is the same in all rows but the last. A warp is 32 threads, x "
        "first. In a block 32 wide a warp is one row, in a block 16 wide it is two rows, and in a "
        "block 4 wide it is eight rows. As long as x covers whole sectors of 8 floats, no byte is "
        "wasted; a block 4 wide wastes half of each sector. Swapping x and y in the expression "
        "costs a sector for each lane.",
    .parameters = {{.name = "width",
                    .meaning = "columns of the matrix",
                    .counted = 128,
                    .timed = 16384,
                    .most = MOST,
                    .whole = 32},
                   {.name = "height",
                    .meaning = "rows of the matrix",
                    .counted = 128,
                    .timed = 8192,
                    .most = MOST,
                    .whole = 32}},
    .variants = {block<32, 8>("32x8", "a warp is one row of 32", 4, 1, 1),
                 block<16, 16>("16x16", "two rows of 16", 4, 2, 1),
                 block<8, 32>("8x32", "four rows of 8, a sector each", 4, 4, 1),
                 block<4, 64>("4x64", "eight rows of 4, half a sector each", 8, 8, 0.5),
                 block<32, 8, true>("swapped",
                                    "32x8 again, but x walks down the rows: 32 rows of 1", 32, 32,
                                    0.125)},
};

}  // namespace lab
