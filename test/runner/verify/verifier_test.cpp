// The verifier catches every planted fault, names its place, and lets a right result pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "runner/verify/verifier.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::Problem;
using runner::Layout;
using runner::Values;
using runner::Verdict;
using testing::HasSubstr;
using testing::Not;

// Wider than a row of any problem here, so that reading one row too many stays within the allocation.
constexpr Layout GUARDED{.guard = 8192};

// Few enough for large() to be sampled and projected, and enough for complete comparisons of the other problems.
constexpr int64_t MOST_COMPLETE_PRODUCTS = 100000;

Verdict verify(const Rung& rung, const Problem& problem) {
  return runner::Verifier(problem, GUARDED, ladder::FP32, MOST_COMPLETE_PRODUCTS)
      .check([&](const Sgemm& sgemm, Values) {
        const cudaError_t error = ladder::launch(rung, sgemm, nullptr);
        return error != cudaSuccess ? error : cudaDeviceSynchronize();
      });
}

Problem small() { return results::dense_problem(50, 40, 30); }

Problem padded() {
  Problem p = small();
  p.lda += 2;
  p.ldb += 3;
  p.ldc += 4;
  p.beta = 1.5f;
  return p;
}

Problem large() { return results::dense_problem(300, 400, 20); }

TEST(Verifier, PassesARightResult) {
  for (const Problem& p : {small(), padded(), large()}) {
    const Verdict verdict = verify(faulty::sound, p);
    EXPECT_TRUE(verdict.correct) << verdict.complaint;
    EXPECT_GT(verdict.max_abs_error, 0.0);
    EXPECT_LE(verdict.error_over_bound, 1.0);
    EXPECT_FALSE(verdict.first_mismatch);
  }
}

// Returns the problem with every pair of operations on A and B; the rows in memory keep their padding.
std::vector<Problem> with_transposes(const Problem& p) {
  std::vector<Problem> problems;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      Problem one = p;
      one.transposes_a = a;
      one.transposes_b = b;
      one.lda += one.cols_of_a() - p.cols_of_a();
      one.ldb += one.cols_of_b() - p.cols_of_b();
      problems.push_back(one);
    }
  }
  return problems;
}

TEST(Verifier, JudgesTransposes) {
  for (const Rung* rung : ladder::all()) {
    if (!rung->takes_transposes) continue;
    for (const Problem& shape : {small(), padded(), large(), results::dense_problem(1, 7, 3)}) {
      for (const Problem& p : with_transposes(shape)) {
        const Verdict verdict = verify(*rung, p);
        EXPECT_TRUE(verdict.correct) << rung->name << " " << results::transposes_of(p) << " at "
                                     << p.size() << ": " << verdict.complaint;
      }
    }
  }
}

// The matrices are square, so a kernel that forgets an operation reads no other memory.
TEST(Verifier, CatchesAForgottenTranspose) {
  static const Rung& reference = *ladder::all().front();
  const Rung forgets_a{.number = 1,
                       .name = "forgets_a",
                       .idea = "",
                       .promise = {},
                       .launch =
                           [](const ladder::Sgemm& sgemm, cudaStream_t stream) {
                             ladder::Sgemm p = sgemm;
                             p.op_a = ladder::Op::none;
                             return reference.launch(p, stream);
                           },
                       .takes_transposes = true};
  for (const Problem& p : with_transposes(results::dense_problem(20, 20, 20)))
    EXPECT_EQ(verify(forgets_a, p).correct, !p.transposes_a) << results::transposes_of(p);
}

TEST(Verifier, ComparesEveryElementOfASmallProblemAndASampleOfALargeOne) {
  EXPECT_EQ(verify(faulty::sound, small()).compared, 50 * 40);
  EXPECT_EQ(verify(faulty::sound, large()).compared, runner::SAMPLED_ROWS * runner::SAMPLED_COLS);
}

TEST(Verifier, CatchesEveryWrongResult) {
  for (const Rung& rung : faulty::wrong_results()) {
    for (const Problem& p : {small(), padded(), large()}) {
      const Verdict verdict = verify(rung, p);
      EXPECT_FALSE(verdict.correct) << rung.name << " at " << p.size();
      EXPECT_TRUE(verdict.first_mismatch) << rung.name << " at " << p.size();
    }
  }
}

