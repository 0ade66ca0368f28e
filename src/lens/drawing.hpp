// The parts of a request's drawing, for text and for SVG: the lanes, the words that they touch in each line, and the captions.
// The drawing takes the prices from the request and does not count them again.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lens/request.hpp"

namespace lens {

inline constexpr int64_t WORD_BYTES = 4;
inline constexpr size_t WORDS = 32;  // words of a line; in shared memory, the number of banks
inline constexpr size_t WORDS_OF_A_SECTOR = 8;

/// Four bytes of memory.
struct Word {
  uint32_t lanes = 0;  // the lanes that touch it, one bit each
  uint32_t bytes =
      0;  // the bytes that lanes ask for, one bit each; the word's first byte is the lowest bit
  bool fetched = false;   // it lies in a touched sector; never in shared memory
  bool collides = false;  // shared memory: another word of its bank is asked for in the same phase
};

/// 128 bytes of memory: a line, or in shared memory a row of the banks.
struct Line {
  int64_t number = 0;      // counted from the buffer's first line
  int64_t offset = 0;      // from the buffer's first byte to the line's
  bool after_gap = false;  // it does not follow the line drawn above it
  uint32_t lanes = 0;      // the lanes that touch the line
  std::array<Word, WORDS> words{};
};

/// Lanes that are served together. Outside of shared memory these are all lanes.
struct Phase {
  uint32_t lanes = 0;
  std::vector<Line> lines;  // in the order of their addresses
  std::array<uint32_t, WORDS>
      words_in_bank{};  // shared memory: distinct words asked for in each bank
};

std::vector<Phase> phases_of(const Request& request);

/// Returns "copy in copy.cu:6", cut to `columns` columns; 0: not cut.
std::string place_of(const std::string& kernel, const std::string& file, int line, int columns,
                     const std::string& ellipsis);
std::string place_of(const Request& request, int columns, const std::string& ellipsis);
/// Returns "ld.global.f32 of A, launch 1, block (0,0,0), warp 0, request 0".
std::string origin_of(const Request& request);
/// Returns the request's price in a sentence.
std::string price_of(const Request& request);

/// Returns "0-3, 8".
std::string lane_list(uint32_t lanes);

/// The places of the lanes in a row-major matrix.
struct Walk {
  int element_bytes = 0;
  int64_t columns = 0;  // elements in a row, the leading dimension
  int64_t rows = 0;     // of the buffer; 0 if its size is not known
  struct Element {
    int64_t row = 0, column = 0;
    uint32_t lanes = 0;
    auto operator<=>(const Element&) const = default;
  };
  std::vector<Element> elements;        // in the order of their addresses
  int64_t first_row = 0, last_row = 0;  // the first and last row of the elements
};

Walk walk_of(const Request& request, int64_t leading_dimension);
/// Returns the step from lane to lane, in a sentence.
std::string walk_in_words(const Request& request, const Walk& walk);

}  // namespace lens
