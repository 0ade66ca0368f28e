// Every variant of every lab: the right result, and its promise kept, at the lab's own sizes and at odd ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "labs/lab.hpp"
#include "runner/judge.hpp"
#include "runner/lab_trial.hpp"

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

// A size that is no multiple of anything: the ragged end of each array.
lab::Sizes odd_sizes(const lab::Lab& of) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  for (const lab::Parameter& p : of.parameters) {
    sizes.emplace_back(p.name, std::clamp(p.counted / 2 + 13, p.least, p.most));
  }
  return lab::Sizes(std::move(sizes));
}

class Labs : public testing::TestWithParam<Case> {
 protected:
  const lab::Variant& variant() const { return *GetParam().variant; }

  bool is_refused(const lab::Sizes& sizes) const {
    return variant().refuses != nullptr && variant().refuses(sizes) != nullptr;
  }
  results::Result run(const lab::Sizes& sizes) const {
    results::Result result;
    runner::LabTrial trial(variant(), sizes, runner::machine::GUARD);
    result.judged = trial.check(result.seen);
    return result;
  }
};

TEST_P(Labs, KeepsItsPromise) {
  const lab::Sizes sizes = lab::counted_sizes(*GetParam().of);
  if (is_refused(sizes)) return;
  const results::Result result = run(sizes);
  EXPECT_EQ(result.judged.complaint, "");
  EXPECT_TRUE(result.judged.correct) << result.judged.failure;
  ASSERT_FALSE(variant().claims.empty());
  for (const lab::Claim& claim : variant().claims) {
    EXPECT_TRUE(device::can_be_broken(claim)) << claim.counter << " " << claim.buffer;
    if (!result.seen.traffic) continue;  // a machine that does not count
    const results::CheckedClaim checked =
        runner::check_claim(claim, runner::counted(result, claim));
    EXPECT_TRUE(checked.kept) << claim.counter << " of '" << claim.buffer << "' "
                              << checked.relation << " " << claim.value << ": counted "
                              << checked.counted.value_or(-1);
  }
}

TEST_P(Labs, IsRightAtOddSizes) {
  for (const lab::Sizes& sizes : {odd_sizes(*GetParam().of)}) {
    if (is_refused(sizes)) continue;
    const results::Result result = run(sizes);
    EXPECT_EQ(result.judged.complaint, "") << result.judged.failure;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Labs, testing::ValuesIn(cases()), name_of);

}  // namespace
