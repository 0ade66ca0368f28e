// Compares the bits of tensor-core products with bits that were recorded on an H200.
//
//     tensor_bits FILE              compares all elements of D with the file's, and prints the number that differs
//     tensor_bits --write FILE      writes the file instead
//     tensor_bits ... --seed N      takes other inputs (default 1, the recorded ones)
//
// It is plain CUDA and runs on a GPU and on the simulated one. The inputs are made from the seed. The file holds
// results only.
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "device/tensor_core.cuh"

namespace {

using device::Factor;

constexpr int M = 16, N = 8;
constexpr int TILES = 16;  // tiles of each kind of data

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "tensor_bits: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(70);
}

// ---- Numbers by their bits.

// Sebastiano Vigna's splitmix64.
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed) {}
  uint32_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  }
  int below(int limit) {
    return static_cast<int>(uint64_t{bits()} * static_cast<uint64_t>(limit) >> 32);
  }

 private:
  uint64_t state_;
};

struct Format {
  const char* name;
  int bits, fraction, exponent;  // stored bits, bits of the fraction and of the exponent
  int k;

  int top() const { return (1 << exponent) - 1; }  // the exponent of infinities and NaN
  int bias() const { return top() >> 1; }
  // Returns a number with this sign and biased exponent. The low bits of `fraction_bits` are its fraction.
  uint32_t number(uint32_t sign, int biased, uint32_t fraction_bits) const {
    const int stored_fraction = bits - 1 - exponent;
    return (sign & 1u) << (bits - 1) | static_cast<uint32_t>(biased) << stored_fraction |
           (fraction_bits & ((1u << stored_fraction) - 1));
  }
};

enum class Kind {
  uniform,
  range,
  cancelling,
  subnormal,
  special,
  far_accumulator,
  zeros,
  near_overflow,
  chain
};
constexpr Kind KINDS[] = {Kind::uniform,   Kind::range,         Kind::cancelling,
                          Kind::subnormal, Kind::special,       Kind::far_accumulator,
                          Kind::zeros,     Kind::near_overflow, Kind::chain};

// Returns an element of A or B.
uint32_t factor(const Format& f, Kind kind, Generator& random) {
  const uint32_t sign = random.bits(), fraction = random.bits();
  const int place = random.below(1 << 20);
  switch (kind) {
    case Kind::range:
      return f.number(sign, place % f.top(), fraction);
    case Kind::subnormal:
      return f.number(sign, place % 2 == 0 ? 0 : place / 2 % (f.exponent == 5 ? 8 : f.top()),
                      fraction);
    case Kind::special:
      if (place % 24 == 0) return f.number(sign, f.top(), 0);
      if (place % 24 == 1) return f.number(sign, f.top(), ~0u);
      if (place % 24 == 2) return f.number(sign, 0, 0);
      break;
    case Kind::zeros:
      return place % 2 == 0 ? f.number(sign, 0, 0) : f.number(sign, place / 2 % f.top(), fraction);
    case Kind::near_overflow:
      return f.number(sign, f.top() - 1 - place % (f.exponent == 5 ? 2 : 70), fraction);
    default:
      break;
  }
  // Like numbers that are uniform in (-1, 1): each exponent is half as frequent as the one above it.
  return f.number(
      sign, std::max(1, f.bias() - 1 - std::countr_zero(static_cast<uint32_t>(place) | 1u << 20)),
      fraction);
}

// Returns an element of C.
uint32_t accumulator(const Format& f, Kind kind, Generator& random) {
  const uint32_t sign = random.bits() << 31, fraction = random.bits() & 0x7fffff;
  const int place = random.below(1 << 20);
  int biased = 127 - place % 6;
  switch (kind) {
    case Kind::range:
      biased = f.exponent == 5 ? 87 + place % 70 : place % 255;
      break;
    case Kind::subnormal:
      biased = place % 3 != 0 ? place / 3 % 12 : 127 - place / 3 % 60;
      break;
    case Kind::special:
      if (place % 16 == 0) return sign | 0x7f800000;
      if (place % 16 == 1) return sign | 0x7f800001 | fraction;
      break;
    case Kind::far_accumulator:
      biased = 87 + place % 80;
      break;
    case Kind::zeros:
      if (place % 2 == 0) return sign;
      biased = 97 + place / 2 % 60;
      break;
    case Kind::near_overflow:
      biased = 250 + place % 5;
      break;
    default:
      break;
  }
  return sign | static_cast<uint32_t>(biased) << 23 | fraction;
}

