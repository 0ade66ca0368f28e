// What a person reads: a fault's text and the table of counters.
#include "simulator/runtime/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "simulator/fault.hpp"

namespace simulator {
namespace {

TEST(FaultText, NamesKernelLineThreadAndAddress) {
  const Fault fault{.kind = FaultKind::out_of_bounds,
                    .kernel = "scale",
                    .where = {"dir/scale.cu", 12},
                    .instruction = "st.global.f32 [%rd1], %f1",
                    .block = {3, 2, 1},
                    .thread = {31, 0, 0},
                    .address = 0x1000,
                    .detail = "4 bytes past the end of A"};
  const std::string text = fault.text();
  for (const char* const part :
       {"out of bounds", "scale", "dir/scale.cu:12", "(31, 0, 0)", "(3, 2, 1)",
        "st.global.f32 [%rd1], %f1", "0x1000", "4 bytes past the end of A"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  }
  EXPECT_EQ(text.back(), '\n');
}

TEST(FaultText, LeavesOutWhatIsNotKnown) {
  Fault fault;
  fault.kind = FaultKind::interrupted;
  fault.kernel = "scale";
  EXPECT_EQ(fault.text(), "simulated GPU: interrupted in scale\n");
}

Counters example() {
  Counters c;
  c.launches = 1;
  c.blocks = 64;
  c.warp_instructions = 1'234'567;
  c.lane_instructions = 1'234'567ull * 32;
  AccessCounters load;
  load.kernel = "naive_kernel";
  load.where = {"src/kernels/01_naive.cu", 29};
  load.instruction = "ld.global.f32";
  load.access = Access::global_load;
  load.buffer = "A";
  load.bytes_per_lane = 4;
  load.requests = 1000;
  load.sectors = 32000;
  load.bytes_used = 128000;
  AccessCounters store = load;
  store.access = Access::shared_store;
  store.buffer = "shared";
  store.wavefronts = 4000;
  store.bank_conflicts = 3000;
  c.accesses = {load, store};
  return c;
}

TEST(Report, GivesSectorsForGlobalAndWavefrontsForSharedMemory) {
  const std::string text = runtime::report(example(), 80);
  std::istringstream lines(text);
  std::string global;
  std::string shared;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
    if (line.starts_with("   29 A")) global = line;
    if (line.starts_with("   29 shared")) shared = line;
  }
  EXPECT_NE(text.find("naive_kernel in 01_naive.cu"), std::string::npos);
  EXPECT_NE(text.find("1.23 M warp instructions"), std::string::npos);
  EXPECT_NE(global.find("32.0"), std::string::npos) << global;
  EXPECT_NE(global.find("12.5 %"), std::string::npos) << global;
  EXPECT_TRUE(shared.ends_with("4000    3000")) << "wavefronts, then bank conflicts: " << shared;
  EXPECT_EQ(shared.find("32.0"), std::string::npos) << "shared memory has no sectors: " << shared;
}

TEST(Report, AddsUpTheInstructionsOfOneLine) {
  Counters c = example();
  AccessCounters again = c.accesses[0];
  again.instruction = "ld.global.nc.f32";
  again.requests = 500;
  again.sectors = 2000;
  c.accesses.push_back(again);
  const std::string text = runtime::report(c, 80);
  EXPECT_NE(text.find("1500     22.7"), std::string::npos) << text;
}

TEST(Report, CutsLongNamesToTheTerminal) {
  Counters c = example();
  c.accesses[0].buffer = std::string(200, 'x') + "end";
  std::istringstream lines(runtime::report(c, 80));
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("end ") == std::string::npos) continue;
    found = true;
    EXPECT_LE(line.size(), 80u) << line;
  }
  EXPECT_TRUE(found) << "the end of a long name is what tells it apart";
}

TEST(Report, SaysSoWhenNothingWasCounted) {
  EXPECT_NE(runtime::report(Counters{}, 80).find("no kernel read or wrote memory"),
            std::string::npos);
}

}  // namespace
}  // namespace simulator
