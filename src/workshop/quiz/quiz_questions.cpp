#include "workshop/quiz/quiz_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <set>
#include <stdexcept>

#include "lens/prices.hpp"

namespace workshop {
namespace {

using lens::LANES;
using lens::WarpAddresses;
using std::string;

// A generator with the same numbers on every machine. The standard does not fix the results of <random>'s
// distributions.
class Dice {
 public:
  explicit Dice(uint64_t seed) : generator_(seed) {}

  int64_t from(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(generator_() % static_cast<uint64_t>(most - least + 1));
  }
  template <typename T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[from(0, static_cast<int64_t>(list.size()) - 1)];
  }

 private:
  std::mt19937_64 generator_;
};

// ---- The counting rules.

// Returns a warp's addresses: `byte` of each lane, in an array that begins at byte 0.
template <typename Byte>
WarpAddresses warp_at(Byte byte, int active_lanes = LANES) {
  WarpAddresses addresses{.lane = {}, .active = 0};
  for (int lane = 0; lane < active_lanes; ++lane) {
    addresses.lane[static_cast<size_t>(lane)] = static_cast<uint64_t>(byte(lane));
    addresses.active |= 1u << lane;
  }
  return addresses;
}

uint32_t wavefronts(const WarpAddresses& addresses, uint32_t bytes) {
  return shared_cost(addresses, bytes, lens::SharedAccess::load).wavefronts;
}

// A thread in its block. Threads are numbered x first.
struct Thread {
  int64_t x, y;
};
Thread thread_of(int64_t block_x, int64_t warp, int64_t lane) {
  const int64_t number = warp * LANES + lane;
  return {number % block_x, number / block_x};
}

// ---- Words that several templates use.

constexpr const char* HOW_MANY_SECTORS = "How many sectors of 32 bytes does the request touch?";
constexpr const char* NUMBERED =
    "Threads are numbered threadIdx.x + blockDim.x * threadIdx.y, and a warp is 32 consecutive "
    "numbers";

string a_warp_reads(const string& type, const string& what) {
  return fmt::format(
      "{}* x begins at a multiple of 256 bytes. Lane t of a warp, t = 0 to 31, reads {}.", type,
      what);
}

// Returns an expression as people write it: "3 * t + 5".
string scaled(int64_t factor, const string& what, int64_t offset = 0) {
  string text = factor == 1 ? what : fmt::format("{} * {}", factor, what);
  if (offset > 0) text += fmt::format(" + {}", offset);
  return text;
}

// Explains the number of pieces of `piece` bytes that lanes touch if they are `step` bytes apart and `width` bytes
// wide.
string why_apart(int64_t first, int64_t step, int64_t width, int64_t piece, const string& name) {
  if (step > piece || (step == piece && first % piece + width <= piece)) {
    return fmt::format(
        "Lane t begins at byte {}. That is {} bytes from lane to lane, so no two of them meet in "
        "one {}: 32.",
        scaled(step, "t", first), step, name);
  }
  const int64_t last = first + step * (LANES - 1) + width - 1;
  return fmt::format(
      "From byte {} to byte {} no {} is left out: {} / {} - {} / {} + 1 = {}, without remainders.",
      first, last, name, last, piece, first, piece, last / piece - first / piece + 1);
}

QuizQuestion number(const string& text, int64_t answer, const string& why) {
  return {.text = text, .answer = fmt::format("{}", answer), .why = why};
}

// ---- Requests to global memory.

QuizQuestion stride(Dice& dice) {
  const int64_t S = dice.from(1, 40);
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * S * t; });
  return number(
      a_warp_reads("float", fmt::format("x[{}]", scaled(S, "t"))) + " " + HOW_MANY_SECTORS,
      count_sectors(warp, 4), why_apart(0, 4 * S, 4, 32, "sector"));
}

QuizQuestion lines(Dice& dice) {
  const int64_t S = dice.from(1, 40), offset = dice.from(0, 31);
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * (S * t + offset); });
  return number(a_warp_reads("float", fmt::format("x[{}]", scaled(S, "t", offset))) +
                    " How many lines of 128 bytes does the request touch?",
                count_lines(warp, 4), why_apart(4 * offset, 4 * S, 4, 128, "line"));
}

