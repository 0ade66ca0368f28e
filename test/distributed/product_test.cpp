// Products of whole numbers on every grid of the processes that mpirun starts: exact, whatever the blocks of A, B and C are. All processes
// run the same tests. A failure is printed by the processes that see it.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "distributed/check/elements.hpp"
#include "distributed/check/projections.hpp"
#include "distributed/product/product.hpp"
#include "distributed/transport/mpi_transport.hpp"
#include "sgemm_ladder.h"

namespace distributed {
namespace {

constexpr float CANARY = 12345;
constexpr std::chrono::seconds PATIENCE(300);
constexpr int GAP = 2;  // rows between the columns of a part

int rank_of_this() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::vector<Grid> grids() {
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  std::vector<Grid> all;
  for (int rows = 1; rows <= processes; ++rows)
    if (processes % rows == 0) all.push_back({rows, processes / rows});
  return all;
}

float whole(Name name, int64_t row, int64_t col) { return whole_element_of(name, 1, row, col); }

// This process's part of a matrix, with gaps.
class Part {
 public:
  Part(Name name, const Layout& layout, const Grid& grid, float scale = 1)
      : layout_(layout),
        grid_(grid),
        rows_(layout.rows_on(grid, rank_of_this())),
        cols_(layout.cols_on(grid, rank_of_this())),
        values_(static_cast<size_t>(ld() * cols_ + GAP), CANARY),
        memory_(static_cast<int64_t>(values_.size())) {
    for (int64_t col = 0; col < cols_; ++col)
      for (int64_t row = 0; row < rows_; ++row)
        values_[place(row, col)] = scale * whole(name, global_row(row), global_col(col));
    write();
  }
  int64_t ld() const { return rows_ + GAP; }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t global_row(int64_t row) const {
    return layout_.rows.element_at(row, grid_.row_of(rank_of_this()));
  }
  int64_t global_col(int64_t col) const {
    return layout_.cols.element_at(col, grid_.col_of(rank_of_this()));
  }
  float* data() const { return memory_.data(); }
  void fill(float value) {
    for (int64_t col = 0; col < cols_; ++col)
      for (int64_t row = 0; row < rows_; ++row) values_[place(row, col)] = value;
    write();
  }
  std::vector<float> read() const {
    std::vector<float> values(values_.size());
    check(cudaMemcpy(values.data(), data(), values.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }
  size_t place(int64_t row, int64_t col) const { return static_cast<size_t>(row + col * ld()); }

 private:
  void write() const {
    check(
        cudaMemcpy(data(), values_.data(), values_.size() * sizeof(float), cudaMemcpyHostToDevice));
  }

  const Layout layout_;
  const Grid grid_;
  const int64_t rows_, cols_;
  std::vector<float> values_;
  const DeviceFloats memory_;
};

struct Case {
  int64_t m, n, k, panel;
  bool trans_a, trans_b;
  float alpha, beta;
  Layout a, b, c;
};

std::string text_of(const Case& c, const Grid& grid) {
  const auto layout = [](const Layout& x) {
    return std::to_string(x.rows.block) + "x" + std::to_string(x.cols.block) + " from " +
           std::to_string(x.rows.first) + "," + std::to_string(x.cols.first);
  };
  return "rank " + std::to_string(rank_of_this()) + " of " + std::to_string(grid.rows) + "x" +
         std::to_string(grid.cols) + ": " + std::to_string(c.m) + "x" + std::to_string(c.n) + "x" +
         std::to_string(c.k) + (c.trans_a ? " T" : " N") + (c.trans_b ? "T" : "N") + " panels of " +
         std::to_string(c.panel) + ", A " + layout(c.a) + ", B " + layout(c.b) + ", C " +
         layout(c.c);
}

void expect_exact(const Case& c, const Grid& grid) {
  SCOPED_TRACE(text_of(c, grid));
  const Part a(Name::a, c.a, grid), b(Name::b, c.b, grid);
  Part result(Name::c, c.c, grid);
  if (c.beta == 0) result.fill(std::numeric_limits<float>::quiet_NaN());
  MpiTransport transport(MPI_COMM_WORLD, grid, PATIENCE);
  Workspace workspace;
  multiply({.m = c.m,
            .n = c.n,
            .k = c.k,
            .alpha = c.alpha,
            .beta = c.beta,
            .a = {c.a, a.data(), a.ld(), c.trans_a},
            .b = {c.b, b.data(), b.ld(), c.trans_b},
            .c = c.c,
            .c_data = result.data(),
            .ldc = result.ld(),
            .panel = c.panel,
            .algorithm = SGEMM_LADDER_STREAM_K},
           grid, rank_of_this(), transport, workspace);
  std::vector<float> values = result.read();
  int wrong = 0;
  for (int64_t col = 0; col < result.cols(); ++col) {
    for (int64_t row = 0; row < result.rows(); ++row) {
      const int64_t i = result.global_row(row), j = result.global_col(col);
      float want = c.beta == 0 ? 0 : c.beta * whole(Name::c, i, j);
      for (int64_t l = 0; l < c.k; ++l)
        want += c.alpha * (c.trans_a ? whole(Name::a, l, i) : whole(Name::a, i, l)) *
                (c.trans_b ? whole(Name::b, j, l) : whole(Name::b, l, j));
      float& got = values[result.place(row, col)];
      if (got != want && ++wrong == 1) {
        ADD_FAILURE() << "element " << i << "," << j << " is " << got << ", not " << want;
      }
      got = CANARY;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(values, std::vector<float>(values.size(), CANARY)) << "a gap was written";
}

TEST(Product, IsExactOnEveryGridInBlocksOfEverySize) {
  for (const Grid& grid : grids()) {
    std::mt19937 random(7);  // the same numbers on all processes
    const auto one_of = [&](int64_t least, int64_t most) {
      return least + static_cast<int64_t>(random() % static_cast<uint32_t>(most - least + 1));
    };
    for (int i = 0; i < 24; ++i) {
      Case c{.m = one_of(1, 70),
             .n = one_of(1, 70),
             .k = one_of(1, 90),
             .panel = one_of(1, 40),
             .trans_a = i % 2 == 1,
             .trans_b = i / 2 % 2 == 1,
             .alpha = i % 3 == 0 ? 1.0F : -2.0F,
             .beta = i % 3 == 1 ? 0.5F : 0,
             .a = {},
             .b = {},
             .c = {}};
      const auto layout = [&](int64_t rows, int64_t cols) {
        return Layout{{rows, one_of(1, 20), grid.rows, static_cast<int>(one_of(0, grid.rows - 1))},
                      {cols, one_of(1, 20), grid.cols, static_cast<int>(one_of(0, grid.cols - 1))}};
      };
      c.a = c.trans_a ? layout(c.k, c.m) : layout(c.m, c.k);
      c.b = c.trans_b ? layout(c.n, c.k) : layout(c.k, c.n);
      c.c = layout(c.m, c.n);
      expect_exact(c, grid);
    }
  }
}

// The projections find nothing in a right product, and the row and column of an element that one process has wrong.
void expect_named(Rounding rounding) {
  for (const Grid& grid : grids()) {
    const int64_t m = 41, n = 37, k = 53;
    for (const bool is_transposed : {false, true}) {
      const Layout of_a =
          is_transposed ? square_blocks(k, m, 5, grid) : square_blocks(m, k, 5, grid);
      const Layout of_b =
          is_transposed ? square_blocks(n, k, 6, grid) : square_blocks(k, n, 6, grid);
      const Layout of_c = square_blocks(m, n, 4, grid);
      const float scale = rounding == Rounding::none ? 1 : 0.1F;  // then all elements are rounded
      const Part a(Name::a, of_a, grid, scale), b(Name::b, of_b, grid, scale),
          c(Name::c, of_c, grid);
      const Product product{.m = m,
                            .n = n,
                            .k = k,
                            .alpha = -1,
                            .beta = 2,
                            .a = {of_a, a.data(), a.ld(), is_transposed},
                            .b = {of_b, b.data(), b.ld(), is_transposed},
                            .c = of_c,
                            .c_data = c.data(),
                            .ldc = c.ld(),
                            .panel = 16,
                            .algorithm = SGEMM_LADDER_BEST};
      const Projections expected =
          expected_projections(product, grid, rank_of_this(), MPI_COMM_WORLD, rounding);
      MpiTransport transport(MPI_COMM_WORLD, grid, PATIENCE);
      Workspace workspace;
      multiply(product, grid, rank_of_this(), transport, workspace);
      EXPECT_TRUE(differences(expected, product, grid, rank_of_this(), MPI_COMM_WORLD).are_none());

      const int64_t row = 30, col = 11;
      if (of_c.rows.owner(row) == grid.row_of(rank_of_this()) &&
          of_c.cols.owner(col) == grid.col_of(rank_of_this())) {
        float* const element = c.data() + c.place(of_c.rows.place_of(row), of_c.cols.place_of(col));
        float value = 0;
        check(cudaMemcpy(&value, element, sizeof value, cudaMemcpyDeviceToHost));
        value += 1;
        check(cudaMemcpy(element, &value, sizeof value, cudaMemcpyHostToDevice));
      }
      const Differences found =
          differences(expected, product, grid, rank_of_this(), MPI_COMM_WORLD);
      EXPECT_EQ(found.rows, std::vector<int64_t>{row});
      EXPECT_EQ(found.cols, std::vector<int64_t>{col});
    }
  }
}

TEST(Projections, NameTheRowAndColumnOfAWrongElement) { expect_named(Rounding::none); }

TEST(Projections, AllowForRoundingOfRealNumbers) { expect_named(Rounding::fp32); }

// Changes an element that a process receives.
class FaultyTransport : public MpiTransport {
 public:
  FaultyTransport(const Grid& grid, bool is_faulty)
      : MpiTransport(MPI_COMM_WORLD, grid, PATIENCE), is_faulty_(is_faulty) {}
  void deliver(std::span<const Message> messages, cudaStream_t stream) override {
    MpiTransport::deliver(messages, stream);
    for (const Message& m : messages) {
      if (!is_faulty_ || m.data == nullptr || m.sender == rank_of_this()) continue;
      float value = 0;
      const int64_t place = (m.floats - FLOATS_OF_SUMS) / 2;
      check(cudaMemcpy(&value, m.data + place, sizeof value, cudaMemcpyDeviceToHost));
      value += 1;
      check(cudaMemcpy(m.data + place, &value, sizeof value, cudaMemcpyHostToDevice));
      said_ = "a message of rank " + std::to_string(m.sender) + " for the " +
              (m.line.is_row ? "row " : "column ") + std::to_string(m.line.index) +
              " of the grid changed on its way: element " + std::to_string(place) + " of " +
              std::to_string(m.floats - FLOATS_OF_SUMS);
      is_faulty_ = false;
    }
  }
  const std::string& said() const { return said_; }

 private:
  bool is_faulty_;
  std::string said_;
};

TEST(Product, TellsOfAnElementThatChangedOnItsWay) {
  for (const Grid& grid : grids()) {
    if (grid.size() == 1) continue;  // it sends nothing
    const Layout layout = square_blocks(48, 48, 8, grid);
    const Part a(Name::a, layout, grid), b(Name::b, layout, grid), c(Name::c, layout, grid);
    const Factor of_a{layout, a.data(), a.ld(), false}, of_b{layout, b.data(), b.ld(), false};
    FaultyTransport transport(grid, rank_of_this() == grid.size() - 1);
    Workspace workspace;
    std::string told;
    try {
      multiply({.m = 48,
                .n = 48,
                .k = 48,
                .a = of_a,
                .b = of_b,
                .c = layout,
                .c_data = c.data(),
                .ldc = c.ld(),
                .panel = 20},
               grid, rank_of_this(), transport, workspace);
    } catch (const std::runtime_error& error) {
      told = error.what();
    }
    EXPECT_EQ(told, transport.said());
    EXPECT_EQ(told.empty(), rank_of_this() != grid.size() - 1);
  }
}

TEST(Product, HasTheRulesOfBlasForNothing) {
  for (const Grid& grid : grids()) {
    const auto blocks = [&](int64_t rows, int64_t cols) {
      return square_blocks(rows, cols, 8, grid);
    };
    for (const auto& [m, n, k, alpha] :
         {std::tuple{20, 30, 0, 1.0F}, {20, 30, 40, 0.0F}, {0, 30, 40, 1.0F}, {20, 0, 40, 1.0F}})
      for (const float beta : {0.0F, 2.0F})
        expect_exact(
            {m, n, k, 16, false, false, alpha, beta, blocks(m, k), blocks(k, n), blocks(m, n)},
            grid);
  }
}

}  // namespace
}  // namespace distributed

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {  // the others print failures alone
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    struct Failures : testing::EmptyTestEventListener {
      void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.failed()) std::fprintf(stderr, "%s\n", result.message());
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
