// wgmma with every N, on small integers, against a product on the host. The kernels are PTX that the test writes.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/execute/state/device.hpp"

namespace {

using simulator::Device;
using simulator::Fault;
using simulator::LaunchShape;

struct Format {
  const char* name;
  int exponent_bits, fraction_bits, bytes;
};
constexpr Format FORMATS[] = {{"f16", 5, 10, 2}, {"bf16", 8, 7, 2}, {"tf32", 8, 23, 4}};

constexpr int M = 64, MOST_N = 256, THREADS = 128;
constexpr int LINE_BYTES = 32, PIECE = 16;  // k of a line; 16 elements of 2 bytes or 8 of 4
constexpr int GROUP = 8;                    // lines of a core matrix, which is 8 pieces of 16 bytes

// Returns a small integer in the format.
uint32_t bits_of(int value, const Format& format) {
  if (value == 0) return 0;
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127;
  const int biased = exponent + (1 << (format.exponent_bits - 1)) - 1;
  return bits >> 31 << (format.exponent_bits + format.fraction_bits) |
         static_cast<uint32_t>(biased) << format.fraction_bits |
         (bits & 0x7fffff) >> (23 - format.fraction_bits);
}

int a_at(int m, int k) { return (m * 7 + k * 3) % 11 - 5; }
int b_at(int n, int k) { return (n * 5 + k * 9) % 13 - 6; }

// Writes lines of k without a swizzle: the core matrices of eight lines lie one behind the other, first along k.
template <typename At>
void write_matrix(std::byte* to, int lines, const Format& format, At&& at) {
  for (int line = 0; line < lines; ++line) {
    for (int k = 0; k < LINE_BYTES / format.bytes; ++k) {
      const int byte = k * format.bytes;
      const uint32_t bits = bits_of(at(line, k), format);
      std::memcpy(to + line / GROUP * GROUP * LINE_BYTES + byte / PIECE * PIECE * GROUP +
                      line % GROUP * PIECE + byte % PIECE,
                  &bits, static_cast<size_t>(format.bytes));
    }
  }
}

// Returns "{%f0, %f1, ...}".
std::string registers(int count) {
  std::string list = "{";
  for (int i = 0; i < count; ++i) list.append(i == 0 ? "%f" : ", %f").append(std::to_string(i));
  return list.append("}");
}

// Returns a kernel k(matrices, out): it copies A and B into shared memory, and stores D = A B + A B, thread by thread.
std::string kernel(const Format& format, int n) {
  const int d = n / 2, k = LINE_BYTES / format.bytes;
  const int words = (M + n) * LINE_BYTES / 4;
  const auto number = [](auto value) { return std::to_string(value); };
  const uint64_t described = uint64_t{PIECE * GROUP / 16} << 16 | uint64_t{GROUP * LINE_BYTES / 16}
                                                                      << 32;
  const std::string product = std::string("wgmma.mma_async.sync.aligned.m64n")
                                  .append(number(n))
                                  .append("k")
                                  .append(number(k))
                                  .append(".f32.")
                                  .append(format.name)
                                  .append(".")
                                  .append(format.name)
                                  .append(" ")
                                  .append(registers(d))
                                  .append(", %rd3, %rd4, ");
  const std::string flags = format.bytes == 2 ? ", 1, 1, 0, 0;\n" : ", 1, 1;\n";
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<129>;\n"
      ".shared .align 128 .b8 tile[10240];\n"
      "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [k_param_0];\nld.param.u64 %rd1, [k_param_1];\n"
      "mov.u32 %r1, %r0;\nmov.u32 %r4, tile;\n"
      "COPY:\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd0, %rd2;\nld.global.u32 %r2, [%rd2];\n"
      "shl.b32 %r3, %r1, 2;\nadd.u32 %r3, %r4, %r3;\nst.shared.u32 [%r3], %r2;\n"
      "add.u32 %r1, %r1, " +
      number(THREADS) + ";\nsetp.lt.u32 %p1, %r1, " + number(words) +
      ";\n@%p1 bra COPY;\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "shr.u32 %r5, %r4, 4;\ncvt.u64.u32 %rd3, %r5;\nor.b64 %rd3, %rd3, " +
      number(described) + ";\nadd.s64 %rd4, %rd3, " + number(M * LINE_BYTES / 16) +
      ";\nsetp.ne.u32 %p2, %r0, %r0;\nsetp.eq.u32 %p3, %r0, %r0;\n";
  for (int i = 0; i < d; ++i) text.append("mov.f32 %f").append(number(i)).append(", 0f7fc00000;\n");
  text += "wgmma.fence.sync.aligned;\n" + product + "%p2" + flags + product + "%p3" + flags +
          "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
          "mul.wide.u32 %rd5, %r0, " +
          number(4 * d) + ";\nadd.s64 %rd5, %rd1, %rd5;\n";
  for (int i = 0; i < d; ++i)
    text.append("st.global.f32 [%rd5+").append(number(4 * i)).append("], %f").append(number(i)) +=
        ";\n";
  return text + "ret;\n}\n";
}

// Runs one product. Returns the number of its wrong elements.
int wrong_elements(Device& device, const Format& format, int n) {
  const size_t in_bytes = static_cast<size_t>(M + n) * LINE_BYTES;
  const size_t out_bytes = static_cast<size_t>(M * n) * sizeof(float);
  uint64_t in = device.memory.allocate(in_bytes), out = device.memory.allocate(out_bytes);
  std::byte* const matrices = device.memory.host_pointer(in, in_bytes);
  write_matrix(matrices, M, format, a_at);
  write_matrix(matrices + static_cast<ptrdiff_t>(M) * LINE_BYTES, n, format, b_at);
  LaunchShape shape;
  shape.block.x = THREADS;
  void* arguments[] = {&in, &out};
  const auto module = simulator::Module::load(device, kernel(format, n));
  const std::optional<Fault> fault = module->find_kernel("k")->run(shape, arguments);
  EXPECT_FALSE(fault.has_value()) << fault->text();
  std::vector<float> d(static_cast<size_t>(M * n));
  std::memcpy(d.data(), device.memory.host_pointer(out, out_bytes), out_bytes);
  int wrong = 0;
  for (int thread = 0; thread < THREADS; ++thread) {
    for (int i = 0; i < n / 2; ++i) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      int want = 0;
      for (int k = 0; k < LINE_BYTES / format.bytes; ++k)
        want += 2 * a_at(row, k) * b_at(column, k);
      const float got = d[static_cast<size_t>(thread * (n / 2) + i)];
      wrong += got == static_cast<float>(want) ? 0 : 1;
    }
  }
  device.memory.release(in);
  device.memory.release(out);
  return wrong;
}

TEST(WgmmaShapes, EveryNMultipliesInEveryFormat) {
  Device device;
  for (const Format& format : FORMATS) {
    for (int n = 8; n <= MOST_N; n += 8)
      EXPECT_EQ(wrong_elements(device, format, n), 0) << format.name << ", N = " << n;
  }
  EXPECT_TRUE(device.hazards.found().empty());
}

}  // namespace