QuizQuestion offset(Dice& dice) {
  const int64_t offset = dice.from(1, 40);
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * (t + offset); });
  return number(
      a_warp_reads("float", fmt::format("x[{}]", scaled(1, "t", offset))) + " " + HOW_MANY_SECTORS,
      count_sectors(warp, 4), why_apart(4 * offset, 4, 4, 32, "sector"));
}

QuizQuestion fetched(Dice& dice) {
  const int64_t S = dice.from(1, 12);
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * S * t; });
  const int64_t sectors = count_sectors(warp, 4);
  return number(a_warp_reads("float", fmt::format("x[{}]", scaled(S, "t"))) +
                    " Sectors of 32 bytes come whole. How many bytes come?",
                32 * sectors,
                fmt::format("The 32 lanes touch {} sectors, {} bytes, of which they use 128.",
                            sectors, 32 * sectors));
}

QuizQuestion used(Dice& dice) {
  const int64_t S = dice.one_of<int64_t>({2, 4, 5, 8, 10, 16, 100});
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * S * t; });
  const int64_t sectors = count_sectors(warp, 4);
  return {.text = a_warp_reads("float", fmt::format("x[{}]", scaled(S, "t"))) +
                  " Sectors of 32 bytes come whole. How many per cent of the bytes that come are "
                  "used?",
          .answer = fmt::format("{:.4g}", 100.0 * 128 / static_cast<double>(32 * sectors)),
          .why = fmt::format("The lanes use 128 bytes; {} sectors come, which are {}.", sectors,
                             32 * sectors)};
}

struct Type {
  const char* name;
  int64_t bytes;
};
string has_bytes(const Type& type) {
  return fmt::format(" A {} has {} byte{}. ", type.name, type.bytes, type.bytes == 1 ? "" : "s");
}

QuizQuestion element(Dice& dice) {
  const auto type = dice.one_of<Type>(
      {{"char", 1}, {"short", 2}, {"int", 4}, {"double", 8}, {"float2", 8}, {"float4", 16}});
  const int64_t offset = dice.from(0, 20);
  const WarpAddresses warp = warp_at([&](int64_t t) { return type.bytes * (t + offset); });
  return number(a_warp_reads(type.name, fmt::format("x[{}]", scaled(1, "t", offset))) +
                    has_bytes(type) + HOW_MANY_SECTORS,
                count_sectors(warp, static_cast<uint32_t>(type.bytes)),
                why_apart(type.bytes * offset, type.bytes, type.bytes, 32, "sector"));
}

QuizQuestion element_stride(Dice& dice) {
  const auto type = dice.one_of<Type>({{"char", 1}, {"short", 2}, {"double", 8}, {"float4", 16}});
  const int64_t S = dice.from(2, 40 / type.bytes + 2);
  const WarpAddresses warp = warp_at([&](int64_t t) { return type.bytes * S * t; });
  return number(a_warp_reads(type.name, fmt::format("x[{}]", scaled(S, "t"))) + has_bytes(type) +
                    HOW_MANY_SECTORS,
                count_sectors(warp, static_cast<uint32_t>(type.bytes)),
                why_apart(0, type.bytes * S, type.bytes, 32, "sector"));
}

QuizQuestion quotient(Dice& dice) {
  const int64_t D = dice.one_of<int64_t>({2, 4, 8, 16}), S = dice.one_of<int64_t>({1, 2, 8, 100});
  const bool divides = dice.from(0, 1) == 0;
  const auto part = [&](int64_t t) { return divides ? t / D : t % D; };
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * S * part(t); });
  const string what = fmt::format("t {} {}", divides ? "/" : "%", D);
  const int64_t different = divides ? LANES / D : D;
  return number(
      a_warp_reads("float",
                   S == 1 ? fmt::format("x[{}]", what) : fmt::format("x[{} * ({})]", S, what)) +
          (divides ? " (The quotient has no remainder.) " : " (% is the remainder.) ") +
          HOW_MANY_SECTORS,
      count_sectors(warp, 4),
      fmt::format("Lanes that read the same share it: these are {} different floats, {} bytes from "
                  "one to the next, in {} sectors.",
                  different, 4 * S, count_sectors(warp, 4)));
}

