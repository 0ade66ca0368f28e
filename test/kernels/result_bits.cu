// Prints a checksum of the bits of results: of every rung's product for some shapes, and of each kind of IEEE
// arithmetic on awkward operands. The bits are the same on every processor that runs the simulated GPU: .ci/processors
// and .ci/aarch64 compare them. (All NaNs count as one, because the processor chooses their bits.)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/ladder.hpp"

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "result_bits: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// FNV-1a, a word at a time.
struct Checksum {
  uint64_t value = 0xCBF29CE484222325u;
  void add(uint64_t word) { value = (value ^ word) * 0x100000001B3u; }
};

// SplitMix64's output function.
__host__ __device__ uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Returns device memory with random reals in [-1, 1).
float* random_matrix(int64_t floats, uint64_t seed) {
  std::vector<float> values(static_cast<size_t>(floats));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] =
        static_cast<float>(static_cast<int32_t>(mix(seed + i) >> 40) - (1 << 23)) * 0x1p-23f;
  }
  float* device = nullptr;
  check(cudaMalloc(&device, values.size() * sizeof(float)));
  check(cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  return device;
}

struct Shape {
  int64_t M, N, K;
};
constexpr Shape SHAPES[] = {{64, 64, 64}, {65, 63, 61}, {1, 300, 64}, {300, 1, 64}, {31, 33, 200}};

void print_product(const ladder::Rung& rung, const Shape& s, float alpha, float beta) {
  float* const A = random_matrix(s.M * s.K, 1);
  float* const B = random_matrix(s.K * s.N, 1 << 20);
  float* const C = random_matrix(s.M * s.N, 1 << 21);
  check(ladder::launch(rung, {s.M, s.N, s.K, alpha, A, s.K, B, s.N, beta, C, s.N}, nullptr));
  std::vector<uint32_t> bits(static_cast<size_t>(s.M * s.N));
  check(cudaMemcpy(bits.data(), C, bits.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost));
  Checksum sum;
  for (const uint32_t word : bits) sum.add(word);
  std::printf("%02d_%s %lldx%lldx%lld %g %g %016llx\n", rung.number, rung.name,
              static_cast<long long>(s.M), static_cast<long long>(s.N), static_cast<long long>(s.K),
              alpha, beta, static_cast<unsigned long long>(sum.value));
  check(cudaFree(A));
  check(cudaFree(B));
  check(cudaFree(C));
}

// --- arithmetic ---------------------------------------------------------------------------------

__device__ uint64_t bits_of(float x) { return x == x ? __float_as_uint(x) : 0x7FFFFFFFu; }
__device__ uint64_t bits_of(double x) {
  return x == x ? static_cast<uint64_t>(__double_as_longlong(x)) : 0x7FFFFFFFFFFFFFFFu;
}

// Returns random bits. Every few numbers it returns a zero, an infinity, or an end of the normal or denormal range.
__device__ float float_from(uint64_t random) {
  const uint32_t bits = static_cast<uint32_t>(random >> 32);
  constexpr uint32_t SPECIAL[] = {0,           1,           0x007FFFFFu, 0x00800000u,
                                  0x3F800000u, 0x7F7FFFFFu, 0x7F800000u};
  const uint32_t choice = static_cast<uint32_t>(random) % 16;
  return __uint_as_float(choice < 7 ? SPECIAL[choice] | (bits & 0x80000000u) : bits);
}
__device__ double double_from(uint64_t random) {
  constexpr uint64_t SPECIAL[] = {0,
                                  1,
                                  0x000FFFFFFFFFFFFFu,
                                  0x0010000000000000u,
                                  0x3FF0000000000000u,
                                  0x7FEFFFFFFFFFFFFFu,
                                  0x7FF0000000000000u};
  const uint64_t bits = mix(random);
  const uint64_t choice = random % 16;
  return __longlong_as_double(
      static_cast<long long>(choice < 7 ? SPECIAL[choice] | (bits & 0x8000000000000000u) : bits));
}

