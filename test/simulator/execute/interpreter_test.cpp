// The interpreter on small PTX written by hand: control flow, barriers, arithmetic, addresses.
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/execute/state/device.hpp"

namespace {

using simulator::Device;
using simulator::Fault;
using simulator::FaultKind;
using simulator::LaunchShape;

// Returns the tests' own device, which is not the one behind the API.
Device& device() {
  static Device instance;
  return instance;
}

// An array in device memory that the test can read.
template <typename T>
class Array {
 public:
  explicit Array(std::vector<T> values)
      : count_(values.size()), address_(device().memory.allocate(count_ * sizeof(T))) {
    std::memcpy(host(), values.data(), count_ * sizeof(T));
  }
  ~Array() { device().memory.release(address_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T operator[](size_t i) const {
    T value;
    std::memcpy(&value, host() + i * sizeof(T), sizeof value);
    return value;
  }
  const uint64_t& address() const { return address_; }

 private:
  std::byte* host() const { return device().memory.host_pointer(address_, count_ * sizeof(T)); }
  size_t count_;
  uint64_t address_;
};

// Returns a kernel k(u64 a, u64 b) with this body. %r0-%r19, %rd0-%rd9, %f0-%f9, %fd0-%fd9, %p0-%p9 are declared; %r0
// is the thread, %rd0 = a + 4 * thread, %rd1 = b, %r1 is the block.
std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n"
         ".reg .pred %p<10>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<10>;\n.reg .f32 %f<10>;\n.reg .f64 "
         "%fd<10>;\n.reg .b16 %rs<4>;\n"
         ".shared .align 4 .b8 tile[4096];\n"
         "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
         "ld.param.u64 %rd0, [k_param_0];\nld.param.u64 %rd1, [k_param_1];\n"
         "mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd0, %rd0, %rd2;\n" +
         body + "\nret;\n}\n";
}

std::optional<Fault> run(const std::string& body, uint64_t a, uint64_t b, uint32_t threads,
                         uint32_t blocks = 1) {
  const auto module = simulator::Module::load(device(), kernel(body));
  LaunchShape shape;
  shape.grid.x = blocks;
  shape.block.x = threads;
  void* arguments[] = {&a, &b};
  return module->find_kernel("k")->run(shape, arguments);
}

// Runs the body with one result word for each thread. A word that is never written stays 0xdeadbeef.
std::vector<uint32_t> results(const std::string& body, uint32_t threads,
                              const std::vector<uint32_t>& input = {0}) {
  const Array<uint32_t> out(std::vector<uint32_t>(threads, 0xdeadbeefu));
  const Array<uint32_t> in(input);
  const auto fault = run(body, out.address(), in.address(), threads);
  EXPECT_FALSE(fault.has_value()) << (fault ? fault->text() : "");
  std::vector<uint32_t> values;
  for (size_t i = 0; i < threads; ++i) values.push_back(out[i]);
  return values;
}

// --- control flow -----------------------------------------------------------------------------------

TEST(Divergence, NestedThreeDeepMeetsAgainAtEachLevel) {
  // Each level adds its own digit; after each join every lane counts once more, and the vote sees all lanes.
  const auto out = results(R"(
    mov.u32 %r2, 0;
    and.b32 %r3, %r0, 1;  setp.eq.u32 %p1, %r3, 0;
    @%p1 bra ELSE1;
      and.b32 %r3, %r0, 2;  setp.eq.u32 %p2, %r3, 0;
      @%p2 bra ELSE2;
        and.b32 %r3, %r0, 4;  setp.eq.u32 %p3, %r3, 0;
        @%p3 bra ELSE3;
          add.u32 %r2, %r2, 100;
          bra JOIN3;
        ELSE3:
          add.u32 %r2, %r2, 200;
        JOIN3:
        activemask.b32 %r4;  popc.b32 %r5, %r4;  mad.lo.u32 %r2, %r5, 1000, %r2;
        bra JOIN2;
      ELSE2:
        add.u32 %r2, %r2, 300;
      JOIN2:
      activemask.b32 %r4;  popc.b32 %r5, %r4;  mad.lo.u32 %r2, %r5, 100000, %r2;
      bra JOIN1;
    ELSE1:
      add.u32 %r2, %r2, 400;
    JOIN1:
    activemask.b32 %r4;  popc.b32 %r5, %r4;  mad.lo.u32 %r2, %r5, 10000000, %r2;
    st.global.u32 [%rd0], %r2;)",
                           32);
  for (uint32_t t = 0; t < 32; ++t) {
    uint32_t want = 32u * 10000000;
    if ((t & 1) == 0) {
      want += 400;
    } else {
      want += 16 * 100000;
      if ((t & 2) == 0) {
        want += 300;
      } else {
        want += 8 * 1000 + ((t & 4) == 0 ? 200 : 100);
      }
    }
    EXPECT_EQ(out[t], want) << "thread " << t;
  }
}

TEST(Divergence, LoopsWithDifferentTripCounts) {
  const auto out = results(R"(
    mov.u32 %r2, 0;  mov.u32 %r3, 0;
    LOOP:
    setp.ge.u32 %p1, %r3, %r0;
    @%p1 bra DONE;
    add.u32 %r3, %r3, 1;
    add.u32 %r2, %r2, %r3;
    bra LOOP;
    DONE:
    activemask.b32 %r4;  popc.b32 %r5, %r4;  mad.lo.u32 %r2, %r5, 10000, %r2;
    st.global.u32 [%rd0], %r2;)",
                           40);
  for (uint32_t t = 0; t < 40; ++t) {
    const uint32_t together = t < 32 ? 32 : 8;  // the second warp has eight lanes
    EXPECT_EQ(out[t], together * 10000 + t * (t + 1) / 2) << "thread " << t;
  }
}

TEST(Divergence, ABreakOutOfANestedLoop) {
  // Lane t leaves the inner loop in its t-th turn, by a branch past both loops' ends for odd lanes.
  const auto out = results(R"(
    mov.u32 %r2, 0;  mov.u32 %r6, 0;
    OUTER:
    mov.u32 %r3, 0;
    INNER:
    add.u32 %r2, %r2, 1;
    add.u32 %r3, %r3, 1;
    setp.eq.u32 %p1, %r2, %r0;
    and.b32 %r4, %r0, 1;  setp.eq.u32 %p2, %r4, 1;
    and.pred %p3, %p1, %p2;
    @%p3 bra OUT;
    setp.lt.u32 %p4, %r3, 4;
    @%p4 bra INNER;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p5, %r6, 8;
    @%p5 bra OUTER;
    OUT:
    activemask.b32 %r4;  popc.b32 %r5, %r4;  mad.lo.u32 %r2, %r5, 1000, %r2;
    st.global.u32 [%rd0], %r2;)",
                           32);
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], 32000 + (t % 2 == 1 ? t : 32)) << "thread " << t;
}

TEST(Divergence, ABlockLaidOutBeforeItsPredecessorsStillMeets) {
  // The join stands first in the text; order in the text is not order in time.
  const auto out = results(R"(
    mov.u32 %r2, 0;
    bra START;
    JOIN:
    activemask.b32 %r4;  popc.b32 %r5, %r4;  mad.lo.u32 %r2, %r5, 1000, %r2;
    st.global.u32 [%rd0], %r2;
    ret;
    START:
    setp.lt.u32 %p1, %r0, 7;
    @%p1 bra LOW;
    mov.u32 %r2, 2;
    bra JOIN;
    LOW:
    mov.u32 %r2, 1;
    bra JOIN;)",
                           32);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 32000u + (t < 7 ? 1 : 2)) << "thread " << t;
}

