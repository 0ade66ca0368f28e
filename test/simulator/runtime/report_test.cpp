// The texts about a run: a fault's message, the report for people and the report for programs.
#include "simulator/runtime/exit/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "simulator/count/counter_store.hpp"
#include "simulator/fault.hpp"

namespace simulator {
namespace {

// Returns a fault of a thread, on a line.
Fault fault_of(FaultKind kind, FaultAction action, uint32_t bytes) {
  return {.kind = kind,
          .kernel = "scale",
          .where = {"dir/scale.cu", 12},
          .instruction = "st.global.f32 [%rd1], %f1",
          .block = {3, 2, 1},
          .thread = {31, 0, 0},
          .address = 0x1000,
          .place = {.distance = 4, .base = 0xfc0, .bytes = 64, .allocation = "A"},
          .action = action,
          .bytes = bytes,
          .alignment = bytes,
          .host = {.in_use = uint64_t{39} << 20}};
}

TEST(FaultText, SaysInThreeLinesWhatHappenedWhereAndWhatToTry) {
  const Fault fault = fault_of(FaultKind::out_of_bounds, FaultAction::writes, 4);
  EXPECT_EQ(fault.text(),
            "simulated GPU: scale writes out of bounds: 4 bytes past the end of A (64 bytes at "
            "0xfc0)\n"
            "  at dir/scale.cu:12 in scale: thread (31, 0, 0) of block (3, 2, 1), address 0x1000\n"
            "  try: a guard like `if (i < n)` around line 12; or more memory: cudaMalloc takes "
            "bytes, n * sizeof(float), not elements\n");
}

TEST(FaultText, EveryKindHasItsOwnAdvice) {
  std::set<std::string> advice;
  const FaultKind kinds[] = {FaultKind::out_of_bounds,        FaultKind::use_after_free,
                             FaultKind::misaligned,           FaultKind::unknown_instruction,
                             FaultKind::barrier_divergence,   FaultKind::trap,
                             FaultKind::failed_assert,        FaultKind::endless_wait,
                             FaultKind::stack_overflow,       FaultKind::no_function,
                             FaultKind::incomplete_warp,      FaultKind::bad_tensor_copy,
                             FaultKind::misused_mbarrier,     FaultKind::timed_out,
                             FaultKind::host_memory,          FaultKind::bad_texture,
                             FaultKind::no_cooperative_launch};
  for (const FaultKind kind : kinds) {
    const Message message = fault_of(kind, FaultAction::reads, 16).message();
    EXPECT_TRUE(advice.insert(message.advice).second) << message.text();
    EXPECT_NE(message.advice, "") << message.text();
    EXPECT_NE(message.what.find("scale"), std::string::npos) << message.text();
    EXPECT_TRUE(message.where.starts_with("dir/scale.cu:12 in scale")) << message.text();
    for (const std::string& line : {message.what, message.where, message.advice}) {
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      EXPECT_LE(line.size(), 160u) << line;
    }
  }
}

TEST(FaultText, EveryReasonNotToExecuteAnInstructionHasItsOwnAdvice) {
  std::set<std::string> advice;
  for (const Obstacle obstacle :
       {Obstacle::outside_subset, Obstacle::bad_register_count, Obstacle::raising_decrease,
        Obstacle::newer_device, Obstacle::features_of_90a, Obstacle::interleave}) {
    Fault fault = fault_of(FaultKind::unknown_instruction, FaultAction::accesses, 4);
    fault.obstacle = obstacle;
    fault.target = "sm_90";
    const Message message = fault.message();
    EXPECT_TRUE(advice.insert(message.advice).second) << message.text();
    for (const std::string& line : {message.what, message.where, message.advice}) {
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      EXPECT_LE(line.size(), 160u) << line;
    }
  }
}

TEST(FaultText, TheAdviceForAnAddressDependsOnWhatItPointsTo) {
  Fault fault = fault_of(FaultKind::out_of_bounds, FaultAction::reads, 4);
  const auto advice = [&](AddressKind kind) {
    fault.place.kind = kind;
    return fault.message().advice;
  };
  EXPECT_NE(advice(AddressKind::host)
                .find("cudaMalloc and cudaMemcpy if this is a pointer to host memory"),
            std::string::npos);
  EXPECT_NE(advice(AddressKind::before).find("at 0 or above in line 12"), std::string::npos);
  EXPECT_NE(advice(AddressKind::null).find("a pointer from cudaMalloc"), std::string::npos);
  EXPECT_NE(advice(AddressKind::shared).find("__shared__ array"), std::string::npos);
  EXPECT_NE(advice(AddressKind::local).find("within the array in line 12"), std::string::npos);
  fault.place.kind = AddressKind::shared;
  EXPECT_NE(fault.message().where.find("byte 4096 of shared memory"), std::string::npos);
}

// An address in shared memory has 32 bits, and an address before shared memory wraps.
TEST(FaultText, AnAddressBeforeSharedMemoryIsToldAsOne) {
  Fault fault = fault_of(FaultKind::out_of_bounds, FaultAction::copies, 4);
  fault.place.kind = AddressKind::before_shared;
  fault.address = 4294963072;
  EXPECT_NE(fault.message().what.find("4224 bytes before the block's shared memory"),
            std::string::npos);
  EXPECT_NE(fault.message().where.find("byte -4224 of shared memory"), std::string::npos);
  EXPECT_NE(fault.message().advice.find("at 0 or above in line 12"), std::string::npos);
}

TEST(FaultText, TheAdviceForAVectorIsInItsElements) {
  const auto advice = [](uint32_t bytes) {
    return fault_of(FaultKind::misaligned, FaultAction::reads, bytes).message().advice;
  };
  EXPECT_NE(advice(16).find("for float4, start at a multiple of 4"), std::string::npos);
  EXPECT_NE(advice(8).find("for float2, start at a multiple of 2"), std::string::npos);
  EXPECT_EQ(advice(4), "an address that is a multiple of the type's size");
}

TEST(FaultText, CodeWithoutLinesIsNamedByItsInstruction) {
  Fault fault = fault_of(FaultKind::out_of_bounds, FaultAction::writes, 4);
  fault.where = {};
  EXPECT_EQ(fault.message().where,
            "`st.global.f32 [%rd1], %f1` in scale (compiled without lines): thread (31, 0, 0) of "
            "block (3, 2, 1), address 0x1000");
  EXPECT_EQ(fault.message().advice.find("line"), std::string::npos) << fault.text();
}

TEST(FaultText, LeavesOutWhatIsNotKnown) {
  Fault fault;
  fault.kind = FaultKind::interrupted;
  fault.kernel = "scale";
  EXPECT_EQ(fault.text(), "simulated GPU: scale was interrupted\n");
}

AccessCounters access(Access access, const char* buffer, int line) {
  AccessCounters row;
  row.kernel = "naive_kernel";
  row.where = {"src/kernels/01_naive.cu", line};
  row.instruction = "ld.global.f32";
  row.access = access;
  row.buffer = buffer;
  row.bytes_per_lane = 4;
  row.requests = 1000;
  row.lanes = 32000;
  row.bytes_asked = 128000;
  row.bytes_used = 128000;
  return row;
}

LaunchCounters example() {
  AccessCounters load = access(Access::global_load, "A", 29);
  load.sectors = 32000;
  load.lines = 8000;
  AccessCounters store = access(Access::shared_store, "shared", 29);
  store.wavefronts = 4000;
  store.bank_conflicts = 3000;
  LaunchCounters launch;
  launch.kernel = "naive_kernel";
  launch.grid = {64, 2, 1};
  launch.block = {32, 8, 1};
  launch.registers_per_thread = 40;
  launch.shared_bytes = 4096;
  launch.blocks_per_multiprocessor = 6;
  launch.first = 1;
  launch.times = 1;
  launch.counters.launches = 1;
  launch.counters.blocks = 128;
  launch.counters.warp_instructions = 1'234'567;
  launch.counters.lane_instructions = 1'234'567ull * 32;
  launch.counters.accesses = {load, store};
  return launch;
}

Counters total(const std::vector<LaunchCounters>& launches) {
  Tally sum;
  for (const LaunchCounters& launch : launches) {
    for (uint64_t i = 0; i < launch.times; ++i) sum.add(launch.counters);
  }
  return sum.counters();
}

std::string report(const std::vector<LaunchCounters>& launches, int columns) {
  return runtime::report(total(launches), launches, columns);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns the first line of `text` with this beginning.
std::string line_with(const std::string& text, const std::string& beginning) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(beginning)) return line;
  }
  ADD_FAILURE() << "no line begins with '" << beginning << "' in\n" << text;
  return "";
}

