// What the simulated GPU records of each rung's launches: the threads and the shared memory of a block, and
// whether the path that the rung names is the one whose accesses were counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/contract.hpp"
#include "runner/device_buffer.hpp"
#include "runner/machine.hpp"
#include "simulator/count/counters.hpp"
#include "simulator/execute/module.hpp"
#include "test/kernels/every_rung.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using ladder::Rung;
using ladder::Sgemm;

// Matrices whose beginnings lie `offset` floats past a 256-byte boundary; leading dimensions are multiples of 32
// bytes.
class Matrices {
 public:
  struct Offsets {
    int64_t a, b, c;
  };

  Matrices(int64_t M, int64_t N, int64_t K, Offsets offsets)
      : lda_(ladder::ceil_div(K, 8) * 8),
        ldb_(ladder::ceil_div(N, 8) * 8),
        a_(offsets.a + M * lda_),
        b_(offsets.b + K * ldb_),
        c_(offsets.c + M * ldb_),
        problem_{.M = M,
                 .N = N,
                 .K = K,
                 .alpha = 1,
                 .A = a_.data() + offsets.a,
                 .lda = lda_,
                 .B = b_.data() + offsets.b,
                 .ldb = ldb_,
                 .beta = 1,
                 .C = c_.data() + offsets.c,
                 .ldc = ldb_} {
    runner::machine::name_matrices(problem_);
  }

  const Sgemm& problem() const { return problem_; }

 private:
  int64_t lda_, ldb_;
  runner::DeviceBuffer<float> a_, b_, c_;
  Sgemm problem_;
};

class LaunchRecords : public testing::TestWithParam<const Rung*> {};

// --- threads and shared memory ----------------------------------------------------------------------------

struct Block {
  uint32_t threads;
  size_t shared_bytes;
  bool operator==(const Block&) const = default;
};

void PrintTo(const Block& block, std::ostream* out) {
  *out << block.threads << " threads, " << block.shared_bytes << " bytes of shared memory";
}

constexpr size_t FLOAT = sizeof(float);

// The blocks that each rung launches for 128 x 128 x 2048, where rung 12 divides the work. A new rung's go here: what a kernel keeps in shared
// memory shows in no result.
const std::map<std::string_view, std::vector<Block>> BLOCKS = {
    {"naive", {{1024, 0}}},
    {"coalesced", {{1024, 0}}},
    {"shared_tile", {{1024, 32 * (32 + 32) * FLOAT}}},
    {"register_tile_1d", {{512, 8 * (64 + 64) * FLOAT}}},
    {"register_tile_2d", {{256, 8 * (128 + 128) * FLOAT}}},
    {"vector_float4", {{256, 8 * (128 + 128) * FLOAT}}},
    {"vector_float8", {{256, 16 * (128 + 128) * FLOAT}}},
    {"conflict_free", {{256, 8 * (132 + 128) * FLOAT}}},
    {"warp_tile", {{128, 16 * (132 + 128) * FLOAT}}},
    {"async_pipeline", {{128, 4 * 8 * (132 + 128) * FLOAT}}},
    // The ring, and the totals of chains; rung 12's second kernel adds the parts of tiles.
    {"tuned", {{128, (3 * 64 * (20 + 32) + 4 * 16 * 32) * FLOAT}}},
    {"stream_k", {{256, (3 * 64 * (36 + 64) + 8 * 32 * 64) * FLOAT}, {256, 256 * 4 * FLOAT}}},
};

std::vector<Block> blocks_of(const Rung& rung, const Sgemm& problem) {
  std::map<uint64_t, uint64_t> before;
  for (const auto& launch : simulator::launch_counters()) before[launch.first] = launch.times;
  EXPECT_EQ(ladder::launch(rung, problem, nullptr), cudaSuccess);
  std::vector<Block> blocks;
  for (const auto& launch : simulator::launch_counters()) {
    if (launch.times == before[launch.first]) continue;
    blocks.push_back({launch.block.x * launch.block.y * launch.block.z, launch.shared_bytes});
  }
  return blocks;
}

TEST_P(LaunchRecords, ShowTheBlocksThatTheRungIsMeantToHave) {
  const auto known = BLOCKS.find(GetParam()->name);
  ASSERT_NE(known, BLOCKS.end()) << "say in " << __FILE__ << " which blocks the rung launches";
  const Matrices matrices(128, 128, 2048, {});
  EXPECT_THAT(blocks_of(*GetParam(), matrices.problem()), testing::ContainerEq(known->second));
}

// --- paths --------------------------------------------------------------------------------------------------

// The widest access of a lane to A, B or C.
uint32_t widest_access(const Rung& rung, const Sgemm& problem) {
  simulator::reset_counters();
  EXPECT_EQ(ladder::launch(rung, problem, nullptr), cudaSuccess);
  uint32_t widest = 0;
  for (const auto& row : simulator::counters().accesses) {
    const bool matrix = row.buffer == "A" || row.buffer == "B" || row.buffer == "C";
    if (matrix && simulator::is_global(row.access)) widest = std::max(widest, row.bytes_per_lane);
  }
  return widest;
}

// A path is called "float4" or "float8" where some matrix is moved in vectors, and otherwise "scalar" or nothing.
TEST_P(LaunchRecords, ShowThePathThatTheRungNames) {
  std::set<std::string> paths;
  struct Shape {
    int64_t M, N, K;
  };
  for (const Shape& s : {Shape{128, 128, 64}, {4, 64, 64}, {64, 4, 64}}) {
    for (const int64_t a : {0, 1, 4}) {
      for (const int64_t b : {0, 1, 4}) {
        for (const int64_t c : {0, 1}) {
          const Matrices matrices(s.M, s.N, s.K, {a, b, c});
          const char* const path = ladder::path(*GetParam(), matrices.problem());
          const std::string name = path == nullptr ? "" : path;
          const bool vectors = name.find("float") != std::string::npos;
          EXPECT_EQ(widest_access(*GetParam(), matrices.problem()), vectors ? 16U : 4U)
              << "path '" << name << "' at " << s.M << "x" << s.N << "x" << s.K << " offsets " << a
              << " " << b << " " << c;
          paths.insert(name);
        }
      }
    }
  }
  if (GetParam()->path != nullptr) {
    EXPECT_GE(paths.size(), 2U) << "a rung with one path names none";
  }
}

// --- order --------------------------------------------------------------------------------------------------

// One host thread runs the blocks in their order, always the same. Only what the contract's check shuffles can
// change the bits of a sum whose parts are added as they come.
TEST(Order, IsVariedByTheContract) {
  simulator::set_worker_threads(1);
  for (const runner::ContractCheck& check : runner::contract()) {
    if (std::string_view(check.name) != "the same result in every order") continue;
    EXPECT_THAT(check.complaint(faulty::adds_in_any_order), testing::HasSubstr("another order"));
    EXPECT_EQ(simulator::schedule(), 0U) << "the usual order must come back";
  }
  simulator::set_worker_threads(0);
}

INSTANTIATE_TEST_SUITE_P(Ladder, LaunchRecords, rungs_from(1), name_of);

}  // namespace