QuizQuestion first_lanes(Dice& dice) {
  const int64_t lanes = dice.from(1, 31), S = dice.one_of<int64_t>({1, 2, 4, 8});
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * S * t; }, static_cast<int>(lanes));
  return number(
      a_warp_reads("float", fmt::format("x[{}], but only if t < {}", scaled(S, "t"), lanes)) + " " +
          HOW_MANY_SECTORS,
      count_sectors(warp, 4),
      fmt::format("Lanes that take no part ask for nothing. The others reach from byte 0 "
                  "to byte {}.",
                  4 * S * (lanes - 1) + 3));
}

QuizQuestion row_of_matrix(Dice& dice) {
  const int64_t lda = dice.from(33, 140), row = dice.from(1, 9);
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * (row * lda + t); });
  return number(
      fmt::format("A is a matrix of floats, row-major, {} floats in a row without a gap; it begins "
                  "at a multiple of 256 bytes. Lane t of a warp, t = 0 to 31, reads A[{}][t], rows "
                  "being counted from 0. ",
                  lda, row) +
          HOW_MANY_SECTORS,
      count_sectors(warp, 4),
      fmt::format("Row {} begins at byte 4 * {} * {} = {}. ", row, row, lda, 4 * row * lda) +
          why_apart(4 * row * lda, 4, 4, 32, "sector"));
}

// ---- Warps in blocks.

QuizQuestion block_walk(Dice& dice, bool x_walks_row) {
  const int64_t block_x = dice.one_of<int64_t>({4, 8, 16, 32}), block_y = 256 / block_x;
  const int64_t width = dice.one_of<int64_t>({64, 100, 128, 1000});
  const WarpAddresses warp = warp_at([&](int64_t lane) {
    const Thread thread = thread_of(block_x, 0, lane);
    return 4 * (x_walks_row ? thread.y * width + thread.x : thread.x * width + thread.y);
  });
  const char* const walks =
      x_walks_row ? "threadIdx.y * {} + threadIdx.x" : "threadIdx.x * {} + threadIdx.y";
  const int64_t rows = x_walks_row ? LANES / block_x : block_x;
  return number(
      fmt::format("A block has {} x {} threads (x first). float* x begins at a multiple of 256 "
                  "bytes, and each thread reads x[{}]. How many sectors of 32 bytes does the "
                  "request of the block's first warp touch?",
                  block_x, block_y, fmt::format(fmt::runtime(walks), width)),
      count_sectors(warp, 4),
      fmt::format("{}. The first one has threadIdx.x from 0 to {} and threadIdx.y from 0 to {}: {} "
                  "floats side by side in each of {} places that are {} bytes apart.",
                  NUMBERED, block_x - 1, LANES / block_x - 1, LANES / rows, rows, 4 * width));
}
QuizQuestion block_along_rows(Dice& dice) { return block_walk(dice, true); }
QuizQuestion block_down_columns(Dice& dice) { return block_walk(dice, false); }

struct InBlock {
  int64_t block_x, block_y, x, y;
  int64_t number() const { return x + block_x * y; }
  string text() const {
    return fmt::format("A block has {} x {} threads (x first).", block_x, block_y);
  }
};
InBlock thread_in_block(Dice& dice) {
  const int64_t block_x = dice.one_of<int64_t>({6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64});
  const int64_t block_y = dice.from(4, 512 / block_x);
  return {block_x, block_y, dice.from(0, block_x - 1), dice.from(1, block_y - 1)};
}