TEST(Divergence, EarlyExitLeavesTheOthersRunning) {
  const auto out = results(R"(
    setp.ge.u32 %p1, %r0, 20;
    @%p1 ret;
    activemask.b32 %r4;  popc.b32 %r5, %r4;
    st.global.u32 [%rd0], %r5;)",
                           32);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 20 ? 20 : 0xdeadbeefu) << "thread " << t;
}

TEST(Divergence, AnIndirectBranchSendsEachLaneItsOwnWay) {
  const auto out = results(R"(
    and.b32 %r3, %r0, 3;
    TABLE: .branchtargets CASE0, CASE1, CASE2, CASE0;
    brx.idx %r3, TABLE;
    CASE0: mov.u32 %r2, 10;  bra JOIN;
    CASE1: mov.u32 %r2, 11;  bra JOIN;
    CASE2: mov.u32 %r2, 12;
    JOIN:
    activemask.b32 %r4;  popc.b32 %r5, %r4;  mad.lo.u32 %r2, %r5, 1000, %r2;
    st.global.u32 [%rd0], %r2;)",
                           32);
  const uint32_t want[] = {10, 11, 12, 10};
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 32000 + want[t % 4]) << "thread " << t;
}

TEST(Predication, AGuardedStoreWritesOnlyWhereItHolds) {
  const auto out = results(R"(
    and.b32 %r3, %r0, 1;  setp.eq.u32 %p1, %r3, 1;
    mov.u32 %r2, 1;
    @%p1 mov.u32 %r2, 2;
    @!%p1 st.global.u32 [%rd0], %r2;
    @%p1 st.global.u32 [%rd0], %r2;)",
                           32);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t % 2 == 1 ? 2u : 1u) << "thread " << t;

  device().counters.reset();
  results("setp.lt.u32 %p1, %r0, 5;\n@%p1 st.global.u32 [%rd0], %r0;", 32);
  const auto counters = device().counters.since_reset();
  ASSERT_EQ(counters.accesses.size(), 1u);
  EXPECT_EQ(counters.accesses[0].requests, 1u);
  EXPECT_EQ(counters.accesses[0].lanes, 5u);
  EXPECT_EQ(counters.accesses[0].sectors, 1u);
}

TEST(Predication, APredicateCanBeAnImmediate) {
  const auto out = results(R"(
    setp.lt.u32 %p3, %r0, 3;
    mov.pred %p1, -1;  mov.pred %p2, 0;  and.pred %p4, %p3, -1;
    mov.u32 %r2, 0;
    @%p1 add.u32 %r2, %r2, 1;
    @%p2 add.u32 %r2, %r2, 10;
    @%p4 add.u32 %r2, %r2, 100;
    st.global.u32 [%rd0], %r2;)",
                           5);
  EXPECT_EQ(out, (std::vector<uint32_t>{101, 101, 101, 1, 1}));
}

TEST(Predication, RegistersOfAScopeHideOthersOfTheirName) {
  const auto out = results(R"(
    mov.u32 %r2, 7;
    { .reg .pred p; .reg .b32 t; mov.u32 t, 5; setp.lt.u32 p, %r0, 3; @p mov.u32 %r2, t; }
    { .reg .pred p; .reg .b32 t; mov.u32 t, 6; setp.gt.u32 p, %r0, 5; @p mov.u32 %r2, t; }
    st.global.u32 [%rd0], %r2;)",
                           8);
  EXPECT_EQ(out, (std::vector<uint32_t>{5, 5, 5, 7, 7, 7, 6, 6}));
}

TEST(Calls, ADeviceFunctionIsInlinedWithItsDivergentReturns) {
  const std::string text = R"(.version 8.0
.target sm_90a
.address_size 64
.func (.param .b32 func_retval0) pick(.param .b32 pick_param_0)
{
.reg .pred %p<2>;
.reg .b32 %r<4>;
ld.param.u32 %r1, [pick_param_0];
setp.lt.u32 %p1, %r1, 9;
@%p1 bra LOW;
mul.lo.u32 %r2, %r1, 2;
st.param.b32 [func_retval0+0], %r2;
ret;
LOW:
add.u32 %r2, %r1, 100;
st.param.b32 [func_retval0+0], %r2;
ret;
}
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{
.reg .b32 %r<9>;
.reg .b64 %rd<4>;
mov.u32 %r1, %tid.x;
ld.param.u64 %rd1, [k_param_0];
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd1, %rd1, %rd2;
{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
call.uni (retval0), pick, (param0);
ld.param.b32 %r2, [retval0+0]; }
{ .param .b32 param0; st.param.b32 [param0+0], %r2; .param .b32 retval0;
call.uni (retval0), pick, (param0);
ld.param.b32 %r3, [retval0+0]; }
activemask.b32 %r4;
popc.b32 %r5, %r4;
mad.lo.u32 %r3, %r5, 1000, %r3;
st.global.u32 [%rd1], %r3;
ret;
}
)";
  const auto module = simulator::Module::load(device(), text);
  const Array<uint32_t> out(std::vector<uint32_t>(32, 0));
  uint64_t a = out.address(), b = 0;
  void* arguments[] = {&a, &b};
  LaunchShape shape;
  shape.block.x = 32;
  const auto fault = module->find_kernel("k")->run(shape, arguments);
  ASSERT_FALSE(fault.has_value()) << fault->text();
  const auto pick = [](uint32_t x) { return x < 9 ? x + 100 : 2 * x; };
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 32000 + pick(pick(t))) << "thread " << t;
}

// --- parameters -------------------------------------------------------------------------------------

// A structure's members are loaded through a register. The launch has two parameters, a and b, of 8 bytes each.
TEST(Parameters, AreReadThroughARegisterInEachLane) {
  const Array<uint32_t> out(std::vector<uint32_t>(96, 0xdeadbeefu));
  const uint64_t b = 0x1122334455667788;
  const auto fault = run(R"(
    mov.b64 %rd3, k_param_1;
    ld.param.u32 %r2, [%rd3];          // the lanes agree
    st.global.u32 [%rd0], %r2;
    and.b32 %r3, %r0, 1;  mul.wide.u32 %rd4, %r3, 4;
    add.s64 %rd4, %rd3, %rd4;
    ld.param.u32 %r4, [%rd4];          // they differ
    st.global.u32 [%rd0+128], %r4;
    mov.u32 %r5, 0;
    setp.eq.u32 %p1, %r3, 1;
    @%p1 ld.param.u32 %r5, [%rd4];     // the active ones agree
    st.global.u32 [%rd0+256], %r5;)",
                         out.address(), b, 32);
  ASSERT_FALSE(fault.has_value()) << fault->text();
  for (uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], 0x55667788u) << "thread " << t;
    EXPECT_EQ(out[32 + t], t % 2 == 1 ? 0x11223344u : 0x55667788u) << "thread " << t;
    EXPECT_EQ(out[64 + t], t % 2 == 1 ? 0x11223344u : 0u) << "thread " << t;
  }
}

// --- barriers ---------------------------------------------------------------------------------------

TEST(Barriers, WarpsSeeEachOthersWrites) {
  const auto out = results(R"(
    mul.lo.u32 %r2, %r0, 4;
    mov.u32 %r3, tile;  add.u32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r0;
    bar.sync 0;
    mov.u32 %r4, %ntid.x;  sub.u32 %r4, %r4, 1;  sub.u32 %r4, %r4, %r0;
    mul.lo.u32 %r4, %r4, 4;  mov.u32 %r5, tile;  add.u32 %r5, %r5, %r4;
    ld.shared.u32 %r6, [%r5];
    st.global.u32 [%rd0], %r6;)",
                           200);
  for (uint32_t t = 0; t < 200; ++t) EXPECT_EQ(out[t], 199 - t) << "thread " << t;
}

