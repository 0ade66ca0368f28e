// Records where tensor copies put and take a matrix in shared memory, and where wgmma finds one.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lens/layout.hpp"

namespace simulator {

/// The wish for layouts, and the recorded ones. Thread-safe.
class LayoutStore {
 public:
  struct Wanted {
    std::string file{};  // in files with this name (lens::is_file()); empty: in any
    int line = 0;        // 0: any
  };
  /// The warp that executes an instruction.
  struct Executor {
    uint64_t launch = 0, block = 0;  // linear numbers
    uint32_t warp = 0;
    auto operator<=>(const Executor&) const = default;
  };

  /// From now on, records the layouts of these lines. Nothing: none. Forgets the earlier recording.
  void start(std::optional<Wanted> wanted);
  bool is_recording() const;
  bool wants(const std::string& file, int line) const;
  /// Keeps, for each line, instruction and shape, the first layout of the first warp: that with the lowest launch, block and
  /// number. The starts of its later ones go to later_starts. A warp's layouts come in program order.
  void add(const Executor& by, const lens::Layout& layout);
  /// Returns the recorded layouts by kernel, file, line, instruction and matrix.
  std::vector<lens::Layout> layouts() const;

 private:
  static constexpr size_t MOST_STARTS = 32;

  using Shape = std::tuple<std::string, std::string, int, std::string, lens::Laid, bool, size_t,
                           size_t, uint64_t, uint64_t, uint64_t, uint64_t>;
  struct Kept {
    Executor by{};
    lens::Layout layout{};
  };
  static Shape shape_of(const lens::Layout& layout);

  mutable std::mutex mutex_;
  std::optional<Wanted> wanted_;
  std::map<Shape, Kept> kept_;
};

}  // namespace simulator
