// Lab: what does it cost to start in the middle of a line, and which accesses may?
//
// Both arrays begin OFFSET floats past the start of a 128-byte line. 32 lanes of 4 bytes still access 128 adjacent
// bytes, but these span more sectors and lines:
//
//               a line of four sectors           the next one       (a character is a float)
//      from     aaaaaaaabbbbbbbbccccccccdddddddd|eeeeeeeeffffffff
//      0        ================================|                  4 sectors, 1 line
//      1         ===============================|=                 5 sectors, 2 lines
//      4            ============================|====              5 sectors, 2 lines
//      8                ========================|========          4 sectors, 2 lines
//
// The neighbouring warp touches the sector at the seam, too. If a cache keeps this sector, memory transfers it only
// once. The additional sectors are then work for L1, not for memory.
//
// With float4 the offset is not a question of cost: the address of a 16-byte access must be a multiple of 16 bytes, or
// the kernel fails (cudaErrorMisalignedAddress). One float past a line is no such address. There are three ways out:
//
//      float4     refuses, and says why
//      either     uses float4 if the address allows it, otherwise a float at a time; its path says which
//      peel       copies floats up to the next line, float4 from there on, and floats at the end
//
// Peeling helps only if all arrays begin the same distance past a line, as they do here.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;
constexpr int LINE = 32;  // floats in 128 bytes

template <typename Vector>
constexpr int WIDTH = sizeof(Vector) / sizeof(float);

// True if accesses of this width may begin `offset` floats past the start of a line.
template <typename Vector>
constexpr bool is_aligned(int offset) {
  return offset % WIDTH<Vector> == 0;
}

template <typename Vector>
__global__ void __launch_bounds__(THREADS)
    copy_offset_kernel(const float* in, float* out, int64_t elements) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  const int64_t first = i * WIDTH<Vector>;
  if (first + WIDTH<Vector> <= elements) {
    reinterpret_cast<Vector*>(out)[i] = reinterpret_cast<const Vector*>(in)[i];
  } else {
#pragma unroll 1  // the ragged end: one thread copies a few floats
    for (int64_t j = first; j < elements; ++j) out[j] = in[j];
  }
}

// `head` floats lie before the first whole line. A thread copies one float4 after them. The first warp also copies the
// head, and the thread at the end copies the rest.
__global__ void __launch_bounds__(THREADS)
    copy_peeled_kernel(const float* in, float* out, int64_t elements, int head) {
  static_assert(LINE <= THREADS, "the first block has a thread for each float of the head");
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < head && i < elements) out[i] = in[i];

  const int64_t first = head + i * 4;
  if (first + 4 <= elements) {
    reinterpret_cast<float4*>(out + head)[i] = reinterpret_cast<const float4*>(in + head)[i];
  } else {
#pragma unroll 1  // the ragged end: one thread copies a few floats
    for (int64_t j = first; j < elements; ++j) out[j] = in[j];
  }
}

// The kernel must not touch the floats before the start. They hold -1, which small_number() never returns.
template <int OFFSET>
Setup setup_offset(const Sizes& sizes) {
  const int64_t elements = sizes["elements"];
  const Content untouched = [](int64_t) { return word(-1.0f); };
  const Content shifted = [](int64_t i) {
    return i < OFFSET ? word(-1.0f) : word(small_number(i - OFFSET));
  };
  return {.arrays =
              {{.name = "in", .words = OFFSET + elements, .before = shifted, .after = {}},
               {.name = "out", .words = OFFSET + elements, .before = untouched, .after = shifted}},
          .useful_bytes = 2 * elements * int64_t{sizeof(float)}};
}

template <typename Vector, int OFFSET>
cudaError_t launch_offset(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  copy_offset_kernel<Vector>
      <<<grid_of(ceil_div(elements, WIDTH<Vector> * THREADS)), THREADS, 0, stream>>>(
          arrays.floats(0) + OFFSET, arrays.floats(1) + OFFSET, elements);
  return cudaGetLastError();
}

template <int OFFSET>
cudaError_t launch_either(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  return is_aligned<float4>(OFFSET) ? launch_offset<float4, OFFSET>(sizes, arrays, stream)
                                    : launch_offset<float, OFFSET>(sizes, arrays, stream);
}