TEST(Barriers, ThreadsThatHaveExitedAreNotWaitedFor) {
  const auto out = results(R"(
    setp.ge.u32 %p1, %r0, 40;
    @%p1 ret;
    mov.u32 %r3, tile;
    bar.sync 0;
    st.shared.u32 [%r3], 11;
    bar.sync 0;
    ld.shared.u32 %r6, [%r3];
    st.global.u32 [%rd0], %r6;)",
                           128);
  for (uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], t < 40 ? 11 : 0xdeadbeefu) << "thread " << t;
}

TEST(Barriers, AReductionCountsTheWholeBlock) {
  const auto out = results(R"(
    setp.lt.u32 %p1, %r0, 45;
    bar.red.popc.u32 %r2, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 0, %p1;
    selp.u32 %r3, 1000, 0, %p2;  selp.u32 %r4, 10000, 0, %p3;
    add.u32 %r2, %r2, %r3;  add.u32 %r2, %r2, %r4;
    st.global.u32 [%rd0], %r2;)",
                           64);
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 10045u) << "thread " << t;
}

TEST(Barriers, HalfAWarpAtABarrierIsReported) {
  const Array<uint32_t> out(std::vector<uint32_t>(64, 0));
  const auto fault = run(R"(
    setp.lt.u32 %p1, %r0, 16;
    @%p1 bra WAIT;
    st.global.u32 [%rd0], 1;
    bra END;
    WAIT: bar.sync 0;
    END: st.global.u32 [%rd0], 2;)",
                         out.address(), 0, 64);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::barrier_divergence);
  EXPECT_EQ(fault->instruction, "bar.sync 0");
  EXPECT_EQ(fault->thread.x, 0u);
  EXPECT_NE(fault->text().find("16 lanes"), std::string::npos) << fault->text();
}

TEST(Barriers, NamedBarriersLetWarpsPassOneAnother) {
  // Warp 0 produces, warp 1 consumes: barrier 1 with 64 threads, one side only arriving.
  const auto out = results(R"(
    mov.u32 %r3, tile;
    setp.lt.u32 %p1, %r0, 32;
    @%p1 bra PRODUCER;
    bar.sync 1, 64;
    ld.shared.u32 %r6, [%r3];
    st.global.u32 [%rd0], %r6;
    ret;
    PRODUCER:
    st.shared.u32 [%r3], 77;
    bar.arrive 1, 64;
    st.global.u32 [%rd0], 1;)",
                           64);
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 32 ? 1u : 77u) << "thread " << t;
}

TEST(Barriers, AWarpThatSpinsLetsTheOthersRun) {
  const auto out = results(R"(
    mov.u32 %r3, tile;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra SIGNAL;
    SPIN:
    ld.volatile.shared.u32 %r6, [%r3];
    setp.ne.u32 %p2, %r6, 5;
    @%p2 bra SPIN;
    st.global.u32 [%rd0], %r6;
    ret;
    SIGNAL:
    st.volatile.shared.u32 [%r3], 5;
    st.global.u32 [%rd0], 1;)",
                           64);
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 32 ? 5u : 1u) << "thread " << t;
}

// --- arithmetic -------------------------------------------------------------------------------------

// Returns f(a, b, c) on the simulated device, bit for bit.
std::vector<uint32_t> on_device(const std::string& instruction,
                                const std::vector<std::array<float, 3>>& operands) {
  std::vector<uint32_t> input;
  for (const auto& triple : operands) {
    for (const float x : triple) input.push_back(std::bit_cast<uint32_t>(x));
  }
  return results(
      "mul.wide.u32 %rd3, %r0, 12;  add.s64 %rd3, %rd1, %rd3;\n"
      "ld.global.f32 %f1, [%rd3];  ld.global.f32 %f2, [%rd3+4];  ld.global.f32 %f3, [%rd3+8];\n" +
          instruction + "\nst.global.f32 [%rd0], %f4;",
      static_cast<uint32_t>(operands.size()), input);
}

const std::vector<float>& special_values() {
  using Limits = std::numeric_limits<float>;
  static const std::vector<float> values = {0.0f,
                                            -0.0f,
                                            1.0f,
                                            -1.0f,
                                            1.0f + Limits::epsilon(),
                                            1.0f / 3,
                                            Limits::min(),
                                            Limits::denorm_min(),
                                            -Limits::denorm_min(),
                                            Limits::min() / 3,
                                            Limits::max(),
                                            -Limits::max(),
                                            Limits::infinity(),
                                            -Limits::infinity(),
                                            Limits::quiet_NaN(),
                                            3.0e-39f,
                                            16777217.0f,
                                            1.5e-20f,
                                            0x1.000002p-12f};
  return values;
}

bool same_float(uint32_t a, float b) {
  return (std::isnan(std::bit_cast<float>(a)) && std::isnan(b)) || a == std::bit_cast<uint32_t>(b);
}

TEST(Arithmetic, FusedMultiplyAddEqualsTheHosts) {
  std::vector<std::array<float, 3>> operands;
  for (const float a : special_values()) {
    for (const float b : special_values()) {
      for (const float c : special_values()) operands.push_back({a, b, c});
    }
  }
  for (size_t first = 0; first < operands.size(); first += 1024) {
    const std::vector<std::array<float, 3>> part(
        operands.begin() + static_cast<std::ptrdiff_t>(first),
        operands.begin() + static_cast<std::ptrdiff_t>(std::min(operands.size(), first + 1024)));
    const auto out = on_device("fma.rn.f32 %f4, %f1, %f2, %f3;", part);
    for (size_t i = 0; i < part.size(); ++i) {
      const auto [a, b, c] = part[i];
      EXPECT_TRUE(same_float(out[i], std::fmaf(a, b, c)))
          << a << " * " << b << " + " << c << " gave " << std::bit_cast<float>(out[i]);
    }
  }
}

TEST(Arithmetic, AProductAndASumAreRoundedTwice) {
  // x^2 = 1 + 2e + e^2. Rounding loses e^2, and a fused operation keeps it.
  const float x = 1.0f + std::numeric_limits<float>::epsilon();
  const float square = x * x;
  EXPECT_EQ(std::bit_cast<float>(
                on_device("mul.f32 %f5, %f1, %f2;  add.f32 %f4, %f5, %f3;", {{x, x, -square}})[0]),
            0.0f);
  EXPECT_EQ(std::bit_cast<float>(on_device("fma.rn.f32 %f4, %f1, %f2, %f3;", {{x, x, -square}})[0]),
            std::fmaf(x, x, -square));
  EXPECT_NE(std::fmaf(x, x, -square), 0.0f);
}

TEST(Arithmetic, SubnormalsAreKept) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(on_device("add.f32 %f4, %f1, %f2;", {{tiny, tiny, 0}})[0], 2u);
  EXPECT_EQ(on_device("mul.f32 %f4, %f1, %f2;", {{std::numeric_limits<float>::min(), 0.5f, 0}})[0],
            0x00400000u);
  EXPECT_EQ(on_device("div.rn.f32 %f4, %f1, %f2;", {{tiny, 1.0f, 0}})[0], 1u);
}

