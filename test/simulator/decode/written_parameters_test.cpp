// The parameters through which a kernel writes.
#include "simulator/decode/written_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace simulator {
namespace {

using testing::ElementsAre;
using testing::Optional;

// Of a kernel with two pointers, at bytes 0 and 8, and a number, at byte 16.
std::optional<std::vector<uint64_t>> written_by(const std::string& body) {
  const ptx::Module module(
      ".version 8.0\n.target sm_90a\n.address_size 64\n.global .align 4 .u32 variable;\n"
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .f64 "
      "%fd<9>;\n"
      ".shared .align 4 .b8 tile[64];\n"
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u32 %r1, [n];\n" +
      body + "\nret;\n}\n");
  return find_written_parameters(*module.find("k"), {{0, 8}, {8, 8}, {16, 4}});
}

TEST(WrittenParameters, GoIntoAnAddress) {
  EXPECT_THAT(written_by("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2+4], %f1;"),
              Optional(ElementsAre(8)));
  EXPECT_THAT(written_by("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
                         "cvta.to.global.u64 %rd5, %rd4;\nst.global.u32 [%rd5], %r1;"),
              Optional(ElementsAre(0, 16)));
  EXPECT_THAT(written_by("atom.global.add.u32 %r2, [%rd1], %r1;\nred.global.add.u32 [%rd2], 1;"),
              Optional(ElementsAre(0, 8)));
  EXPECT_THAT(written_by("setp.eq.s32 %p1, %r1, 0;\nselp.b64 %rd3, %rd1, %rd2, %p1;\n"
                         "st.u32 [%rd3], %r1;"),
              Optional(ElementsAre(0, 8, 16)));
  EXPECT_THAT(written_by("mov.u64 %rd3, %rd1;\n$again:\nst.global.u32 [%rd3], %r1;\n"
                         "add.s64 %rd3, %rd3, 4;\nsetp.ne.s64 %p1, %rd3, %rd2;\n@%p1 bra $again;"),
              Optional(ElementsAre(0)));
  EXPECT_THAT(written_by("ld.param.v2.u64 {%rd3, %rd4}, [a];\nst.global.u32 [%rd4], %r1;"),
              Optional(ElementsAre(0, 8)));
}

TEST(WrittenParameters, AreNoneIfOtherMemoryIsWritten) {
  EXPECT_THAT(written_by("st.shared.u32 [tile], %r1;\nst.global.u32 [variable], %r1;"),
              Optional(ElementsAre()));
  EXPECT_THAT(written_by("ld.global.f64 %fd1, [%rd1];\nst.global.f64 [%rd2], %fd1;"),
              Optional(ElementsAre(8)))
      << "a value may come from anywhere";
  EXPECT_THAT(written_by("ld.global.u32 %r2, [%rd1];\nmul.wide.u32 %rd3, %r2, 4;\n"
                         "add.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r1;"),
              Optional(ElementsAre(8)))
      << "an index from memory is no pointer";
}

TEST(WrittenParameters, AreUnknownIfAPointerMayComeFromElsewhere) {
  for (const char* body :
       {"ld.global.u64 %rd3, [%rd1];\nst.global.u32 [%rd3+4], %r1;",
        "atom.global.exch.b64 %rd3, [%rd1], %rd2;\nst.global.u32 [%rd3], %r1;",
        "ld.shared.u64 %rd3, [tile];\nadd.s64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], %r1;",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;",
        "ld.global.v2.f32 {%f1, %f2}, [%rd1];\nmov.b64 %rd3, {%f1, %f2};\nst.global.u32 [%rd3], 1;",
        "ld.global.u8 %rd3, [%rd1];\nld.global.u32 %rd4, [%rd1+1];\nshl.b64 %rd5, %rd4, 8;\n"
        "or.b64 %rd6, %rd5, %rd3;\nst.global.u32 [%rd6], 1;",
        "ld.shared.u32 %r2, [tile];\ncvt.u64.u32 %rd3, %r2;\nbfi.b64 %rd4, %rd3, %rd1, 32, 32;\n"
        "st.global.u32 [%rd4], 1;"}) {
    EXPECT_EQ(written_by(body), std::nullopt) << body;
  }
}

TEST(WrittenParameters, LeaveAnUnreadableInstructionToTheDecoder) {
  EXPECT_NO_THROW(written_by("ld.global.u32 %r2;"));
}

}  // namespace
}  // namespace simulator
