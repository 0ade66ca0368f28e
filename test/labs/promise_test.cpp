// Every variant of every lab gives the right result and keeps its promise, at the lab's own sizes and at odd ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "labs/lab.hpp"
#include "promise/can_be_broken.hpp"
#include "run_variant.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/trial/judge.hpp"

namespace {

struct Case {
  const lab::Lab* of;
  const lab::Variant* variant;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const lab::Lab* one : lab::all()) {
    for (const lab::Variant& variant : one->variants) all.push_back({one, &variant});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = fmt::format("{}_{}", info.param.of->name, info.param.variant->name);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// Returns the least sizes that the promise covers.
lab::Sizes least_whole_sizes(const lab::Lab& of) {
  return chosen_sizes(of, [](const lab::Parameter& p) {
    return std::max<int64_t>(1, lab::ceil_div(p.least, p.whole)) * p.whole;
  });
}

lab::Sizes least_sizes(const lab::Lab& of) {
  return chosen_sizes(of, [](const lab::Parameter& p) { return p.least; });
}

class Labs : public testing::TestWithParam<Case> {
 protected:
  const lab::Variant& variant() const { return *GetParam().variant; }
};

TEST_P(Labs, KeepsItsPromise) {
  ASSERT_FALSE(variant().claims.empty());
  for (const lab::Claim& claim : variant().claims) {
    EXPECT_TRUE(device::can_be_broken(claim)) << claim.counter << " " << claim.buffer;
  }
  for (const lab::Sizes& sizes :
       {lab::counted_sizes(*GetParam().of), least_whole_sizes(*GetParam().of)}) {
    if (is_refused(variant(), sizes)) continue;
    const results::Result result = run_variant(variant(), sizes);
    EXPECT_EQ(result.judged.complaint, "");
    EXPECT_TRUE(result.judged.correct) << result.judged.failure;
    if (!result.seen.traffic) continue;  // a machine that does not count
    for (const lab::Claim& claim : variant().claims) {
      const results::CheckedClaim checked =
          runner::check_claim(claim, runner::counted(result, claim));
      EXPECT_TRUE(checked.kept) << claim.counter << " of '" << claim.buffer << "' "
                                << checked.relation << " " << claim.value << ": counted "
                                << checked.counted.value_or(-1) << " where "
                                << sizes.all().front().first << " is "
                                << sizes.all().front().second;
    }
  }
}

TEST_P(Labs, IsRightAtOddSizes) {
  for (const lab::Sizes& sizes : {runner::odd_sizes(*GetParam().of), least_sizes(*GetParam().of)}) {
    if (is_refused(variant(), sizes)) continue;
    const results::Result result = run_variant(variant(), sizes);
    EXPECT_EQ(result.judged.complaint, "") << result.judged.failure;
  }
}

// Lengths around each power of two, up to several blocks' work: there vectors, warps, chunks and blocks end.
TEST_P(Labs, TakesAnyLengthOfOneArray) {
  const lab::Lab& of = *GetParam().of;
  if (of.parameters.size() != 1) return;  // two parameters have no single end
  // (Nor more than is usually counted. That is less if the work grows with a length's cube.)
  const int64_t most = std::min<int64_t>(1 << 14, of.parameters.front().counted);
  for (int64_t power = 1; power <= most; power *= 2) {
    for (const int64_t size : {power - 1, power, power + 1, power + 3}) {
      const lab::Sizes sizes = chosen_sizes(
          of, [&](const lab::Parameter& p) { return std::clamp(size, p.least, p.most); });
      if (is_refused(variant(), sizes)) continue;
      const results::Result result = run_variant(variant(), sizes);
      ASSERT_EQ(result.judged.complaint, "") << "length " << size << result.judged.failure;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Labs, testing::ValuesIn(cases()), name_of);

}  // namespace
