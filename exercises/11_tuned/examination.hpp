// The tests with which `check 11` calls choose_tile() directly, since the product is right with every tile. They are compiled
// after the learner's file, which declares all names that they use.
#pragma once

#include <cstdint>
#include <span>
#include <sstream>
#include <string>

#include "workshop/judge/examination.hpp"

namespace ladder::examination {

// The file's own table: a large tile, one from the middle, a small one.
constexpr TunedTile OWN[] = {TUNED_TABLE[0], TUNED_TABLE[8], TUNED_TABLE[11]};
// A table in another order and with other tiles: 64 x 64, 128 x 256, 128 x 128.
constexpr TunedTile OTHER[] = {TUNED_TABLE[7], TUNED_TABLE[0], TUNED_TABLE[2]};
// Four tiles, the smallest first.
constexpr TunedTile FOUR[] = {TUNED_TABLE[11], TUNED_TABLE[10], TUNED_TABLE[8], TUNED_TABLE[0]};
// The same tile twice.
constexpr TunedTile TWINS[] = {TUNED_TABLE[8], TUNED_TABLE[8]};

struct Question {
  std::span<const TunedTile> table;
  int64_t M, N;
  Device device;
  size_t answer;    // the place in the table of the tile that is done first
  const char* why;  // the answer is right because ...
};

constexpr Device H200{.multiprocessors = 132, .shared_bytes = 232448};

// Signs in wrong_answers.md name the first answers in this order, so a new question goes to the end.
const Question QUESTIONS[] = {
    {OWN, 256, 256, H200, 2,
     "the large tile makes 2 blocks, and 130 multiprocessors have nothing to do"},
    {OWN, 2048, 2048, H200, 0, "every multiprocessor has work, and the large tile works fastest"},
    {OWN, 320, 1600, H200, 1, "it is faster than the small one, and every multiprocessor has one"},
    {OWN, 128, 1088, H200, 2,
     "one block alone does not reach the speed in the table for the tile in the middle"},
    {OWN, 2176, 2048, H200, 1,
     "136 large tiles take two rounds, and the second round has only four"},
    {OWN, 640, 640, H200, 1, "15 large tiles leave 117 multiprocessors idle"},
    {OWN,
     2048,
     2048,
     {.multiprocessors = 28, .shared_bytes = 232448},
     0,
     "every multiprocessor has work, and the large tile works fastest"},
    {OWN,
     2048,
     2048,
     {.multiprocessors = 200, .shared_bytes = 232448},
     1,
     "128 large tiles leave 72 multiprocessors idle"},
    {OTHER, 256, 256, H200, 0, "it divides the work among 16 blocks, the others among 2 or 4"},
    {OTHER, 1536, 1536, H200, 0, "its last round is the fullest"},
    {OTHER,
     256,
     256,
     {.multiprocessors = 132, .shared_bytes = 60000},
     1,
     "the others do not fit into 60000 bytes of shared memory"},
    {TWINS, 256, 256, H200, 0, "both tiles are equally fast, and it is the first"},
    {OTHER,
     256,
     256,
     {.multiprocessors = 132, .shared_bytes = TUNED_TABLE[7].tile.shared_bytes()},
     0,
     "it fits exactly into the shared memory of a block"},
    {OWN, 16, 8192, H200, 2, "C has 16 rows, and the other tiles have more"},
    {OWN, 1056, 512, H200, 1,
     "it makes 33 rows of 8 tiles of 32 x 64, two for each multiprocessor"},
    {OWN, 2048, 2056, H200, 1,
     "the last 8 columns need large tiles of their own: 144 in all, which take two rounds"},
    {OWN, 1536, 2816, H200, 0, "132 large tiles are one for each multiprocessor, and no second"},
    {OTHER,
     256,
     256,
     {.multiprocessors = 132, .shared_bytes = TUNED_TABLE[2].tile.shared_bytes()},
     2,
     "one block of it fits, and how many fit at once does not matter"},
    {FOUR, 131072, 131072, H200, 3, "the last of four tiles is the large one"},
};

std::string tile_in_words(const Question& question, size_t place) {
  const Tile& t = question.table[place].tile;
  std::ostringstream text;
  text << "tile " << place << " (" << t.BM << " x " << t.BN << ")";
  return text.str();
}

std::string complaint_about(const Question& question, size_t chosen) {
  std::ostringstream text;
  if (chosen >= question.table.size()) {
    text << "choose_tile returned " << chosen << " for a table of " << question.table.size()
         << " tiles; the places are 0 to " << question.table.size() - 1;
    return text.str();
  }
  text << "choose_tile took " << tile_in_words(question, chosen) << " for a C of " << question.M
       << " x " << question.N << " on " << question.device.multiprocessors << " multiprocessors; "
       << tile_in_words(question, question.answer) << " is done first: " << question.why;
  return text.str();
}

}  // namespace ladder::examination

extern "C" void examine(workshop::Examined& examined) {
  using namespace ladder::examination;
  for (const Question& question : QUESTIONS) {
    const size_t chosen =
        ladder::choose_tile(question.table, question.M, question.N, question.device);
    examined.answers += (examined.answers.empty() ? "" : " ") + std::to_string(chosen);
    if (chosen == question.answer || !examined.complaint.empty()) continue;
    examined.complaint = complaint_about(question, chosen);
  }
}
