// Every rung keeps BLAS's contract, check by check. Each check finds the fault for which it was written.
#include "runner/verify/contract/contract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>

#include "kernels/best/best.hpp"
#include "kernels/ladder.hpp"
#include "runner/machine/machine.hpp"
#include "test/kernels/careless_kernels.hpp"
#include "test/kernels/every_rung.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace runner {

void PrintTo(const ContractCheck& check, std::ostream* out) { *out << check.name; }

}  // namespace runner

namespace {

using ladder::Rung;
using runner::ContractCheck;

// Returns "64_bit_indices_into_A".
std::string identifier(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      text += letter;
    } else if (!text.empty() && text.back() != '_') {
      text += '_';
    }
  }
  return text;
}

class Contract : public testing::TestWithParam<std::tuple<const Rung*, ContractCheck>> {};

TEST_P(Contract, IsKept) {
  const auto& [rung, check] = GetParam();
  // On a device rung 0 is NVIDIA's: at 3x40x17 with ldb 2^28 + 8, where the rows of B span 2^32 floats, cuBLAS 13.1.0 on
  // an H200 accesses memory that is not there (2026-11-22).
  const bool not_ours = runner::machine::MEASURES_TIME && rung->number == 0;
  if (not_ours && std::string_view(check.name).starts_with("64-bit"))
    GTEST_SKIP() << "cuBLAS's own";
  EXPECT_EQ(check.complaint(*rung), "");
}

std::string test_name(const testing::TestParamInfo<Contract::ParamType>& tested) {
  return identifier(std::get<ContractCheck>(tested.param).name) + "_" +
         runner::label(*std::get<const Rung*>(tested.param));
}

