#include "lens/drawing.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <iomanip>
#include <map>
#include <sstream>
#include <utility>

#include "text/page.hpp"

namespace lens {
namespace {

// Bytes of one lane, side by side, from the beginning of the buffer's first line.
struct Piece {
  int lane;
  int64_t first;
  int64_t bytes;
};

int64_t floor_divided(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

// Returns the offset of the buffer in its line. A buffer in the host's memory may begin within a line.
int64_t start_in_line(const Request& r) {
  return static_cast<int64_t>(r.buffer_base % static_cast<uint64_t>(LINE_BYTES));
}

void add_pieces(std::vector<Piece>& pieces, const Request& r, int lane) {
  const auto at = static_cast<int64_t>(r.addresses[static_cast<size_t>(lane)] - r.buffer_base);
  const int64_t bytes = r.bytes_per_lane;
  if (r.path != Path::local) {
    pieces.push_back({lane, at + start_in_line(r), bytes});
    return;
  }
  // A warp's local memory is interleaved by the word: lanes at one offset are neighbours.
  for (int64_t done = 0; done < bytes; done += WORD_BYTES) {
    const int64_t word = (at + done) / WORD_BYTES;
    pieces.push_back({lane, word * LINE_BYTES + lane * WORD_BYTES + (at + done) % WORD_BYTES,
                      std::min(bytes, WORD_BYTES)});
  }
}

void touch(std::map<int64_t, Line>& lines, const Piece& piece) {
  for (int64_t byte = piece.first; byte < piece.first + piece.bytes; ++byte) {
    const int64_t number = floor_divided(byte, LINE_BYTES);
    const int64_t in_line = byte - number * LINE_BYTES;
    Line& line = lines[number];
    Word& word = line.words[static_cast<size_t>(in_line / WORD_BYTES)];
    line.lanes |= 1u << piece.lane;
    word.lanes |= 1u << piece.lane;
    word.bytes |= 1u << (in_line % WORD_BYTES);
  }
}

void mark_fetched(Line& line) {
  for (size_t sector = 0; sector < WORDS; sector += WORDS_OF_A_SECTOR) {
    const auto first = line.words.begin() + static_cast<std::ptrdiff_t>(sector);
    const auto last = first + WORDS_OF_A_SECTOR;
    const bool fetched = std::any_of(first, last, [](const Word& w) { return w.lanes != 0; });
    std::for_each(first, last, [&](Word& w) { w.fetched = fetched; });
  }
}

void mark_collisions(Phase& phase) {
  for (const Line& line : phase.lines) {
    for (size_t bank = 0; bank < WORDS; ++bank)
      phase.words_in_bank[bank] += line.words[bank].lanes != 0 ? 1u : 0u;
  }
  for (Line& line : phase.lines) {
    for (size_t bank = 0; bank < WORDS; ++bank) {
      Word& word = line.words[bank];
      word.collides = word.lanes != 0 && phase.words_in_bank[bank] > 1;
    }
  }
}

Phase phase_of(const Request& r, uint32_t lanes) {
  std::vector<Piece> pieces;
  for (int lane = 0; lane < LANES; ++lane) {
    if ((lanes >> lane & 1u) != 0) add_pieces(pieces, r, lane);
  }
  std::map<int64_t, Line> lines;
  for (const Piece& piece : pieces) touch(lines, piece);
  Phase phase;
  phase.lanes = lanes;
  for (auto& [number, line] : lines) {
    line.number = number;
    line.offset = number * LINE_BYTES - start_in_line(r);
    line.after_gap = !phase.lines.empty() && number != phase.lines.back().number + 1;
    if (r.path != Path::shared) mark_fetched(line);
    phase.lines.push_back(line);
  }
  if (r.path == Path::shared) mark_collisions(phase);
  return phase;
}

std::string counted(uint64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string asked(const Request& r) {
  const auto lanes = static_cast<uint64_t>(std::popcount(r.active));
  const uint64_t all = lanes * r.bytes_per_lane;
  const bool one = lanes == 1;
  const std::string verb = r.action == Action::load    ? (one ? "asks for" : "ask for")
                           : r.action == Action::store ? (one ? "writes" : "write")
                                                       : (one ? "changes" : "change");
  std::string text = counted(lanes, "lane") + " " + verb + " ";
  if (lanes > 1 && r.bytes_used == r.bytes_per_lane)
    return text + "the same " + counted(r.bytes_used, "byte");
  return text + std::to_string(r.bytes_used) + (r.bytes_used < all ? " different" : "") + " byte" +
         (r.bytes_used == 1 ? "" : "s");
}

std::string shared_price(const Request& r) {
  const uint32_t least = r.wavefronts - r.bank_conflicts;
  const std::string passes = counted(r.wavefronts, "wavefront");
  if (r.bank_conflicts == 0)
    return asked(r) + " of shared memory, without a bank conflict: " + passes + ".";
  const std::string kind = least == 1 ? std::to_string(r.wavefronts) + "-way conflict: "
                                      : counted(r.bank_conflicts, "bank conflict") + ": ";
  return asked(r) + " of shared memory, " + kind + passes + " where " + std::to_string(least) +
         " would do.";
}

std::string percent(uint64_t part, uint64_t whole) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1)
       << (whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole))
       << " %";
  return text.str();
}

// Returns the size of the matrix's element, by the instruction's type: "ld.global.v4.f32" loads elements of 4 bytes.
int bytes_of_element(const Request& r) {
  size_t digits = r.instruction.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(r.instruction[digits - 1])) != 0)
    --digits;
  const std::string bits = r.instruction.substr(digits);
  int bytes = 4;
  if (bits == "8") bytes = 1;
  if (bits == "16") bytes = 2;
  if (bits == "64") bytes = 8;
  return std::min(bytes, std::max(1, static_cast<int>(r.bytes_per_lane)));
}

}  // namespace

