#include "workshop/diagnose/hypotheses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "kernels/ladder.hpp"

namespace workshop {
namespace {

using ladder::ceil_div;

struct Known {
  const char* name;
  const char* reason;  // the usual mistake behind it
};

// THE list of causes, the most telling first: causes for all of C before causes for a part, exact causes before patterns.
constexpr Known CAUSES[] = {
    {"nothing written",
     "The kernel has not stored its sums. Is there a store to C, does a thread reach it, and has "
     "the grid blocks?"},
    {"old C kept at beta = 0",
     "If beta is 0, the result must not contain the old C. `+=` adds to it; `=` or blend() stores "
     "the sum. Load C only if beta is not 0, as blend() does."},
    {"all zeros",
     "The sums stay at zero: nothing is added to them, or only zeros are. Is the loop entered, and "
     "are the tiles that it reads ever filled?"},
    {"alpha ignored", "C becomes alpha * sum + beta * C. blend() computes it."},
    {"beta ignored",
     "C becomes alpha * sum + beta * C, so the old C counts too. blend() computes it."},
    {"beta taken for 1",
     "C becomes alpha * sum + beta * C, and `+=` forgets beta. blend() computes it."},
    {"alpha and beta changed places",
     "Look at the order of blend()'s arguments: alpha, sum, beta, c."},
    {"only the last step of K",
     "Each step of the loop replaces the sum: it says `=` instead of `+=`, or the sum begins anew "
     "inside the loop."},
    {"only the first step of K", "The loop over K is missing, or ends after its first step."},
    {"first K tile only",
     "Either the loop over the tiles of K ends after one (look at its end and at its step), or the "
     "tiles after it add nothing."},
    {"last K tile only",
     "The sum begins anew with each tile: it must be declared before the loop over the tiles."},
    {"K cut at a whole tile",
     "K / BK rounds down, so the last steps of K are never summed. Count the tiles with ceil_div, "
     "or loop while k0 < K, and stage zeros beyond K."},
    {"last K tile missing",
     "The loop ends one tile early: the tile that is staged last must be multiplied too."},
    {"first K tile missing",
     "The loop begins one tile late: the tile that is staged before it must be multiplied too."},
    {"neither factor advanced along K",
     "Each tile is the first one again: after each tile A must go on by BK columns and B by BK "
     "rows."},
    {"A not advanced along K",
     "Each tile of A is the first one again: it must go on by BK columns."},
    {"B not advanced along K",
     "Each tile of B is the first one again: it must go on by BK rows, which are BK * ldb floats."},
    {"last step of K missing",
     "The loop ends one step early: it says `k < K - 1`, or `k <` instead of `k <=`."},
    {"first step of K missing", "The loop begins at 1, not at 0."},
    {"last step of every K tile missing",
     "The inner loop ends one step early: it runs while k < BK."},
    {"first step of every K tile missing", "The inner loop begins at 1, not at 0."},
    {"stale values beyond the end of K",
     "The last tile is not full, and the rest of it still holds values of the tile before: stage "
     "zeros there."},
    {"sums not cleared",
     "After a sum is stored, the next one must begin at zero. Where is it declared, and how often "
     "is it stored?"},
    {"counted several times",
     "The same products are added more than once: does a loop run around the loop over K, or do "
     "several threads add the same?"},
    {"As read at the thread's own column",
     "Inside the loop over k, As is read with the thread's number instead of k: As[row][k]."},
    {"Bs read at the thread's own row",
     "Inside the loop over k, Bs is read with the thread's number instead of k: Bs[k][col]."},
    {"transposed", "Rows and columns changed places: C(row, col) lies at row * ldc + col."},
    {"every tile transposed",
     "Rows and columns changed places within the block. The number that moves along a row of C "
     "must also move along a row of B."},
    {"A read transposed", "Rows and columns of A changed places: A(row, k) lies at row * lda + k."},
    {"B read transposed", "Rows and columns of B changed places: B(k, col) lies at k * ldb + col."},
    {"A's tile transposed",
     "As is written one way round and read the other: the indices of the store and of the load "
     "must agree."},
    {"B's tile transposed",
     "Bs is written one way round and read the other: the indices of the store and of the load "
     "must agree."},
    {"both tiles read the wrong way",
     "Which index of As counts rows of C, and which index of Bs counts columns of C? The other "
     "index is the step along K."},
    {"wrong leading dimension of A", "The next row of A begins lda floats after this one."},
    {"wrong leading dimension of B", "The next row of B begins ldb floats after this one."},
    {"wrong leading dimension of C", "The next row of C begins ldc floats after this one."},
    {"A moved along where down is meant",
     "The next row of A begins lda floats after this one; the row r rows below begins r * lda "
     "floats after it."},
    {"B moved along where down is meant",
     "The next row of B begins ldb floats after this one; the row r rows below begins r * ldb "
     "floats after it."},
    {"shifted by one row", "A row's number is one too large or too small somewhere: count from 0."},
    {"shifted by one column",
     "A column's number is one too large or too small somewhere: count from 0."},
    {"float4 components in the wrong order",
     "x, y, z, w lie in memory in this order, x first. Store each in its own place."},
    {"swapped halves",
     "Two halves of a piece changed places: the lower half of the numbers belongs to the first "
     "half."},
    {"last row missing",
     "A test or a loop ends one row early: rows run from 0 to M - 1, so the test is row < M."},
    {"last column missing",
     "A test or a loop ends one column early: columns run from 0 to N - 1, so the test is col < "
     "N."},
    {"last row of every tile missing",
     "No thread has this row. Work out the row of the block's last thread: it must be row BM - 1 "
     "of the tile."},
    {"last column of every tile missing",
     "No thread has this column. Work out the col of a row's last thread: it must be column "
     "BN - 1 of the tile."},
    {"only the diagonal of every tile",
     "Row and column come from the same part of the thread's number: one is the quotient "
     "(threadIdx.x / BN), the other the remainder (threadIdx.x % BN)."},
    {"threadIdx.x taken whole",
     "The column is the remainder, threadIdx.x % BN: the whole number runs far beyond the tile."},
    {"tile rows and tile columns changed places",
     "A block's number gives a row and a column of tiles: one is a quotient, the other the "
     "remainder. The divisor is tiles_n if tiles are numbered row by row, tiles_m if they are "
     "numbered column by column. Which of the two results is the row?"},
    {"tile number not multiplied",
     "A tile's first row is its number times BM and its first column its number times BN."},
    {"only the first block's tile",
     "All blocks compute the same tile, or there is only one block. The block's number must be "
     "part of row and column, and the grid must have a block for each tile."},
    {"only the tiles on the diagonal",
     "Row and column begin with the same number of the block. A tile needs two numbers: blockIdx.x "
     "and blockIdx.y, or the quotient and the remainder of one."},
    {"only the first row of tiles",
     "The row does not depend on the block's number, or the grid has too few blocks: it needs one "
     "for each tile of C."},
    {"only the first column of tiles",
     "The column does not depend on the block's number, or the grid has too few blocks: it needs "
     "one for each tile of C."},
    {"the same elements in all of a tile",
     "An index lacks a number that rises: the thread's own place when the tiles are read, or the "
     "loop's counter when they are staged."},
    {"a thread's rows repeated",
     "A thread has several rows, and each has its own elements of A. The row's number must be part "
     "of the index that reads them."},
    {"a thread's columns repeated",
     "A thread has several columns, and each has its own elements of B. The column's number must "
     "be part of the index that reads them."},
    {"only one element of each thread's tile",
     "A thread has several elements to compute and store. Both parts need the loops over them."},
    {"no test at the right edge",
     "Threads beyond the last column have stored into the beginning of the next row. Test col < N "
     "before a store."},
    {"edge only",
     "Tiles at the edge extend beyond C. Count the tiles with ceil_div, test row < M and col < N "
     "before a store, and stage zeros beyond the edge."},
    {"some rows of every tile",
     "Which threads have these rows? Either they do not store them, or they compute with other "
     "rows of A."},
    {"some columns of every tile",
     "Which threads have these columns? Either they do not store them, or they compute with other "
     "columns of B."},
    {"read what nobody wrote",
     "The memory between and around the rows of A and B holds NaN, and so does shared memory until "
     "a thread stores there. Is each index tested before the load, and is all of a tile stored "
     "before it is read?"},
    {"elements changed places",
     "Compare the indices of the stores to C with the indices of the sums."},
};

// Collects the hypotheses for a product.
class Suspects {
 public:
  explicit Suspects(const ExaminedProduct& facts)
      : facts_(facts), M_(facts.given().M), N_(facts.given().N), K_(facts.given().K) {}

