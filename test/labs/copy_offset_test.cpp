// Lab copy_offset: the offsets that each variant accepts, and the truth of the variants' claims.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "labs/lab.hpp"
#include "results/values/metrics.hpp"
#include "run_variant.hpp"

namespace {

const lab::Lab& copy_offset() {
  for (const lab::Lab* one : lab::all()) {
    if (std::string_view(one->name) == "copy_offset") return *one;
  }
  throw std::logic_error("there is no lab copy_offset");
}

const lab::Variant& variant(std::string_view name) {
  for (const lab::Variant& one : copy_offset().variants) {
    if (one.name == name) return one;
  }
  throw std::logic_error("lab copy_offset has no variant " + std::string(name));
}

class CopyOffset : public testing::Test {
 protected:
  void TearDown() override { cudaDeviceReset(); }  // after a fault no later test could run
};

TEST_F(CopyOffset, OnlyAFloat4OffItsSixteenBytesIsRefusedAndTheReasonIsSaid) {
  const lab::Sizes sizes = lab::counted_sizes(copy_offset());
  for (const lab::Variant& one : copy_offset().variants) {
    EXPECT_EQ(is_refused(one, sizes), std::string_view(one.name) == "float4+1") << one.name;
  }
  ASSERT_TRUE(is_refused(variant("float4+1"), sizes));
  EXPECT_THAT(variant("float4+1").refuses(sizes), testing::HasSubstr("multiple of 16 bytes"));
}

// The refusal is needed: without it the kernel faults.
TEST_F(CopyOffset, WhatIsRefusedWouldFault) {
  const results::Result result =
      run_variant(variant("float4+1"), lab::counted_sizes(copy_offset()));
  EXPECT_FALSE(result.judged.correct);
  EXPECT_EQ(result.judged.error, "cudaErrorMisalignedAddress");
}

TEST_F(CopyOffset, ThePathThatIsNamedIsTheOneThatRan) {
  const std::map<std::string, double> bytes_per_lane{{"scalar", 4}, {"float4", 16}};
  const lab::Sizes sizes = lab::counted_sizes(copy_offset());
  std::map<std::string, std::string> paths;
  for (const lab::Variant& one : copy_offset().variants) {
    if (one.path == nullptr) continue;
    paths[one.name] = one.path(sizes);
    const results::Result result = run_variant(one, sizes);
    EXPECT_EQ(result.judged.complaint, "");
    if (!result.seen.traffic) continue;  // a machine that does not count
    EXPECT_EQ(results::value(result, "load_bytes_per_lane", "in"),
              bytes_per_lane.at(one.path(sizes)))
        << one.name;
  }
  EXPECT_EQ(paths,
            (std::map<std::string, std::string>{{"either+1", "scalar"}, {"either+4", "float4"}}));
}

}  // namespace