std::vector<Phase> phases_of(const Request& r) {
  std::vector<Phase> phases;
  if (r.path == Path::shared) {
    for (const uint32_t lanes : r.phases) {
      if (lanes != 0) phases.push_back(phase_of(r, lanes));
    }
  }
  if (phases.empty()) phases.push_back(phase_of(r, r.active));
  return phases;
}

std::string place_of(const std::string& kernel, const std::string& file, int line, int columns,
                     const std::string& ellipsis) {
  const std::string rest =
      " in " + (file.empty() ? "an unknown file"
                             : file.substr(file.rfind('/') + 1) + ":" + std::to_string(line));
  const int room = columns - text::display_width(rest) - text::display_width(ellipsis);
  if (columns <= 0 || text::display_width(kernel + rest) <= columns) return kernel + rest;
  // A template's name is at one end, its arguments at the other.
  const auto head = static_cast<size_t>(std::max(room, 8) / 2);
  const size_t tail = static_cast<size_t>(std::max(room, 8)) - head;
  return kernel.substr(0, head) + ellipsis + kernel.substr(kernel.size() - tail) + rest;
}

std::string place_of(const Request& r, int columns, const std::string& ellipsis) {
  return place_of(r.kernel, r.file, r.line, columns, ellipsis);
}

std::string origin_of(const Request& r) {
  std::ostringstream text;
  text << r.instruction << " of " << (r.buffer.empty() ? "an unknown buffer" : r.buffer);
  if (r.launch > 0) text << ", launch " << r.launch;
  text << ", block (" << r.block[0] << "," << r.block[1] << "," << r.block[2] << "), warp "
       << r.warp << ", request " << r.nth;
  return text.str();
}

std::string price_of(const Request& r) {
  if (r.path == Path::shared) return shared_price(r);
  const uint64_t fetched = uint64_t{r.sectors} * SECTOR_BYTES;
  return asked(r) + " in " + counted(r.sectors, "sector") + " of " + counted(r.lines, "line") +
         " (" + counted(fetched, "byte") + (r.action == Action::load ? " fetched): " : "): ") +
         percent(r.bytes_used, fetched) + " used.";
}

std::string lane_list(uint32_t lanes) {
  std::string list;
  for (int lane = 0; lane < LANES; ++lane) {
    if ((lanes >> lane & 1u) == 0) continue;
    int last = lane;
    while (last + 1 < LANES && (lanes >> (last + 1) & 1u) != 0) ++last;
    if (!list.empty()) list += ", ";
    list += std::to_string(lane);
    if (last > lane) list += "-" + std::to_string(last);
    lane = last;
  }
  return list;
}

Walk walk_of(const Request& r, int64_t leading_dimension) {
  Walk walk;
  walk.element_bytes = bytes_of_element(r);
  walk.columns = std::max<int64_t>(1, leading_dimension);
  walk.rows = static_cast<int64_t>(r.buffer_bytes) / walk.element_bytes / walk.columns;
  std::map<std::pair<int64_t, int64_t>, uint32_t> touched;
  for (int lane = 0; lane < LANES; ++lane) {
    if ((r.active >> lane & 1u) == 0) continue;
    const auto at = static_cast<int64_t>(r.addresses[static_cast<size_t>(lane)] - r.buffer_base);
    for (int64_t byte = 0; byte < r.bytes_per_lane; byte += walk.element_bytes) {
      const int64_t element = floor_divided(at + byte, walk.element_bytes);
      const int64_t row = floor_divided(element, walk.columns);
      touched[{row, element - row * walk.columns}] |= 1u << lane;
    }
  }
  for (const auto& [place, lanes] : touched)
    walk.elements.push_back({place.first, place.second, lanes});
  if (!walk.elements.empty()) {
    walk.first_row = walk.elements.front().row;
    walk.last_row = walk.elements.back().row;
  }
  return walk;
}

std::string walk_in_words(const Request& r, const Walk& walk) {
  int same = 0, along = 0, down = 0;
  int64_t step = 0;
  bool alike = true;
  int before = -1;
  for (int lane = 0; lane < LANES; ++lane) {
    if ((r.active >> lane & 1u) == 0) continue;
    const auto address = [&](int l) {
      return static_cast<int64_t>(r.addresses[static_cast<size_t>(l)] - r.buffer_base);
    };
    if (before >= 0) {
      const int64_t moved = address(lane) - address(before);
      const int64_t row_bytes = walk.columns * walk.element_bytes;
      const bool in_row =
          floor_divided(address(lane), row_bytes) == floor_divided(address(before), row_bytes);
      alike = alike && (same + along + down == 0 || moved == step);
      step = moved;
      ++(moved == 0 ? same : in_row ? along : down);
    }
    before = lane;
  }
  const int steps = same + along + down;
  if (steps == 0) return "One lane alone: there is no step to its neighbour.";
  if (same == steps) return "All lanes are at the same element.";
  const std::string distance = alike ? std::to_string(step < 0 ? -step : step) + " bytes" : "";
  const bool by_one_width = alike && step == static_cast<int64_t>(r.bytes_per_lane);
  if (along == steps) {
    return "From lane to lane the column moves: the warp slides along a row" +
           (by_one_width ? ", each lane beside the one before."
                         : (alike ? ", by " + distance + " each." : "."));
  }
  if (down == steps) {
    return "From lane to lane the row moves: the warp leaps" +
           (alike ? " " + distance + " each time." : " from row to row.");
  }
  return "There are " + std::to_string(steps) +
         " steps from lane to lane: " + std::to_string(along) + " slide along a row, " +
         std::to_string(down) + " leap to another, and " + std::to_string(same) + " stay.";
}

}  // namespace lens