const auto CHECKS = runner::contract();
INSTANTIATE_TEST_SUITE_P(Ladder, Contract,
                         testing::Combine(rungs_from(0),
                                          testing::ValuesIn(CHECKS.begin(), CHECKS.end())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Best, Contract,
                         testing::Combine(testing::Values(&ladder::best),
                                          testing::ValuesIn(CHECKS.begin(), CHECKS.end())),
                         test_name);

// --- the fault for each check -------------------------------------------------------------------------------

std::string complaint(const char* name, const Rung& rung) {
  for (const ContractCheck& check : CHECKS) {
    if (std::string(check.name) == name) return check.complaint(rung);
  }
  ADD_FAILURE() << "no check is called '" << name << "'";
  return "";
}

enum class On { both, simulator, device };

struct Planted {
  const char* check;
  const Rung* rung;
  const char* says;  // a part of the complaint
  On on = On::both;  // the machines on which the fault shows
};

class PlantedFault : public testing::TestWithParam<Planted> {
 protected:
  void TearDown() override {
    cudaDeviceReset();                // after a fault no later test could run
    runner::machine::take_hazards();  // of the fault; else the program would end with an error
  }
};

TEST_P(PlantedFault, IsFound) {
  const auto& [check, rung, says, on] = GetParam();
  if (on == (runner::machine::MEASURES_TIME ? On::simulator : On::device))
    GTEST_SKIP() << "it cannot be found on this machine";
  EXPECT_THAT(complaint(check, *rung), testing::HasSubstr(says));
}

const Planted PLANTED[] = {
    {"padded and unaligned shapes", &faulty::writes_past_row, "wrote beside C"},
    {"padded and unaligned shapes", &faulty::reads_past_a,
     "lda 4, ldb 6, ldc 8, alpha -0.5, beta 1.5"},
    {"alpha and beta", &faulty::reads_c_always, "beta 0"},
    {"numbers of every kind", &faulty::rounds_to_20_bits, "is promised"},
    {"exact where FP32 is", &faulty::rounds_to_20_bits, "one product of 24 by 1 bits"},
    {"the same result in every order", &faulty::adds_in_any_order, "in another order",
     On::simulator},
    {"a stream of its own", &faulty::ignores_stream, "stream"},
    {"64-bit indices into A", &faulty::truncates_index_into_a, "lda 2147483649"},
    {"64-bit indices into B", &faulty::truncates_index_into_b, "ldb 2147483649"},
    {"64-bit indices into C", &faulty::truncates_index_into_c, "ldc 2147483649"},
    {"too large a grid is an error", &faulty::hides_errors, "no error came back", On::simulator},
    {"too large a grid is an error", &faulty::truncates_grid, "a part of the grid ran",
     On::simulator},
    {"too large a grid is an error", &careless::leaves_tiles_beyond_its_grid,
     "the last 256 blocks of the grid write nothing of either end of C", On::simulator},
    {"too large a grid is an error", &careless::leaves_tiles_beyond_31_bits,
     "the last 256 blocks of the grid write nothing of either end of C", On::simulator},
    {"each leading dimension", &careless::takes_even_ldc, "128x64x64, lda 64, ldb 64, ldc 66"},
    {"alignment of each matrix", &careless::takes_half_aligned_c, "C 8 bytes past a 256-byte"},
    {"sizes around its tiles", &careless::leaves_rows_at_k_1, "x1, lda 1,"},
    {"sizes around its tiles", &careless::loses_the_last_row, "129x1"},
    {"transposes", &careless::forgets_op_of_b, "1x131x70, B transposed, lda 70"},
    {"transposes", &careless::forgets_lda, "1x131x70, A transposed, lda 4"},
    {"batches", &careless::shares_b_always, "of product 1 is"},
    {"factors of every kind", &careless::loses_a_sign, "alpha -1"},
    {"factors of every kind", &careless::drops_a_small_beta, "beta 5.9604645e-08"},
    {"NaN and infinity", &careless::skips_zeros, "a NaN in B"},
    {"NaN and infinity", &careless::hides_nan, "should be nan"},
    {"NaN and infinity", &careless::clamps_infinities, "should be inf"},
    {"large and small values", &careless::flushes_subnormals, "subnormal products"},
    {"one call after another", &careless::keeps_its_grid, "before it came"},
    {"dense shapes", &careless::frees_memory, "waits for the device, in cudaFree", On::simulator},
    {"dense shapes", &careless::synchronizes, "in cudaStreamSynchronize", On::simulator},
    {"a launch that does not wait", &careless::synchronizes, "waits for the stream", On::device},
    {"two streams at once", &careless::shares_a_buffer, "on a second stream", On::device},
    {"captured in a graph", &careless::allocates_memory, "captured in a graph", On::device},
    {"more rows than 32 bits count", &careless::cuts_block_number, "the same elements",
     On::simulator},
    {"more rows than 32 bits count", &careless::rows_in_grid_y,
     runner::machine::MEASURES_TIME
         ? "invalid"
         : "more blocks than gridDim.y may have: 65664 > 65535 at 1050624x1x1"},
    {"more rows than 32 bits count", &careless::cuts_row, "2147485696x1x1"},
    {"more columns than 32 bits count", &careless::cols_in_grid_y,
     runner::machine::MEASURES_TIME
         ? "invalid"
         : "more blocks than gridDim.y may have: 65664 > 65535 at 1x1050624x1"},
    {"more columns than 32 bits count", &careless::cuts_col, "1x4294969344x1", On::simulator},
    {"a K beyond 32 bits", &careless::cuts_k, "most of K was left out", On::simulator},
};
INSTANTIATE_TEST_SUITE_P(Contract, PlantedFault, testing::ValuesIn(PLANTED),
                         [](const auto& tested) {
                           return identifier(tested.param.check) + "_" + tested.param.rung->name;
                         });

TEST(ContractList, FindsNothingInASoundKernel) {
  for (const ContractCheck& check : CHECKS) {
    EXPECT_EQ(check.complaint(faulty::sound), "") << check.name;
  }
}

TEST(ContractList, FindsNothingInARungThatTakesTransposes) {
  EXPECT_EQ(complaint("transposes", careless::takes_transposes), "");
}

// Far dimensions are tested only if the grid grows with them: a block that takes all of a far dimension would not end.
TEST(ContractList, FindsNothingInAGridThatGrowsWithRowsAloneOrNotForEver) {
  for (const Rung* rung : {&careless::takes_whole_rows, &careless::takes_rows_in_turns,
                           &careless::takes_tiles_in_turns, &careless::takes_many_tiles_in_turns}) {
    for (const char* name : {"dense shapes", "more rows than 32 bits count",
                             "more columns than 32 bits count", "too large a grid is an error"})
      EXPECT_EQ(complaint(name, *rung), "") << rung->name << ", " << name;
  }
}

TEST(ContractList, FindsWrongResultsOfEveryKind) {
  for (const Rung& rung : faulty::wrong_results()) {
    EXPECT_NE(complaint("dense shapes", rung), "") << rung.name;
  }
}

// With less memory, the checks of 64-bit indices would find nothing.
TEST(ContractList, HasTheMemoryThat64BitIndicesAskFor) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a CUDA device has what it has";
  runner::machine::offer_addresses(runner::CONTRACT_MEMORY_BYTES);
  size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_GE(free, static_cast<size_t>(runner::CONTRACT_MEMORY_BYTES));
}

}  // namespace
