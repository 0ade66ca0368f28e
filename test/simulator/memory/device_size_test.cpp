// The device's memory: its size by SIMULATOR_MEMORY, and the cost of allocations on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Runs sparse_memory, which prints "total MIB" and "peak MIB".
Outcome with_memory(const std::string& asked, int gibibytes_of_each) {
  return run("SIMULATOR_MEMORY=" + asked + " " SPARSE_MEMORY_PROGRAM " " +
             std::to_string(gibibytes_of_each));
}

unsigned long number_after(const std::string& word, const std::string& text) {
  const size_t at = text.find(word + " ");
  return at == text.npos ? 0 : std::stoul(text.substr(at + word.size() + 1));
}

TEST(DeviceSize, IsWhatIsAskedFor) {
  for (const auto& [asked, total] :
       {std::pair{"512M", 512}, {"2G", 2048}, {"536870912", 512}, {"1024K", 1}, {"512MiB", 512}}) {
    const Outcome outcome = with_memory(asked, 0);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, StartsWith("total " + std::to_string(total) + "\n")) << asked;
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST(DeviceSize, IsThreeQuartersOfTheMachinesOtherwise) {
  const std::string otherwise = with_memory("", 0).out;
  EXPECT_GT(number_after("total", otherwise), 0u);
  for (const std::string asked : {"much", "8Q", "-1", "0", "8G8", "1e9", "99999999999999999999"}) {
    const Outcome outcome = with_memory(asked, 0);
    EXPECT_EQ(number_after("total", outcome.out), number_after("total", otherwise));
    EXPECT_EQ(outcome.err,
              "simulated GPU: SIMULATOR_MEMORY is '" + asked +
                  "'; it must be a number of bytes such as 8G or 512M, and is ignored\n");
  }
}

TEST(DeviceSize, IsAtMostAnH200s) {
  const Outcome outcome = with_memory("1T", 0);
  EXPECT_THAT(outcome.out, StartsWith("total 143771\n"));
  EXPECT_THAT(outcome.err,
              HasSubstr("SIMULATOR_MEMORY is '1T'; the device has 143771M, as an H200\n"));
}

TEST(DeviceSize, MayBeMoreThanThereIsAndSaysSo) {
  const Outcome small = with_memory("100M", 0);
  EXPECT_THAT(small.err, IsEmpty());
  const unsigned long machine = number_after("total", with_memory("", 0).out) / 3 * 4;
  if (machine >= 130'000) GTEST_SKIP() << "this machine has as much as the largest device";
  const Outcome outcome = with_memory("130000M", 0);
  EXPECT_THAT(outcome.out, StartsWith("total 130000\n"));
  EXPECT_THAT(outcome.err, HasSubstr("so not all of it can be touched"));
}

TEST(DeviceSize, IsTheMostThatCanBeAllocated) {
  EXPECT_EQ(with_memory("3G", 1).exit_code, 0);
  const Outcome outcome = with_memory("2G", 1);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("out of memory"));
}

// 126 GiB in all. One MiB of each GiB is filled, and at most three more pages are touched.
TEST(DeviceSize, SparseAllocationsCostOnlyWhatIsTouched) {
  const Outcome outcome = with_memory("128G", 42);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GT(number_after("peak", outcome.out), 0u);
  EXPECT_LT(number_after("peak", outcome.out), 400u);
}

}  // namespace
}  // namespace simulator::test