struct Inputs {
  std::vector<uint32_t> a, b, c;  // TILES matrices each, row-major, an element in a word
};

Inputs inputs(const Format& f, Kind kind, uint64_t seed) {
  Generator random(seed * 1000 + static_cast<uint64_t>(kind) * 100 +
                   static_cast<uint64_t>(f.bits + f.exponent + f.k));
  Inputs made;
  for (int i = 0; i < TILES * M * f.k; ++i) made.a.push_back(factor(f, kind, random));
  for (int i = 0; i < TILES * f.k * N; ++i) made.b.push_back(factor(f, kind, random));
  for (int i = 0; i < TILES * M * N; ++i) made.c.push_back(accumulator(f, kind, random));
  if (kind != Kind::cancelling) return made;
  // The second half of K cancels the first half's products, most of them exactly, at the same place or mirrored.
  for (int tile = 0; tile < TILES; ++tile) {
    for (int k = 0; k < f.k / 2; ++k) {
      const int other = tile % 2 == 0 ? k + f.k / 2 : f.k - 1 - k;
      for (int row = 0; row < M; ++row) {
        const auto at = [&](int column) {
          return static_cast<size_t>((tile * M + row) * f.k + column);
        };
        made.a[at(other)] =
            made.a[at(k)] ^ 1u << (f.bits - 1) ^
            (random.below(4) == 0 ? 1u << (f.bits - 1 - f.exponent - f.fraction) : 0);
      }
      for (int n = 0; n < N; ++n) {
        const auto at = [&](int row) { return static_cast<size_t>((tile * f.k + row) * N + n); };
        made.b[at(other)] = made.b[at(k)];
      }
    }
  }
  return made;
}

// ---- Products.

// D = A B + C for one tile a warp, `times` times. Each time C is the D before.
template <Factor FACTOR, int K>
__global__ void products(const uint32_t* a, const uint32_t* b, const float* c, float* d,
                         int times) {
  constexpr int PER = FACTOR == Factor::tf32 ? 1 : 2;  // elements in a register
  const int g = static_cast<int>(threadIdx.x) / 4, t = static_cast<int>(threadIdx.x) % 4;
  a += blockIdx.x * M * K;
  b += blockIdx.x * K * N;
  c += blockIdx.x * M * N;
  d += blockIdx.x * M * N;
  constexpr int HALVES = K / (4 * PER);
  uint32_t of_a[2 * HALVES], of_b[HALVES];
  for (int half = 0; half < HALVES; ++half) {
    const int k = half * 4 * PER + t * PER;
    for (int i = 0; i < 2; ++i) {
      const uint32_t* row = a + (g + 8 * i) * K + k;
      of_a[2 * half + i] = PER == 1 ? row[0] : row[0] | row[1] << 16;
    }
    of_b[half] = PER == 1 ? b[k * N + g] : b[k * N + g] | b[(k + 1) * N + g] << 16;
  }
  const int place[4] = {g * N + 2 * t, g * N + 2 * t + 1, (g + 8) * N + 2 * t,
                        (g + 8) * N + 2 * t + 1};
  float sum[4];
  for (int i = 0; i < 4; ++i) sum[i] = c[place[i]];
  for (int time = 0; time < times; ++time)
    device::multiply_fragments<FACTOR, K>(sum, of_a, of_b, sum);
  for (int i = 0; i < 4; ++i) d[place[i]] = sum[i];
}

using Launch = void (*)(const uint32_t* a, const uint32_t* b, const float* c, float* d, int times);

template <Factor FACTOR, int K>
void launch(const uint32_t* a, const uint32_t* b, const float* c, float* d, int times) {
  products<FACTOR, K><<<TILES, 32>>>(a, b, c, d, times);
}

