// A rung that takes transposes computes op(A) op(B) for every pair of operations: whole tiles and ragged ones, aligned rows and
// others, ordinary data and data that it leaves to FP64.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/choose/select.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/product_trial.hpp"
#include "runner/verify/verifier.hpp"

namespace {

using ladder::Rung;
using results::Problem;

struct Shape {
  int64_t M, N, K;
  int64_t pad = 0;  // floats after each row, and before the first element
};

// Whole tiles; ragged ends of every piece of the split; one element; a K that FP64 computes.
const Shape SHAPES[] = {{64, 64, 64},     {70, 130, 61, 3}, {33, 65, 1100, 1},
                        {65, 9, 1031, 4}, {1, 1, 1},        {129, 63, 20, 1}};
const Shape K_IN_PARTS = {64, 64, 2048};

Problem problem_of(const Shape& shape, bool trans_a, bool trans_b, results::Data data) {
  Problem p = results::dense_problem(shape.M, shape.N, shape.K);
  p.transposes_a = trans_a;
  p.transposes_b = trans_b;
  p.make_dense();
  for (int64_t* ld : {&p.lda, &p.ldb, &p.ldc}) *ld += shape.pad;
  for (int64_t* offset : {&p.offset_a, &p.offset_b, &p.offset_c}) *offset = shape.pad;
  p.alpha = shape.pad == 0 ? 1.0F : -0.5F;
  p.beta = shape.pad == 0 ? 0.0F : 1.5F;
  p.seed = 7;
  p.data = data;
  return p;
}

class Transposes : public testing::TestWithParam<std::tuple<const Rung*, bool, bool>> {};

void expect_right(const Rung& rung, const Problem& p) {
  runner::Verifier verifier(p, runner::Layout{}, rung.arithmetic);
  results::Result result;
  result.problem = p;
  const runner::Verdict verdict = runner::verify_product(rung, verifier, result);
  EXPECT_TRUE(verdict.correct) << p.size() << ", " << name_of(p.data) << ": " << verdict.complaint;
}

TEST_P(Transposes, AreComputed) {
  const auto& [rung, trans_a, trans_b] = GetParam();
  runner::machine::look_for_hazards(true);
  for (const Shape& shape : SHAPES) {
    for (const results::Data data : {results::Data::uniform, results::Data::special})
      expect_right(*rung, problem_of(shape, trans_a, trans_b, data));
  }
  expect_right(*rung, problem_of(K_IN_PARTS, trans_a, trans_b, results::Data::uniform));
  for (const results::Hazard& hazard : runner::machine::take_hazards())
    ADD_FAILURE() << hazard.message;
  runner::machine::look_for_hazards(false);
}

std::vector<const Rung*> rungs_that_take_them() {
  std::vector<const Rung*> rungs;
  for (const Rung* rung : ladder::all()) {
    if (rung->takes_transposes) rungs.push_back(rung);
  }
  return rungs;
}

std::string name_of_case(const testing::TestParamInfo<Transposes::ParamType>& tested) {
  const auto& [rung, trans_a, trans_b] = tested.param;
  return runner::label(*rung) + (trans_a ? "_At" : "_A") + (trans_b ? "_Bt" : "_B");
}

INSTANTIATE_TEST_SUITE_P(Ladder, Transposes,
                         testing::Combine(testing::ValuesIn(rungs_that_take_them()),
                                          testing::Bool(), testing::Bool()),
                         name_of_case);

}  // namespace
