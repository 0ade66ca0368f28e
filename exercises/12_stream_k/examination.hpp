// The tests with which `check 12` calls begin(), owner() and plan_split() directly, since the product is right with many bad
// divisions, too. They are compiled after the learner's file, which declares all names that they use.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "workshop/judge/examination.hpp"

namespace ladder::examination {

using workshop::Examined;

template <typename... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

// ---- Hole a: the pieces of the line.

// Lines of 15, 5, 385, 133 and 16 steps; two rounds of whole tiles come before the last line.
constexpr SplitPlan PLANS[] = {
    {.choice = 0, .tiles_m = 3, .tiles_n = 1, .steps = 5, .blocks = 4, .rounds = 0},
    {.choice = 0, .tiles_m = 5, .tiles_n = 1, .steps = 1, .blocks = 3, .rounds = 0},
    {.choice = 0, .tiles_m = 7, .tiles_n = 1, .steps = 55, .blocks = 132, .rounds = 0},
    {.choice = 0, .tiles_m = 7, .tiles_n = 19, .steps = 1, .blocks = 132, .rounds = 0},
    {.choice = 0, .tiles_m = 2, .tiles_n = 4, .steps = 8, .blocks = 3, .rounds = 2},
};

std::string of_line(const SplitPlan& plan) {
  return joined(" for a line of ", plan.line(), " steps and ", plan.blocks, " blocks");
}

Examined of_pieces(const SplitPlan& plan) {
  const int64_t line = plan.line(), blocks = plan.blocks;
  if (plan.begin(blocks) == plan.begin(0)) {
    return {.answers = "all_empty",
            .complaint = joined("All pieces are empty: begin(0) and begin(", blocks, ") are both ",
                                plan.begin(0), of_line(plan))};
  }
  if (plan.begin(0) != 0) {
    return {.answers = "first_piece",
            .complaint = joined("begin(0) is ", plan.begin(0), of_line(plan),
                                ": the first piece begins at step 0")};
  }
  if (plan.begin(blocks) != line) {
    return {.answers = "line_end",
            .complaint = joined("begin(", blocks, ") is ", plan.begin(blocks), of_line(plan),
                                ": of the number of blocks it is the line's end, ", line)};
  }
  const int64_t shortest = line / blocks, longest = ceil_div(line, blocks);
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t steps = plan.begin(block + 1) - plan.begin(block);
    if (steps >= shortest && steps <= longest) continue;
    return {.answers = "uneven",
            .complaint =
                joined("Block ", block, " has ", steps, " steps", of_line(plan), ": a piece has ",
                       shortest, " or ", longest, " (begin(", block, ") is ", plan.begin(block),
                       ", begin(", block + 1, ") is ", plan.begin(block + 1), ")")};
  }
  for (int64_t step = 0; step < line; ++step) {
    const int64_t owner = plan.owner(step);
    if (owner >= 0 && owner < blocks && plan.begin(owner) <= step && step < plan.begin(owner + 1)) {
      continue;
    }
    int64_t of = 0;
    while (plan.begin(of + 1) <= step) ++of;
    return {.answers = "owner",
            .complaint = joined("owner(", step, ") is ", owner, of_line(plan),
                                ": by begin() block ", of, " has this step (its piece is steps ",
                                plan.begin(of), " to ", plan.begin(of + 1) - 1, ")")};
  }
  return {.answers = "right"};
}

// A line whose products with the number of blocks need more than 32 bits.
Examined of_a_long_line() {
  constexpr SplitPlan LONG{
      .choice = 0, .tiles_m = 4096, .tiles_n = 4096, .steps = 16, .blocks = 132, .rounds = 0};
  const int64_t line = LONG.line(), last = LONG.begin(LONG.blocks - 1);
  const bool begins = LONG.begin(LONG.blocks) == line && line - last >= line / LONG.blocks &&
                      line - last <= ceil_div(line, LONG.blocks);
  if (begins && LONG.owner(line - 1) == LONG.blocks - 1) return {.answers = "right"};
  return {.answers = "too_large",
          .complaint = joined(begins ? joined("owner(", line - 1, ") is ", LONG.owner(line - 1))
                                     : joined("begin(", LONG.blocks - 1, ") is ", last),
                              of_line(LONG), ": a number of 32 bits is too small for the product")};
}

// ---- Hole b: the chosen division.

// A product, a device, and a division that is good by the estimate.
struct Choice {
  int64_t M, N, K;
  int multiprocessors;
  int64_t blocks;
  double us;  // the estimate for the rung's own choice
};

constexpr TunedTile TILES[] = {STREAM_K_TABLE[8], STREAM_K_TABLE[11]};
constexpr Works<TileWork> TILES_US[] = {DIVIDED_US_16[8], DIVIDED_US_16[11]};
constexpr TimedTiles CHOICES_OF_TILE{.tiles = TILES, .us = TILES_US, .call_us = CALL_US_16};

// The rung's own choices.
constexpr Choice CHOICES[] = {
    {64, 64, 4096, 132, 264, 5.76},      {64, 64, 4096, 80, 160, 6.80},
    {112, 9, 3464, 132, 132, 6.21},      {48, 1000, 3000, 28, 56, 45.68},
    {256, 256, 65536, 132, 264, 190.27}, {64, 96, 20000, 400, 792, 8.91},
    {512, 2048, 64, 132, 512, 8.30},     {2560, 2560, 2560, 132, 264, 728.98},
};

// A choice may be slower than the rung's own by this factor.
constexpr double ENOUGH = 1.25;

Examined of_choice(const Choice& choice) {
  const Device device{.multiprocessors = choice.multiprocessors, .shared_bytes = 232448};
  const SplitPlan plan = plan_split(CHOICES_OF_TILE, choice.M, choice.N, choice.K, device);
  const auto of_product = [&] {
    return joined(" for ", choice.M, " x ", choice.N, " x ", choice.K, " on ",
                  choice.multiprocessors, " multiprocessors");
  };
  if (plan.blocks == 0) {
    return {.answers = "nothing",
            .complaint = joined("No possible division was considered", of_product())};
  }
  const double us =
      estimate_us(plan, CHOICES_OF_TILE, choice.M, choice.N, choice.K, choice.multiprocessors);
  if (us <= ENOUGH * choice.us) return {.answers = "right"};
  std::ostringstream times;
  times.precision(3);
  times << us << " us by the estimate; a division among " << choice.blocks << " blocks takes "
        << choice.us;
  return {.answers = joined("slow at ", choice.M, "x", choice.N, "x", choice.K, " on ",
                            choice.multiprocessors),
          .complaint = joined("The best of your divisions", of_product(), " has ", plan.blocks,
                              " blocks and ", plan.rounds, " rounds, and takes ", times.str())};
}

}  // namespace ladder::examination

extern "C" void examine(workshop::Examined& examined) {
  using namespace ladder::examination;
  const auto is_right = [&](workshop::Examined answer) {
    examined = std::move(answer);
    return examined.complaint.empty();
  };
  for (const ladder::SplitPlan& plan : PLANS) {
    if (!is_right(of_pieces(plan))) return;
  }
  if (!is_right(of_a_long_line())) return;
  for (const Choice& choice : CHOICES) {
    if (!is_right(of_choice(choice))) return;
  }
}
