#include "app/free_memory.hpp"

#include <fstream>
#include <string>

namespace runner {

int64_t most_of_free_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    int64_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024 / 10 * 9;
  }
  return INT64_MAX;
}

}  // namespace runner