// In all three the first wrong element is C[M / 2][N - 1].
TEST(Verifier, SaysWhereTheFirstWrongElementIs) {
  for (const Rung& rung : faulty::wrong_results().first(3)) {
    for (const Problem& p : {small(), large()}) {
      const Verdict verdict = verify(rung, p);
      const results::Mismatch first = verdict.first_mismatch.value_or(results::Mismatch{-1, -1});
      EXPECT_EQ(first.row, p.M / 2) << rung.name;
      EXPECT_EQ(first.col, p.N - 1) << rung.name;
    }
  }
}

TEST(Verifier, TellsAnUnwrittenElementFromAWrongOne) {
  EXPECT_THAT(verify(faulty::wrong_results()[2], small()).complaint,
              HasSubstr("C[25][39] was never written"));
  EXPECT_THAT(verify(faulty::wrong_results()[1], small()).complaint, HasSubstr("C[25][39] is "));
}

TEST(Verifier, CatchesReadsPastTheMatrices) {
  for (const Problem& p : {small(), padded(), large()}) {
    EXPECT_FALSE(verify(faulty::reads_past_a, p).correct) << p.size();
    EXPECT_FALSE(verify(faulty::reads_past_b, p).correct) << p.size();
  }
}

TEST(Verifier, CatchesWritesIntoThePadding) {
  EXPECT_THAT(verify(faulty::writes_past_row, padded()).complaint,
              HasSubstr("wrote beside C: in the padding behind row 0, at column 40"));
}

TEST(Verifier, CatchesWritesBesideTheMatrix) {
  EXPECT_THAT(verify(faulty::writes_before_c, small()).complaint,
              HasSubstr("wrote beside C: 1 float before its first element"));
  EXPECT_THAT(verify(faulty::writes_past_c, small()).complaint,
              HasSubstr("wrote beside C: 1 float past its last element"));
}

TEST(Verifier, CatchesBetaZeroThatReadsC) {
  EXPECT_FALSE(verify(faulty::reads_c_always, small()).correct);
  EXPECT_TRUE(verify(faulty::reads_c_always, padded()).correct)
      << "reading C is right where beta is not 0";
}

TEST(Verifier, CatchesReducedPrecision) {
  EXPECT_FALSE(verify(faulty::rounds_to_tf32, small()).correct);
  EXPECT_FALSE(verify(faulty::rounds_to_tf32, large()).correct);
}

TEST(Verifier, TakesAnInfinityWhereTheResultOverflows) {
  Problem p = small();
  p.alpha = 3e38f;
  const Verdict verdict = verify(faulty::sound, p);
  EXPECT_TRUE(verdict.correct) << verdict.complaint;
}