QuizQuestion warp_of_thread(Dice& dice) {
  const InBlock thread = thread_in_block(dice);
  return number(
      fmt::format("{} Which warp does the thread with threadIdx.x = {} and threadIdx.y = {} belong "
                  "to? (The first warp is number 0.)",
                  thread.text(), thread.x, thread.y),
      thread.number() / LANES,
      fmt::format("{}. This one's is {} + {} * {} = {}, and {} / 32 is {} without the remainder.",
                  NUMBERED, thread.x, thread.block_x, thread.y, thread.number(), thread.number(),
                  thread.number() / LANES));
}

QuizQuestion lane_of_thread(Dice& dice) {
  const InBlock thread = thread_in_block(dice);
  return number(
      fmt::format("{} Which lane of its warp, 0 to 31, is the thread with threadIdx.x = {} and "
                  "threadIdx.y = {}?",
                  thread.text(), thread.x, thread.y),
      thread.number() % LANES,
      fmt::format("{}. This one's is {} + {} * {} = {}, and the remainder of {} / 32 is {}.",
                  NUMBERED, thread.x, thread.block_x, thread.y, thread.number(), thread.number(),
                  thread.number() % LANES));
}

QuizQuestion rows_of_warp(Dice& dice) {
  const int64_t block_x = dice.one_of<int64_t>({4, 8, 10, 12, 16, 20, 24, 32, 40});
  const int64_t block_y = 960 / block_x / 4 * 4, warp = dice.from(0, 3);
  std::set<int64_t> rows;
  for (int64_t lane = 0; lane < LANES; ++lane) rows.insert(thread_of(block_x, warp, lane).y);
  return number(
      fmt::format("A block has {} x {} threads (x first). How many different values of threadIdx.y "
                  "are there in its warp number {}? (The first warp is number 0.)",
                  block_x, block_y, warp),
      static_cast<int64_t>(rows.size()),
      fmt::format("{}. This warp has the threads number {} to {}, so threadIdx.y from {} to {}.",
                  NUMBERED, warp * LANES, warp * LANES + LANES - 1, *rows.begin(), *rows.rbegin()));
}

// An index as text, and its value for a thread; k is the same for all threads.
struct Index {
  const char* text;
  int64_t (*of)(int64_t x, int64_t y);
};
constexpr Index OF_X{"threadIdx.x", [](int64_t x, int64_t) { return x; }};
constexpr Index OF_Y{"threadIdx.y", [](int64_t, int64_t y) { return y; }};
constexpr Index QUOTIENT{"threadIdx.x / 32", [](int64_t x, int64_t) { return x / 32; }};
constexpr Index REMAINDER{"threadIdx.x % 32", [](int64_t x, int64_t) { return x % 32; }};
constexpr Index OF_K{"k", [](int64_t, int64_t) { return int64_t{0}; }};

QuizQuestion moves(Dice& dice) {
  const bool flat = dice.from(0, 1) == 0;
  const Index a = flat ? QUOTIENT : OF_Y, b = flat ? REMAINDER : OF_X;
  struct Place {
    Index row, col;
  };
  const auto place =
      dice.one_of<Place>({{a, b}, {b, a}, {a, OF_K}, {b, OF_K}, {OF_K, a}, {OF_K, b}});
  const int64_t block_x = flat ? 1024 : 32;
  const auto differs = [&](const Index& index) {
    const Thread first = thread_of(block_x, 0, 0), last = thread_of(block_x, 0, LANES - 1);
    return index.of(first.x, first.y) != index.of(last.x, last.y);
  };
  const char* const answer = differs(place.col) ? "column" : differs(place.row) ? "row" : "neither";
  const string why = differs(place.col) ? "the column rises with the lane: they slide along memory"
                     : differs(place.row) ? "the row rises with the lane: they leap by a row"
                                          : "they all read one and the same float: a broadcast";
  return {
      .text = fmt::format(
          "A block has {} threads (x first). A is row-major, and each thread reads A[{}][{}] "
          "(row, then column; k is the same for all). As the lane of a warp rises, which index "
          "moves?",
          flat ? "1024 x 1" : "32 x 32", place.row.text, place.col.text),
      .choices = {"row", "column", "neither"},
      .answer = answer,
      .why = fmt::format("The lanes of a warp differ in threadIdx.x alone, which goes through 32 "
                         "values: {}.",
                         why)};
}

