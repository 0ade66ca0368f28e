// The counters of every rung on the simulated GPU against those that Nsight Compute read on an H200
// (bench/device_counters.py). What a device repeats exactly is compared exactly. Stores to shared memory carry
// conflicts there that its arbitration adds at random: they are a least number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/machine.hpp"
#include "runner/verify.hpp"
#include "simulator/count/counters.hpp"

namespace {

using simulator::Access;

using Row = std::map<std::string, std::string>;

std::vector<Row> device_rows() {
  std::ifstream file(SGEMM_SOURCE_DIR "/test/data/rung_counters_h200.csv");
  const auto cells = [&] {
    std::vector<std::string> cells;
    std::string line, cell;
    std::getline(file, line);
    std::istringstream text(line);
    while (std::getline(text, cell, ',')) cells.push_back(cell);
    return cells;
  };
  const std::vector<std::string> names = cells();
  std::vector<Row> rows;
  for (std::vector<std::string> values = cells(); !values.empty(); values = cells()) {
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = values.at(i);
  }
  return rows;
}

uint64_t sum(const simulator::Counters& counters, std::initializer_list<Access> of,
             uint64_t simulator::AccessCounters::* value) {
  uint64_t total = 0;
  for (const simulator::AccessCounters& row : counters.accesses) {
    if (std::find(of.begin(), of.end(), row.access) != of.end()) total += row.*value;
  }
  return total;
}

class DeviceCounters : public testing::TestWithParam<Row> {
 protected:
  uint64_t device(const char* column) const { return std::stoull(GetParam().at(column)); }

  struct Size {
    int64_t m, n, k;
  };
  Size size() const {
    const std::string& size = GetParam().at("size");
    std::istringstream text(size.find('x') == size.npos ? size + "x" + size + "x" + size : size);
    Size s{};
    char x = 0;
    text >> s.m >> x >> s.n >> x >> s.k;
    return s;
  }

  simulator::Counters simulated() const {
    const int number = std::stoi(GetParam().at("rung"));
    const auto& all = ladder::all();
    const auto rung = std::find_if(all.begin(), all.end(),
                                   [&](const ladder::Rung* r) { return r->number == number; });
    const auto [m, n, k] = size();
    runner::Verifier verifier(results::dense_problem(m, n, k), {.guard = 0});
    const ladder::Sgemm problem = verifier.prepare(runner::Values::reals);
    simulator::reset_counters();
    EXPECT_EQ(ladder::launch(**rung, problem, nullptr), cudaSuccess);
    return simulator::counters();
  }
};

TEST_P(DeviceCounters, AreTheSimulators) {
  using A = simulator::AccessCounters;
  const simulator::Counters counters = simulated();
  const auto loads = {Access::global_load, Access::async_copy};
  EXPECT_EQ(sum(counters, loads, &A::requests), device("global_load_requests"));
  EXPECT_EQ(sum(counters, loads, &A::sectors), device("global_load_sectors"));
  EXPECT_EQ(sum(counters, loads, &A::lines), device("global_load_lines"));
  EXPECT_EQ(sum(counters, {Access::global_store}, &A::requests), device("global_store_requests"));
  EXPECT_EQ(sum(counters, {Access::global_store}, &A::sectors), device("global_store_sectors"));
  EXPECT_EQ(sum(counters, {Access::shared_load}, &A::wavefronts), device("shared_load_wavefronts"));
  EXPECT_EQ(sum(counters, {Access::shared_load}, &A::bank_conflicts),
            device("shared_load_conflicts"));
  EXPECT_EQ(sum(counters, {Access::shared_store}, &A::requests), device("shared_stores"));
  EXPECT_LE(sum(counters, {Access::shared_store}, &A::wavefronts),
            device("shared_store_wavefronts"));
  EXPECT_LE(sum(counters, {Access::shared_store}, &A::bank_conflicts),
            device("shared_store_conflicts"));
  // Of the product each one; in the epilogue, once for each element of C, clang fuses where nvcc does not.
  const auto [m, n, k] = size();
  EXPECT_GE(counters.ffma, device("ffma"));
  EXPECT_LE(counters.ffma, device("ffma") + static_cast<uint64_t>(m * n));
}

INSTANTIATE_TEST_SUITE_P(H200, DeviceCounters, testing::ValuesIn(device_rows()),
                         [](const auto& info) {
                           return "Rung" + info.param.at("rung") + "At" + info.param.at("size");
                         });

}  // namespace
