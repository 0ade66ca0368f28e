// Lab: a transpose must either read along rows or write along rows. Or can it do both?
//
// out[col][row] = in[row][col]. Either the reads or the writes of a warp leap from row to row:
//
//      in    [00 01 02 03 ..   lanes that read 00 01 02 03 (4 sectors)       out   [00 10 20 30 ..
//            [10 11 12 13 ..   must write them below each other (32),              [01 11 21 31 ..
//            [20 21 22 23 ..   and the other way round                             [02 12 22 32 ..
//
// Shared memory solves this: a block loads a tile row by row and stores it column by column. Leaping is free there if
// the lanes of a warp access different banks. Word w lies in bank w % 32, so a column of a tile 32 words wide lies in
// one bank. There are two remedies:
//
//      padded      a row of the tile is 33 words long: column c lies in banks c, c + 1, c + 2, ...
//      swizzled    row r keeps its column c in place c ^ r: no word is wasted, and a column lies in 32 banks again
//
//      place of     row 0 [ 0 1 2 3 ..       The elements of one column of the tile (say column 1) lie in another place
//      column c,    row 1 [ 1 0 3 2 ..       in each row; the elements of one row still lie in 32 different places.
//      swizzled     row 2 [ 2 3 0 1 ..
//
// In `float4` a thread moves a patch of 4 x 4 elements, in accesses of 16 bytes on both sides. It needs a quarter
// of the instructions and has 64 bytes a thread under way; the other variants have 16.
#include "labs/lab.hpp"

namespace lab {
namespace {

// The first five variants: a block of 32 x 8 threads moves a tile of 32 x 32 elements, four elements a thread.
constexpr int TILE = 32;
constexpr int THREAD_ROWS = 8;
static_assert(TILE == 32, "a warp must be one row of the tile");

using Kernel = void (*)(const float* in, float* out, int rows, int cols);

__global__ void __launch_bounds__(TILE* THREAD_ROWS)
    strided_reads_kernel(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.y * TILE + threadIdx.x;  // x walks down the rows of in
#pragma unroll
  for (int first_y = 0; first_y < TILE; first_y += THREAD_ROWS) {
    const int y = first_y + threadIdx.y;
    const int col = blockIdx.x * TILE + y;
    if (row < rows && col < cols) out[int64_t{col} * rows + row] = in[int64_t{row} * cols + col];
  }
}

__global__ void __launch_bounds__(TILE* THREAD_ROWS)
    strided_writes_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * TILE + threadIdx.x;  // x walks along a row of in
#pragma unroll
  for (int first_y = 0; first_y < TILE; first_y += THREAD_ROWS) {
    const int y = first_y + threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    if (row < rows && col < cols) out[int64_t{col} * rows + row] = in[int64_t{row} * cols + col];
  }
}

// The layouts of the tile: the place of an element in its row, and `width`, the length of a row.
struct Plain {
  static constexpr int width = TILE;
  static __device__ int place(int, int col) { return col; }
};
struct Padded {
  static constexpr int width = TILE + 1;
  static __device__ int place(int, int col) { return col; }
};
struct Swizzled {
  static constexpr int width = TILE;
  static __device__ int place(int row, int col) { return col ^ row; }
};

template <typename Layout>
__global__ void __launch_bounds__(TILE* THREAD_ROWS)
    tile_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][Layout::width];
  const int first_row = blockIdx.y * TILE;
  const int first_col = blockIdx.x * TILE;
  const int x = threadIdx.x;

#pragma unroll
  for (int first_y = 0; first_y < TILE; first_y += THREAD_ROWS) {
    const int y = first_y + threadIdx.y;
    const int row = first_row + y, col = first_col + x;  // x walks along a row of in
    if (row < rows && col < cols) tile[y][Layout::place(y, x)] = in[int64_t{row} * cols + col];
  }
  __syncthreads();  // a thread stores elements that other threads have loaded
#pragma unroll
  for (int first_y = 0; first_y < TILE; first_y += THREAD_ROWS) {
    const int y = first_y + threadIdx.y;
    const int row = first_row + x, col = first_col + y;  // x walks along a row of out
    if (row < rows && col < cols) out[int64_t{col} * rows + row] = tile[x][Layout::place(x, y)];
  }
}

