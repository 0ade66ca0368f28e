// A setting of the playground: one load or store of a warp, chosen with a few numbers, and its price.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lens/prices.hpp"

namespace runner::playground {

/// The reader's choices. All are numbers, so that one table (fields()) describes them: a choice is the number of its
/// word.
struct Setting {
  int memory = 0;   // global, shared
  int action = 0;   // load, store
  int mapping = 0;  // line, row, column, remap
  int operand = 0;  // of a mapping with rows: C[row][col], A[row][k], B[k][col]
  int width = 0;    // of a lane's access: 4, 8, 16 bytes
  int stride = 1;   // in accesses: from thread to thread, or from column to column
  int offset = 0;   // floats before the first thread's
  int block_x = 32;
  int block_y = 1;   // used by `row` and `column`; other mappings have one row of threads
  int columns = 64;  // floats from one row of the matrix to the next
  int tile = 32;     // of the mapping remap: columns of a block's tile

  bool operator==(const Setting&) const = default;
};

/// One choice of a field: its word in the page's address and its label on the page.
struct Choice {
  const char* word;
  const char* label;
};

/// One number of a setting, as the page offers it: a slider, or a choice if `choices` has any.
struct Field {
  const char* key;  // in the page's address
  const char* label;
  const char* about;  // one line below it
  int Setting::* value;
  int least, most;
  std::vector<Choice> choices{};
};

/// Returns THE list of fields, in the order in which the page shows them.
const std::vector<Field>& fields();

/// Returns a setting as the page's address spells it: "stride=2&width=16". Fields with their usual value are left out.
std::string address_of(const Setting& setting);

/// Returns the setting of such an address. Throws std::logic_error if it is not one.
Setting setting_of(std::string_view address);

/// Returns the bytes that each lane asks for at once.
uint32_t bytes_per_lane(const Setting& setting);

/// Returns the addresses of the block's first warp. In a block of fewer threads the last lanes are inactive.
lens::WarpAddresses addresses_of(const Setting& setting);

/// The simulated GPU's counts.
struct Cost {
  uint32_t sectors, lines, bytes_used;
  uint32_t wavefronts, phases;  // counted as in shared memory
};

/// Returns the cost. Nothing if an address is not a multiple of the access's width: a GPU would abort the access.
std::optional<Cost> cost_of(const Setting& setting);

}  // namespace runner::playground