// THE list of operations: the name for the output, and the result for random bits.
#define OPERATIONS(X)                                                            \
  X("float +", bits_of(x + y))                                                   \
  X("float -", bits_of(x - y))                                                   \
  X("float *", bits_of((x) * y))                                                 \
  X("float /", bits_of(x / y))                                                   \
  X("float sqrt", bits_of(sqrtf(x)))                                             \
  X("float fma", bits_of(fmaf(x, y, z)))                                         \
  X("float fmin", bits_of(fminf(x, y)))                                          \
  X("float fmax", bits_of(fmaxf(x, y)))                                          \
  X("float <", x < y)                                                            \
  X("float to int", static_cast<uint64_t>(__float2int_rz(x)))                    \
  X("float to int64", static_cast<uint64_t>(__float2ll_rn(x)))                   \
  X("float to unsigned", __float2uint_rz(x))                                     \
  X("int to float", bits_of(static_cast<float>(static_cast<int32_t>(r))))        \
  X("int64 to float", bits_of(static_cast<float>(static_cast<int64_t>(mix(r))))) \
  X("rint", bits_of(rintf(x)))                                                   \
  X("double +", bits_of(u + v))                                                  \
  X("double *", bits_of((u) * v))                                                \
  X("double /", bits_of(u / v))                                                  \
  X("double sqrt", bits_of(sqrt(u)))                                             \
  X("double fma", bits_of(fma(u, v, w)))                                         \
  X("double to float", bits_of(static_cast<float>(u)))                           \
  X("float to double", bits_of(static_cast<double>(x)))                          \
  X("double to int", static_cast<uint64_t>(__double2int_rz(u)))                  \
  X("uint64 to double", bits_of(static_cast<double>(mix(r))))                    \
  X("floor", bits_of(floorf(x)))                                                 \
  X("trunc", bits_of(truncf(x)))

#define NAME(name, expression) name,
constexpr const char* NAMES[] = {OPERATIONS(NAME)};
#undef NAME
constexpr int KINDS = sizeof(NAMES) / sizeof(NAMES[0]);

__device__ uint64_t result(int operation, uint64_t r) {
  const float x = float_from(mix(r)), y = float_from(mix(r + 1)), z = float_from(mix(r + 2));
  const double u = double_from(mix(r + 3)), v = double_from(mix(r + 4)),
               w = double_from(mix(r + 5));
  int number = 0;
#define CALCULATE(name, expression) \
  if (operation == number++) return expression;
  OPERATIONS(CALCULATE)
#undef CALCULATE
  return 0;
}

__global__ void calculate(int operation, uint64_t* results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  results[i] = result(operation, mix(i));
}

void print_arithmetic() {
  constexpr unsigned BLOCKS = 8, THREADS = 256;
  std::vector<uint64_t> results(BLOCKS * THREADS);
  uint64_t* device = nullptr;
  check(cudaMalloc(&device, results.size() * sizeof(uint64_t)));
  for (int operation = 0; operation < KINDS; ++operation) {
    calculate<<<BLOCKS, THREADS>>>(operation, device);
    check(cudaGetLastError());
    check(cudaMemcpy(results.data(), device, results.size() * sizeof(uint64_t),
                     cudaMemcpyDeviceToHost));
    Checksum sum;
    for (const uint64_t word : results) sum.add(word);
    std::printf("%s %016llx\n", NAMES[operation], static_cast<unsigned long long>(sum.value));
  }
  check(cudaFree(device));
}

}  // namespace

int main() {
  print_arithmetic();
  for (const ladder::Rung* const rung :
       ladder::all().subspan(1)) {  // number 0 is the host's own product
    for (const Shape& shape : SHAPES) {
      print_product(*rung, shape, 1.0f, 0.0f);
      print_product(*rung, shape, -0.3f, 1.7f);
    }
  }
}