  std::vector<Hypothesis> all() {
    factors();
    for (const int64_t depth : depths()) tiles_along_k(depth);
    steps_of_k();
    repeated_sums();
    transpositions();
    leading_dimensions();
    moves_along();
    shifts();
    for (const int64_t size : sizes_of_tiles()) tile_transpositions(size);
    vector_components();
    halves();
    missing_lines();
    tiles_of_the_block();
    tiles_of_the_thread();
    repeated_elements();
    edges();
    last_resorts();
    return std::move(found_);
  }

 private:
  const BlockTile& tile() const { return facts_.given().tile; }
  bool has_tile() const { return tile().rows > 0 && tile().cols > 0; }
  int64_t tiles_m() const { return ceil_div(M_, tile().rows); }
  int64_t tiles_n() const { return ceil_div(N_, tile().cols); }

  // Possible depths of a tile of K.
  std::vector<int64_t> depths() const {
    if (tile().depth > 0) return {tile().depth};
    return {32, 16, 8, 64, 128, 4};
  }
  // Possible sides of a factor's square tile.
  std::vector<int64_t> sizes_of_tiles() const {
    if (!has_tile()) return {32, 16, 8};
    return {tile().rows};
  }

  void add(const char* name, std::string seen, std::function<Fit(int64_t, int64_t)> fit) {
    found_.push_back({.name = name, .seen = std::move(seen), .fit = std::move(fit)});
  }

  // Adds a mistake that leaves value(row, col). NaN stands for a read outside of the matrices, which may give anything.
  template <typename Value>
  void add_value(const char* name, std::string seen, Value value) {
    const ExaminedProduct& facts = facts_;
    add(name, std::move(seen), [&facts, value](int64_t i, int64_t j) {
      const double left = value(i, j);
      if (std::isnan(left)) return facts.is_wrong(i, j) ? Fit::unknown : Fit::no;
      return facts.is(i, j, left) ? Fit::yes : Fit::no;
    });
  }

  // Adds a mistake in the sum over K; the blending is right.
  template <typename Sum>
  void add_sum(const char* name, std::string seen, Sum sum) {
    const ExaminedProduct& facts = facts_;
    add_value(name, std::move(seen),
              [&facts, sum](int64_t i, int64_t j) { return facts.blended(sum(i, j), i, j); });
  }

  // Adds a mistake that multiplies other elements: a(row, k) and b(k, col) return them.
  template <typename A, typename B>
  void add_product(const char* name, std::string seen, A a, B b) {
    const int64_t K = K_;
    add_sum(name, std::move(seen), [K, a, b](int64_t i, int64_t j) {
      double sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += a(i, k, j) * b(k, j, i);
      return sum;
    });
  }

  // Adds a mistake that counts step k weight(k) times.
  template <typename Weight>
  void add_weighted(const char* name, std::string seen, Weight weight) {
    const ExaminedProduct& facts = facts_;
    add_product(
        name, std::move(seen),
        [&facts, weight](int64_t i, int64_t k, int64_t) {
          const auto times = static_cast<double>(weight(k));
          return times == 0 ? 0 : times * facts.a(i, k);
        },
        [&facts](int64_t k, int64_t j, int64_t) { return facts.b(k, j); });
  }

  // Adds a mistake in one factor, A or B; the other one is right.
  template <typename A>
  void add_other_a(const char* name, std::string seen, A a) {
    const ExaminedProduct& facts = facts_;
    add_product(name, std::move(seen), a,
                [&facts](int64_t k, int64_t j, int64_t) { return facts.b(k, j); });
  }
  template <typename B>
  void add_other_b(const char* name, std::string seen, B b) {
    const ExaminedProduct& facts = facts_;
    add_product(
        name, std::move(seen), [&facts](int64_t i, int64_t k, int64_t) { return facts.a(i, k); },
        b);
  }