// A block of 16 x 16 threads moves a tile of 64 x 64 elements; a thread moves a patch of 4 x 4. The tile is transposed:
// a row of it is a row of `out`, and its 16 groups of four words are swizzled:
//
//      the group of in's rows 4y to 4y + 3 in tile row c lies in place y ^ (c / 4)
//
// Shared memory serves a quarter-warp at once: 8 lanes with 16 bytes each, with neighbouring x and the same y. A
// quarter-warp writes to tile rows 4x + j at places y ^ x, and reads one tile row at places x ^ (c / 4): eight
// different places each time.
constexpr int PATCH = 4;
constexpr int WIDE_THREADS = 16;  // in each dimension
constexpr int WIDE_TILE = WIDE_THREADS * PATCH;
static_assert(sizeof(float4) == PATCH * sizeof(float), "a row of a patch is one access");

__global__ void __launch_bounds__(WIDE_THREADS* WIDE_THREADS)
    float4_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float4 tile[WIDE_TILE][WIDE_THREADS];
  const int x = threadIdx.x, y = threadIdx.y;

  // Rows and columns are multiples of four, so a patch lies entirely inside the matrix or outside.
  const int in_row = blockIdx.y * WIDE_TILE + y * PATCH;
  const int in_col = blockIdx.x * WIDE_TILE + x * PATCH;
  if (in_row < rows && in_col < cols) {
    float4 patch[PATCH];
#pragma unroll
    for (int i = 0; i < PATCH; ++i) {
      patch[i] = *reinterpret_cast<const float4*>(&in[int64_t{in_row + i} * cols + in_col]);
    }
    const int place = y ^ x;
    tile[x * PATCH + 0][place] = {patch[0].x, patch[1].x, patch[2].x, patch[3].x};
    tile[x * PATCH + 1][place] = {patch[0].y, patch[1].y, patch[2].y, patch[3].y};
    tile[x * PATCH + 2][place] = {patch[0].z, patch[1].z, patch[2].z, patch[3].z};
    tile[x * PATCH + 3][place] = {patch[0].w, patch[1].w, patch[2].w, patch[3].w};
  }
  __syncthreads();  // a thread stores elements that other threads have loaded

  const int out_row = blockIdx.x * WIDE_TILE + y * PATCH;
  const int out_col = blockIdx.y * WIDE_TILE + x * PATCH;
  if (out_row < cols && out_col < rows) {
#pragma unroll
    for (int i = 0; i < PATCH; ++i) {
      *reinterpret_cast<float4*>(&out[int64_t{out_row + i} * rows + out_col]) =
          tile[y * PATCH + i][x ^ y];
    }
  }
}

int64_t words_of(const Sizes& sizes) { return sizes["rows"] * sizes["cols"]; }

Setup setup_transpose(const Sizes& sizes) {
  const int64_t rows = sizes["rows"], cols = sizes["cols"];
  return {.arrays = {{.name = "in",
                      .words = words_of(sizes),
                      .before = [](int64_t i) { return word(small_number(i)); },
                      .after = {}},
                     {.name = "out",
                      .words = words_of(sizes),
                      .before = {},
                      .after =
                          [rows, cols](int64_t i) {
                            return word(small_number(i % rows * cols + i / rows));
                          }}},
          .useful_bytes = 2 * words_of(sizes) * int64_t{sizeof(float)}};
}

// gridDim.y is at most 65,535.
constexpr int64_t MOST_ROWS = int64_t{65535} * TILE;

template <Kernel KERNEL, int EDGE, int THREADS_X, int THREADS_Y>
cudaError_t launch_tiles(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int rows = static_cast<int>(sizes["rows"]), cols = static_cast<int>(sizes["cols"]);
  const dim3 tiles(static_cast<unsigned>(ceil_div(cols, EDGE)),
                   static_cast<unsigned>(ceil_div(rows, EDGE)));
  KERNEL<<<tiles, dim3(THREADS_X, THREADS_Y), 0, stream>>>(arrays.floats(0), arrays.floats(1), rows,
                                                           cols);
  return cudaGetLastError();
}

template <Kernel KERNEL>
constexpr auto launch_narrow = launch_tiles<KERNEL, TILE, TILE, THREAD_ROWS>;