// A result keeps neither sign nor payload of an operand's NaN, as on a GPU. So a computed NaN differs from unwritten
// memory.
TEST(Arithmetic, AComputedNaNHasTheBitsOfAGpus) {
  const auto nan = std::bit_cast<float>(0xFFFFFFFFu);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const char* instruction :
       {"add.f32 %f4, %f1, %f2;", "sub.f32 %f4, %f1, %f2;", "sub.f32 %f4, %f2, %f1;",
        "mul.f32 %f4, %f1, %f2;", "div.rn.f32 %f4, %f1, %f2;", "fma.rn.f32 %f4, %f1, %f2, %f3;",
        "fma.rn.f32 %f4, %f3, %f2, %f1;"}) {
    EXPECT_EQ(on_device(instruction, {{nan, 1, 0}})[0], 0x7fffffffu) << instruction;
  }
  EXPECT_EQ(on_device("sub.f32 %f4, %f1, %f2;", {{infinity, infinity, 0}})[0], 0x7fffffffu);
  EXPECT_EQ(on_device("mov.f32 %f4, %f1;", {{nan, 0, 0}})[0], 0xFFFFFFFFu);
}

TEST(Arithmetic, MinimumAndComparisonsWithNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(std::bit_cast<float>(on_device("min.f32 %f4, %f1, %f2;", {{nan, 3.0f, 0}})[0]), 3.0f);
  EXPECT_EQ(std::bit_cast<float>(on_device("max.f32 %f4, %f1, %f2;", {{3.0f, nan, 0}})[0]), 3.0f);
  EXPECT_EQ(on_device("min.f32 %f4, %f1, %f2;", {{0.0f, -0.0f, 0}})[0], 0x80000000u);
  const auto holds = [&](const std::string& relation, float a, float b) {
    return on_device("setp." + relation +
                         ".f32 %p1, %f1, %f2;\nselp.f32 %f4, 0f3F800000, 0f00000000, %p1;",
                     {{a, b, 0}})[0] != 0;
  };
  for (const char* ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_FALSE(holds(ordered, nan, 1)) << ordered;
  for (const char* unordered : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_TRUE(holds(unordered, nan, 1)) << unordered;
  EXPECT_TRUE(holds("ne", 1, 2));
  EXPECT_FALSE(holds("ltu", 2, 1));
}

TEST(Arithmetic, IntegersWrapAndWiden) {
  const auto one = [](const std::string& body) {
    return results(body + "\nst.global.u32 [%rd0], %r9;", 1)[0];
  };
  EXPECT_EQ(one("mov.u32 %r2, 0xffffffff;  add.s32 %r9, %r2, 2;"), 1u);
  EXPECT_EQ(one("mov.u32 %r2, -7;  mov.u32 %r3, 2;  div.s32 %r9, %r2, %r3;"),
            static_cast<uint32_t>(-3));
  EXPECT_EQ(one("mov.u32 %r2, -7;  mov.u32 %r3, 2;  rem.s32 %r9, %r2, %r3;"),
            static_cast<uint32_t>(-1));
  EXPECT_EQ(one("mov.u32 %r2, -8;  shr.s32 %r9, %r2, 1;"), static_cast<uint32_t>(-4));
  EXPECT_EQ(one("mov.u32 %r2, -8;  shr.u32 %r9, %r2, 40;"), 0u);
  EXPECT_EQ(one("mov.u32 %r2, -8;  shr.s32 %r9, %r2, 40;"), 0xffffffffu);
  EXPECT_EQ(one("mov.u32 %r2, 3;  shl.b32 %r9, %r2, 32;"), 0u);
  EXPECT_EQ(one("mov.u32 %r2, -3;  mul.wide.s32 %rd5, %r2, 5;  shr.u64 %rd6, %rd5, 32;  "
                "cvt.u32.u64 %r9, %rd6;"),
            0xffffffffu);
  EXPECT_EQ(one("mov.u32 %r2, -3;  mul.wide.u32 %rd5, %r2, 5;  shr.u64 %rd6, %rd5, 32;  "
                "cvt.u32.u64 %r9, %rd6;"),
            4u);
  EXPECT_EQ(one("mov.u32 %r2, 0x80000000;  mov.u32 %r3, 6;  mul.hi.u32 %r9, %r2, %r3;"), 3u);
  EXPECT_EQ(one("mov.u32 %r2, 0xabcd1234;  bfe.u32 %r9, %r2, 8, 12;"), 0xd12u);
  EXPECT_EQ(one("mov.u32 %r2, 0xabcd1234;  bfe.s32 %r9, %r2, 20, 12;"), 0xfffffabcu);
  EXPECT_EQ(
      one("mov.u32 %r2, 0x03020100;  mov.u32 %r3, 0x07060504;  prmt.b32 %r9, %r2, %r3, 0x6420;"),
      0x06040200u);
  EXPECT_EQ(one("mov.u32 %r2, 1;  mov.u32 %r3, 0x80000000;  shf.l.wrap.b32 %r9, %r3, %r2, 1;"), 3u);
  EXPECT_EQ(one("mov.u16 %rs1, 65535;  mov.u16 %rs2, 2;  add.s16 %rs3, %rs1, %rs2;  cvt.u32.u16 "
                "%r9, %rs3;"),
            1u);
  EXPECT_EQ(one("mov.u32 %r2, 200;  cvt.s32.s8 %r9, %r2;"), static_cast<uint32_t>(-56));
}

// Only orders depend on signs. All other comparisons share the code for unsigned integers.
TEST(Arithmetic, IntegersAreComparedWithTheirSigns) {
  const struct {
    const char *relation, *type;
    bool of_minus_one_and_one, of_equals, of_one_and_minus_one;
  } cases[] = {
      {"eq", "s32", false, true, false}, {"ne", "s32", true, false, true},
      {"lt", "s32", true, false, false}, {"le", "s32", true, true, false},
      {"gt", "s32", false, false, true}, {"ge", "s32", false, true, true},
      {"eq", "u32", false, true, false}, {"ne", "u32", true, false, true},
      {"lt", "u32", false, false, true}, {"le", "u32", false, true, true},
      {"gt", "u32", true, false, false}, {"ge", "u32", true, true, false},
      {"lo", "u32", false, false, true}, {"ls", "u32", false, true, true},
      {"hi", "u32", true, false, false}, {"hs", "u32", true, true, false},
  };
  for (const auto& c : cases) {
    const auto compared = [&](const std::string& a, const std::string& b) {
      return results("mov.u32 %r2, " + a + ";\nmov.u32 %r3, " + b + ";\nset." + c.relation +
                         ".u32." + c.type + " %r4, %r2, %r3;\nst.global.u32 [%rd0], %r4;",
                     1)[0] != 0;
    };
    EXPECT_EQ(compared("-1", "1"), c.of_minus_one_and_one) << c.relation << c.type;
    EXPECT_EQ(compared("1", "1"), c.of_equals) << c.relation << c.type;
    EXPECT_EQ(compared("1", "-1"), c.of_one_and_minus_one) << c.relation << c.type;
  }
}

TEST(Arithmetic, LoadsExtendWithTheirSignsAndAtomicsOrderByThem) {
  const auto loaded = [](const std::string& body) {
    return results(body + "\nst.global.u32 [%rd0], %r2;", 1, {0x8090fff0u})[0];
  };
  EXPECT_EQ(loaded("ld.global.s8 %r2, [%rd1];"), 0xfffffff0u);
  EXPECT_EQ(loaded("ld.global.u8 %r2, [%rd1];"), 0xf0u);
  EXPECT_EQ(loaded("ld.global.s16 %r2, [%rd1];"), 0xfffffff0u);
  EXPECT_EQ(loaded("ld.global.u16 %r2, [%rd1];"), 0xfff0u);
  EXPECT_EQ(loaded("ld.global.v2.s8 {%r3, %r2}, [%rd1];"), 0xffffffffu);
  EXPECT_EQ(loaded("ld.global.s32 %r2, [%rd1];"), 0x8090fff0u);
  EXPECT_EQ(loaded("ld.global.s32 %rd3, [%rd1];\nshr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r2, %rd3;"),
            0xffffffffu);
  EXPECT_EQ(loaded("ld.global.u32 %rd3, [%rd1];\nshr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r2, %rd3;"),
            0u);
  const auto left_by = [&](const std::string& operation) {
    return loaded("atom.global." + operation + " %r3, [%rd1], 5;\nld.global.u32 %r2, [%rd1];");
  };
  EXPECT_EQ(left_by("min.s32"), 0x8090fff0u);
  EXPECT_EQ(left_by("min.u32"), 5u);
  EXPECT_EQ(left_by("max.s32"), 5u);
  EXPECT_EQ(left_by("max.u32"), 0x8090fff0u);
  EXPECT_EQ(left_by("add.s32"), 0x8090fff5u);
  EXPECT_EQ(left_by("exch.b32"), 5u);
}

TEST(Arithmetic, ConversionsSaturateAndRound) {
  const auto to_int = [](float x) {
    return on_device("cvt.rzi.s32.f32 %r9, %f1;  mov.b32 %f4, %r9;", {{x, 0, 0}})[0];
  };
  EXPECT_EQ(to_int(-2.7f), static_cast<uint32_t>(-2));
  EXPECT_EQ(to_int(1e20f), 0x7fffffffu);
  EXPECT_EQ(to_int(-1e20f), 0x80000000u);
  EXPECT_EQ(to_int(std::numeric_limits<float>::quiet_NaN()), 0u);
  const auto rounded = [](const char* mode, float x) {
    return std::bit_cast<float>(
        on_device(std::string("cvt.") + mode + ".f32.f32 %f4, %f1;", {{x, 0, 0}})[0]);
  };
  EXPECT_EQ(rounded("rni", 2.5f), 2.0f);
  EXPECT_EQ(rounded("rmi", -2.5f), -3.0f);
  EXPECT_EQ(rounded("rpi", -2.5f), -2.0f);
  EXPECT_EQ(rounded("sat", -2.5f), 0.0f);
  EXPECT_EQ(std::bit_cast<float>(on_device(
                "cvt.f64.f32 %fd1, %f1;  mul.f64 %fd2, %fd1, %fd1;  cvt.rn.f32.f64 %f4, %fd2;",
                {{3.0f, 0, 0}})[0]),
            9.0f);
}

// --- instructions that people write by hand -----------------------------------------------------------

// One instruction from %r2, %r3, %r4 to %r5. The results follow the manual's definitions.
struct ByHand {
  const char* instruction;
  uint32_t a, b, c;
  uint32_t expected;
};

void expect_results(const std::vector<ByHand>& cases) {
  for (const ByHand& one : cases) {
    const auto out = results(std::string("ld.global.u32 %r2, [%rd1];\n"
                                         "ld.global.u32 %r3, [%rd1+4];\n"
                                         "ld.global.u32 %r4, [%rd1+8];\n"
                                         "mov.b32 %f2, %r2;\nmov.b32 %f3, %r3;\n"
                                         "mov.b32 %f4, %r4;\n") +
                                 one.instruction + "\nst.global.u32 [%rd0], %r5;",
                             1, {one.a, one.b, one.c});
    EXPECT_EQ(out[0], one.expected) << one.instruction << std::hex << " gives " << out[0];
  }
}

TEST(ByHand, BitFields) {
  expect_results({
      {"bfi.b32 %r5, %r2, %r3, 8, 4;", 0xa, 0x12345678, 0, 0x12345a78},
      {"bfi.b32 %r5, %r2, %r3, 28, 8;", 0xff, 0, 0, 0xf0000000},
      {"bfi.b32 %r5, %r2, %r3, %r4, 8;", 0xff, 7, 40, 7},
      {"bfi.b32 %r5, %r2, %r3, 4, 0;", 0xff, 7, 0, 7},
      {"bfind.u32 %r5, %r2;", 0, 0, 0, ~0u},
      {"bfind.u32 %r5, %r2;", 0x00010000, 0, 0, 16},
      {"bfind.s32 %r5, %r2;", 0xffffff00, 0, 0, 7},
      {"bfind.s32 %r5, %r2;", ~0u, 0, 0, ~0u},
      {"bfind.shiftamt.u32 %r5, %r2;", 0x00010000, 0, 0, 15},
      {"szext.wrap.s32 %r5, %r2, %r3;", 0x1ff, 9, 0, ~0u},
      {"szext.clamp.u32 %r5, %r2, %r3;", 0xffff, 8, 0, 0xff},
      {"szext.clamp.s32 %r5, %r2, %r3;", 0x80000001, 99, 0, 0x80000001},
      {"bmsk.clamp.b32 %r5, %r2, %r3;", 28, 8, 0, 0xf0000000},
      {"bmsk.wrap.b32 %r5, %r2, %r3;", 4, 8, 0, 0xff0},
      {"fns.b32 %r5, %r2, %r3, %r4;", 0x16, 0, 2, 2},
      {"fns.b32 %r5, %r2, %r3, %r4;", 0x16, 3, ~0u, 2},
      {"fns.b32 %r5, %r2, %r3, %r4;", 0x16, 3, 2, ~0u},
  });
}

TEST(ByHand, SumsAndProducts) {
  expect_results({
      {"sad.s32 %r5, %r2, %r3, %r4;", 0xfffffffb, 7, 1, 13},
      {"sad.u32 %r5, %r2, %r3, %r4;", 1, ~0u, 0, 0xfffffffe},
      {"mul24.lo.s32 %r5, %r2, %r3;", 0xab'ffffff, 3, 0, 0xfffffffd},
      {"mul24.lo.u32 %r5, %r2, %r3;", 0xffffff, 0xffffff, 0, 0xfe000001},
      {"mul24.hi.u32 %r5, %r2, %r3;", 0xffffff, 0xffffff, 0, 0xfffffe00},
      {"mad24.lo.u32 %r5, %r2, %r3, %r4;", 2, 3, 4, 10},
      {"dp4a.s32.s32 %r5, %r2, %r3, %r4;", 0x01020304, 0x01010101, 10, 20},
      {"dp4a.s32.u32 %r5, %r2, %r3, %r4;", 0xff000000, 0xff000000, 0, 0xffffff01},
      {"dp4a.u32.u32 %r5, %r2, %r3, %r4;", 0xff000000, 0xff000000, 0, 65025},
      {"dp2a.lo.s32.s32 %r5, %r2, %r3, %r4;", 0xffff0002, 0x00000403, 0, 2},
      {"dp2a.hi.s32.s32 %r5, %r2, %r3, %r4;", 0xffff0002, 0x04030000, 1, 3},
      {"add.sat.s32 %r5, %r2, %r3;", 0x7fffffff, 1, 0, 0x7fffffff},
      {"sub.sat.s32 %r5, %r2, %r3;", 0x80000000, 1, 0, 0x80000000},
      {"slct.s32.s32 %r5, %r2, %r3, %r4;", 1, 2, ~0u, 2},
      {"slct.u32.f32 %r5, %r2, %r3, %f4;", 1, 2, 0x80000000, 1},
      {"set.lt.u32.s32 %r5, %r2, %r3;", ~0u, 2, 0, ~0u},
      {"set.lt.f32.u32 %f5, %r2, %r3; mov.b32 %r5, %f5;", 1, 2, 0, 0x3f800000},
      {"mov.u32 %r5, WARP_SZ;", 0, 0, 0, 32},
  });
}

TEST(ByHand, ACarryGoesFromOneInstructionToTheNext) {
  expect_results({
      {"add.cc.u32 %r5, %r2, %r3; addc.u32 %r5, %r4, 0;", ~0u, 1, 7, 8},
      {"add.cc.u32 %r5, %r2, %r3; addc.u32 %r5, %r4, 0;", ~0u, 0, 7, 7},
      {"add.cc.u32 %r5, %r2, %r3; addc.cc.u32 %r5, %r4, 0; addc.u32 %r5, 0, 0;", ~0u, 1, ~0u, 1},
      {"sub.cc.u32 %r5, %r2, %r3; subc.u32 %r5, %r4, 0;", 1, 2, 7, 6},
      {"sub.cc.u32 %r5, %r2, %r3; subc.u32 %r5, %r4, 0;", 2, 2, 7, 7},
      {"mad.lo.cc.u32 %r5, %r2, %r3, %r4; madc.hi.u32 %r5, %r2, %r3, 0;", ~0u, ~0u, ~0u, ~0u},
      {"mad.hi.cc.s32 %r5, %r2, %r3, %r4; addc.u32 %r5, 0, 0;", ~0u, 1, 1, 1},
  });
  // Each lane has its own carry: only the odd lanes carry here.
  const auto out = results(
      "and.b32 %r2, %r0, 1; neg.s32 %r2, %r2; add.cc.u32 %r3, %r2, 1; addc.u32 %r4, %r0, 0;\n"
      "st.global.u32 [%rd0], %r4;",
      32);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t + t % 2);
}

TEST(ByHand, PermutationsOfBytes) {
  const uint32_t low = 0x33221100;
  const uint32_t high = 0x77665544;
  expect_results({
      {"prmt.b32.f4e %r5, %r2, %r3, %r4;", low, high, 1, 0x44332211},
      {"prmt.b32.b4e %r5, %r2, %r3, %r4;", low, high, 1, 0x66770011},
      {"prmt.b32.rc8 %r5, %r2, %r3, %r4;", low, high, 2, 0x22222222},
      {"prmt.b32.ecl %r5, %r2, %r3, %r4;", low, high, 2, 0x33222222},
      {"prmt.b32.ecr %r5, %r2, %r3, %r4;", low, high, 2, 0x22221100},
      {"prmt.b32.rc16 %r5, %r2, %r3, %r4;", low, high, 1, 0x33223322},
  });
}

TEST(ByHand, ModifiersOfFloatingPoint) {
  constexpr uint32_t ONE = 0x3f800000;
  constexpr uint32_t SUBNORMAL = 0x80000001;
  constexpr uint32_t SOME_NAN = 0x7fc00001;
  const char* const to_r5 = " mov.b32 %r5, %f5;";
  const auto with = [&](const std::string& text) { return text + to_r5; };
  const std::string sat = with("add.sat.f32 %f5, %f2, %f3;");
  const std::string flushed = with("mul.ftz.f32 %f5, %f2, %f3;");
  const std::string rounded = with("fma.rn.ftz.sat.f32 %f5, %f2, %f3, %f4;");
  const std::string maximum = with("max.NaN.f32 %f5, %f2, %f3;");
  const std::string decimal = with("fma.rn.f32 %f5, %f2, 2.5, -1.5e0;");
  expect_results({
      {sat.c_str(), ONE, ONE, 0, ONE},
      {sat.c_str(), 0xbf800000, 0, 0, 0},
      {sat.c_str(), SOME_NAN, 0, 0, 0},
      {flushed.c_str(), SUBNORMAL, ONE, 0, 0x80000000},
      {rounded.c_str(), ONE, ONE, ONE, ONE},
      {maximum.c_str(), ONE, SOME_NAN, 0, 0x7fffffff},
      {maximum.c_str(), ONE, 0x40000000, 0, 0x40000000},
      {decimal.c_str(), ONE, 0, 0, ONE},
      {"testp.normal.f32 %p1, %f2; selp.u32 %r5, 1, 0, %p1;", 0, 0, 0, 1},
      {"testp.normal.f32 %p1, %f2; selp.u32 %r5, 1, 0, %p1;", SUBNORMAL, 0, 0, 0},
      {"testp.subnormal.f32 %p1, %f2; selp.u32 %r5, 1, 0, %p1;", SUBNORMAL, 0, 0, 1},
      {"testp.notanumber.f32 %p1, %f2; selp.u32 %r5, 1, 0, %p1;", SOME_NAN, 0, 0, 1},
      {"testp.finite.f32 %p1, %f2; selp.u32 %r5, 1, 0, %p1;", 0x7f800000, 0, 0, 0},
  });
}

// The expected results come from an H100.
TEST(ByHand, ConversionsToTf32) {
  const char* const away = "cvt.rna.tf32.f32 %r5, %f2;";
  const char* const even = "cvt.rn.tf32.f32 %r5, %f2;";
  const char* const cut_off = "cvt.rz.tf32.f32 %r5, %f2;";
  const char* const relu = "cvt.rn.relu.tf32.f32 %r5, %f2;";
  expect_results({
      {away, 0x3f800fff, 0, 0, 0x3f800000},    {away, 0x3f801000, 0, 0, 0x3f802000},
      {away, 0xbf801000, 0, 0, 0xbf802000},    {away, 0x3f803000, 0, 0, 0x3f804000},
      {away, 0x3ffff000, 0, 0, 0x40000000},    {away, 0x7f7fffff, 0, 0, 0x7f800000},
      {away, 0xff800000, 0, 0, 0xff800000},    {away, 0x00001000, 0, 0, 0x00002000},
      {away, 0x80000001, 0, 0, 0x80000000},    {away, 0xffc1fe01, 0, 0, 0xffc1e000},
      {away, 0x7f801000, 0, 0, 0x7f800000},    {even, 0x3f801000, 0, 0, 0x3f800000},
      {even, 0x3f803000, 0, 0, 0x3f804000},    {even, 0x7f7fffff, 0, 0, 0x7f800000},
      {even, 0xff801000, 0, 0, 0x7fffe000},    {cut_off, 0x7f7fffff, 0, 0, 0x7f7fe000},
      {cut_off, 0xffc1fe01, 0, 0, 0x7fffe000}, {relu, 0xff800000, 0, 0, 0},
      {relu, 0xffc1fe01, 0, 0, 0x7fffe000},    {relu, 0x3f801001, 0, 0, 0x3f802000},
  });
}

TEST(ByHand, CachePoliciesAndSimilarAdviceAreAccepted) {
  const auto out = results(R"(
    griddepcontrol.wait;
    createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0;
    ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1], %rd3;
    prefetch.global.L2 [%rd1];
    add.u32 %r2, %r2, %r5;
    ld.relaxed.gpu.global.u32 %r6, [%rd1+4];
    ld.acquire.sys.global.u32 %r7, [%rd1+8];
    add.u32 %r2, %r2, %r6;
    add.u32 %r2, %r2, %r7;
    st.release.gpu.global.u32 [%rd0], 5;
    fence.acq_rel.gpu;
    atom.acq_rel.gpu.global.add.u32 %r8, [%rd0], %r2;
    red.relaxed.cta.global.add.u32 [%rd0], 10000;
    nanosleep.u32 %r2;)",
                           1, {1, 20, 300, 4000});
  EXPECT_EQ(out[0], 5u + 4321u + 10000u);
}