  // Adds a pattern: the wrong elements fill at least nine tenths of a part of C, and lie nowhere else. The words get
  // the kind of error: "were never written", "are wrong".
  template <typename Part>
  void add_part(const char* name, const std::string& seen, const Part& is_in_part) {
    int64_t inside = 0, wrong_inside = 0, untouched = 0;
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) {
        const bool in_part = is_in_part(i, j);
        if (facts_.is_wrong(i, j) && !in_part) return;
        if (!in_part) continue;
        ++inside;
        if (!facts_.is_wrong(i, j)) continue;
        ++wrong_inside;
        if (facts_.is_untouched(i, j)) ++untouched;
      }
    }
    // Neither one wrong element nor all of C is a pattern.
    if (wrong_inside < 2 || inside == M_ * N_ || 10 * wrong_inside < 9 * inside) return;
    const char* matter = untouched == wrong_inside ? "never written" : "wrong";
    add(name, fmt::format(fmt::runtime(seen), matter), [](int64_t, int64_t) { return Fit::yes; });
  }

  // A sum of NaN comes from an element that must not be read, so no row or column is missing.
  bool has_computed_nan() const {
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) {
        if (facts_.is_wrong(i, j) && facts_.is(i, j, std::nan(""))) return true;
      }
    }
    return false;
  }

  bool all_wrong_are_untouched() const {
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) {
        if (facts_.is_wrong(i, j) && !facts_.is_untouched(i, j)) return false;
      }
    }
    return true;
  }

  // Adds a pattern: only these elements are right.
  template <typename Part>
  void add_rest(const char* name, const std::string& seen, Part is_right) {
    add_part(name, seen, [is_right](int64_t i, int64_t j) { return !is_right(i, j); });
  }

  // The same, and no other element is right by chance or otherwise.
  template <typename Part>
  void add_exact_rest(const char* name, const std::string& seen, Part is_right) {
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) {
        if (!is_right(i, j) && !facts_.is_wrong(i, j)) return;
      }
    }
    add_rest(name, seen, is_right);
  }

  // --- the blending of the sum -------------------------------------------------------------------------------------

  void factors() {
    const ExaminedProduct& facts = facts_;
    const double alpha = facts.given().alpha, beta = facts.given().beta;
    const std::string run = fmt::format("a second run, with alpha {} and beta {},", alpha, beta);
    add("nothing written", "No element of C was written.",
        [&facts](int64_t i, int64_t j) { return facts.is_untouched(i, j) ? Fit::yes : Fit::no; });
    add_value(
        "all zeros",
        beta == 0 ? "Every element is 0." : "Every element is beta * C, as if the sum were 0.",
        [&facts](int64_t i, int64_t j) { return facts.blended(0, i, j); });
    if (alpha != 1) {
      add_value("alpha ignored", fmt::format("In {} the sums are stored as they are.", run),
                [&facts, beta](int64_t i, int64_t j) {
                  return facts.blended(facts.product(i, j), i, j, 1, beta);
                });
      if (beta != 0) {
        add_value("alpha ignored", fmt::format("In {} the sums are stored as they are.", run),
                  [&facts](int64_t i, int64_t j) {
                    return facts.blended(facts.product(i, j), i, j, 1, 0);
                  });
      }
    }
    if (beta == 0) {
      add("old C kept at beta = 0", "Beta is 0, but the result contains the old C.",
          [&facts, alpha](int64_t i, int64_t j) {
            // A NaN does not tell its origin. A run with numbers in C does.
            if (std::isnan(facts.before(i, j))) return Fit::unknown;
            const double left = facts.blended(facts.product(i, j), i, j, alpha, 1);
            return facts.is(i, j, left) ? Fit::yes : Fit::no;
          });
      return;
    }
    add_value("beta ignored", fmt::format("In {} the old C was not added.", run),
              [&facts, alpha](int64_t i, int64_t j) {
                return facts.blended(facts.product(i, j), i, j, alpha, 0);
              });
    if (beta != 1) {
      add_value("beta taken for 1", fmt::format("In {} all of the old C was added.", run),
                [&facts, alpha](int64_t i, int64_t j) {
                  return facts.blended(facts.product(i, j), i, j, alpha, 1);
                });
    }
    if (alpha != beta) {
      add_value("alpha and beta changed places",
                fmt::format("In {} the sums were multiplied by {} and the old C by {}.", run, beta,
                            alpha),
                [&facts, alpha, beta](int64_t i, int64_t j) {
                  return facts.blended(facts.product(i, j), i, j, beta, alpha);
                });
    }
  }

  // --- the steps of K ----------------------------------------------------------------------------------------------

  void steps_of_k() {
    const int64_t K = K_;
    if (K < 2) return;
    add_weighted("only the last step of K",
                 fmt::format("Every element is the last of its {} products.", K),
                 [K](int64_t k) { return k == K - 1; });
    add_weighted("only the first step of K",
                 fmt::format("Every element is the first of its {} products.", K),
                 [](int64_t k) { return k == 0; });
    add_weighted("last step of K missing",
                 fmt::format("Every sum has {} of its {} products: the last is missing.", K - 1, K),
                 [K](int64_t k) { return k != K - 1; });
    add_weighted(
        "first step of K missing",
        fmt::format("Every sum has {} of its {} products: the first is missing.", K - 1, K),
        [](int64_t k) { return k != 0; });
  }

  void tiles_along_k(int64_t depth) {
    const int64_t K = K_, tiles = ceil_div(K, depth), rest = K % depth;
    if (tiles < 2 || depth < 2) return;
    const int64_t last = (tiles - 1) * depth;
    add_weighted(
        "first K tile only",
        fmt::format("Every element is the sum over the first {} of {} steps along K.", depth, K),
        [depth](int64_t k) { return k < depth; });
    add_weighted(
        "last K tile only",
        fmt::format("Every element is the sum over the last {} of {} steps along K.", K - last, K),
        [last](int64_t k) { return k >= last; });
    if (rest != 0) {
      add_weighted(
          "K cut at a whole tile",
          fmt::format("The last {} of {} steps along K are missing: {} is no multiple of {}.", rest,
                      K, K, depth),
          [last](int64_t k) { return k < last; });
    }
    const int64_t end = rest == 0 ? last : last - depth;
    add_weighted("last K tile missing",
                 fmt::format("The last {} of {} steps along K are missing.", K - end, K),
                 [end](int64_t k) { return k < end; });
    add_weighted("first K tile missing",
                 fmt::format("The first {} of {} steps along K are missing.", depth, K),
                 [depth](int64_t k) { return k >= depth; });
    add_weighted("last step of every K tile missing",
                 fmt::format("In every {} steps along K, the last is missing.", depth),
                 [depth](int64_t k) { return k % depth != depth - 1; });
    add_weighted("first step of every K tile missing",
                 fmt::format("In every {} steps along K, the first is missing.", depth),
                 [depth](int64_t k) { return k % depth != 0; });
    add_weighted("sums not cleared",
                 fmt::format("Every {} steps along K, the sum so far is added once more.", depth),
                 [depth, tiles](int64_t k) { return tiles - k / depth; });
    stale_tail(depth, last, rest);

    const ExaminedProduct& facts = facts_;
    const auto first_of_a = [&facts, depth](int64_t i, int64_t k, int64_t) {
      return facts.a(i, k % depth);
    };
    const auto first_of_b = [&facts, depth](int64_t k, int64_t j, int64_t) {
      return facts.b(k % depth, j);
    };
    add_product(
        "neither factor advanced along K",
        fmt::format("The first {} of {} steps along K were summed again and again.", depth, K),
        first_of_a, first_of_b);
    add_other_a("A not advanced along K",
                fmt::format("The first {} columns of A were multiplied with all of B.", depth),
                first_of_a);
    add_other_b("B not advanced along K",
                fmt::format("All of A was multiplied with the first {} rows of B.", depth),
                first_of_b);
    own_numbers(depth);
  }

  // The last tile of K is not full, and the rest of the shared tile still holds the previous one.
  void stale_tail(int64_t depth, int64_t last, int64_t rest) {
    if (rest == 0) return;
    add_weighted(
        "stale values beyond the end of K",
        fmt::format(
            "Each sum has the right products and also {} products of the tile before the last.",
            depth - rest),
        [=](int64_t k) { return k >= last - depth + rest && k < last ? 2 : 1; });
  }

  // The product reads As[y][x] or Bs[y][x] instead of an index with k. Each thread has one element of a square tile.
  void own_numbers(int64_t depth) {
    if (has_tile() && (tile().rows != depth || tile().cols != depth)) return;
    const ExaminedProduct& facts = facts_;
    add_other_a(
        "As read at the thread's own column",
        fmt::format("In every {} steps along K, each column of C uses only one element of A.",
                    depth),
        [&facts, depth](int64_t i, int64_t k, int64_t j) {
          return facts.a(i, k - k % depth + j % depth);
        });
    add_other_b(
        "Bs read at the thread's own row",
        fmt::format("In every {} steps along K, each row of C uses only one element of B.", depth),
        [&facts, depth](int64_t k, int64_t j, int64_t i) {
          return facts.b(k - k % depth + i % depth, j);
        });
  }

  void repeated_sums() {
    const ExaminedProduct& facts = facts_;
    for (int64_t times = 2; times <= 64; ++times) {
      add_sum("counted several times", fmt::format("Every sum is {} times the right value.", times),
              [&facts, times](int64_t i, int64_t j) {
                return static_cast<double>(times) * facts.product(i, j);
              });
    }
    for (const int64_t group : {2, 4, 8, 16}) {
      add_sum(
          "sums not cleared",
          fmt::format(
              "In every group of {} rows, each row also contains the sums of the rows above it.",
              group),
          [&facts, group](int64_t i, int64_t j) {
            double sum = 0;
            for (int64_t r = i - i % group; r <= i; ++r) sum += facts.product(r, j);
            return sum;
          });
      add_sum("sums not cleared",
              fmt::format("In every group of {} columns, each column also contains the sums of the "
                          "columns before it.",
                          group),
              [&facts, group](int64_t i, int64_t j) {
                double sum = 0;
                for (int64_t c = j - j % group; c <= j; ++c) sum += facts.product(i, c);
                return sum;
              });
    }
    if (!has_tile()) return;
    add_sum("sums not cleared", "Each tile has the sums of the tiles to its left added.",
            [&facts, step = tile().cols](int64_t i, int64_t j) {
              double sum = 0;
              for (int64_t c = j; c >= 0; c -= step) sum += facts.product(i, c);
              return sum;
            });
    add_sum("sums not cleared", "Each tile has the sums of the tiles above it added.",
            [&facts, step = tile().rows](int64_t i, int64_t j) {
              double sum = 0;
              for (int64_t r = i; r >= 0; r -= step) sum += facts.product(r, j);
              return sum;
            });
  }

  // --- the elements ------------------------------------------------------------------------------------------------

  // Adds a mistake that stores (row, col) at another place of C. If several elements are stored in one place, any may
  // be last. A place without a store keeps the old C.
  template <typename Place>
  void add_store(const char* name, std::string seen, Place place) {
    const ExaminedProduct& facts = facts_;
    const int64_t ldc = facts.given().ldc;
    std::unordered_multimap<int64_t, std::array<int64_t, 2>> stored;
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) stored.insert({place(i, j), {i, j}});
    }
    add(name, std::move(seen), [&facts, ldc, stored](int64_t i, int64_t j) {
      const auto [begin, end] = stored.equal_range(i * ldc + j);
      if (begin == end) return facts.is_untouched(i, j) ? Fit::yes : Fit::no;
      const bool one_of_them = std::any_of(begin, end, [&](const auto& store) {
        const auto& [row, col] = store.second;
        return facts.is(i, j, facts.blended(facts.product(row, col), i, j));
      });
      return one_of_them ? Fit::yes : Fit::no;
    });
  }

  void transpositions() {
    const ExaminedProduct& facts = facts_;
    const Evidence& e = facts.given();
    if (M_ > 1 && N_ > 1) {
      add_store("transposed", "The element of row i and column j lies in row j and column i.",
                [ldc = e.ldc](int64_t i, int64_t j) { return j * ldc + i; });
      add_product(
          "transposed", "Row i and column j holds the element of row j and column i.",
          [&facts, &e](int64_t, int64_t k, int64_t j) { return facts.flat_a(j * e.lda + k); },
          [&facts, &e](int64_t k, int64_t, int64_t i) { return facts.flat_b(k * e.ldb + i); });
    }
    if (K_ < 2) return;
    add_other_a(
        "A read transposed", "Every element is as if the rows and columns of A had changed places.",
        [&facts, &e](int64_t i, int64_t k, int64_t) { return facts.flat_a(k * e.lda + i); });
    add_other_b(
        "B read transposed", "Every element is as if the rows and columns of B had changed places.",
        [&facts, &e](int64_t k, int64_t j, int64_t) { return facts.flat_b(j * e.ldb + k); });
  }

  // Mistakes within a block's squares of C, A or B.
  void tile_transpositions(int64_t size) {
    const ExaminedProduct& facts = facts_;
    const int64_t M = M_, N = N_, K = K_;
    const bool is_square = !has_tile() || tile().rows == tile().cols;
    if (is_square) {
      const auto turned = [size](int64_t i, int64_t j) {
        return std::array{i - i % size + j % size, j - j % size + i % size};
      };
      add("every tile transposed",
          fmt::format("Rows and columns have changed places in every tile of {} x {}.", size, size),
          [&facts, turned, M, N](int64_t i, int64_t j) {
            const auto [row, col] = turned(i, j);
            if (row >= M || col >= N) return Fit::unknown;  // a thread beyond the edge
            return facts.is(i, j, facts.blended(facts.product(row, col), i, j)) ? Fit::yes
                                                                                : Fit::no;
          });
    }
    const bool a_is_square = tile().depth == 0 || tile().depth == size;
    const bool b_is_square = a_is_square && is_square;
    if (has_tile() && tile().depth > 0 && !a_is_square) indices_changed();
    if (has_tile() && b_is_square) both_tiles_across(size);
    // Beyond the edge some kernels stage zeros, others the last row or column again.
    for (const bool stages_the_last : {false, true}) {
      if (a_is_square) {
        add_other_a("A's tile transposed",
                    fmt::format("Every element is as if the {} x {} tiles of A were transposed.",
                                size, size),
                    [&facts, size, M, stages_the_last](int64_t i, int64_t k, int64_t) {
                      const int64_t row = i - i % size + k % size;
                      return facts.a(stages_the_last ? std::min(row, M - 1) : row,
                                     k - k % size + i % size);
                    });
      }
      if (!b_is_square) continue;
      add_sum(
          "B's tile transposed",
          fmt::format("Every element is as if the {} x {} tiles of B were transposed.", size, size),
          [&facts, size, N, K, stages_the_last](int64_t i, int64_t j) {
            double sum = 0;
            for (int64_t k = 0; k < K; ++k) {
              const int64_t col = j - j % size + k % size;
              sum += facts.a(i, k) *
                     facts.b(k - k % size + j % size, stages_the_last ? std::min(col, N - 1) : col);
            }
            return sum;
          });
    }
  }

  // As[k][row] in an As[BM][BK] that is not square reads an element of another row.
  void indices_changed() {
    const ExaminedProduct& facts = facts_;
    const int64_t BM = tile().rows, BK = tile().depth;
    if (BK * (BK - 1) + BM > BM * BK) return;  // beyond the tile
    add_other_a(
        "A's tile transposed",
        fmt::format("Every element is as if the two indices of As ({} x {}) had changed places.",
                    BM, BK),
        [&facts, BM, BK](int64_t i, int64_t k, int64_t) {
          const int64_t place = k % BK * BK + i % BM;
          return facts.a(i - i % BM + place / BK, k - k % BK + place % BK);
        });
  }

  // The product is As[k][x] * Bs[y][k] or As[k][y] * Bs[x][k] instead of As[y][k] * Bs[k][x].
  void both_tiles_across(int64_t size) {
    const ExaminedProduct& facts = facts_;
    for (const bool own_numbers_changed : {false, true}) {
      add_sum("both tiles read the wrong way",
              "Every element is as if the step along K were a row of A and a column of B.",
              [&facts, size, end = ceil_div(K_, size) * size, own_numbers_changed](int64_t i,
                                                                                   int64_t j) {
                const int64_t y = i % size, x = j % size;
                double sum = 0;
                for (int64_t k = 0; k < end; ++k) {
                  const int64_t first = k - k % size, step = k % size;
                  sum += facts.a(i - y + step, first + (own_numbers_changed ? x : y)) *
                         facts.b(first + (own_numbers_changed ? y : x), j - x + step);
                }
                return sum;
              });
    }
  }

  void leading_dimensions() {
    const ExaminedProduct& facts = facts_;
    const Evidence& e = facts.given();
    struct Length {
      const char* name;
      int64_t floats;
    };
    const std::array lengths{Length{"K", e.K},     Length{"N", e.N},     Length{"M", e.M},
                             Length{"lda", e.lda}, Length{"ldb", e.ldb}, Length{"ldc", e.ldc}};
    std::set<int64_t> tried_a{e.lda}, tried_b{e.ldb}, tried_c{e.ldc};
    for (const auto& [name, floats] : lengths) {
      const auto seen = [&](char matrix, const char* right, int64_t ld) {
        return fmt::format("The kernel takes rows of {} to be {} floats apart ({}), not {} ({}).",
                           matrix, floats, name, ld, right);
      };
      if (M_ > 1 && tried_a.insert(floats).second) {
        add_other_a("wrong leading dimension of A", seen('A', "lda", e.lda),
                    [&facts, ld = floats](int64_t i, int64_t k, int64_t) {
                      return facts.flat_a(i * ld + k);
                    });
      }
      if (K_ > 1 && tried_b.insert(floats).second) {
        add_other_b("wrong leading dimension of B", seen('B', "ldb", e.ldb),
                    [&facts, ld = floats](int64_t k, int64_t j, int64_t) {
                      return facts.flat_b(k * ld + j);
                    });
      }
      if (M_ > 1 && tried_c.insert(floats).second) {
        add_store("wrong leading dimension of C", seen('C', "ldc", e.ldc),
                  [ld = floats](int64_t i, int64_t j) { return i * ld + j; });
      }
    }
  }

  // A missing leading dimension: rows are read from the elements after the first row. a[r] for a[r * lda], b += BK for
  // b += BK * ldb.
  void moves_along() {
    const ExaminedProduct& facts = facts_;
    const Evidence& e = facts.given();
    const int64_t height = tile().rows, depth = tile().depth;
    const auto seen = [](char matrix, int64_t rows, const char* from_there) {
      return fmt::format("After every {} rows of {} the kernel goes on {}.", rows, matrix,
                         from_there);
    };
    constexpr const char* ALONG = "by that many floats, not by that many rows";
    for (const int64_t rows : {1, 2, 4, 8, 16, 32, 64}) {
      if (rows < height) {
        add_other_a("A moved along where down is meant", seen('A', rows, ALONG),
                    [&facts, &e, height, rows](int64_t i, int64_t k, int64_t) {
                      const int64_t first = i - i % height + i % height % rows;
                      return facts.flat_a(first * e.lda + k + (i - first));
                    });
      }
      if (rows < depth) {
        add_other_b("B moved along where down is meant", seen('B', rows, ALONG),
                    [&facts, &e, depth, rows](int64_t k, int64_t j, int64_t) {
                      const int64_t first = k - k % depth + k % depth % rows;
                      return facts.flat_b(first * e.ldb + j + (k - first));
                    });
      }
    }
    if (depth == 0) return;
    add_other_b("B moved along where down is meant", seen('B', depth, ALONG),
                [&facts, &e, depth](int64_t k, int64_t j, int64_t) {
                  return facts.flat_b(k % depth * e.ldb + j + (k - k % depth));
                });
  }

  void shifts() {
    const ExaminedProduct& facts = facts_;
    const int64_t M = M_, N = N_;
    for (const int64_t by : {1, -1}) {
      add("shifted by one row",
          fmt::format("Every row holds the sums of the row {} it.", by > 0 ? "below" : "above"),
          [&facts, M, by](int64_t i, int64_t j) {
            if (i + by < 0 || i + by >= M) return Fit::unknown;
            return facts.is(i, j, facts.blended(facts.product(i + by, j), i, j)) ? Fit::yes
                                                                                 : Fit::no;
          });
      add("shifted by one column",
          fmt::format("Every column holds the sums of the column {} of it.",
                      by > 0 ? "to the right" : "to the left"),
          [&facts, N, by](int64_t i, int64_t j) {
            if (j + by < 0 || j + by >= N) return Fit::unknown;
            return facts.is(i, j, facts.blended(facts.product(i, j + by), i, j)) ? Fit::yes
                                                                                 : Fit::no;
          });
    }
  }

  // Each of four neighbours is a copy of one of the four.
  void vector_components() {
    const ExaminedProduct& facts = facts_;
    const char* const name = "float4 components in the wrong order";
    for (int code = 0; code < 256; ++code) {
      const std::array<int64_t, 4> from{code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3};
      if (from == std::array<int64_t, 4>{0, 1, 2, 3}) continue;
      const auto moved = [from](int64_t at) {
        return at - at % 4 + from[static_cast<size_t>(at % 4)];
      };
      constexpr std::string_view LETTERS = "xyzw";
      std::string order;
      for (const int64_t component : from) {
        order +=
            fmt::format("{}{}", order.empty() ? "" : ", ", LETTERS[static_cast<size_t>(component)]);
      }
      const auto seen = [&order](const char* what) {
        return fmt::format("In every four {}, the order is {} but must be x, y, z, w.", what,
                           order);
      };
      add_sum(name, seen("neighbours in a row of B or C"), [&facts, moved](int64_t i, int64_t j) {
        const int64_t from_col = moved(j);
        return from_col < facts.given().N ? facts.product(i, from_col) : 0;
      });
      add_sum(name, seen("neighbours in a column of A or C"),
              [&facts, moved](int64_t i, int64_t j) {
                const int64_t from_row = moved(i);
                return from_row < facts.given().M ? facts.product(from_row, j) : 0;
              });
      add_other_a(name, seen("neighbours in a row of A"),
                  [&facts, moved](int64_t i, int64_t k, int64_t) { return facts.a(i, moved(k)); });
      add_other_b(name, seen("neighbours in a column of B"),
                  [&facts, moved](int64_t k, int64_t j, int64_t) { return facts.b(moved(k), j); });
    }
  }

  void halves() {
    const ExaminedProduct& facts = facts_;
    const int64_t M = M_, N = N_;
    for (const int64_t half : {4, 8, 16, 32, 64, 128, 2}) {
      const auto seen = [half](const char* what) {
        return fmt::format("In every {} {} the first {} and the last {} have changed places.",
                           2 * half, what, half, half);
      };
      add("swapped halves", seen("columns"), [&facts, N, half](int64_t i, int64_t j) {
        if ((j ^ half) >= N) return Fit::unknown;
        return facts.is(i, j, facts.blended(facts.product(i, j ^ half), i, j)) ? Fit::yes : Fit::no;
      });
      add("swapped halves", seen("rows"), [&facts, M, half](int64_t i, int64_t j) {
        if ((i ^ half) >= M) return Fit::unknown;
        return facts.is(i, j, facts.blended(facts.product(i ^ half, j), i, j)) ? Fit::yes : Fit::no;
      });
      add_other_a("swapped halves", seen("steps along K, in A or in B,"),
                  [&facts, half](int64_t i, int64_t k, int64_t) { return facts.a(i, k ^ half); });
    }
  }

  // --- the part of C -----------------------------------------------------------------------------------------------

  void missing_lines() {
    const int64_t M = M_, N = N_;
    if (has_computed_nan()) return;
    if (M > 1) {
      add_part("last row missing", fmt::format("The last row of C, row {}, is {{}}.", M - 1),
               [M](int64_t i, int64_t) { return i == M - 1; });
    }
    if (N > 1) {
      add_part("last column missing",
               fmt::format("The last column of C, column {}, is {{}}.", N - 1),
               [N](int64_t, int64_t j) { return j == N - 1; });
    }
    if (!has_tile()) return;
    const int64_t BM = tile().rows, BN = tile().cols;
    if (BM > 1) {
      add_part("last row of every tile missing", "The last row of every tile of C is {}.",
               [BM](int64_t i, int64_t) { return i % BM == BM - 1; });
    }
    if (BN > 1) {
      add_part("last column of every tile missing", "The last column of every tile of C is {}.",
               [BN](int64_t, int64_t j) { return j % BN == BN - 1; });
    }
  }

  void tiles_of_the_block() {
    if (!has_tile()) return;
    lines_of_every_tile();
    if (has_computed_nan()) return;
    const int64_t BM = tile().rows, BN = tile().cols, down = tiles_m(), across = tiles_n();
    if (all_wrong_are_untouched()) {  // a thread with a wrong place still computes that place rightly
      add_rest("only the diagonal of every tile",
               "Only elements on the diagonals of the tiles are right; the others are {}.",
               [=](int64_t i, int64_t j) { return i % BM == j % BN; });
      // Thread t computes (t / BN, t), not (t / BN, t % BN).
      add_rest(
          "threadIdx.x taken whole",
          fmt::format(
              "Row r of each tile is right only from column {} * r of C on; the rest is {{}}.", BN),
          [=](int64_t i, int64_t j) { return i % BM <= j / BN; });
    }
    if (down != across) {
      add_rest(
          "tile rows and tile columns changed places",
          fmt::format(
              "Your kernel covers a grid of {} x {} tiles; C has {} x {}. The others are {{}}.",
              across, down, down, across),
          [=](int64_t i, int64_t j) { return i / BM < across && j / BN < down; });
    }
    add_exact_rest("only the first block's tile",
                   "Only the first tile of C is right; all others are {}.",
                   [=](int64_t i, int64_t j) { return i < BM && j < BN; });
    if (down > 1 && across > 1) {
      add_exact_rest("only the tiles on the diagonal",
                     "Only the tiles on the diagonal of C are right; all others are {}.",
                     [=](int64_t i, int64_t j) { return i / BM == j / BN; });
    }
    add_rest("only the first row of tiles", "Only the first row of tiles is right; the rest is {}.",
             [=](int64_t i, int64_t) { return i < BM; });
    add_rest("only the first column of tiles",
             "Only the first column of tiles is right; the rest is {}.",
             [=](int64_t, int64_t j) { return j < BN; });
    const int64_t rows = BM + down - 1, cols = BN + across - 1;
    const std::string seen =
        "Only the first {} {} are right: {} tiles, each {} further; the rest is {{}}.";
    if (down > 1) {
      add_rest("tile number not multiplied",
               fmt::format(fmt::runtime(seen), rows, "rows", down, "one row"),
               [=](int64_t i, int64_t) { return i < rows; });
    }
    if (across > 1) {
      add_rest("tile number not multiplied",
               fmt::format(fmt::runtime(seen), cols, "columns", across, "one column"),
               [=](int64_t, int64_t j) { return j < cols; });
    }
    if (down > 1 && across > 1) {
      add_rest("tile number not multiplied",
               fmt::format("Only the first {} rows and {} columns are right: each tile begins one "
                           "element further, not one tile; the rest is {{}}.",
                           rows, cols),
               [=](int64_t i, int64_t j) { return i < rows && j < cols; });
    }
  }

  // The wrong elements are whole rows, or whole columns, the same ones of every tile.
  void lines_of_every_tile() {
    const int64_t BM = tile().rows, BN = tile().cols;
    std::vector<bool> rows(static_cast<size_t>(BM)), cols(static_cast<size_t>(BN));
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) {
        if (!facts_.is_wrong(i, j)) continue;
        rows[static_cast<size_t>(i % BM)] = true;
        cols[static_cast<size_t>(j % BN)] = true;
      }
    }
    const auto count = [](const std::vector<bool>& lines) {
      return std::ranges::count(lines, true);
    };
    add_part("some rows of every tile",
             fmt::format("{} of the {} rows of every tile are {{}}.", count(rows), BM),
             [=](int64_t i, int64_t) { return rows[static_cast<size_t>(i % BM)]; });
    add_part("some columns of every tile",
             fmt::format("{} of the {} columns of every tile are {{}}.", count(cols), BN),
             [=](int64_t, int64_t j) { return cols[static_cast<size_t>(j % BN)]; });
  }

  // One element of each small rectangle is right, always in the same place.
  void tiles_of_the_thread() {
    if (has_computed_nan()) return;
    for (const int64_t rows : {1, 2, 4, 8, 16}) {
      for (const int64_t cols : {1, 2, 4, 8, 16}) {
        const bool is_less_than_a_block = !has_tile() || (rows < tile().rows && cols < tile().cols);
        if (rows * cols == 1 || !is_less_than_a_block) continue;
        for (int64_t row = 0; row < rows; ++row) {
          for (int64_t col = 0; col < cols; ++col) {
            if (facts_.is_wrong(std::min(row, M_ - 1), std::min(col, N_ - 1))) continue;
            add_rest("only one element of each thread's tile",
                     fmt::format("In every {} x {} elements, one is right; the others are {{}}.",
                                 rows, cols),
                     [=](int64_t i, int64_t j) { return i % rows == row && j % cols == col; });
          }
        }
      }
    }
  }

  // An element has the operands of another one: the first of the tile, or of a thread's group.
  void repeated_elements() {
    const ExaminedProduct& facts = facts_;
    const auto add_copies = [&](const char* name, std::string seen, auto row_of, auto col_of) {
      add_sum(name, std::move(seen), [&facts, row_of, col_of](int64_t i, int64_t j) {
        return facts.product(row_of(i), col_of(j));
      });
    };
    const auto same = [](int64_t at) { return at; };
    struct Group {
      int64_t size, known;
    };
    for (const Group& group : {Group{2, 1}, {4, 1}, {8, 1}, {16, 1}, {8, 4}, {16, 8}}) {
      const auto again = [group](int64_t at) {
        return at - at % group.size + at % group.size % group.known;
      };
      const auto seen = [group](const char* what) {
        return fmt::format("In every {} {} the first {} repeated.", group.size, what,
                           group.known == 1 ? "is" : fmt::format("{} are", group.known));
      };
      add_copies("a thread's rows repeated", seen("rows"), again, same);
      add_copies("a thread's columns repeated", seen("columns"), same, again);
    }
    if (!has_tile()) return;
    const int64_t BM = tile().rows, BN = tile().cols;
    for (const int64_t rows :
         {BM, int64_t{64}, int64_t{32}, int64_t{16}, int64_t{8}, int64_t{4}, int64_t{1}}) {
      for (const int64_t cols :
           {BN, int64_t{64}, int64_t{32}, int64_t{16}, int64_t{8}, int64_t{4}, int64_t{1}}) {
        if ((rows == BM && cols == BN) || rows > BM || cols > BN) continue;
        add_copies(
            "the same elements in all of a tile",
            fmt::format("Each tile of {} x {} repeats the sums of its first {} x {} elements.", BM,
                        BN, rows, cols),
            [BM, rows](int64_t i) { return i - i % BM + i % BM % rows; },
            [BN, cols](int64_t j) { return j - j % BN + j % BN % cols; });
      }
    }
  }

  void edges() {
    if (!has_tile()) return;
    const ExaminedProduct& facts = facts_;
    const int64_t whole_rows = M_ - M_ % tile().rows, whole_cols = N_ - N_ % tile().cols;
    if (whole_rows == M_ && whole_cols == N_) return;
    if (whole_rows > 0 && whole_cols > 0) {  // there are whole tiles
      add("edge only",
          fmt::format(
              "All whole tiles are right; all wrong elements lie from row {} or column {} on.",
              whole_rows, whole_cols),
          [=, &facts](int64_t i, int64_t j) {
            if (!facts.is_wrong(i, j)) return Fit::unknown;
            return i >= whole_rows || j >= whole_cols ? Fit::yes : Fit::no;
          });
    }
    // A thread beyond the last column stores at the beginning of the next row. It stores a product with the elements
    // that it read there, with zeros, or with the last column.
    const int64_t N = N_, K = K_, overhang = tiles_n() * tile().cols - N, ldb = facts.given().ldb;
    if (overhang == 0 || facts.given().ldc != N) return;
    // All rows have this error, except rows in which the right store came last.
    int64_t wrong_rows = 0;
    for (int64_t i = 1; i < M_; ++i) {
      for (int64_t j = 0; j < N; ++j) {
        if (!facts.is_wrong(i, j)) continue;
        ++wrong_rows;
        break;
      }
    }
    if (4 * wrong_rows < M_) return;
    // Where the overhang does not reach, nothing is wrong. A NaN from beyond B would match any other NaN.
    int64_t wrong_behind = 0;
    for (int64_t i = 1; i < M_; ++i) {
      for (int64_t j = overhang; j < N; ++j) wrong_behind += facts.is_wrong(i, j);
    }
    if (overhang < N && 4 * wrong_behind > (M_ - 1) * (N - overhang)) return;
    add("no test at the right edge",
        fmt::format("The first {} columns are wrong: they hold values that lie beyond the end of "
                    "the row above.",
                    overhang),
        [=, &facts](int64_t i, int64_t j) {
          if (!facts.is_wrong(i, j)) return Fit::unknown;  // of two stores either may be the last
          if (j >= overhang || i == 0) return Fit::no;
          double read_beyond = 0;
          for (int64_t k = 0; k < K; ++k) {
            read_beyond += facts.a(i - 1, k) * facts.flat_b(k * ldb + N + j);
          }
          for (const double sum : {read_beyond, 0.0, facts.product(i - 1, N - 1)}) {
            if (facts.is(i, j, facts.blended(sum, i, j))) return Fit::yes;
          }
          return Fit::no;
        });
  }

  // --- the last resort ---------------------------------------------------------------------------------------------

  void last_resorts() {
    const ExaminedProduct& facts = facts_;
    add("read what nobody wrote", "The result is not a number (NaN) where it is wrong.",
        [&facts](int64_t i, int64_t j) {
          if (!facts.is_wrong(i, j)) return Fit::unknown;
          return facts.is(i, j, std::nan("")) ? Fit::yes : Fit::no;
        });

    changed_places();
  }

  // C holds the right values, each as often as it should, but in wrong places. Whole numbers repeat, so one value alone
  // does not tell its right place.
  void changed_places() {
    const ExaminedProduct& facts = facts_;
    std::unordered_map<float, int64_t> surplus;  // its number of places in C, less the right number
    std::unordered_multimap<float, std::array<int64_t, 2>> owners;
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) {
        const auto value = static_cast<float>(facts.want(i, j));
        owners.insert({value, {i, j}});
        --surplus[value];
        if (!std::isnan(facts.got(i, j))) ++surplus[facts.got(i, j)];
      }
    }
    int64_t lacking = 0;
    for (const auto& [value, count] : surplus) lacking += std::max<int64_t>(0, -count);
    if (10 * lacking > facts.wrong()) return;

    int64_t alone = 0;
    std::string example;
    for (int64_t i = 0; i < M_; ++i) {
      for (int64_t j = 0; j < N_; ++j) {
        if (!facts.is_wrong(i, j) || owners.count(facts.got(i, j)) != 1) continue;
        ++alone;
        const auto& [row, col] = owners.find(facts.got(i, j))->second;
        if (!example.empty()) continue;
        example =
            fmt::format("The value at C[{}][{}] belongs to C[{}][{}], and so on.", i, j, row, col);
      }
    }
    if (2 * alone < facts.wrong()) return;  // too few have one place only
    add("elements changed places", example, [&facts, owners](int64_t i, int64_t j) {
      if (!facts.is_wrong(i, j)) return Fit::unknown;
      return owners.contains(facts.got(i, j)) ? Fit::yes : Fit::no;
    });
  }

  const ExaminedProduct& facts_;
  int64_t M_, N_, K_;
  std::vector<Hypothesis> found_;
};

}  // namespace

std::vector<Hypothesis> hypotheses(const ExaminedProduct& facts) { return Suspects(facts).all(); }

size_t place_of_cause(std::string_view name) {
  for (size_t i = 0; i < std::size(CAUSES); ++i) {
    if (name == CAUSES[i].name) return i;
  }
  throw std::logic_error(fmt::format("'{}' is no cause in the list", name));
}

const char* usual_reason(std::string_view name) { return CAUSES[place_of_cause(name)].reason; }

std::vector<std::string> cause_names() {
  std::vector<std::string> names;
  for (const Known& known : CAUSES) names.emplace_back(known.name);
  return names;
}

}  // namespace workshop