struct Case {
  Format format;
  Launch launch;
};
constexpr Case CASES[] = {
    {{"f16, k 8", 16, 10, 5, 8}, launch<Factor::f16, 8>},
    {{"f16, k 16", 16, 10, 5, 16}, launch<Factor::f16, 16>},
    {{"bf16, k 8", 16, 7, 8, 8}, launch<Factor::bf16, 8>},
    {{"bf16, k 16", 16, 7, 8, 16}, launch<Factor::bf16, 16>},
    {{"tf32, k 4", 32, 10, 8, 4}, launch<Factor::tf32, 4>},
    {{"tf32, k 8", 32, 10, 8, 8}, launch<Factor::tf32, 8>},
};

template <typename T>
T* on_device(const std::vector<uint32_t>& host) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, host.size() * sizeof(uint32_t)), "cudaMalloc");
  check(cudaMemcpy(memory, host.data(), host.size() * sizeof(uint32_t), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  return memory;
}

// Returns D of all kinds of data, one kind after the other.
std::vector<uint32_t> results(const Case& one, uint64_t seed) {
  std::vector<uint32_t> all;
  for (const Kind kind : KINDS) {
    const Inputs in = inputs(one.format, kind, seed);
    std::vector<uint32_t> out(in.c.size(), 0xdeadbeef);
    auto* a = on_device<uint32_t>(in.a);
    auto* b = on_device<uint32_t>(in.b);
    auto* c = on_device<float>(in.c);
    auto* d = on_device<float>(out);
    one.launch(a, b, c, d, kind == Kind::chain ? 8 : 1);
    check(cudaGetLastError(), one.format.name);
    check(cudaMemcpy(out.data(), d, out.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost),
          one.format.name);
    for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c),
                         static_cast<void*>(d)})
      check(cudaFree(memory), "cudaFree");
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  uint64_t seed = 1;
  bool writes = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--write") {
      writes = true;
    } else if (word == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      file = word;
    }
  }
  if (file.empty()) {
    std::fprintf(stderr, "usage: tensor_bits [--write] [--seed N] FILE\n");
    return 2;
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  if (device.major != 9 || device.minor != 0) {
    std::printf(
        "skipped: this GPU has compute capability %d.%d, and tensor cores of 9.0 are recorded\n",
        device.major, device.minor);
    return 77;
  }
  std::vector<uint32_t> recorded;
  if (!writes) {
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    recorded.resize(stream ? static_cast<size_t>(stream.tellg()) / sizeof(uint32_t) : 0);
    stream.seekg(0);
    stream.read(reinterpret_cast<char*>(recorded.data()),
                static_cast<std::streamsize>(recorded.size() * sizeof(uint32_t)));
  }
  std::vector<uint32_t> all;
  size_t differences = 0;
  for (const Case& one : CASES) {
    const std::vector<uint32_t> own = results(one, seed);
    if (!writes) {
      if (recorded.size() < all.size() + own.size()) {
        std::fprintf(stderr, "tensor_bits: '%s' has %zu results, too few\n", file.c_str(),
                     recorded.size());
        return 2;
      }
      size_t differ = 0;
      for (size_t i = 0; i < own.size(); ++i) {
        const uint32_t other = recorded[all.size() + i];
        if (own[i] != other && differ++ < 3) {
          std::printf("%s: kind %zu, element %zu: %08x, recorded %08x\n", one.format.name,
                      i / (own.size() / std::size(KINDS)), i % (own.size() / std::size(KINDS)),
                      own[i], other);
        }
      }
      std::printf("%-10s  %zu elements, %zu differ\n", one.format.name, own.size(), differ);
      differences += differ;
    }
    all.insert(all.end(), own.begin(), own.end());
  }
  if (writes) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(all.data()),
                 static_cast<std::streamsize>(all.size() * sizeof(uint32_t)));
    return stream ? 0 : 70;
  }
  if (recorded.size() != all.size())
    std::printf("the file has %zu results, and not %zu\n", recorded.size(), all.size());
  return differences == 0 && recorded.size() == all.size() ? 0 : 1;
}
