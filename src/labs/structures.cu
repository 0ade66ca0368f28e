// Lab: an array of structures or a structure of arrays?
//
// Particles have eight fields, and the kernel adds three of them, x + y + z. So it needs 12 of 32 bytes. The layout
// decides which other bytes it must fetch:
//
//      structures   |x y z m u v w q|x y z m u v w q|x y ...     lane t reads x of its own particle: a sector for each
//                    ^               ^               ^           lane, of which 4 bytes are used. It then reads y and
//                                                                z, with luck from sectors that are still in L1
//
//      arrays       |x x x x x x x x ...     |y y y ...          lanes are neighbours: 4 sectors, all used; no lane
//                    ^ ^ ^ ^ ^ ^ ^ ^                             touches u v w m q
//
//      split        |x y z m|x y z m|x y z m| ...  |u v w q|...  structures of 16 bytes, each one access: 3 of 4 floats
//                    ^^^^^^^ ^^^^^^^ ^^^^^^^                     used, and a particle's x, y and z stay together
//
// Memory transfers whole sectors: 32 bytes a particle with `structures`, 12 with `arrays`, 16 with `split`. Fewer
// requests do not change that: `wide` reads x, y, z and m of a structure in one access of 16 bytes and still touches a
// sector for each lane. `tiles` stores 32 particles together, field after field: a particle lies within 1 KiB, and each
// request is one line. `arrays4` reads four neighbours of each array at once.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;
constexpr int FIELDS = 8;
constexpr int TILE = 32;  // particles in a tile

struct Particle {
  float x, y, z, m;
  float u, v, w, q;
};
static_assert(sizeof(Particle) == FIELDS * sizeof(float));

__global__ void __launch_bounds__(THREADS)
    sum_structures_kernel(const float* fields, float* out, int64_t particles) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i >= particles) return;
  const Particle& p = reinterpret_cast<const Particle*>(fields)[i];
  out[i] = p.x + p.y + p.z;
}

__global__ void __launch_bounds__(THREADS)
    sum_wide_kernel(const float* fields, float* out, int64_t particles) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i >= particles) return;
  const float4 xyzm = __ldg(reinterpret_cast<const float4*>(fields) + 2 * i);
  out[i] = xyzm.x + xyzm.y + xyzm.z;
}

__global__ void __launch_bounds__(THREADS)
    sum_split_kernel(const float* fields, float* out, int64_t particles) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i >= particles) return;
  const float4 xyzm = __ldg(reinterpret_cast<const float4*>(fields) + i);
  out[i] = xyzm.x + xyzm.y + xyzm.z;
}

__global__ void __launch_bounds__(THREADS)
    sum_tiles_kernel(const float* fields, float* out, int64_t particles) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i >= particles) return;
  const float* x = &fields[i / TILE * (TILE * FIELDS) + i % TILE];
  out[i] = x[0] + x[TILE] + x[2 * TILE];
}

// `stride`: the distance from one array to the next.
__global__ void __launch_bounds__(THREADS)
    sum_arrays_kernel(const float* fields, float* out, int64_t particles, int64_t stride) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i >= particles) return;
  const float *x = fields, *y = x + stride, *z = y + stride;
  out[i] = x[i] + y[i] + z[i];
}

__global__ void __launch_bounds__(THREADS)
    sum_arrays4_kernel(const float* fields, float* out, int64_t particles, int64_t stride) {
  const int64_t i = (int64_t{blockIdx.x} * THREADS + threadIdx.x) * 4;
  const float *x = fields, *y = x + stride, *z = y + stride;
  if (i + 4 <= particles) {
    const float4 x4 = *reinterpret_cast<const float4*>(x + i);
    const float4 y4 = *reinterpret_cast<const float4*>(y + i);
    const float4 z4 = *reinterpret_cast<const float4*>(z + i);
    *reinterpret_cast<float4*>(out + i) = {x4.x + y4.x + z4.x, x4.y + y4.y + z4.y,
                                           x4.z + y4.z + z4.z, x4.w + y4.w + z4.w};
  } else {
#pragma unroll 1  // the ragged end: one thread adds the last few particles
    for (int64_t j = i; j < particles; ++j) out[j] = x[j] + y[j] + z[j];
  }
}

// The layouts. words() returns the number of words; at() returns the particle and the field that lie at word i.
struct Place {
  int64_t particle;
  int field;
};

struct Structures {
  static int64_t words(int64_t particles) { return particles * FIELDS; }
  static Place at(int64_t i, int64_t /*particles*/) {
    return {i / FIELDS, static_cast<int>(i % FIELDS)};
  }
};

struct Split {
  static constexpr int HALF = FIELDS / 2;
  static int64_t words(int64_t particles) { return particles * FIELDS; }
  static Place at(int64_t i, int64_t particles) {
    const bool second = i >= particles * HALF;
    const int64_t j = second ? i - particles * HALF : i;
    return {j / HALF, static_cast<int>(j % HALF) + (second ? HALF : 0)};
  }
};

