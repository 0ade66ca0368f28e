// Inputs of tensor-core products, made from a seed, and the comparison of results with those that an H200 gave.
//
//     PROGRAM FILE              compares all elements of D with the file, and prints the number that differs
//     PROGRAM --write FILE      writes the file instead
//     PROGRAM ... --seed N      takes other inputs (default 1, the recorded ones)
//
// The programs are plain CUDA. They run on a GPU and on the simulated one. A file holds results only.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace tensor_test {

constexpr int TILES = 16;  // of each kind of data

inline void check(cudaError_t error, const char* during) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", during, cudaGetErrorString(error));
  std::exit(70);
}

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
  bool has_half_sums =
      false;  // True if C and D have half precision; the inputs and results are FP32 all the same

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
inline uint32_t factor(const Format& f, Kind kind, Generator& random) {
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
inline uint32_t accumulator(const Format& f, Kind kind, Generator& random) {
  const uint32_t sign = random.bits() << 31, fraction = random.bits() & 0x7fffff;
  const int place = random.below(1 << 20);
  int biased = 127 - place % 6;
  switch (kind) {
    case Kind::range:
      biased = f.exponent == 5 ? 87 + place % 70 : place % 255;
      break;
    case Kind::subnormal:
      biased = place % 3 != 0 ? place / 3 % 12 : 127 - place / 3 % 60;
      if (f.has_half_sums) biased = 127 - 10 - place % 16;
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
      biased = f.has_half_sums ? 127 + 11 + place % 5 : 250 + place % 5;
      break;
    default:
      break;
  }
  return sign | static_cast<uint32_t>(biased) << 23 | fraction;
}

struct Inputs {
  std::vector<uint32_t> a, b, c;  // TILES matrices each, row-major, an element in a word
};

// Returns TILES products of M x K and K x N.
inline Inputs inputs(const Format& f, int M, int N, Kind kind, uint64_t seed) {
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

using Launch = void (*)(const uint32_t* a, const uint32_t* b, const float* c, float* d, int times);

struct Case {
  Format format;
  Launch launch;  // D = A B + C of TILES products, `times` times. Each time C is the D before.
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
inline std::vector<uint32_t> results(const Case& one, int M, int N, uint64_t seed) {
  std::vector<uint32_t> all;
  for (const Kind kind : KINDS) {
    const Inputs in = inputs(one.format, M, N, kind, seed);
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

// The whole program: products of M x K and K x N. Returns its exit code; 77 on a GPU whose tensor cores were not recorded.
inline int compare_bits(int argc, char** argv, int M, int N, std::span<const Case> cases) {
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
    std::fprintf(stderr, "usage: %s [--write] [--seed N] FILE\n", argv[0]);
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
  for (const Case& one : cases) {
    const std::vector<uint32_t> own = results(one, M, N, seed);
    if (!writes) {
      if (recorded.size() < all.size() + own.size()) {
        std::fprintf(stderr, "'%s' has %zu results, too few\n", file.c_str(), recorded.size());
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
      std::printf("%-20s  %zu elements, %zu differ\n", one.format.name, own.size(), differ);
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

}  // namespace tensor_test