TEST(Report, GivesSectorsAndLinesForGlobalAndWavefrontsForSharedMemory) {
  const std::string text = report({example()}, 80);
  EXPECT_NE(text.find("1.23 M warp instructions"), std::string::npos);
  EXPECT_EQ(line_with(text, "  29 A"),
            "  29 A      global load      4     1000    32.0   8.0 12.5 %");
  EXPECT_EQ(line_with(text, "  29 shared"),
            "  29 shared shared store     4     1000                        4000   3000")
      << "shared memory has no sectors";
}

TEST(Report, SaysWhatALaunchWasLike) {
  const std::string text = report({example()}, 80);
  EXPECT_NE(text.find("\nnaive_kernel in 01_naive.cu, launch 1\ngrid 64 x 2, block 32 x 8; "
                      "40 registers, 4096 bytes shared, 6 blocks an SM\n"),
            std::string::npos)
      << text;
}

TEST(Report, GivesAlikeLaunchesTheFiguresOfOne) {
  LaunchCounters twelve = example();
  twelve.first = 3;
  twelve.times = 12;
  const std::string text = report({twelve}, 80);
  EXPECT_NE(text.find("naive_kernel in 01_naive.cu, launch 3 (x 12)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("12 launches, 1536 blocks"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "  29 A").find(" 1000 "), std::string::npos) << "requests";
}

TEST(Report, NamesTheFilesOfAKernelThatHasSeveral) {
  LaunchCounters launch = example();
  launch.counters.accesses[1].where.file = "src/kernels/tile.cuh";
  const std::string text = report({launch}, 80);
  EXPECT_NE(text.find("\nnaive_kernel, launch 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nin 01_naive.cu\n  29 A"), std::string::npos) << text;
  EXPECT_NE(text.find("\nin tile.cuh\n  29 shared"), std::string::npos) << text;
}

TEST(Report, AddsUpTheInstructionsOfOneLine) {
  LaunchCounters launch = example();
  AccessCounters again = launch.counters.accesses[0];
  again.instruction = "ld.global.nc.f32";
  again.requests = 500;
  again.sectors = 2000;
  again.lines = 400;
  launch.counters.accesses.push_back(again);
  EXPECT_NE(line_with(report({launch}, 80), "  29 A").find("1500    22.7   5.6"),
            std::string::npos);
}

// Returns launches with everything that is long or needs much room.
std::vector<LaunchCounters> long_launches() {
  std::vector<LaunchCounters> launches;
  for (int i = 0; i < 100; ++i) {
    LaunchCounters launch = example();
    launch.kernel = "reduce<" + std::string(150, 'x') + ", 4>";
    launch.grid = {2147483647, 65535, 65535};
    launch.block = {1024, 1024, 64};
    launch.registers_per_thread = 255;
    launch.shared_bytes = 232448;
    launch.first = 1'000'000 + static_cast<uint64_t>(i);
    launch.times = 100'000;
    auto& accesses = launch.counters.accesses;
    accesses[0].buffer = std::string(200, 'x') + "end";
    accesses[0].where.line = 123456;
    accesses[0].requests = 123'456'789;
    accesses[1].wavefronts = 123'456'789;
    accesses.push_back(access(Access::async_copy_shared, "buffer 1234", 7));
    if (i % 2 == 0) accesses[0].where.file = std::string(300, 'f') + ".cu";
    launches.push_back(launch);
  }
  return launches;
}

TEST(Report, FitsTheTerminal) {
  const std::vector<LaunchCounters> launches = long_launches();
  Counters program;
  program.launches = 10'000'000;
  program.repeats = 9'999'998;
  program.warp_instructions = 1;
  for (const int columns : {60, 80, 120}) {
    const std::string text = runtime::report(program, launches, columns);
    for (const std::string& line : lines_of(text)) {
      EXPECT_LE(line.size(), static_cast<size_t>(columns)) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
      for (const char c : line) ASSERT_TRUE(c >= ' ' && c <= '~') << line;
    }
    EXPECT_NE(text.find("end global load"), std::string::npos)
        << "the end of a long name is what tells it apart\n"
        << text;
    EXPECT_NE(text.find(", 4>"), std::string::npos) << "a template's arguments\n" << text;
    EXPECT_NE(text.find("\nreduce<"), std::string::npos) << text;
  }
}

TEST(Report, SaysHowManyLaunchesTookTheResultsOfAnEarlierOne) {
  Counters program = example().counters;
  program.launches = 5;
  EXPECT_EQ(runtime::report(program, {example()}, 80).find("took its results"), std::string::npos);
  program.repeats = 1;
  EXPECT_NE(runtime::report(program, {example()}, 80).find("\n1 launch had the arguments"),
            std::string::npos);
  program.repeats = 3;
  EXPECT_NE(runtime::report(program, {example()}, 80)
                .find("\n3 launches had the arguments and the memory of an earlier one"),
            std::string::npos);
}

TEST(Report, DropsTheLeastImportantColumnsWhereItIsNarrow) {
  const std::string wide = report({example()}, 80);
  const std::string narrow = report({example()}, 60);
  for (const char* const heading : {"/lane", "requests"}) {
    EXPECT_NE(wide.find(heading), std::string::npos) << heading;
    EXPECT_EQ(narrow.find(heading), std::string::npos) << heading;
  }
  EXPECT_EQ(line_with(narrow, "  29 A"), "  29 A      global load     32.0   8.0 12.5 %");
  EXPECT_EQ(line_with(narrow, "  29 shared"),
            "  29 shared shared store                        4000   3000");
}

TEST(Report, ShowsTheFirstOfManyUnlikeLaunches) {
  std::vector<LaunchCounters> launches;
  for (uint64_t i = 1; i <= 200; ++i) {
    launches.push_back(example());
    launches.back().first = i;
  }
  const std::string text = report(launches, 80);
  EXPECT_NE(text.find(", launch 40\n"), std::string::npos);
  EXPECT_EQ(text.find(", launch 41\n"), std::string::npos);
  EXPECT_NE(text.find("\n160 further launches, unlike those above; SIMULATOR_REPORT=FILE.json "
                      "lists all\nof them\n"),
            std::string::npos)
      << text;

  Counters program = total(launches);
  program.launches += 1000;  // launches that are counted, but too many to be kept
  EXPECT_NE(runtime::report(program, launches, 120)
                .find("\n1160 further launches, unlike those above; SIMULATOR_REPORT=FILE.json "
                      "lists 160 of them\n"),
            std::string::npos);
}

TEST(Report, SaysSoWhenNothingWasCounted) {
  EXPECT_NE(report({}, 80).find("no kernel ran"), std::string::npos);
  LaunchCounters launch = example();
  launch.counters.accesses.clear();
  EXPECT_NE(report({launch}, 80).find("no access to memory was counted"), std::string::npos);
}

TEST(JsonReport, HasTheExactFiguresOfEachLaunch) {
  LaunchCounters launch = example();
  launch.first = 5;
  launch.times = 12;
  launch.counters.warp_instructions = (uint64_t{1} << 53) + 1;  // no double holds it
  launch.counters.ffma = 17;
  launch.counters.flops = 34;
  launch.counters.barriers = 9;
  launch.counters.instructions = {{"ffma", 3, 96}};
  launch.counters.tensor_flops = 8192;
  launch.counters.tensor = {
      {"naive_kernel", {"mma.cu", 7}, "mma.sync", "f16", "f32", 16, 8, 16, 2, 8192}};
  launch.counters.accesses.pop_back();
  Counters program;
  program.launches = 12;
  program.repeats = 10;
  program.warp_instructions = 4;
  program.lane_instructions = 5;
  program.ffma = 6;
  program.flops = 7;
  program.barriers = 8;
  program.blocks = 9;
  nlohmann::json found = nlohmann::json::parse(runtime::json_report(program, {launch}));
  EXPECT_TRUE(found["simulator"].is_string());
  found.erase("simulator");
  EXPECT_EQ(found, nlohmann::json::parse(R"({
    "schema": 1,
    "launches": [{
      "kernel": "naive_kernel", "first_launch": 5, "times": 12,
      "grid": [64, 2, 1], "block": [32, 8, 1],
      "registers_per_thread": 40, "shared_bytes": 4096, "blocks_per_multiprocessor": 6,
      "counters": {"warp_instructions": 9007199254740993, "lane_instructions": 39506144,
                   "ffma": 17, "flops": 34, "tensor_flops": 8192, "barriers": 9, "blocks": 128},
      "instructions": [{"kind": "ffma", "warps": 3, "lanes": 96}],
      "tensor": [{"file": "mma.cu", "line": 7, "instruction": "mma.sync", "format": "f16", "sum": "f32",
                  "warps": 2, "flops": 8192}],
      "accesses": [{"file": "src/kernels/01_naive.cu", "line": 29, "instruction": "ld.global.f32",
                    "access": "global load", "buffer": "A", "bytes_per_lane": 4, "requests": 1000,
                    "lanes": 32000, "bytes_asked": 128000, "bytes_used": 128000, "sectors": 32000,
                    "lines": 8000, "wavefronts": 0, "bank_conflicts": 0}]
    }],
    "totals": {"launches": 12, "repeats": 10, "warp_instructions": 4, "lane_instructions": 5, "ffma": 6,
               "flops": 7, "tensor_flops": 0, "barriers": 8, "blocks": 9}
  })"));
}

TEST(JsonReport, HoldsNamesThatNeedEscaping) {
  LaunchCounters launch = example();
  launch.kernel = "k<\"a\\b\">";
  launch.counters.accesses[0].where.file = "no UTF-8: \xff";
  const nlohmann::json found =
      nlohmann::json::parse(runtime::json_report(launch.counters, {launch}))["launches"][0];
  EXPECT_EQ(found["kernel"], "k<\"a\\b\">");
  EXPECT_EQ(found["accesses"][0]["file"], "no UTF-8: \xef\xbf\xbd");
}

TEST(LaunchCounters, CountAlikeLaunchesAndKeepUnlikeOnesApart) {
  CounterStore store;
  LaunchCounters launch = example();
  const auto add_all = [&] {
    for (int i = 0; i < 12; ++i) {
      launch.counters.seconds = i;  // no two launches take the same time
      store.add(launch);
    }
  };
  add_all();
  launch.counters.accesses[0].lines += 1;
  store.add(launch);
  store.reset();  // launches before a reset stay in the list
  launch.counters.accesses[0].lines -= 1;
  add_all();

  const std::vector<LaunchCounters> kept = store.launches();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].first, 1u);
  EXPECT_EQ(kept[0].times, 24u);
  EXPECT_EQ(kept[0].counters.warp_instructions, launch.counters.warp_instructions);
  EXPECT_EQ(kept[0].counters.accesses, launch.counters.accesses);
  EXPECT_EQ(kept[1].first, 13u);
  EXPECT_EQ(kept[1].times, 1u);
  EXPECT_EQ(store.since_reset().launches, 12u);
  EXPECT_EQ(store.since_start().launches, 25u);
  EXPECT_EQ(store.since_start().accesses[0].requests, 25000u);
}

TEST(LaunchCounters, KeepAThousandUnlikeLaunchesOfAKernel) {
  CounterStore store;
  LaunchCounters launch = example();
  for (uint32_t i = 1; i <= 1100; ++i) {
    launch.grid.x = i;
    store.add(launch);
  }
  EXPECT_EQ(store.launches().size(), 1000u);
  EXPECT_EQ(store.launches().back().times, 1u) << "the figures of a launch are of no other";
  EXPECT_EQ(store.since_start().launches, 1100u);
  launch.grid.x = 7;
  store.add(launch);
  EXPECT_EQ(store.launches()[6].times, 2u);
}

}  // namespace
}  // namespace simulator
