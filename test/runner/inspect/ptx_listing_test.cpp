// The listing of `ptx`, for code made here and for the rungs' own code.
#include "runner/inspect/ptx_listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using runner::machine::KernelCode;

const KernelCode CODE{.kernel = "k",
                      .lines = {{"helper.cuh", 3, "mov.u32 %r9, 1"},
                                {"k.cu", 7, "ld.global.f32 %f1, [%rd1]"},
                                {"k.cu", 7, "fma.rn.f32 %f3, %f1, %f2, %f3"},
                                {"k.cu", 5, "$L__BB0_2:"},
                                {"k.cu", 5, "mov.u32 %r1, 16"},
                                {"k.cu", 5, "mov.u32 %r1, 32"},
                                {"k.cu", 7, "ld.global.f32 %f12, [%rd1+4]"},
                                {"k.cu", 7, "ld.global.f32 %f2, [%rd13]"},
                                {"k.cu", 7, "@%p1 bra $L__BB0_2"},
                                {"k.cu", 7, "@%p2 bra $L__BB0_3"},
                                {"", 0, "ret"}}};

std::string source(const std::string& file, int line) {
  return file == "k.cu" ? "line " + std::to_string(line) + " of k" : "";
}

TEST(PtxListing, PutsCodeBelowItsLine) {
  EXPECT_EQ(runner::ptx_listing(CODE, source, {}),
            "k: 11 statements\n"
            "\n"
            "k.cu\n"
            "    5 | line 5 of k\n"
            "          $L__BB0_2:\n"
            "          mov.u32 %r1, 16\n"
            "          mov.u32 %r1, 32\n"
            "    7 | line 7 of k\n"
            "          ld.global.f32 %f1, [%rd1]   x 2\n"
            "          fma.rn.f32 %f3, %f1, %f2, %f3\n"
            "          ld.global.f32 %f12, [%rd1+4]\n"
            "          @%p1 bra $L__BB0_2\n"
            "          @%p2 bra $L__BB0_3\n"
            "\n"
            "helper.cuh\n"
            "    3 | \n"
            "          mov.u32 %r9, 1\n"
            "\n"
            "of no line\n"
            "          ret\n");
}

TEST(PtxListing, KeepsToThePage) {
  const auto words = [](const std::string&, int) { return "many short words in a row of its own"; };
  const std::string text = runner::ptx_listing(CODE, words, {.width = 30});
  size_t lines = 0;
  for (size_t begin = 0; begin < text.size(); ++lines) {
    const size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    if (line.find("word") != line.npos) {
      EXPECT_LE(line.size(), 30u) << line;
    }
    begin = end + 1;
  }
  EXPECT_GT(lines, 20u);
}

TEST(PtxListing, ReadsLinesOfFiles) {
  const runner::SourceText text = runner::source_files();
  const std::string self = "test/runner/inspect/ptx_listing_test.cpp";
  EXPECT_EQ(text(self, 1),
            "// The listing of `ptx`, for code made here and for the rungs' own code.");
  EXPECT_EQ(text(self, 0), "");
  EXPECT_EQ(text(self, 100000), "");
  EXPECT_EQ(text("/nowhere/k.cu", 1), "");
}

}  // namespace