// Tiles of TILE particles; the last tile is padded.
struct Tiles {
  static int64_t words(int64_t particles) { return ceil_div(particles, TILE) * TILE * FIELDS; }
  static Place at(int64_t i, int64_t /*particles*/) {
    const int64_t tile = i / (TILE * FIELDS), within = i % (TILE * FIELDS);
    return {tile * TILE + within % TILE, static_cast<int>(within / TILE)};
  }
};

// Each array begins at a multiple of 256 bytes, like an allocation.
struct ArrayForEach {
  static int64_t stride(int64_t particles) { return ceil_div(particles, 64) * 64; }
  static int64_t words(int64_t particles) { return stride(particles) * FIELDS; }
  static Place at(int64_t i, int64_t particles) {
    return {i % stride(particles), static_cast<int>(i / stride(particles))};
  }
};

float number(int64_t particle, int field) { return small_number(particle * FIELDS + field); }

template <typename Layout>
Setup setup_structures(const Sizes& sizes) {
  const int64_t particles = sizes["particles"];
  return {
      .arrays = {{.name = "fields",
                  .words = Layout::words(particles),
                  .before =
                      [particles](int64_t i) {
                        const Place place = Layout::at(i, particles);
                        return word(number(place.particle, place.field));
                      },
                  .after = {}},
                 {.name = "out",
                  .words = particles,
                  .before = {},
                  .after =
                      [](int64_t i) { return word(number(i, 0) + number(i, 1) + number(i, 2)); }}},
      .useful_bytes = 4 * particles * int64_t{sizeof(float)}};
}

template <auto KERNEL>
cudaError_t launch_structures(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t particles = sizes["particles"];
  KERNEL<<<grid_of(ceil_div(particles, THREADS)), THREADS, 0, stream>>>(
      arrays.floats(0), arrays.floats(1), particles);
  return cudaGetLastError();
}

template <auto KERNEL, int PER_THREAD>
cudaError_t launch_arrays(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t particles = sizes["particles"];
  KERNEL<<<grid_of(ceil_div(particles, PER_THREAD * THREADS)), THREADS, 0, stream>>>(
      arrays.floats(0), arrays.floats(1), particles, ArrayForEach::stride(particles));
  return cudaGetLastError();
}

std::vector<Claim> claims(double load_sectors, double load_lines, double bytes_per_lane,
                          double store_sectors, double used) {
  return {{"load_sectors_per_request", "fields", Relation::equal, load_sectors},
          {"load_lines_per_request", "fields", Relation::equal, load_lines},
          {"load_bytes_per_lane", "fields", Relation::equal, bytes_per_lane},
          {"store_sectors_per_request", "out", Relation::equal, store_sectors},
          {"bytes_used_over_fetched", "", Relation::equal, used}};
}

}  // namespace

// The promised share of bytes used counts loads and stores together. A store uses all bytes of its sectors.
extern const Lab structures{
    .name = "structures",
    .question = "an array of structures or a structure of arrays?",
    .answer =
        "In an array of structures the fields of one particle are neighbours, and the lanes are "
        "not: 32 sectors a request, 4 bytes used of each, and memory transfers all eight fields "
        "for the three that are needed. One wide access needs a third of the requests and takes "
        "as long: memory transfers the same bytes. An array for each field needs 4 sectors, all "
        "used; so do tiles of 32 particles, which keep a particle's fields close together. "
        "Structures of 16 bytes use all bytes too, but load a fourth field with the three: bytes "
        "that a lane loads count as used, needed or not.",
    .parameters = {{.name = "particles",
                    .meaning = "particles of eight fields",
                    .counted = 1 << 13,
                    .timed = 1 << 26,
                    .most = int64_t{1} << 31,
                    .whole = 128}},
    .variants = {{.name = "structures",
                  .idea = "8 fields side by side, three loads of 4 bytes",
                  .claims = claims(32, 8, 4, 4, (3 * 128 + 128) / (3 * 1024 + 128.0)),
                  .setup = setup_structures<Structures>,
                  .launch = launch_structures<sum_structures_kernel>},
                 {.name = "wide",
                  .idea = "the same structures, one load of 16 bytes",
                  .claims = claims(32, 8, 16, 4, (512 + 128) / (1024 + 128.0)),
                  .setup = setup_structures<Structures>,
                  .launch = launch_structures<sum_wide_kernel>},
                 {.name = "split",
                  .idea = "two arrays of 16-byte structures, one of them read",
                  .claims = claims(16, 4, 16, 4, 1),
                  .setup = setup_structures<Split>,
                  .launch = launch_structures<sum_split_kernel>},
                 {.name = "tiles",
                  .idea = "field after field for 32 particles, then the next 32",
                  .claims = claims(4, 1, 4, 4, 1),
                  .setup = setup_structures<Tiles>,
                  .launch = launch_structures<sum_tiles_kernel>},
                 {.name = "arrays",
                  .idea = "an array for each field",
                  .claims = claims(4, 1, 4, 4, 1),
                  .setup = setup_structures<ArrayForEach>,
                  .launch = launch_arrays<sum_arrays_kernel, 1>},
                 {.name = "arrays4",
                  .idea = "an array for each field, four particles a thread",
                  .claims = claims(16, 4, 16, 16, 1),
                  .setup = setup_structures<ArrayForEach>,
                  .launch = launch_arrays<sum_arrays4_kernel, 4>}},
};

}  // namespace lab
