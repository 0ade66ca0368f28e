#include "lens/request.hpp"

namespace lens {
namespace {

// Returns the sectors beyond the number that its bytes would need side by side. A broadcast of 4 bytes needs one
// sector, the least.
uint32_t sectors_in_vain(const Request& r) {
  const uint32_t least = (r.bytes_used + SECTOR_BYTES - 1) / SECTOR_BYTES;
  return r.sectors > least ? r.sectors - least : 0;
}

}  // namespace

bool is_worse(const Request& a, const Request& b) {
  if (a.bank_conflicts != b.bank_conflicts) return a.bank_conflicts > b.bank_conflicts;
  if (sectors_in_vain(a) != sectors_in_vain(b)) return sectors_in_vain(a) > sectors_in_vain(b);
  return a.sectors > b.sectors;
}

bool is_file(std::string_view path, std::string_view name) {
  if (!path.ends_with(name)) return false;
  const size_t before = path.size() - name.size();
  return before == 0 || name.starts_with('/') || path[before - 1] == '/';
}

uint64_t linear_block(const Request& r) {
  return r.block[0] + r.grid[0] * (r.block[1] + uint64_t{r.grid[1]} * r.block[2]);
}

}  // namespace lens
