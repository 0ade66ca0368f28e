#include "simulator/memory/tensor_map.hpp"

#include <algorithm>
#include <cstring>

namespace simulator {
namespace {

// CUtensorMapDataType
enum Type : uint32_t {
  uint8,
  uint16,
  uint32,
  int32,
  uint64,
  int64,
  float16,
  float32,
  float64,
  bfloat16,
  float32_ftz,
  tfloat32,
  tfloat32_ftz,
  TYPES
};
enum Interleave : uint32_t { no_interleave, pieces_of_16, pieces_of_32 };

constexpr uint64_t PIECE = 16;  // bytes that a copy moves at least
constexpr uint64_t SECTOR = 32, LINE = 128;
constexpr uint32_t SWIZZLES = 4, PROMOTIONS = 4;
constexpr uint64_t MOST_ELEMENTS = uint64_t{1} << 32, MOST_STRIDE = uint64_t{1} << 40;
constexpr uint64_t MOST_IN_BOX = 256, MOST_STEP = 8;
constexpr uint64_t MOST_BOX_BYTES = 227 * 1024;  // a block's shared memory
constexpr uint64_t ENCODED = 0x7465'6e73'6f72'6d61;
constexpr uint32_t NAN_FILL = 1;
constexpr uint16_t FILLING_NAN = 0x7ff7;  // repeated, in each format

bool is_float(uint32_t type) { return type == float16 || (type >= float32 && type < TYPES); }

std::string at(const char* name, uint32_t i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

// Returns "globalStrides[0] is 8, and must be a multiple of 16".
std::string told(const std::string& argument, uint64_t value, const std::string& rule) {
  return argument + " is " + std::to_string(value) + ", and must be " + rule;
}

std::string refusal_of_dimension(const TensorMap& map, uint32_t i) {
  if (map.sizes[i] < 1 || map.sizes[i] > MOST_ELEMENTS)
    return told(at("globalDim", i), map.sizes[i], "from 1 to 2^32");
  if (map.box[i] < 1 || map.box[i] > MOST_IN_BOX)
    return told(at("boxDim", i), map.box[i], "from 1 to 256");
  if (map.steps[i] < 1 || map.steps[i] > MOST_STEP)
    return told(at("elementStrides", i), map.steps[i], "from 1 to 8");
  if (i == 0) return "";
  const uint64_t unit = map.interleave == pieces_of_32 ? 32 : PIECE;
  const uint64_t stride = map.strides[i - 1];
  if (stride % unit != 0 || stride >= MOST_STRIDE)
    return told(at("globalStrides", i - 1), stride,
                "a multiple of " + std::to_string(unit) + " below 2^40");
  return "";
}

// Returns the sectors of 32 bytes that bytes from this address on touch.
uint64_t touched(uint64_t address, uint64_t bytes) {
  return bytes == 0 ? 0 : (address + bytes - 1) / SECTOR - address / SECTOR + 1;
}

// The words of the layout.
enum Word : size_t { tag, address, formats, sizes, strides = sizes + 5, box = strides + 4, steps };
static_assert(steps < std::tuple_size_v<TensorMapWords>);

}  // namespace

TensorMapWords TensorMap::words() const {
  TensorMapWords words{};
  words[Word::tag] = ENCODED;
  words[Word::address] = address;
  for (const uint32_t format : {type, rank, interleave, swizzle, promotion, fill})
    words[Word::formats] = words[Word::formats] << 8 | format;
  for (uint32_t i = 0; i < rank; ++i) {
    words[Word::sizes + i] = sizes[i];
    if (i > 0) words[Word::strides + i - 1] = strides[i - 1];
    words[Word::box] |= (box[i] - 1) << 8 * i;
    words[Word::steps] |= steps[i] << 8 * i;
  }
  return words;
}

std::optional<TensorMap> TensorMap::from(const TensorMapWords& words) {
  if (words[Word::tag] != ENCODED) return std::nullopt;
  TensorMap map;
  uint64_t formats = words[Word::formats];
  for (uint32_t* const format :
       {&map.fill, &map.promotion, &map.swizzle, &map.interleave, &map.rank, &map.type}) {
    *format = formats & 0xff;
    formats >>= 8;
  }
  map.address = words[Word::address];
  for (uint32_t i = 0; i < map.rank; ++i) {
    map.sizes[i] = words[Word::sizes + i];
    if (i > 0) map.strides[i - 1] = words[Word::strides + i - 1];
    map.box[i] = (words[Word::box] >> 8 * i & 0xff) + 1;
    map.steps[i] = words[Word::steps] >> 8 * i & 0xff;
  }
  return map;
}

uint32_t TensorMap::element_bytes() const {
  switch (type) {
    case uint8:
      return 1;
    case uint16:
    case float16:
    case bfloat16:
      return 2;
    case uint64:
    case int64:
    case float64:
      return 8;
    default:
      return 4;
  }
}

uint64_t TensorMap::count(uint32_t dimension) const {
  // An interleaved box has one slice of channels, and their dimension is the last but one.
  if (interleave != no_interleave && dimension + 2 == rank) return 1;
  return (box[dimension] + steps[dimension] - 1) / steps[dimension];
}

uint64_t TensorMap::rows() const {
  uint64_t product = 1;
  for (uint32_t i = 1; i < rank; ++i) product *= count(i);
  return product;
}

std::string TensorMap::refusal() const {
  if (type >= TYPES) return told("tensorDataType", type, "one of CUtensorMapDataType");
  if (rank < 1 || rank > MOST_DIMENSIONS) return told("tensorRank", rank, "from 1 to 5");
  if (interleave > pieces_of_32)
    return told("interleave", interleave, "one of CUtensorMapInterleave");
  if (interleave != no_interleave && rank < 3)
    return told("tensorRank", rank, "at least 3 with an interleave");
  const uint64_t alignment = interleave == pieces_of_32 ? 32 : PIECE;
  if (address % alignment != 0)
    return "globalAddress must be a multiple of " + std::to_string(alignment) +
           " bytes, and leaves a remainder of " + std::to_string(address % alignment);
  uint64_t box_bytes = element_bytes();
  for (uint32_t i = 0; i < rank; ++i) {
    if (std::string said = refusal_of_dimension(*this, i); !said.empty()) return said;
    box_bytes *= box[i];
  }
  if (swizzle >= SWIZZLES)
    return told("swizzle", swizzle, "none, or one of 32, 64 or 128 bytes on a Hopper GPU");
  const uint64_t row_of_elements = box[0] * element_bytes();
  const std::string row = "boxDim[0] makes rows of " + std::to_string(row_of_elements) + " bytes, ";
  if (row_of_elements % PIECE != 0) return row + "and they must be a multiple of 16";
  if (interleave == no_interleave && swizzle != 0 && row_of_elements > span())
    return row + "and with this swizzle they have at most " + std::to_string(span());
  if (box_bytes > MOST_BOX_BYTES)
    return "boxDim makes a box of " + std::to_string(box_bytes) +
           " bytes, and a block's shared memory has " + std::to_string(MOST_BOX_BYTES);
  if (promotion >= PROMOTIONS)
    return told("l2Promotion", promotion, "one of CUtensorMapL2promotion");
  if (fill > NAN_FILL) return told("oobFill", fill, "one of CUtensorMapFloatOOBfill");
  if (fill == NAN_FILL && !is_float(type)) return "oobFill asks for NaN, and integers have none";
  return "";
}

std::vector<TensorRow> rows_of(const TensorMap& map,
                               const std::array<int32_t, TensorMap::MOST_DIMENSIONS>& at,
                               bool whole_pieces) {
  const auto size = static_cast<int64_t>(map.unit_bytes());
  const auto end_of_row = static_cast<int64_t>(map.sizes[0]) * size;
  const int64_t begin = int64_t{at[0]} * size, end = begin + static_cast<int64_t>(map.row_bytes());
  const int64_t inside = std::max<int64_t>(begin, 0);
  int64_t past = std::min(end, end_of_row);
  if (whole_pieces) past = std::min(end, (end_of_row + 15) / 16 * 16);

  std::vector<TensorRow> rows(map.rows());
  for (uint64_t i = 0; i < rows.size(); ++i) {
    uint64_t rest = i, address = map.address;
    bool is_inside = past > inside;
    for (uint32_t d = 1; d < map.rank; ++d) {
      const uint64_t count = map.count(d);
      const int64_t place = int64_t{at[d]} + static_cast<int64_t>(rest % count * map.steps[d]);
      rest /= count;
      is_inside = is_inside && place >= 0 && place < static_cast<int64_t>(map.sizes[d]);
      address += static_cast<uint64_t>(place) * map.strides[d - 1];
    }
    if (!is_inside) continue;
    rows[i] = {address + static_cast<uint64_t>(inside), static_cast<uint64_t>(inside - begin),
               static_cast<uint64_t>(past - inside)};
  }
  return rows;
}

uint64_t loaded_sectors(uint64_t address, uint64_t target, uint64_t bytes) {
  uint64_t sectors = 0;
  while (bytes > 0) {
    const uint64_t part = std::min(bytes, LINE - target % LINE);
    sectors += touched(address, part);
    address += part;
    target += part;
    bytes -= part;
  }
  return sectors;
}

uint64_t filled_sectors(const TensorRow& row, uint64_t target, uint64_t row_bytes) {
  const uint64_t past = row.first + row.bytes;
  return touched(target, row.first) + touched(target + past, row_bytes - past);
}

void fill_row(const TensorMap& map, std::byte* row) {
  if (map.fill != NAN_FILL) {
    std::memset(row, 0, map.row_bytes());
    return;
  }
  for (uint64_t i = 0; i < map.row_bytes(); i += sizeof FILLING_NAN)
    std::memcpy(row + i, &FILLING_NAN, sizeof FILLING_NAN);
}

void convert_loaded(const TensorMap& map, std::byte* bytes, uint64_t count) {
  if (map.type != tfloat32 && map.type != tfloat32_ftz) return;
  constexpr uint32_t LOW_BITS = 13, LOW = (1u << LOW_BITS) - 1, FRACTION = 0x7fffff,
                     INFINITE = 0x7f800000, NOT_A_NUMBER = 0x7fffe000;
  for (uint64_t i = 0; i + sizeof(uint32_t) <= count; i += sizeof(uint32_t)) {
    uint32_t x = 0;
    std::memcpy(&x, bytes + i, sizeof x);
    if ((x & INFINITE) != INFINITE) {
      x = (x + LOW / 2 + (x >> LOW_BITS & 1)) & ~LOW;
    } else if ((x & FRACTION) != 0) {
      x = NOT_A_NUMBER;
    }
    std::memcpy(bytes + i, &x, sizeof x);
  }
}

}  // namespace simulator
