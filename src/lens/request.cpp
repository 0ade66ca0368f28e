#include "lens/request.hpp"

namespace lens {
namespace {

constexpr uint32_t SECTOR_BYTES = 32;

uint32_t bytes_wasted(const Request& r) {
  const uint32_t fetched = r.sectors * SECTOR_BYTES;
  return fetched > r.bytes_used ? fetched - r.bytes_used : 0;
}

}  // namespace

bool is_worse(const Request& a, const Request& b) {
  if (a.bank_conflicts != b.bank_conflicts) return a.bank_conflicts > b.bank_conflicts;
  return bytes_wasted(a) > bytes_wasted(b);
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
