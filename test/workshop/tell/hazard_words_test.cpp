// Signs use the simulated GPU's words for faults and hazards.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "simulator/hazards/hazard.hpp"
#include "workshop/tell/sign.hpp"

namespace {

// Every hazard that an exercise's kernel can provoke, and no other.
TEST(Sign, KnowsTheSimulatorsHazards) {
  using simulator::HazardKind;
  const std::vector<std::pair<const char*, HazardKind>> kinds{
      {"race", HazardKind::race},
      {"unwritten_read", HazardKind::unwritten_read},
      {"early_use", HazardKind::early_use},
      {"absent_lane", HazardKind::absent_lane},
      {"false_mask", HazardKind::false_mask},
      {"forbidden_barrier", HazardKind::forbidden_barrier},
      {"beyond_array", HazardKind::beyond_array},
      {"refused_call", HazardKind::refused_call},
  };
  std::vector<std::pair<std::string, std::string>> words;
  for (const auto& [word, kind] : kinds) words.emplace_back(word, simulator::name_of(kind));
  EXPECT_EQ(workshop::hazard_words(), words);
}

// Every fault that an exercise's kernel can provoke, with its actions and memories.
TEST(Sign, KnowsTheSimulatorsFaults) {
  using simulator::AddressKind, simulator::FaultAction, simulator::FaultKind;
  std::vector<std::string> words;
  for (const FaultKind kind :
       {FaultKind::out_of_bounds, FaultKind::use_after_free, FaultKind::misaligned,
        FaultKind::barrier_divergence, FaultKind::trap, FaultKind::failed_assert,
        FaultKind::stack_overflow, FaultKind::no_function})
    words.emplace_back(simulator::name_of(kind));
  for (const FaultAction action : {FaultAction::reads, FaultAction::writes, FaultAction::copies})
    words.emplace_back(simulator::name_of(action));
  for (const AddressKind memory :
       {AddressKind::shared, AddressKind::local, AddressKind::before, AddressKind::host,
        AddressKind::null, AddressKind::before_shared})
    words.emplace_back(simulator::name_of(memory));
  EXPECT_EQ(workshop::fault_words(), words);
}

}  // namespace