TEST(ByHand, AsynchronousCopiesFillWithZeroes) {
  // The four copies take, of 16 bytes: all, the first 4, none by their number, none by the predicate.
  const auto out = results(R"(
    mov.u32 %r2, tile;
    mov.u32 %r3, 4;
    setp.eq.u32 %p1, %r0, %r0;
    setp.ne.u32 %p2, %r0, %r0;
    cp.async.cg.shared.global [%r2], [%rd1], 16;
    cp.async.cg.shared::cta.global.L2::128B [%r2+16], [%rd1], 16, %r3;
    cp.async.cg.shared.global [%r2+32], [%rd1], 16, 0;
    cp.async.ca.shared.global [%r2+48], [%rd1], 8, %p1;
    cp.async.ca.shared.global [%r2+56], [%rd1], 8, %p2;
    cp.async.wait_all;
    add.u32 %r4, %r2, 0;
    mul.lo.u32 %r5, %r0, 4;
    add.u32 %r4, %r4, %r5;
    ld.shared.u32 %r6, [%r4];
    st.global.u32 [%rd0], %r6;)",
                           16, {1, 2, 3, 4});
  const std::vector<uint32_t> want = {1, 2, 3, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2};
  EXPECT_EQ(out, want);
}

// The contents of shared memory that no thread has written.
constexpr uint32_t UNWRITTEN = 0xffffffffu;