// ---- Shared memory.

constexpr const char* HOW_MANY_WAVEFRONTS =
    "How many wavefronts does the request take? (32 banks, 4 bytes wide.)";

QuizQuestion bank_stride(Dice& dice) {
  const int64_t S = dice.from(0, 48);
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * S * t; });
  const int64_t answer = wavefronts(warp, 4);
  const string what = S == 0 ? "0" : scaled(S, "t");
  return number(
      fmt::format(
          "float s[] in shared memory begins in bank 0. Lane t of a warp, t = 0 to 31, reads "
          "s[{}]. {}",
          what, HOW_MANY_WAVEFRONTS),
      answer,
      S == 0 ? string("All lanes want the same word, which is handed out once: a broadcast.")
             : fmt::format(
                   "Word w lies in bank w % 32, and a bank hands out one word in a wavefront. The "
                   "greatest common divisor of {} and 32 is {}.",
                   S, answer));
}

QuizQuestion bank_column(Dice& dice) {
  const int64_t width = dice.one_of<int64_t>({16, 20, 24, 31, 32, 33, 34, 36, 40, 48, 64, 65});
  const int64_t col = dice.from(0, 15);
  const WarpAddresses warp = warp_at([&](int64_t t) { return 4 * (t * width + col); });
  const int64_t answer = wavefronts(warp, 4);
  return number(
      fmt::format(
          "float tile[32][{}] in shared memory begins in bank 0. Lane t of a warp, t = 0 to "
          "31, reads tile[t][{}]. {}",
          width, col, HOW_MANY_WAVEFRONTS),
      answer,
      fmt::format("Lane t reads word {} * t + {}, and word w lies in bank w % 32: {} lanes in the "
                  "fullest bank. An odd row length has one in each.",
                  width, col, answer));
}

QuizQuestion bank_float4(Dice& dice) {
  const int64_t S = dice.from(1, 8), D = dice.one_of<int64_t>({1, 1, 2, 4});
  const WarpAddresses warp = warp_at([&](int64_t t) { return 16 * (D > 1 ? t / D : S * t); });
  const int64_t answer = wavefronts(warp, 16);
  const string what = D > 1 ? fmt::format("t / {}", D) : scaled(S, "t");
  return number(
      fmt::format(
          "float4 v[] in shared memory begins in bank 0. Lane t of a warp, t = 0 to 31, reads "
          "v[{}]{}, 16 bytes. {} A load of 16 bytes a lane is done in quarters of 8 lanes; "
          "the two quarters of a half-warp are done together if in each of its pairs, "
          "lanes 2i and 2i + 1, both read the same.",
          what, D > 1 ? " (without remainder)" : "", HOW_MANY_WAVEFRONTS),
      answer,
      D > 1 ? fmt::format("Neighbours read the same, so the quarters are done two at a time: {}.",
                          answer)
            : fmt::format("{} quarters, of which each takes {}: its 8 lanes are {} bytes apart.", 4,
                          answer / 4, 16 * S));
}

// ---- Widths, tiles and grids.

QuizQuestion aligned(Dice& dice) {
  const int64_t lda = dice.from(20, 130), row = dice.from(0, 9);
  const int64_t col = dice.one_of<int64_t>({0, 4, 8, dice.from(0, 15)});
  const int64_t byte = 4 * (row * lda + col);
  return {
      .text = fmt::format(
          "A is a matrix of floats, row-major, {} floats in a row without a gap; it begins at a "
          "multiple of 256 bytes. May the four floats from A[{}][{}] on, rows and columns being "
          "counted from 0, be read as one float4?",
          lda, row, col),
      .choices = {"yes", "no"},
      .answer = byte % 16 == 0 ? "yes" : "no",
      .why = fmt::format("A float4 must lie at a multiple of 16 bytes, and this is byte 4 * ({} * "
                         "{} + {}) = {}, {}.",
                         row, lda, col, byte,
                         byte % 16 == 0 ? "which is one" : fmt::format("{} too many", byte % 16))};
}

