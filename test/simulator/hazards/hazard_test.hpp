// A base for tests of kernels' hazards: finds the hazards, and the lines of the test.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulator::test {

/// Returns the number of the line of `file` that ends in "// mark: WHAT".
inline int line_of(const char* file, const std::string& mark) {
  std::ifstream text(file);
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.ends_with("// mark: " + mark)) return number;
  }
  return -1;
}

/// Expects that the last launch ended with this error, and clears it. Returns the fault.
inline Fault expect_fault(cudaError_t error, FaultKind kind) {
  EXPECT_EQ(cudaDeviceSynchronize(), error);
  const std::optional<Fault> fault = last_fault();
  clear_fault();
  if (!fault) {
    ADD_FAILURE() << "no fault";
    return {};
  }
  EXPECT_EQ(fault->kind, kind) << fault->text();
  return *fault;
}

/// Looks for hazards of some kinds, and prints no messages meanwhile.
class HazardTest : public testing::Test {
 protected:
  HazardTest(const char* file, std::vector<HazardKind> kinds)
      : file_(file), kinds_(std::move(kinds)) {}

  void SetUp() override {
    simulator::current_device().hazards.set_output(false);
    simulator::current_device().hazards.clear();
    set_fault_output(false);
  }
  void TearDown() override {
    set_schedule(0);
    clear_fault();
    simulator::current_device().hazards.clear();
    simulator::current_device().hazards.set_output(true);
    set_fault_output(true);
  }

  int line_of(const std::string& mark) const { return test::line_of(file_, mark); }

  /// Returns the hazards found since the last call. The launches must have succeeded.
  std::vector<Hazard> found() const {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<Hazard> hazards = simulator::current_device().hazards.found();
    std::erase_if(hazards, [&](const Hazard& hazard) {
      return std::find(kinds_.begin(), kinds_.end(), hazard.kind) == kinds_.end();
    });
    simulator::current_device().hazards.clear();
    return hazards;
  }

  void expect_none() const {
    for (const Hazard& hazard : found()) ADD_FAILURE() << hazard.message.text();
  }

  /// Expects exactly one hazard, of that kind, on that line, with all these texts in its message.
  void expect_one(HazardKind kind, const char* mark, const std::vector<std::string>& says) const {
    const std::vector<Hazard> hazards = found();
    for (size_t i = 1; i < hazards.size(); ++i) ADD_FAILURE() << hazards[i].message.text();
    ASSERT_FALSE(hazards.empty());
    const Hazard& hazard = hazards.front();
    const std::string text = hazard.message.text();
    EXPECT_EQ(hazard.kind, kind) << text;
    EXPECT_EQ(hazard.where.line, line_of(mark)) << text;
    EXPECT_FALSE(hazard.message.advice.empty());
    for (const std::string& part : says)
      EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\n" << text;
  }

 private:
  const char* file_;
  std::vector<HazardKind> kinds_;
};

}  // namespace simulator::test