// alpha * sum overflows, although the result would fit: FP32 gives an infinity. An infinity without such a cause is
// wrong.
TEST(Verifier, TellsAnInfinityOfFp32FromAWrongOne) {
  for (const float factor : {3e38f, 1.5f}) {
    Problem p = small();
    p.alpha = p.beta = factor;
    const Verdict right = verify(faulty::sound, p);
    EXPECT_TRUE(right.correct) << right.complaint;

    std::vector<float> C(static_cast<size_t>(p.M * p.ldc));
    const Verdict wrong = runner::Verifier(p, GUARDED).check([&](const Sgemm& sgemm, Values) {
      EXPECT_EQ(ladder::launch(faulty::sound, sgemm, nullptr), cudaSuccess);
      const size_t bytes = C.size() * sizeof(float);
      EXPECT_EQ(cudaMemcpy(C.data(), sgemm.C, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
      const auto finite = std::ranges::find_if(C, [](float c) { return std::abs(c) < 1e38f; });
      EXPECT_NE(finite, C.end());
      *finite = std::numeric_limits<float>::infinity();
      return cudaMemcpy(sgemm.C, C.data(), bytes, cudaMemcpyHostToDevice);
    });
    EXPECT_FALSE(wrong.correct) << factor;
    EXPECT_THAT(wrong.complaint, testing::AllOf(HasSubstr(" is inf, should be "),
                                                HasSubstr("1 of 2000 elements is wrong")));
  }
}

TEST(Verifier, TakesSubnormalResults) {
  Problem p = small();
  p.alpha = 1e-42f;
  const Verdict verdict = verify(faulty::sound, p);
  EXPECT_TRUE(verdict.correct) << verdict.complaint;
}

TEST(Verifier, ReportsALaunchThatFails) {
  const Verdict verdict = runner::Verifier(small(), GUARDED).check([](const Sgemm&, Values) {
    return cudaErrorInvalidConfiguration;
  });
  EXPECT_FALSE(verdict.correct);
  EXPECT_EQ(verdict.error, cudaErrorInvalidConfiguration);
  EXPECT_THAT(verdict.complaint, HasSubstr("cudaErrorInvalidConfiguration"));
}

// ---- Other data, and errors.

TEST(Verifier, PassesARightResultOnEveryData) {
  for (const results::Data data : results::EVERY_DATA) {
    for (Problem p : {padded(), large()}) {
      p.data = data;
      const Verdict verdict = verify(faulty::sound, p);
      EXPECT_TRUE(verdict.correct) << name_of(data) << ": " << verdict.complaint;
    }
    Problem p = small();
    p.data = data;
    EXPECT_FALSE(verify(faulty::wrong_results().front(), p).correct) << name_of(data);
  }
}

// Three products whose matrices have gaps between them. `shared`: all have the same A.
Problem batch_of_three(bool shared) {
  Problem p = padded();
  p.batch = 3;
  p.make_strides_dense();
  p.stride_a = shared ? 0 : p.stride_a + 5;
  p.stride_b += 6;
  p.stride_c += 7;
  return p;
}

// Verifies what `launch` computes.
Verdict verify_call(const Problem& p,
                    const std::function<cudaError_t(const ladder::Call&)>& launch) {
  return runner::Verifier(p, GUARDED).check([&](const ladder::Call& call, Values) {
    const cudaError_t error = launch(call);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
  });
}

TEST(Verifier, JudgesEachProductOfABatch) {
  for (const bool shared : {false, true}) {
    for (Problem p : with_transposes(batch_of_three(shared))) {
      const auto right = [](const ladder::Call& call) {
        return ladder::launch(*ladder::all().front(), call, nullptr);
      };
      p.make_strides_dense();
      if (shared) p.stride_a = 0;
      const Verdict verdict = verify_call(p, right);
      EXPECT_TRUE(verdict.correct) << verdict.complaint;
      EXPECT_EQ(verdict.compared, 3 * p.M * p.N);
    }
    const Problem p = batch_of_three(shared);
    // A batch that takes another product's A, B or C, or forgets the last product.
    const auto with = [&](int64_t ladder::Call::* stride, int64_t wrong) {
      return verify_call(p, [&](ladder::Call call) {
        call.*stride = wrong;
        return ladder::launch(faulty::sound, call, nullptr);
      });
    };
    const Verdict of_b = with(&ladder::Call::stride_b, 0);
    EXPECT_THAT(of_b.complaint, HasSubstr("of product 1 is "));
    EXPECT_EQ(of_b.first_mismatch.value().product, 1);
    EXPECT_EQ(with(&ladder::Call::stride_a, 0).correct, shared);
    EXPECT_THAT(with(&ladder::Call::batch, 2).complaint, HasSubstr("of product 2 "));
    EXPECT_FALSE(with(&ladder::Call::stride_c, p.stride_c - 7).correct) << "the gap is written";
    // The first product has a number, too.
    EXPECT_THAT(with(&ladder::Call::batch, 0).complaint, HasSubstr("of product 0 "));
  }
  // A product that is no batch has none.
  const Verdict alone = verify(faulty::wrong_results().front(), small());
  EXPECT_EQ(alone.first_mismatch.value().product, std::nullopt);
  EXPECT_THAT(alone.complaint, Not(HasSubstr("of product")));
}

TEST(Verifier, FindsAWriteBetweenTheProducts) {
  const Problem p = batch_of_three(false);
  for (const int64_t beyond : {int64_t{0}, int64_t{6}}) {
    const Verdict verdict = verify_call(p, [&](const ladder::Call& call) {
      const cudaError_t error = ladder::launch(faulty::sound, call, nullptr);
      const float zero = 0;
      const int64_t end = (p.M - 1) * p.ldc + p.N;  // of a matrix
      return error != cudaSuccess ? error
                                  : cudaMemcpy(call.product.C + p.stride_c + end + beyond, &zero,
                                               sizeof zero, cudaMemcpyHostToDevice);
    });
    EXPECT_FALSE(verdict.correct);
    EXPECT_THAT(verdict.complaint,
                HasSubstr(beyond == 0 ? "1 float past the last element of product 1"
                                      : "7 floats past the last element of product 1"));
  }
}

// Runs a rung and then puts a value into an element of C.
runner::Trial with_planted(int64_t row, int64_t col, float value) {
  return [=](const Sgemm& sgemm, Values values) {
    cudaError_t error = ladder::launch(faulty::sound, sgemm, nullptr);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error == cudaSuccess && values == Values::reals)
      error =
          cudaMemcpy(sgemm.C + row * sgemm.ldc + col, &value, sizeof value, cudaMemcpyHostToDevice);
    return error;
  };
}

TEST(Verifier, FindsAPlantedWrongInfinity) {
  Problem p = small();
  p.data = results::Data::special;
  runner::Verifier verifier(p, GUARDED);
  constexpr float INFINITE = std::numeric_limits<float>::infinity();
  // Row 1 of A has a NaN; row 0 and column 0 are usual.
  for (const auto& [row, value] : {std::pair{1, INFINITE}, {1, 0.0f}, {0, INFINITE}}) {
    const Verdict verdict = verifier.check(with_planted(row, 0, value));
    EXPECT_FALSE(verdict.correct) << row << " " << value;
    EXPECT_THAT(verdict.complaint, HasSubstr(row == 1 ? "C[1][0] is " : "C[0][0] is "));
    EXPECT_GE(verdict.errors.wrong_infinities, 1);
  }
}

// One product of 1 x 2 x 1, computed by hand.
TEST(Verifier, TellsTheErrorsAsAHandComputes) {
  const Problem p = results::dense_problem(1, 2, 1);
  const runner::Inputs inputs(p, Values::reals);
  const double a = inputs.at(runner::Operand::A, 0, 0);
  const double first = a * static_cast<double>(inputs.at(runner::Operand::B, 0, 0));
  const double second = a * static_cast<double>(inputs.at(runner::Operand::B, 0, 1));
  runner::Verifier verifier(p, GUARDED, ladder::FP32);
  const auto planted = static_cast<float>(first * 1.001);
  const auto errors = verifier.errors_of(with_planted(0, 0, planted)).value_or(results::Errors());
  const double error = std::abs(static_cast<double>(planted) - first);
  const double rest = std::abs(static_cast<double>(static_cast<float>(second)) - second);
  EXPECT_NEAR(errors.frobenius.value_or(0), std::hypot(error, rest) / std::hypot(first, second),
              1e-12);
  EXPECT_NEAR(errors.largest.value_or(0), error / std::abs(first), 1e-12);
  EXPECT_EQ(errors.wrong_infinities, 0);
}

// The rung's stated arithmetic gives the bound and the inputs.
TEST(Verifier, JudgesByTheArithmetic) {
  const auto verdict_by = [](const ladder::Arithmetic& arithmetic) {
    return runner::Verifier(small(), GUARDED, arithmetic).check([](const Sgemm& sgemm, Values) {
      const cudaError_t error = ladder::launch(faulty::sound, sgemm, nullptr);
      return error != cudaSuccess ? error : cudaDeviceSynchronize();
    });
  };
  EXPECT_TRUE(verdict_by(ladder::FP32).correct);
  ladder::Arithmetic exact = ladder::FP32;
  exact.bound_factor = 0;
  EXPECT_FALSE(verdict_by(exact).correct) << "FP32 rounds";
  ladder::Arithmetic loose = ladder::FP32;
  loose.bound_factor *= 8;
  EXPECT_DOUBLE_EQ(verdict_by(loose).error_over_bound,
                   verdict_by(ladder::FP32).error_over_bound / 8);
}

}  // namespace