QuizQuestion requests(Dice& dice) {
  const auto type = dice.one_of<Type>({{"float", 4}, {"float2", 8}, {"float4", 16}});
  const int64_t floats = 128 * dice.from(2, 64);
  const int64_t each = type.bytes / 4;
  return number(
      fmt::format("A kernel reads an array of {} floats, each once, in accesses of type {} ({} "
                  "bytes a lane), all 32 lanes of every warp taking part. How many load requests "
                  "do its warps make in all?",
                  floats, type.name, type.bytes),
      floats / (LANES * each),
      fmt::format("A request of 32 lanes takes 32 * {} floats: {} / {}.", each, floats,
                  LANES * each));
}

QuizQuestion blocks(Dice& dice) {
  const int64_t M = dice.from(100, 1100), N = dice.from(100, 1100);
  const int64_t BM = dice.one_of<int64_t>({32, 64, 128}), BN = dice.one_of<int64_t>({32, 64, 128});
  const int64_t down = (M + BM - 1) / BM, across = (N + BN - 1) / BN;
  return number(
      fmt::format(
          "C has {} rows and {} columns. A block computes a tile of {} rows and {} columns, "
          "and the grid covers all of C. How many blocks has the grid?",
          M, N, BM, BN),
      down * across,
      fmt::format("Rounded up, since the edge needs blocks too: {} tiles down, {} across.", down,
                  across));
}

QuizQuestion warps_of_tile(Dice& dice) {
  const int64_t BM = dice.one_of<int64_t>({32, 64, 128}), BN = dice.one_of<int64_t>({64, 128});
  const int64_t TM = dice.one_of<int64_t>({4, 8}), TN = dice.one_of<int64_t>({4, 8});
  const int64_t threads = BM / TM * (BN / TN);
  return number(
      fmt::format(
          "A block computes a tile of {} x {} elements of C, and each of its threads a piece "
          "of {} x {}. How many warps has the block?",
          BM, BN, TM, TN),
      threads / LANES,
      fmt::format("{} * {} elements over {} a thread are {} threads, 32 of them a warp.", BM, BN,
                  TM * TN, threads));
}

QuizQuestion flop_per_byte(Dice& dice) {
  const int64_t BM = dice.one_of<int64_t>({16, 32, 64, 128, 256});
  const int64_t BN = dice.one_of<int64_t>({16, 32, 64, 128, 256});
  const int64_t BK = dice.one_of<int64_t>({8, 16, 32});
  const int64_t flop = 2 * BM * BN * BK, bytes = 4 * (BM * BK + BK * BN);
  return {.text = fmt::format(
              "In one step a block reads {} x {} floats of A and {} x {} floats of B from global "
              "memory, each once, and does all multiply-adds of a {} x {} tile of C with them. A "
              "multiply-add is 2 FLOP. How many FLOP per byte read is that, to one per cent?",
              BM, BK, BK, BN, BM, BN),
          .answer = fmt::format("{:.4g}", static_cast<double>(flop) / static_cast<double>(bytes)),
          .why = fmt::format("{} FLOP for {} bytes. The depth {} cancels out: BM * BN / (2 * (BM + "
                             "BN)), so larger tiles need less memory.",
                             flop, bytes, BK)};
}

QuizQuestion reads_of_element(Dice& dice) {
  const int64_t BM = dice.one_of<int64_t>({32, 64, 128}), BN = dice.one_of<int64_t>({32, 64, 128});
  const int64_t M = BM * dice.from(2, 20), N = BN * dice.from(2, 20);
  const bool of_A = dice.from(0, 1) == 0;
  return number(
      fmt::format(
          "C = A * B has {} rows and {} columns. A block computes a tile of {} rows and {} "
          "columns of C, and reads every element of A and B that it needs from global memory "
          "once. How often is each element of {} read in all?",
          M, N, BM, BN, of_A ? "A" : "B"),
      of_A ? N / BN : M / BM,
      of_A ? fmt::format("An element of A is needed in one row of C, by all {} / {} tiles side by "
                         "side there.",
                         N, BN)
           : fmt::format("An element of B is needed in one column of C, by all {} / {} tiles below "
                         "each other there.",
                         M, BM));
}