template <int OFFSET>
cudaError_t launch_peeled(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  constexpr int HEAD = (LINE - OFFSET % LINE) % LINE;
  const int64_t elements = sizes["elements"];
  copy_peeled_kernel<<<grid_of(ceil_div(elements, 4 * THREADS)), THREADS, 0, stream>>>(
      arrays.floats(0) + OFFSET, arrays.floats(1) + OFFSET, elements, HEAD);
  return cudaGetLastError();
}

template <int OFFSET>
const char* path_either(const Sizes&) {
  return is_aligned<float4>(OFFSET) ? "float4" : "scalar";
}

template <int OFFSET>
const char* refusal_of_float4(const Sizes&) {
  return is_aligned<float4>(OFFSET)
             ? nullptr
             : "a float4 must lie at a multiple of 16 bytes, and these do not";
}

std::vector<Claim> claims(double sectors, double lines, double bytes_per_lane) {
  return {{"load_sectors_per_request", "in", Relation::equal, sectors},
          {"load_lines_per_request", "in", Relation::equal, lines},
          {"load_bytes_per_lane", "in", Relation::equal, bytes_per_lane},
          {"store_sectors_per_request", "out", Relation::equal, sectors},
          {"store_lines_per_request", "out", Relation::equal, lines},
          {"store_bytes_per_lane", "out", Relation::equal, bytes_per_lane}};
}

template <int OFFSET>
Variant scalar(const char* name, const char* idea, double sectors, double lines) {
  return {.name = name,
          .idea = idea,
          .claims = claims(sectors, lines, 4),
          .setup = setup_offset<OFFSET>,
          .launch = launch_offset<float, OFFSET>};
}

// A variant that always refuses has a promise too, but nothing checks it.
template <int OFFSET>
Variant vector(const char* name, const char* idea, double sectors, double lines) {
  return {.name = name,
          .idea = idea,
          .claims = claims(sectors, lines, 16),
          .setup = setup_offset<OFFSET>,
          .launch = launch_offset<float4, OFFSET>,
          .refuses = refusal_of_float4<OFFSET>};
}

template <int OFFSET>
Variant either(const char* name, const char* idea, double sectors, double lines,
               double bytes_per_lane) {
  return {.name = name,
          .idea = idea,
          .claims = claims(sectors, lines, bytes_per_lane),
          .setup = setup_offset<OFFSET>,
          .launch = launch_either<OFFSET>,
          .path = path_either<OFFSET>};
}

}  // namespace

extern const Lab copy_offset{
    .name = "copy_offset",
    .question = "what does it cost to start in the middle of a line, and which accesses may?",
    .answer =
        "A start inside a sector costs each request one more sector, a start inside a line one "
        "more line. The neighbouring warp needs that sector too, so a cache can make up for it. "
        "A float4 one float past a line is not allowed: the kernel refuses, falls back to floats "
        "(and says so), or copies floats up to the next line and float4 from there on.",
    .parameters = {{.name = "elements",
                    .meaning = "floats to copy",
                    .counted = 1 << 14,
                    .timed = 1 << 27,
                    .most = int64_t{1} << 31,
                    .whole = 1024}},
    .variants = {scalar<0>("float+0", "starts at a line", 4, 1),
                 scalar<1>("float+1", "one float later", 5, 2),
                 scalar<4>("float+4", "half a sector later", 5, 2),
                 scalar<8>("float+8", "a sector later", 4, 2),
                 vector<0>("float4+0", "16 bytes a lane, starts at a line", 16, 4),
                 vector<1>("float4+1", "one float later: not allowed", 17, 5),
                 vector<4>("float4+4", "half a sector later", 17, 5),
                 vector<8>("float4+8", "a sector later", 16, 5),
                 either<1>("either+1", "one float later, falls back to floats", 5, 2, 4),
                 either<4>("either+4", "half a sector later, stays with float4", 17, 5, 16),
                 {.name = "peel+1",
                  .idea = "one float later: floats up to the next line, then float4",
                  .claims = {{"load_bytes_per_lane", "in", Relation::at_least, 14},
                             {"store_bytes_per_lane", "out", Relation::at_least, 14},
                             {"bytes_used_over_fetched", "", Relation::at_least, 0.98}},
                  .setup = setup_offset<1>,
                  .launch = launch_peeled<1>}},
};

}  // namespace lab
