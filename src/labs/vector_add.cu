// Lab: who adds which elements? c = a + b, the simplest kernel, shared among the threads in several ways.
//
// The kernel reads or writes each element once, so memory alone takes the time. Ask one question of each way to share
// the elements: if the number of the lane rises by one, how far does the address move?
//
//      float         lane t of a warp adds element t                      neighbours: 4 sectors a request
//
//      chunk         | lane 0: 0 1 2 ... 31 | lane 1: 32 33 ... 63 | ...  the lanes' first elements lie 128 bytes
//                      ^                      ^                           apart: 32 sectors a request. The rest of each
//                                                                         sector waits in L1 until a later step
//
//      strided       | lanes 0 .. 31: first | ... | first | second | ...  a thread has as much work, but the lanes are
//                      ^^^^^^^^^^^^^                                      neighbours in every step: 4 sectors
//
//      grid-stride   the same with a step as wide as the grid. The grid has at most as many blocks as the device holds
//                    at once, for arrays of any length
//
//      float4        16 neighbouring bytes a lane: 16 sectors, a quarter of the instructions
//
// A chunk for each thread is right for the cores of a CPU: each core has its own cache, so neighbours in time matter.
// In a warp, neighbours among the lanes matter.
//
// A device is fast if enough bytes are under way at any time. A thread that waits for one float has too few under way;
// hence float4, and two of them in `pair`. `stream` also tells the caches that no line is needed again.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;
constexpr int PER_THREAD = 32;  // elements that a thread of `chunk` and `strided` adds
constexpr int BLOCKS_PER_SM = 2048 / THREADS;  // an SM holds 2048 threads

// __restrict__, here and below: c overlaps neither a nor b, so the loads of later steps need not wait for earlier
// stores.
__global__ void __launch_bounds__(THREADS)
    add_float_kernel(const float* __restrict__ a, const float* __restrict__ b,
                     float* __restrict__ c, int64_t elements) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < elements) c[i] = a[i] + b[i];
}

__global__ void __launch_bounds__(THREADS)
    add_chunk_kernel(const float* __restrict__ a, const float* __restrict__ b,
                     float* __restrict__ c, int64_t elements) {
  const int64_t first = (int64_t{blockIdx.x} * THREADS + threadIdx.x) * PER_THREAD;
  const int64_t end = min(first + PER_THREAD, elements);
  for (int64_t i = first; i < end; ++i) c[i] = a[i] + b[i];
}

__global__ void __launch_bounds__(THREADS)
    add_strided_kernel(const float* __restrict__ a, const float* __restrict__ b,
                       float* __restrict__ c, int64_t elements) {
  const int64_t block_first = int64_t{blockIdx.x} * THREADS * PER_THREAD;
  const int64_t end = min(block_first + THREADS * PER_THREAD, elements);
  for (int64_t i = block_first + threadIdx.x; i < end; i += THREADS) c[i] = a[i] + b[i];
}

__global__ void __launch_bounds__(THREADS)
    add_grid_stride_kernel(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c, int64_t elements) {
  const int64_t step = int64_t{gridDim.x} * THREADS;
  for (int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x; i < elements; i += step) {
    c[i] = a[i] + b[i];
  }
}

__device__ float4 sum(const float4& a, const float4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// Adds the ragged end of a float4 kernel, from `first` on, float by float.
__device__ void add_rest(const float* a, const float* b, float* c, int64_t first, int64_t end) {
#pragma unroll 1  // only a few steps
  for (int64_t i = first; i < end; ++i) c[i] = a[i] + b[i];
}

__global__ void __launch_bounds__(THREADS)
    add_float4_kernel(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c, int64_t elements) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i * 4 + 4 <= elements) {
    const float4 a4 = reinterpret_cast<const float4*>(a)[i];
    const float4 b4 = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(c)[i] = sum(a4, b4);
  } else {
    add_rest(a, b, c, i * 4, elements);
  }
}

// A block adds 2 * THREADS float4: thread t adds float4 t and float4 THREADS + t. All four loads are under way before the
// first sum is needed.
__global__ void __launch_bounds__(THREADS)
    add_pair_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int64_t elements) {
  const float4* a4 = reinterpret_cast<const float4*>(a);
  const float4* b4 = reinterpret_cast<const float4*>(b);
  float4* c4 = reinterpret_cast<float4*>(c);
  const int64_t near = int64_t{blockIdx.x} * 2 * THREADS + threadIdx.x, far = near + THREADS;
  if (far * 4 + 4 <= elements) {
    const float4 a_near = a4[near], a_far = a4[far];
    const float4 b_near = b4[near], b_far = b4[far];
    c4[near] = sum(a_near, b_near);
    c4[far] = sum(a_far, b_far);
  } else {
    add_rest(a, b, c, near * 4, min(near * 4 + 4, elements));
    add_rest(a, b, c, far * 4, elements);
  }
}

