#include "simulator/hazards/shared_cells.hpp"

#include <algorithm>
#include <bit>

namespace simulator {

void SharedCells::clear() {
  for (std::vector<Touch>* const touches : {&writes_, &reads_, &other_reads_})
    std::fill(touches->begin(), touches->end(), Touch{});
  if (has_rare_) std::fill(rare_.begin(), rare_.end(), Rare{});
  has_rare_ = false;
}

// True if the lane knows of all accesses to the cell that would make a race.
bool SharedCells::is_free(const CellAccess& access, uint32_t lane, size_t cell) const {
  const Touch write = writes_[cell];
  if (write.is_busy() || !access.knows(lane, write)) return false;
  if (!access.writes) return write.is_somebody();
  return access.knows(lane, reads_[cell]) && access.knows(lane, other_reads_[cell]);
}

void SharedCells::note_read(const CellAccess& access, uint32_t lane, size_t cell) {
  (access.knows(lane, reads_[cell]) ? reads_ : other_reads_)[cell] = access.of_lane(lane);
}

bool SharedCells::touch_one(const CellAccess& access, uint32_t lane, size_t first,
                            const uint32_t* values) {
  const size_t past_end = first + access.cells;
  for (size_t cell = first; cell < past_end; ++cell) {
    if (!is_free(access, lane, cell)) return false;
  }
  for (size_t cell = first; cell < past_end; ++cell) {
    if (!access.writes) {
      note_read(access, lane, cell);
      continue;
    }
    writes_[cell] = access.of_lane(lane);
    values_[cell] = values == nullptr ? 0 : values[cell - first];
  }
  return true;
}

bool SharedCells::read_place(const CellAccess& access, size_t first, uint32_t lanes) {
  const auto lowest = static_cast<uint32_t>(std::countr_zero(lanes));
  const uint32_t highest = 31 - static_cast<uint32_t>(std::countl_zero(lanes));
  if (lowest == highest) return touch_one(access, lowest, first, nullptr);
  const size_t past_end = first + access.cells;
  const WarpKnowledge& known = access.known;
  for (size_t cell = first; cell < past_end; ++cell) {
    const Touch write = writes_[cell];
    const bool is_known_to_all =
        write.time() <= known.all || known.covers_warp(write.thread(), write.time());
    if (write.is_busy() || !write.is_somebody() || !is_known_to_all) return false;
  }
  // One lane after the other: a lane that knows of the read takes its place, and the last of the others is the other read.
  for (size_t cell = first; cell < past_end; ++cell) {
    const Touch before = reads_[cell];
    if (access.knows(lowest, before)) {
      reads_[cell] = access.of_lane(lowest);
      other_reads_[cell] = access.of_lane(highest);
      continue;
    }
    const uint32_t lane = before.thread() - access.thread;
    const bool is_mine = lane < WARP && (lanes >> lane & 1u) != 0;
    if (is_mine) reads_[cell] = access.of_lane(lane);
    const uint32_t others = is_mine ? lanes & ~(1u << lane) : lanes;
    other_reads_[cell] = access.of_lane(31 - static_cast<uint32_t>(std::countl_zero(others)));
  }
  return true;
}

bool SharedCells::touch_row(const CellAccess& access, uint32_t first_lane, uint32_t lanes,
                            size_t first, ptrdiff_t stride, const uint32_t* values) {
  const size_t count = size_t{lanes} * access.cells;
  if (stride == static_cast<ptrdiff_t>(access.cells)) {
    const auto next = [first](size_t i) { return first + i; };
    return touch_apart(access, first_lane, count, next, values);
  }
  const int shift = std::countr_zero(access.cells);
  const size_t within = access.cells - 1;
  const auto strided = [=](size_t i) {
    return first + (i >> shift) * static_cast<size_t>(stride) + (i & within);
  };
  return touch_apart(access, first_lane, count, strided, values);
}

// Touches `count` different cells, the i-th of which is `cell_of(i)`. Each lane has `access.cells` of them.
template <typename CellOf>
bool SharedCells::touch_apart(const CellAccess& access, uint32_t first_lane, size_t count,
                              const CellOf& cell_of, const uint32_t* values) {
  const int shift = std::countr_zero(access.cells);
  const Time all = access.known.all;
  // The usual case: all threads have met since.
  bool is_known_to_all = true;
  if (access.writes) {
    for (size_t i = 0; i < count; ++i) {
      is_known_to_all &= writes_[cell_of(i)].is_until(all);
      is_known_to_all &= reads_[cell_of(i)].is_until(all);
      is_known_to_all &= other_reads_[cell_of(i)].is_until(all);
    }
  } else {
    for (size_t i = 0; i < count; ++i)
      is_known_to_all &= writes_[cell_of(i)].is_somebodys_until(all);
  }
  if (!is_known_to_all) {
    for (size_t i = 0; i < count; ++i) {
      if (!is_free(access, first_lane + static_cast<uint32_t>(i >> shift), cell_of(i)))
        return false;
    }
  }
  if (!access.writes) {
    read_apart(access, first_lane, count, cell_of);
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    writes_[cell_of(i)] = access.of_lane(first_lane + static_cast<uint32_t>(i >> shift));
    values_[cell_of(i)] = values == nullptr ? 0 : values[i];
  }
  return true;
}

template <typename CellOf>
void SharedCells::read_apart(const CellAccess& access, uint32_t first_lane, size_t count,
                             const CellOf& cell_of) {
  const int shift = std::countr_zero(access.cells);
  bool all_before = true, any_before = false, any_of_warp = false;
  for (size_t i = 0; i < count; ++i) {
    const Touch read = reads_[cell_of(i)];
    const bool is_before = read.is_until(access.known.all);
    all_before &= is_before;
    any_before |= is_before;
    any_of_warp |= read.is_of_same_warp(access.me);
  }
  if (!all_before && (any_before || any_of_warp)) {
    for (size_t i = 0; i < count; ++i)
      note_read(access, first_lane + static_cast<uint32_t>(i >> shift), cell_of(i));
    return;
  }
  std::vector<Touch>& noted = all_before ? reads_ : other_reads_;
  for (size_t i = 0; i < count; ++i)
    noted[cell_of(i)] = access.of_lane(first_lane + static_cast<uint32_t>(i >> shift));
}

}  // namespace simulator
