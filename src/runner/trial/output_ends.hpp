// The beginning and the end of an output of any length, in little memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runner {

class OutputEnds {
 public:
  /// Keeps at most `bytes`: half from the beginning, half from the end.
  explicit OutputEnds(size_t bytes) : most_(bytes / 2) {}

  void add(std::string_view text);
  /// Returns all of it; or whole lines of its beginning, a line with the amount left out, and whole lines of its end.
  std::string text() const;

 private:
  size_t most_;
  std::string begin_{}, end_{};
  size_t bytes_ = 0;  // bytes added so far
};

}  // namespace runner