struct Template {
  const char* name;
  const char* exercise;
  QuizQuestion (*make)(Dice& dice);
};

constexpr Template TEMPLATES[] = {
    {"stride", "copy_stride", stride},
    {"lines", "copy_stride", lines},
    {"offset", "copy_offset", offset},
    {"fetched", "copy_stride", fetched},
    {"used", "copy_stride", used},
    {"element", "copy_width", element},
    {"element_stride", "copy_width", element_stride},
    {"quotient", "gather", quotient},
    {"first_lanes", "mystery", first_lanes},
    {"row_of_matrix", "copy_offset", row_of_matrix},
    {"block_along_rows", "numbering", block_along_rows},
    {"block_down_columns", "numbering", block_down_columns},
    {"warp_of_thread", "numbering", warp_of_thread},
    {"lane_of_thread", "numbering", lane_of_thread},
    {"rows_of_warp", "numbering", rows_of_warp},
    {"moves", "mappings", moves},
    {"bank_stride", "banks", bank_stride},
    {"bank_column", "transpose", bank_column},
    {"bank_float4", "banks", bank_float4},
    {"aligned", "copy_offset", aligned},
    {"requests", "copy_width", requests},
    {"blocks", "coalesced", blocks},
    {"warps_of_tile", "register_tile_2d", warps_of_tile},
    {"flop_per_byte", "shared_tile", flop_per_byte},
    {"reads_of_element", "shared_tile", reads_of_element},
};

QuizQuestion made_of(const Template& of, Dice& dice) {
  QuizQuestion question = of.make(dice);
  question.of = of.name;
  question.exercise = of.exercise;
  return question;
}

std::vector<const Template*> templates_about(const std::vector<const Exercise*>& exercises) {
  std::vector<const Template*> found;
  for (const Template& one : TEMPLATES) {
    const bool is_asked = std::ranges::any_of(exercises, [&](const Exercise* exercise) {
      return exercise == &find_exercise(one.exercise);
    });
    if (is_asked) found.push_back(&one);
  }
  return found;
}

}  // namespace

std::vector<const Exercise*> quiz_exercises() {
  std::vector<const Exercise*> exercises;
  for (const Exercise& exercise : course()) {
    if (!templates_about({&exercise}).empty()) exercises.push_back(&exercise);
  }
  return exercises;
}

std::vector<string> quiz_templates(const std::vector<const Exercise*>& about) {
  std::vector<string> names;
  for (const Template* const one : templates_about(about)) names.emplace_back(one->name);
  return names;
}

QuizQuestion quiz_question(const string& of, uint64_t seed) {
  for (const Template& one : TEMPLATES) {
    if (of != one.name) continue;
    Dice dice(seed);
    return made_of(one, dice);
  }
  throw std::logic_error("the quiz has no template " + of);
}

std::vector<QuizQuestion> quiz_questions(int count, uint64_t seed,
                                         const std::vector<const Exercise*>& about) {
  constexpr size_t MOST_ROUNDS_IN_VAIN = 20;
  Dice dice(seed);
  const std::vector<const Template*> templates = templates_about(about);
  std::vector<const Template*> order;
  std::vector<QuizQuestion> questions;
  std::set<string> texts;
  size_t in_vain = 0;  // questions in a row that had been asked before
  while (static_cast<int>(questions.size()) < count &&
         in_vain < MOST_ROUNDS_IN_VAIN * templates.size()) {
    if (order.empty()) {  // a new round, in a new order
      for (const Template* const one : templates) {
        order.insert(order.begin() + dice.from(0, static_cast<int64_t>(order.size())), one);
      }
    }
    QuizQuestion question = made_of(*order.back(), dice);
    order.pop_back();
    const bool is_new = texts.insert(question.text).second;
    in_vain = is_new ? 0 : in_vain + 1;
    if (is_new) questions.push_back(std::move(question));
  }
  return questions;
}

}  // namespace workshop