TEST(AsynchronousCopies, LandAtTheWaitThatCoversThem) {
  // Two groups, and a copy in no group, one word each. After each wait the test looks at all three.
  const auto look = [](int wait) {
    return "ld.shared.u32 %r3, [tile];\nld.shared.u32 %r4, [tile+4];\nld.shared.u32 %r5, "
           "[tile+8];\n"
           "st.global.u32 [%rd0+" +
           std::to_string(12 * wait) + "], %r3;\nst.global.u32 [%rd0+" +
           std::to_string(12 * wait + 4) + "], %r4;\nst.global.u32 [%rd0+" +
           std::to_string(12 * wait + 8) + "], %r5;\n";
  };
  const Array<uint32_t> out(std::vector<uint32_t>(15));
  const Array<uint32_t> in({10, 20, 30});
  const auto fault =
      run("mov.u32 %r2, tile;\n"
          "cp.async.ca.shared.global [%r2], [%rd1], 4;\ncp.async.commit_group;\n"
          "cp.async.ca.shared.global [%r2+4], [%rd1+4], 4;\ncp.async.commit_group;\n"
          "cp.async.ca.shared.global [%r2+8], [%rd1+8], 4;\n" +
              look(0) + "cp.async.wait_group 2;\n" + look(1) + "cp.async.wait_group 1;\n" +
              look(2) + "cp.async.wait_group 0;\n" + look(3) + "cp.async.wait_all;\n" + look(4),
          out.address(), in.address(), 1);
  ASSERT_FALSE(fault.has_value()) << fault->text();
  constexpr uint32_t NOT_YET = UNWRITTEN;
  const std::vector<uint32_t> want = {NOT_YET, NOT_YET, NOT_YET, NOT_YET, NOT_YET,
                                      NOT_YET, 10,      NOT_YET, NOT_YET, 10,
                                      20,      NOT_YET, 10,      20,      30};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(out[i], want[i]) << i;
}