__global__ void __launch_bounds__(THREADS)
    add_stream_kernel(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c, int64_t elements) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i * 4 + 4 <= elements) {
    const float4 a4 = __ldcs(reinterpret_cast<const float4*>(a) + i);
    const float4 b4 = __ldcs(reinterpret_cast<const float4*>(b) + i);
    __stcs(reinterpret_cast<float4*>(c) + i, sum(a4, b4));
  } else {
    add_rest(a, b, c, i * 4, elements);
  }
}

float number_a(int64_t i) { return small_number(i); }
float number_b(int64_t i) { return small_number(3 * i + 1); }

Setup setup_add(const Sizes& sizes) {
  const int64_t elements = sizes["elements"];
  return {.arrays = {{.name = "a",
                      .words = elements,
                      .before = [](int64_t i) { return word(number_a(i)); },
                      .after = {}},
                     {.name = "b",
                      .words = elements,
                      .before = [](int64_t i) { return word(number_b(i)); },
                      .after = {}},
                     {.name = "c",
                      .words = elements,
                      .before = {},
                      .after = [](int64_t i) { return word(number_a(i) + number_b(i)); }}},
          .useful_bytes = 3 * elements * int64_t{sizeof(float)}};
}

template <auto KERNEL, int ELEMENTS_PER_THREAD>
cudaError_t launch_add(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  const dim3 grid = grid_of(ceil_div(elements, ELEMENTS_PER_THREAD * THREADS));
  KERNEL<<<grid, THREADS, 0, stream>>>(arrays.floats(0), arrays.floats(1), arrays.floats(2),
                                       elements);
  return cudaGetLastError();
}

cudaError_t launch_grid_stride(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;

  const int64_t elements = sizes["elements"];
  const int64_t resident = int64_t{multiprocessors} * BLOCKS_PER_SM;
  const int64_t needed = ceil_div(elements, THREADS);
  add_grid_stride_kernel<<<grid_of(resident < needed ? resident : needed), THREADS, 0, stream>>>(
      arrays.floats(0), arrays.floats(1), arrays.floats(2), elements);
  return cudaGetLastError();
}

using Launch = decltype(Variant::launch);

Variant add(const char* name, const char* idea, double sectors, double lines, double bytes_per_lane,
            Launch launch) {
  return {.name = name,
          .idea = idea,
          .claims = {{"load_sectors_per_request", "a", Relation::equal, sectors},
                     {"load_sectors_per_request", "b", Relation::equal, sectors},
                     {"load_lines_per_request", "a", Relation::equal, lines},
                     {"load_bytes_per_lane", "a", Relation::equal, bytes_per_lane},
                     {"store_sectors_per_request", "c", Relation::equal, sectors},
                     {"store_bytes_per_lane", "c", Relation::equal, bytes_per_lane}},
          .setup = setup_add,
          .launch = launch};
}

}  // namespace

extern const Lab vector_add{
    .name = "vector_add",
    .question = "who adds which elements?",
    .answer =
        "A chunk of neighbours for each thread makes the lanes leap: 32 sectors a request "
        "instead of 4. The same work in strides, with the lanes as neighbours in every step, "
        "wastes nothing. With float4 a request is 16 sectors, all used, and four times as many "
        "bytes are under way. Without waste, the time depends on the bytes under way.",
    .parameters = {{.name = "elements",
                    .meaning = "floats to add",
                    .counted = 1 << 20,  // more than one round of grid-stride
                    .timed = 1 << 27,
                    .most = int64_t{1} << 32,
                    .whole = 2 * 4 * THREADS}},
    .variants = {add("float", "one element a thread", 4, 1, 4, launch_add<add_float_kernel, 1>),
                 add("chunk", "32 neighbours a thread: the lanes leap", 32, 32, 4,
                     launch_add<add_chunk_kernel, PER_THREAD>),
                 add("strided", "32 a thread, a block's width apart", 4, 1, 4,
                     launch_add<add_strided_kernel, PER_THREAD>),
                 add("grid-stride", "a loop whose step is the grid's width", 4, 1, 4,
                     launch_grid_stride),
                 add("float4", "four neighbours a thread in one access", 16, 4, 16,
                     launch_add<add_float4_kernel, 4>),
                 add("pair", "two float4 a thread, a block's width apart", 16, 4, 16,
                     launch_add<add_pair_kernel, 8>),
                 add("stream", "float4, and tells the caches to keep no line", 16, 4, 16,
                     launch_add<add_stream_kernel, 4>)},
};

}  // namespace lab
