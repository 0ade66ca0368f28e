#include "runner/playground/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "app/words.hpp"
#include "lens/drawing.hpp"

namespace runner::playground {
namespace {

enum Mapping { line, row, column, remap };
enum Operand { both, row_alone, column_alone };

bool is_two_dimensional(const Setting& s) { return s.mapping == row || s.mapping == column; }

// Returns the first float that a thread of the block takes.
int64_t element_of(const Setting& s, int thread) {
  const int64_t step = int64_t{s.stride} * (bytes_per_lane(s) / lens::WORD_BYTES);
  if (s.mapping == line) return thread * step;
  const int x = thread % s.block_x, y = thread / s.block_x;
  const int r = s.mapping == row ? x : s.mapping == column ? y : thread / s.tile;
  const int c = s.mapping == row ? y : s.mapping == column ? x : thread % s.tile;
  return (s.operand == column_alone ? 0 : int64_t{r} * s.columns) +
         (s.operand == row_alone ? 0 : c * step);
}

// Returns a field's value as an address spells it.
std::string word_of(const Field& field, int value) {
  return field.choices.empty() ? std::to_string(value)
                               : field.choices[static_cast<size_t>(value)].word;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all{
      {.key = "memory",
       .label = "Memory",
       .about = "Global memory is priced in sectors, shared memory in wavefronts.",
       .value = &Setting::memory,
       .least = 0,
       .most = 1,
       .choices = {{"global", "global"}, {"shared", "shared"}}},
      {.key = "action",
       .label = "Access",
       .about = "Loads of 8 and 16 bytes that neighbours share can merge; stores cannot.",
       .value = &Setting::action,
       .least = 0,
       .most = 1,
       .choices = {{"load", "load"}, {"store", "store"}}},
      {.key = "width",
       .label = "Bytes a lane",
       .about = "How much each lane takes with one instruction.",
       .value = &Setting::width,
       .least = 0,
       .most = 2,
       .choices = {{"4", "4 (float)"}, {"8", "8 (float2)"}, {"16", "16 (float4)"}}},
      {.key = "mapping",
       .label = "Mapping",
       .about = "Which element a thread takes.",
       .value = &Setting::mapping,
       .least = 0,
       .most = 3,
       .choices = {{"line", "1-D: thread n, element n"},
                   {"row", "2-D: x is the row"},
                   {"column", "2-D: x is the column"},
                   {"remap", "1-D remap"}}},
      {.key = "operand",
       .label = "Operand of C = A·B",
       .about = "Which matrix is accessed, at one step k.",
       .value = &Setting::operand,
       .least = 0,
       .most = 2,
       .choices = {{"C", "C[row][col]"}, {"A", "A[row][k]"}, {"B", "B[k][col]"}}},
      {.key = "stride",
       .label = "Stride",
       .about = "From one thread or column to the next, counted in accesses.",
       .value = &Setting::stride,
       .least = 0,
       .most = 64},
      {.key = "offset",
       .label = "Offset",
       .about = "Floats from the start of a 128-byte line to the first one.",
       .value = &Setting::offset,
       .least = 0,
       .most = 32},
      {.key = "x",
       .label = "Block: x",
       .about = "Threads of the block along x. A warp is its first 32 threads, numbered x first.",
       .value = &Setting::block_x,
       .least = 1,
       .most = 32},
      {.key = "y",
       .label = "Block: y",
       .about = "Threads of the block along y.",
       .value = &Setting::block_y,
       .least = 1,
       .most = 64},
      {.key = "columns",
       .label = "Columns of the matrix",
       .about = "Floats from one row to the next: the leading dimension.",
       .value = &Setting::columns,
       .least = 1,
       .most = 1024},
      {.key = "tile",
       .label = "Columns of the tile",
       .about = "The remap divides a thread's number by it: quotient row, remainder column.",
       .value = &Setting::tile,
       .least = 1,
       .most = 32},
  };
  return all;
}

std::string address_of(const Setting& setting) {
  const Setting usual;
  std::string address;
  for (const Field& field : fields()) {
    const int value = setting.*field.value;
    if (value == usual.*field.value) continue;
    if (!address.empty()) address += '&';
    address += fmt::format("{}={}", field.key, word_of(field, value));
  }
  return address;
}

Setting setting_of(std::string_view address) {
  Setting setting;
  for (const std::string& part : split(address, '&')) {
    const std::string key = part.substr(0, part.find('=')), word = part.substr(key.size());
    const auto field = std::ranges::find(fields(), key, &Field::key);
    if (field == fields().end()) throw std::logic_error(fmt::format("there is no '{}'", key));
    bool is_known = false;
    for (int value = field->least; value <= field->most && !is_known; ++value) {
      is_known = word == "=" + word_of(*field, value);
      if (is_known) setting.*field->value = value;
    }
    if (!is_known) throw std::logic_error(fmt::format("'{}' is not within its bounds", part));
  }
  return setting;
}

uint32_t bytes_per_lane(const Setting& setting) {
  return static_cast<uint32_t>(lens::WORD_BYTES) << setting.width;
}

lens::WarpAddresses addresses_of(const Setting& s) {
  const int threads = s.block_x * (is_two_dimensional(s) ? s.block_y : 1);
  lens::WarpAddresses addresses{};
  for (int lane = 0; lane < std::min(threads, lens::LANES); ++lane) {
    addresses.lane[static_cast<size_t>(lane)] =
        static_cast<uint64_t>(lens::WORD_BYTES * (s.offset + element_of(s, lane)));
    addresses.active |= 1u << lane;
  }
  return addresses;
}

std::optional<Cost> cost_of(const Setting& setting) {
  const lens::WarpAddresses addresses = addresses_of(setting);
  const uint32_t bytes = bytes_per_lane(setting);
  // An inactive lane's address is 0.
  if (std::ranges::any_of(addresses.lane, [&](uint64_t a) { return a % bytes != 0; })) {
    return std::nullopt;
  }
  const lens::SharedCost shared = lens::shared_cost(
      addresses, bytes, setting.action == 0 ? lens::SharedAccess::load : lens::SharedAccess::store);
  return Cost{.sectors = lens::count_sectors(addresses, bytes),
              .lines = lens::count_lines(addresses, bytes),
              .bytes_used = lens::count_distinct_bytes(addresses, bytes),
              .wavefronts = shared.wavefronts,
              .phases = shared.phases};
}

}  // namespace runner::playground