TEST(AsynchronousCopies, EachLaneHasGroupsOfItsOwn) {
  // Odd lanes commit a second, empty group, so wait_group 1 covers the copy for them.
  const auto out = results(R"(
    mov.u32 %r2, tile;
    shl.b32 %r3, %r0, 2;
    add.u32 %r2, %r2, %r3;
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.commit_group;
    and.b32 %r4, %r0, 1;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra EVEN;
    cp.async.commit_group;
    EVEN:
    cp.async.wait_group 1;
    ld.shared.u32 %r5, [%r2];
    st.global.u32 [%rd0], %r5;)",
                           64, {7});
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 2 == 1 ? 7 : UNWRITTEN) << t;
}

TEST(AsynchronousCopies, OnlyTheLanesThatWaitHaveTheirBytes) {
  const auto out = results(R"(
    mov.u32 %r2, tile;
    shl.b32 %r3, %r0, 2;
    add.u32 %r2, %r2, %r3;
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.commit_group;
    setp.lt.u32 %p1, %r0, 5;
    @%p1 cp.async.wait_group 0;
    ld.shared.u32 %r5, [%r2];
    cp.async.wait_all;
    ld.shared.u32 %r6, [%r2];
    add.u32 %r5, %r5, %r6;
    st.global.u32 [%rd0], %r5;)",
                           32, {7});
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 5 ? 14 : UNWRITTEN + 7) << t;
}

TEST(AsynchronousCopies, OfAThreadThatHasExitedLandForTheOthersOfItsBlock) {
  const auto out = results(R"(
    mov.u32 %r2, tile;
    setp.lt.u32 %p1, %r0, 32;
    @%p1 bra WAIT;
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    ret;
    WAIT:
    bar.sync 0;
    ld.shared.u32 %r5, [%r2];
    st.global.u32 [%rd0], %r5;)",
                           64, {7});
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 7u) << t;
}

TEST(AsynchronousCopies, AreBoundedInNumberWhereNobodyWaits) {
  // Word i % 1000 gets copy i of 4000: the first ones have landed by the end, the last one has not.
  const auto out = results(R"(
    mov.u32 %r2, 0;
    mov.u32 %r3, tile;
    LOOP:
      rem.u32 %r4, %r2, 1000;
      shl.b32 %r4, %r4, 2;
      add.u32 %r4, %r4, %r3;
      setp.eq.u32 %p1, %r2, 3999;
      selp.u32 %r5, 4, 0, %p1;
      cvt.u64.u32 %rd3, %r5;
      add.u64 %rd3, %rd3, %rd1;
      cp.async.ca.shared.global [%r4], [%rd3], 4;
      add.u32 %r2, %r2, 1;
      setp.lt.u32 %p2, %r2, 4000;
      @%p2 bra LOOP;
    ld.shared.u32 %r5, [tile];
    ld.shared.u32 %r6, [tile+3996];
    cp.async.wait_all;
    ld.shared.u32 %r7, [tile+3996];
    mad.lo.u32 %r5, %r6, 10, %r5;
    mad.lo.u32 %r5, %r7, 100, %r5;
    st.global.u32 [%rd0], %r5;)",
                           1, {1, 2});
  EXPECT_EQ(out[0], 1u + 10u + 200u);
}

TEST(AsynchronousCopies, ALoopThatWaitsForOneIsNotTakenToBeEndless) {
  // Only the number of groups changes until the copy lands, after 300 trips.
  const auto out = results(R"(
    mov.u32 %r2, tile;
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    LOOP:
      cp.async.commit_group;
      cp.async.wait_group 300;
      ld.volatile.shared.u32 %r5, [%r2];
      setp.ne.u32 %p1, %r5, 7;
      @%p1 bra LOOP;
    st.global.u32 [%rd0], %r5;)",
                           1, {7});
  EXPECT_EQ(out[0], 7u);
}

