#include "runner/choose/select_workloads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.hpp"

namespace {

using runner::Workload;
using runner::WorkloadWords;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Returns "2 coalesced at 256x256x256", ...
std::vector<std::string> selected(const WorkloadWords& words) {
  std::vector<std::string> texts;
  for (const Workload& one : runner::select_workloads(words))
    texts.push_back(one.name + " at " + one.size);
  return texts;
}

std::string refusal(const WorkloadWords& words) {
  try {
    runner::select_workloads(words);
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    return error.what();
  }
  return "nothing was refused";
}

TEST(SelectWorkloads, TakesRungsAndVariantsInTheirOrder) {
  EXPECT_THAT(selected({.names = {"copy_stride/8,2", "NAIVE"}}),
              ElementsAre("copy_stride/8 at elements=16384", "2 coalesced at 256x256x256",
                          "1 naive at 256x256x256"));
  EXPECT_THAT(selected({.names = {"Copy_Stride/8"}}),
              ElementsAre("copy_stride/8 at elements=16384"));
}

TEST(SelectWorkloads, TakesEachOnceUnlessTheyAreToBeCompared) {
  EXPECT_EQ(selected({.names = {"2", "coalesced", "copy_stride/8", "copy_stride/8"}}).size(), 2u);
  EXPECT_EQ(selected({.names = {"2", "coalesced"}, .with_repeats = true}).size(), 2u);
}

TEST(SelectWorkloads, GivesEachItsSizes) {
  EXPECT_THAT(selected({.names = {"2", "copy_stride/8"},
                        .sizes = {"64,2x3x4"},
                        .parameters = {{"elements", "77"}}}),
              ElementsAre("2 coalesced at 64x64x64", "2 coalesced at 2x3x4",
                          "copy_stride/8 at elements=77"));
}

TEST(SelectWorkloads, TakesAFileAsItIsUntilItIsLoaded) {
  const std::vector<Workload> workloads =
      runner::select_workloads({.names = {"2"}, .kernel_files = {"mine.cu", "mine.cu"}});
  ASSERT_EQ(workloads.size(), 2u);
  EXPECT_EQ(workloads[1].kernel_file, "mine.cu");
  EXPECT_FALSE(workloads[1].lay_out) << "nothing is known of it yet";
  EXPECT_EQ(workloads[1].size, "256x256x256");
}

TEST(SelectWorkloads, AsksWhetherANearNameWasMeant) {
  EXPECT_THAT(refusal({.names = {"naiev"}}), HasSubstr("did you mean 'naive'?"));
  EXPECT_THAT(refusal({.names = {"copy_strid"}}), HasSubstr("did you mean 'copy_stride'?"));
  EXPECT_THAT(refusal({.names = {"copy_width/flaot"}}), HasSubstr("did you mean 'float'?"));
  EXPECT_THAT(refusal({.names = {"1,,2"}}), HasSubstr("a kernel's name is empty"));
  EXPECT_THAT(refusal({.names = {"0-2"}}), HasSubstr("is the reference"));
  EXPECT_THAT(refusal({}), HasSubstr("name a kernel or a lab"));
}

TEST(SelectWorkloads, RefusesSizesOfWhatIsNotNamed) {
  EXPECT_THAT(refusal({.names = {"2"}, .parameters = {{"elements", "5"}}}),
              HasSubstr("--elements is a size of labs, and no lab is named"));
  EXPECT_THAT(refusal({.names = {"copy_stride"}, .sizes = {"64"}}),
              HasSubstr("--size is a kernel's"));
  const std::string twice =
      refusal({.names = {"copy_stride/1", "copy_stride/8"}, .parameters = {{"rows", "5"}}});
  EXPECT_THAT(twice, testing::EndsWith("these kernels: copy_stride has --elements"))
      << "each lab's are told once";
  EXPECT_THAT(refusal({.names = {"2"}, .sizes = {"0"}}), HasSubstr("is an empty product"));
}

// If some variants of a lab refuse a size, the others remain. A refusing variant that is named alone is an error with its reason.
TEST(SelectWorkloads, PassesOverVariantsThatRefuseASize) {
  size_t refusing = 0;
  for (const lab::Lab* one : lab::all()) {
    const lab::Sizes odd = runner::odd_sizes(*one);
    runner::SizeWords sizes;
    for (const auto& [name, size] : odd.all()) sizes.emplace_back(name, std::to_string(size));
    size_t left = 0;
    for (const lab::Variant& variant : one->variants) {
      const std::string name = std::string(one->name) + "/" + variant.name;
      const char* why = lab::refusal(variant, odd);
      if (why == nullptr) {
        ++left;
        continue;
      }
      ++refusing;
      EXPECT_THAT(refusal({.names = {name}, .parameters = sizes}),
                  AllOf(HasSubstr(name + " refuses these sizes"), HasSubstr(why)));
    }
    if (left > 0) {
      EXPECT_EQ(selected({.names = {one->name}, .parameters = sizes}).size(), left) << one->name;
    }
  }
  EXPECT_GT(refusing, 0u) << "or this shows nothing";
}

TEST(SelectWorkloads, LeaveARiddleToThoseWhoAskForIt) {
  const auto is_refused = [](const char* name) {
    try {
      runner::refuse_riddles(runner::select_workloads({.names = {name}}), "show");
      return false;
    } catch (const runner::Error& error) {
      EXPECT_EQ(error.code(), runner::ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr("--reveal"));
      return true;
    }
  };
  for (const lab::Lab* one : lab::all()) EXPECT_EQ(is_refused(one->name), one->is_riddle);
  EXPECT_FALSE(is_refused("2"));
}

}  // namespace
