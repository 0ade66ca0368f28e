// Every tile of rungs 11 and 12 computes right, at the edges of a matrix and where chains of sums are cut. Cutting a
// chain rounds less.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/tensor/tile_rows.hpp"
#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/split_plan.hpp"
#include "kernels/tuned/tile_table.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/verify/verifier.hpp"

namespace {

using ladder::Sgemm;
using ladder::SplitPlan;
using ladder::Tile;
using results::dense_problem;
using results::Problem;

constexpr int MULTIPROCESSORS = 4;

// Returns a problem of two tiles each way, the second ones with an edge inside, and a K that ends within a tile.
// Leading dimensions are odd unless the accesses are to be vectors.
Problem ragged(const Tile& t, int64_t K, bool vector) {
  Problem p = dense_problem(t.BM + t.BM / 2 + 3, t.BN + 5, K);
  p.alpha = -0.5F;
  p.beta = 1.5F;
  p.seed = 7;
  const auto pad = [&](int64_t ld) { return vector ? (ld + 3) / 4 * 4 : ld / 2 * 2 + 1; };
  p.lda = pad(p.lda);
  p.ldb = pad(p.ldb);
  p.ldc = pad(p.ldc);
  return p;
}

template <typename Launch>
void expect_right(const Problem& p, const Launch& launch) {
  const auto verdict =
      runner::Verifier(p, {.guard = 256}).check([&](const Sgemm& sgemm, runner::Values) {
        const cudaError_t error = launch(sgemm);
        return error != cudaSuccess ? error : cudaDeviceSynchronize();
      });
  EXPECT_TRUE(verdict.correct) << verdict.complaint;
}

TEST(EveryTile, OfRung11ComputesRight) {
  for (size_t choice = 0; choice < std::size(ladder::TUNED_TABLE); ++choice) {
    const Tile& t = ladder::TUNED_TABLE[choice].tile;
    for (const bool vector : {true, false}) {
      for (const int64_t K : {int64_t{1}, int64_t{t.BK}, int64_t{t.stages} * t.BK + 3}) {
        SCOPED_TRACE(testing::Message() << "tile " << choice << " vector " << vector << " K " << K);
        expect_right(ragged(t, K, vector), [&](const Sgemm& sgemm) {
          return ladder::launch_tuned_choice(choice, ladder::Call(sgemm), vector, MULTIPROCESSORS,
                                             nullptr);
        });
      }
    }
  }
}

TEST(EveryTile, OfRung12ComputesRightWhereItIsDivided) {
  for (size_t choice = 0; choice < std::size(ladder::STREAM_K_TABLE); ++choice) {
    const Tile& t = ladder::STREAM_K_TABLE[choice].tile;
    for (const bool vector : {true, false}) {
      const Problem p = ragged(t, 5 * t.BK + 3, vector);
      // In turn: tiles in two parts, pieces that end within tiles, and whole tiles before the pieces.
      for (const auto& [blocks, rounds] : {std::pair<int64_t, int64_t>{8, 0}, {3, 0}, {3, 1}}) {
        const SplitPlan plan{.choice = choice,
                             .tiles_m = 2,
                             .tiles_n = 2,
                             .steps = 6,
                             .blocks = blocks,
                             .rounds = rounds};
        SCOPED_TRACE(testing::Message() << "tile " << choice << " vector " << vector << " blocks "
                                        << blocks << " rounds " << rounds);
        expect_right(p, [&](const Sgemm& sgemm) {
          return ladder::launch_stream_k_choice(plan, sgemm, vector, MULTIPROCESSORS, nullptr);
        });
      }
    }
  }
}

// Rung 16 chooses the height of its tiles by the shape. The contract's shapes are small, so they have tiles of 64 rows.
TEST(EveryTile, OfRung16ComputesRightWhateverIsTransposed) {
  const ladder::Rung& tensor_fp32 = *ladder::all()[16];
  ladder::Device device{};
  ASSERT_EQ(ladder::describe_device(&device), cudaSuccess);
  struct Case {
    int64_t M, N;
    int rows;
    bool trans_a, trans_b;
  };
  for (const auto& [M, N, rows, trans_a, trans_b] : {Case{1090, 1100, 128, true, true},
                                                     {1900, 1130, 192, true, false},
                                                     {1900, 1130, 192, false, true},
                                                     {1900, 1130, 192, true, true}}) {
    ASSERT_EQ(ladder::rows_of_tile(M, N, 1, device.multiprocessors), rows);
    SCOPED_TRACE(testing::Message() << rows << " rows, " << trans_a << trans_b);
    Problem p = dense_problem(M, N, 70);
    p.transposes_a = trans_a;
    p.transposes_b = trans_b;
    p.make_dense();
    runner::Verifier verifier(p, {.guard = 256}, tensor_fp32.arithmetic,
                              runner::MOST_COMPLETE_PRODUCTS, {runner::Values::integers});
    const auto verdict = verifier.check([&](const Sgemm& sgemm, runner::Values) {
      const cudaError_t error = ladder::launch(tensor_fp32, sgemm, nullptr);
      return error != cudaSuccess ? error : cudaDeviceSynchronize();
    });
    EXPECT_TRUE(verdict.correct) << verdict.complaint;
  }
}

// Returns a K so long that a thread's sum is made of several chains, and ends within one.
int64_t of_several_chains(const Tile& t) { return int64_t{t.slices} * 1100 + 3; }

TEST(EveryTile, OfRung11ComputesRightWhereChainsAreCut) {
  for (size_t choice = 0; choice < std::size(ladder::TUNED_TABLE); ++choice) {
    const Tile& t = ladder::TUNED_TABLE[choice].tile;
    SCOPED_TRACE(testing::Message() << "tile " << choice);
    expect_right(dense_problem(t.BM, t.BN, of_several_chains(t)), [&](const Sgemm& sgemm) {
      return ladder::launch_tuned_choice(choice, ladder::Call(sgemm), false, MULTIPROCESSORS,
                                         nullptr);
    });
  }
}

// Returns a plan with one block for the whole tile, so that its sums are long.
SplitPlan one_block(size_t choice, int64_t K) {
  return {.choice = choice,
          .tiles_m = 1,
          .tiles_n = 1,
          .steps = ladder::ceil_div(K, ladder::STREAM_K_TABLE[choice].tile.BK),
          .blocks = 1,
          .rounds = 0};
}

TEST(EveryTile, OfRung12ComputesRightWhereChainsAreCut) {
  for (size_t choice = 0; choice < std::size(ladder::STREAM_K_TABLE); ++choice) {
    const Tile& t = ladder::STREAM_K_TABLE[choice].tile;
    const int64_t K = of_several_chains(t);
    SCOPED_TRACE(testing::Message() << "tile " << choice);
    expect_right(dense_problem(t.BM, t.BN, K), [&](const Sgemm& sgemm) {
      return ladder::launch_stream_k_choice(one_block(choice, K), sgemm, false, MULTIPROCESSORS,
                                            nullptr);
    });
  }
}

// A is a row of ones; B is 2^24 and then ones. A one added to 2^24 is lost. So the remaining ones were in other chains
// than the first element.
TEST(EveryTile, CutsItsChains) {
  constexpr int64_t K = 8192;
  constexpr float LARGE = 16777216.0F;
  const std::vector<float> a(K, 1.0F);
  std::vector<float> b = a;
  b[0] = LARGE;
  const runner::DeviceBuffer<float> ones(K), values(K), result(1);
  runner::check(cudaMemcpy(ones.data(), a.data(), sizeof(float) * K, cudaMemcpyHostToDevice));
  runner::check(cudaMemcpy(values.data(), b.data(), sizeof(float) * K, cudaMemcpyHostToDevice));
  const Sgemm sgemm{.M = 1,
                    .N = 1,
                    .K = K,
                    .alpha = 1,
                    .A = ones.data(),
                    .lda = K,
                    .B = values.data(),
                    .ldb = 1,
                    .beta = 0,
                    .C = result.data(),
                    .ldc = 1};
  // Expects the ones that remain. `chain` is the length of the tile's chains, 0 if it cuts none.
  const auto expect_kept = [&](int chain, const std::string& tile) {
    float sum = 0;
    ASSERT_EQ(cudaMemcpy(&sum, result.data(), sizeof sum, cudaMemcpyDeviceToHost), cudaSuccess);
    const float kept = chain == 0 ? 0 : static_cast<float>(K - chain - 1);
    EXPECT_GE(sum - LARGE, kept) << tile;
    if (chain == 0) {
      EXPECT_EQ(sum, LARGE) << tile;
    }
  };
  for (size_t choice = 0; choice < std::size(ladder::TUNED_TABLE); ++choice) {
    ASSERT_EQ(
        ladder::launch_tuned_choice(choice, ladder::Call(sgemm), false, MULTIPROCESSORS, nullptr),
        cudaSuccess);
    expect_kept(ladder::TUNED_TABLE[choice].tile.chain, "rung 11's tile " + std::to_string(choice));
  }
  // Rung 12 cuts the chains of every tile, because it takes over if K is long.
  for (size_t choice = 0; choice < std::size(ladder::STREAM_K_TABLE); ++choice) {
    const int chain = ladder::STREAM_K_TABLE[choice].tile.chain;
    ASSERT_EQ(ladder::launch_stream_k_choice(one_block(choice, K), sgemm, false, MULTIPROCESSORS,
                                             nullptr),
              cudaSuccess);
    expect_kept(chain == 0 ? 512 : chain, "rung 12's tile " + std::to_string(choice));
  }
}

}  // namespace