// True if the rows of both matrices start at multiples of 16 bytes: their lengths are multiples of four floats.
bool is_wide(const Sizes& sizes) {
  return sizes["rows"] % PATCH == 0 && sizes["cols"] % PATCH == 0;
}

const char* path_of_float4(const Sizes& sizes) {
  return is_wide(sizes) ? "16-byte accesses" : "4-byte accesses: rows or cols not divisible by 4";
}

cudaError_t launch_float4(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  return is_wide(sizes) ? launch_tiles<float4_kernel, WIDE_TILE, WIDE_THREADS, WIDE_THREADS>(
                              sizes, arrays, stream)
                        : launch_narrow<tile_kernel<Swizzled>>(sizes, arrays, stream);
}

std::vector<Claim> global(double load_sectors, double store_sectors, double bytes_per_lane) {
  return {{"load_sectors_per_request", "in", Relation::equal, load_sectors},
          {"store_sectors_per_request", "out", Relation::equal, store_sectors},
          {"load_bytes_per_lane", "in", Relation::equal, bytes_per_lane},
          {"store_bytes_per_lane", "out", Relation::equal, bytes_per_lane}};
}

std::vector<Claim> tiled(std::vector<Claim> claims, double store_wavefronts,
                         double load_wavefronts) {
  claims.push_back({"shared_store_wavefronts_per_request", "", Relation::equal, store_wavefronts});
  claims.push_back({"shared_load_wavefronts_per_request", "", Relation::equal, load_wavefronts});
  return claims;
}

std::vector<Claim> without_conflicts(std::vector<Claim> claims) {
  claims.push_back({"shared_bank_conflicts", "", Relation::equal, 0});
  return claims;
}

}  // namespace

extern const Lab transpose{
    .name = "transpose",
    .question = "how does a transpose read along rows and write along rows?",
    .answer =
        "A transpose reads and writes along rows through shared memory: it loads a tile along "
        "the rows of one matrix and stores it along the rows of the other, 4 sectors a request "
        "on both sides. The lanes leap in shared memory instead: a request takes 32 wavefronts "
        "if the tile's rows are 32 words long, and one if they are padded or swizzled. With "
        "float4 a request takes 16 sectors and 4 wavefronts for 512 bytes: no waste, and a "
        "quarter of the requests.",
    .parameters = {{.name = "rows",
                    .meaning = "rows of the matrix to transpose",
                    .counted = 256,
                    .timed = 16384,
                    .most = MOST_ROWS,
                    .whole = 64},
                   {.name = "cols",
                    .meaning = "columns of the matrix to transpose",
                    .counted = 128,
                    .timed = 8192,
                    .most = MOST_ROWS,
                    .whole = 64}},
    .variants = {{.name = "strided_reads",
                  .idea = "writes along rows, so its reads leap",
                  .claims = global(32, 4, 4),
                  .setup = setup_transpose,
                  .launch = launch_narrow<strided_reads_kernel>},
                 {.name = "strided_writes",
                  .idea = "reads along rows, so its writes leap",
                  .claims = global(4, 32, 4),
                  .setup = setup_transpose,
                  .launch = launch_narrow<strided_writes_kernel>},
                 {.name = "conflicts",
                  .idea = "a shared tile of 32 x 32: a column lies in one bank",
                  .claims = tiled(global(4, 4, 4), 1, 32),
                  .setup = setup_transpose,
                  .launch = launch_narrow<tile_kernel<Plain>>},
                 {.name = "padded",
                  .idea = "a shared tile of 32 x 33",
                  .claims = without_conflicts(tiled(global(4, 4, 4), 1, 1)),
                  .setup = setup_transpose,
                  .launch = launch_narrow<tile_kernel<Padded>>},
                 {.name = "swizzled",
                  .idea = "32 x 32, column c of row r in place c ^ r",
                  .claims = without_conflicts(tiled(global(4, 4, 4), 1, 1)),
                  .setup = setup_transpose,
                  .launch = launch_narrow<tile_kernel<Swizzled>>},
                 {.name = "float4",
                  .idea = "64 x 64 swizzled, 16-byte accesses, a patch of 4 x 4 a thread",
                  .claims = without_conflicts(tiled(global(16, 16, 16), 4, 4)),
                  .setup = setup_transpose,
                  .launch = launch_float4,
                  .path = path_of_float4}},
};

}  // namespace lab