TEST(AsynchronousCopies, ASourceOutOfBoundsIsAFaultOfTheCopyNotOfTheWait) {
  const Array<uint32_t> in({1});
  const auto fault =
      run("mov.u32 %r2, tile;\ncp.async.ca.shared.global [%r2], [%rd1+4], 4;\n"
          "cp.async.wait_all;",
          in.address(), in.address(), 1);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault->instruction, "cp.async.ca.shared.global [%r2], [%rd1+4], 4");
}

TEST(ByHand, CompareAndSwapOfHalfAWord) {
  const auto out = results(R"(
    ld.global.u32 %r2, [%rd1];
    st.global.u32 [%rd0], %r2;
    mov.u16 %rs0, 2;
    mov.u16 %rs1, 9;
    atom.global.cas.b16 %rs2, [%rd0+2], %rs0, %rs1;
    atom.global.cas.b16 %rs3, [%rd0], %rs0, %rs1;)",
                           1, {0x00020001});
  EXPECT_EQ(out[0], 0x00090001u);
}

TEST(Addresses, SixtyFourBitArithmeticReachesBeyondFourGigabytes) {
  // The address is built so that a 32-bit intermediate would lose its upper half.
  const auto out = results(R"(
    mov.u64 %rd5, 0x100000000;
    add.s64 %rd6, %rd0, %rd5;
    mov.u32 %r2, 65536;
    mul.wide.u32 %rd7, %r2, %r2;
    sub.s64 %rd8, %rd6, %rd7;
    st.global.u32 [%rd8], %r0;
    ld.global.u32 %r3, [%rd6+-4294967296];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%rd0], %r3;)",
                           32);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t + 1);
}

TEST(WarpLevel, ShufflesReadTheLanesTheyName) {
  const auto down =
      results("shfl.sync.down.b32 %r2, %r0, 3, 31, -1;\nst.global.u32 [%rd0], %r2;", 32);
  const auto up = results("shfl.sync.up.b32 %r2, %r0, 2, 0, -1;\nst.global.u32 [%rd0], %r2;", 32);
  const auto butterfly =
      results("shfl.sync.bfly.b32 %r2, %r0, 5, 31, -1;\nst.global.u32 [%rd0], %r2;", 32);
  const auto segment =
      results("shfl.sync.idx.b32 %r2|%p1, %r0, 1, 0x181f, -1;\nst.global.u32 [%rd0], %r2;", 32);
  for (uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(down[t], t + 3 < 32 ? t + 3 : t);
    EXPECT_EQ(up[t], t >= 2 ? t - 2 : t);
    EXPECT_EQ(butterfly[t], t ^ 5);
    EXPECT_EQ(segment[t], t / 8 * 8 + 1) << "segments of eight lanes";
  }
}

// --- the rest of the contract -----------------------------------------------------------------------

TEST(Unknown, AnInstructionOutsideTheSubsetIsNamedWithItsLine) {
  const Array<uint32_t> out(std::vector<uint32_t>(32, 0));
  const std::string body = "frobnicate.sync.u32 %r2, %r0;\nst.global.u32 [%rd0], %r2;";
  const auto fault = run(body, out.address(), 0, 32);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::unknown_instruction);
  EXPECT_NE(fault->instruction.find("frobnicate.sync.u32"), std::string::npos);
  EXPECT_FALSE(run("setp.ne.u32 %p1, %r0, %r0;\n@%p1 bra NEVER;\nbra END;\nNEVER: "
                   "frobnicate.sync.u32 %r2, %r0;\nEND:",
                   out.address(), 0, 32)
                   .has_value())
      << "an instruction that nothing reaches is no fault";
}

TEST(Unknown, AnInstructionOfBlackwellIsNamedWithTheDeviceThatItNeeds) {
  const Array<uint32_t> out(std::vector<uint32_t>(32, 0));
  for (const std::string instruction :
       {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r1, {%r0, %r1, %r0, %r1}, %p0;",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0, %r1}, [%r2+16];",
        "tcgen05.wait::ld.sync.aligned;",
        "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile.mbarrier::complete_tx::"
        "bytes [%r0], [%rd0, {%r0, %r1}], [%r2];",
        "fma.rn.f32x2 %rd1, %rd1, %rd1, %rd1;",
        "stmatrix.sync.aligned.m16n8.x1.shared.b8 [%r0], {%r1};",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
        "[%r0], "
        "[%r1];"}) {
    const auto fault = run(instruction, out.address(), 0, 32);
    ASSERT_TRUE(fault.has_value()) << instruction;
    EXPECT_EQ(fault->kind, FaultKind::unknown_instruction);
    const std::string what = fault->message().what;
    const std::string name = instruction.substr(0, instruction.find_first_of(" ;"));
    EXPECT_NE(what.find(std::string("comes to `").append(name)), std::string::npos) << what;
    EXPECT_TRUE(what.ends_with(
        "`: this instruction needs compute capability 10.0, and the simulated GPU has 9.0"))
        << what;
  }
}

TEST(Unknown, TextThatIsNotPtxIsRefusedWithItsLine) {
  try {
    simulator::Module::load(device(), ".version 8.0\n.target sm_90a\nint main() {}\n");
    FAIL() << "it was read";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos) << error.what();
  }
}

TEST(Determinism, CountersAndTheFaultReportedDoNotDependOnTheNumberOfCores) {
  const std::string body = R"(
    mul.wide.u32 %rd3, %r1, 128;  add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r2, [%rd4];
    st.global.u32 [%rd4], %r2;)";
  const Array<uint32_t> memory(std::vector<uint32_t>(32 * 20, 1));
  std::vector<uint64_t> sectors;
  for (const int workers : {1, 3}) {
    simulator::set_worker_threads(workers);
    device().counters.reset();
    EXPECT_FALSE(run(body, memory.address(), memory.address(), 32, 20).has_value());
    const auto counters = device().counters.since_reset();
    uint64_t sum = counters.lane_instructions;
    for (const auto& row : counters.accesses) sum = sum * 31 + row.sectors + row.requests;
    sectors.push_back(sum);
    const auto fault = run(body, memory.address(), memory.address(), 32, 200);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->block.x, 20u)
        << "blocks 20 to 199 are all out of bounds; the lowest is reported";
  }
  simulator::set_worker_threads(0);
  EXPECT_EQ(sectors[0], sectors[1]);
}

TEST(Workers, AreAsManyAsTheCoresThatTheProcessMayUse) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(simulator::worker_threads(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(simulator::worker_threads(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Devices, SeveralHaveMemoryAndCountersOfTheirOwn) {
  Device other;
  const std::string text =
      kernel("ld.global.u32 %r2, [%rd0];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd0], %r2;");
  LaunchShape shape;
  shape.block.x = 32;
  device().counters.reset();
  for (Device* one : {&device(), &other, &other}) {
    uint64_t a = one->memory.allocate(32 * sizeof(uint32_t));
    uint64_t b = a;
    std::byte* const host = one->memory.host_pointer(a, 32 * sizeof(uint32_t));
    std::memset(host, 0, 32 * sizeof(uint32_t));
    void* arguments[] = {&a, &b};
    const auto fault = simulator::Module::load(*one, text)->find_kernel("k")->run(shape, arguments);
    EXPECT_FALSE(fault.has_value()) << fault->text();
    uint32_t last = 0;
    std::memcpy(&last, host + 31 * sizeof last, sizeof last);
    EXPECT_EQ(last, 1u);
    EXPECT_TRUE(one->memory.release(a));
  }
  EXPECT_EQ(device().counters.since_reset().launches, 1u);
  EXPECT_EQ(other.counters.since_reset().launches, 2u);
  EXPECT_EQ(other.memory.free_bytes(), other.memory.total_bytes());
}

}  // namespace
