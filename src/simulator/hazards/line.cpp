#include "simulator/hazards/line.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace simulator {
namespace {

using Role = Run::Role;

uint32_t lowest_of(uint32_t cells) { return static_cast<uint32_t>(std::countr_zero(cells)); }
uint32_t highest_of(uint32_t cells) { return 31 - static_cast<uint32_t>(std::countl_zero(cells)); }

/// An answer for several cells together.
enum class Among { none, all, some };

// Tells for which of the cells both maps name the same thread.
Among same_threads(const ThreadMap& a, const ThreadMap& b, uint32_t cells) {
  if (a == b) return Among::all;
  const auto are_same = [&](uint32_t cell) { return a.of(cell) == b.of(cell); };
  const bool first = are_same(lowest_of(cells));
  if (a.stride == b.stride && a.phase == b.phase) return Among::none;
  for (uint32_t rest = cells & (cells - 1); rest != 0; rest &= rest - 1) {
    if (are_same(lowest_of(rest)) != first) return Among::some;
  }
  return first ? Among::all : Among::none;
}

// Tells for which of the cells the threads of `me` know of the access that `threads` made at `time`, in the same block.
Among known_in_block(const ThreadMap& threads, Time time, const Run& me, const WarpKnowledge& known,
                     uint32_t cells) {
  if (time <= known.all) return Among::all;
  if (time <= known.own_warp) {
    const int warp = static_cast<int>(known.warp);
    const int first = threads.of(lowest_of(cells)) / WARP,
              last = threads.of(highest_of(cells)) / WARP;
    if (first == warp && last == warp) return Among::all;
    if (first <= warp && last >= warp) return Among::some;
  }
  return same_threads(threads, me.threads, cells);
}

// A line's runs while an access changes them.
class Runs {
 public:
  Runs(const Run* from, uint32_t count) : count_(count) { std::copy_n(from, count, runs_.begin()); }

  uint32_t count() const { return count_; }
  const Run* data() const { return runs_.data(); }

  /// Tells for which of the cells of `me` its threads know of the run's accesses.
  static Among known(const Run& run, const Run& me, const WarpKnowledge& known, uint32_t cells) {
    return run.block == me.block ? known_in_block(run.threads, run.time, me, known, cells)
                                 : Among::none;
  }

  // Both note the accesses of `me` by the rules of BlockHazards::global_step(). They return false if there may be a race, or if
  // cells of one run fare differently.
  bool write(const Run& me, const WarpKnowledge& known);
  bool read(const Run& me, const WarpKnowledge& known);

  /// Drops empty runs.
  void tidy() {
    const auto end = std::remove_if(runs_.begin(), runs_.begin() + count_,
                                    [](const Run& run) { return run.cells == 0; });
    count_ = static_cast<uint32_t>(end - runs_.begin());
  }

 private:
  // No access adds more than three runs for each of those before it.
  static constexpr uint32_t MOST = 64;

  void take_away(Role role, uint32_t cells, uint32_t first_count) {
    for (uint32_t i = 0; i < first_count; ++i) {
      if (runs_[i].role == role) runs_[i].cells &= ~cells;
    }
  }
  void add(Run run, uint32_t cells, Role role);
  void reread(uint32_t i, uint32_t cells, const Run& me, const WarpKnowledge& known,
              uint32_t& replaced);

  std::array<Run, MOST> runs_;
  uint32_t count_;
};

// True if `into` can stand for the cells of both. Then it does.
bool unite(Run& into, const Run& other) {
  if (into.block != other.block || into.time != other.time ||
      into.instruction != other.instruction || into.role != other.role ||
      into.has_also != other.has_also)
    return false;
  const auto fit = [](const ThreadMap& map, const ThreadMap& to, uint32_t cells) {
    return same_threads(map, to, cells) == Among::all;
  };
  const bool has_also = into.has_also;
  if (fit(into.threads, other.threads, other.cells) &&
      (!has_also || fit(into.also, other.also, other.cells))) {
    into.cells |= other.cells;
    return true;
  }
  if (fit(other.threads, into.threads, into.cells) &&
      (!has_also || fit(other.also, into.also, into.cells))) {
    const uint32_t cells = into.cells;
    into = other;
    into.cells |= cells;
    return true;
  }
  return false;
}

void Runs::add(Run run, uint32_t cells, Role role) {
  if (cells == 0) return;
  run.cells = cells;
  run.role = role;
  for (uint32_t i = 0; i < count_; ++i) {
    if (runs_[i].cells != 0 && unite(runs_[i], run)) return;
  }
  runs_[count_++] = run;
}

bool Runs::write(const Run& me, const WarpKnowledge& known) {
  for (uint32_t i = 0; i < count_; ++i) {
    const Run& run = runs_[i];
    const uint32_t cells = run.cells & me.cells;
    if (cells == 0) continue;
    if (Runs::known(run, me, known, cells) != Among::all) return false;
    if (run.has_also && known_in_block(run.also, run.time, me, known, cells) != Among::all)
      return false;
  }
  take_away(Role::write, me.cells, count_);
  add(me, me.cells, Role::write);
  return true;
}

// Some cells of a run were read by the block of `me` before, and it reads them again. Adds the cells in which the new read takes
// the place of the old one to `replaced`.
void Runs::reread(uint32_t i, uint32_t cells, const Run& me, const WarpKnowledge& known,
                  uint32_t& replaced) {
  const Run before = runs_[i];
  if (Runs::known(before, me, known, cells) == Among::all) {
    runs_[i].cells &= ~cells;
    replaced |= cells;
  } else if (before.instruction == me.instruction) {
    runs_[i].cells &= ~cells;
    Run both = before;
    both.has_also = true;
    both.also = me.threads;
    add(both, cells, before.role);
  }
}

bool Runs::read(const Run& me, const WarpKnowledge& known) {
  const uint32_t count = count_;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t cells = runs_[i].cells & me.cells;
    if (cells == 0) continue;
    const Among among = Runs::known(runs_[i], me, known, cells);
    if (among == Among::some || (runs_[i].role == Role::write && among != Among::all)) return false;
  }
  uint32_t first = me.cells, second = 0;  // cells whose read or second read `me` becomes
  std::array<uint32_t, MOST> before;      // the cells of each run; add() may give a run more
  for (uint32_t i = 0; i < count; ++i) before[i] = runs_[i].cells & me.cells;
  for (uint32_t i = 0; i < count; ++i) {
    if (runs_[i].role != Role::read || before[i] == 0) continue;
    uint32_t cells = before[i];
    first &= ~cells;
    if (runs_[i].block == me.block) {
      reread(i, cells, me, known, first);
      continue;
    }
    for (uint32_t j = 0; j < count; ++j) {
      const uint32_t own = before[j] & cells;
      if (runs_[j].role != Role::second_read || runs_[j].block != me.block || own == 0) continue;
      cells &= ~own;
      reread(j, own, me, known, second);
    }
    if (cells == 0) continue;
    if (me.block < runs_[i].block) {
      take_away(Role::second_read, cells, count);
      runs_[i].cells &= ~cells;
      add(runs_[i], cells, Role::second_read);
      first |= cells;
      continue;
    }
    for (uint32_t j = 0; j < count; ++j) {
      const uint32_t others = before[j] & cells;
      if (runs_[j].role != Role::second_read || others == 0) continue;
      cells &= ~others;
      if (me.block >= runs_[j].block) continue;
      runs_[j].cells &= ~others;
      second |= others;
    }
    second |= cells;
  }
  add(me, first, Role::read);
  add(me, second, Role::second_read);
  return true;
}

Toucher toucher_of(const Run& run, uint32_t cell) {
  Toucher toucher;
  toucher.block = run.block;
  toucher.time = std::min(run.time, Toucher::LAST_TIME);
  toucher.thread = static_cast<uint32_t>(run.threads.of(cell));
  toucher.also = run.has_also ? static_cast<uint32_t>(run.also.of(cell)) : toucher.thread;
  toucher.instruction = run.instruction;
  return toucher;
}

}  // namespace

// --- the line -----------------------------------------------------------------------------------------

// Begins the line anew if another launch touched it last. Returns false if the runs of that launch must be kept: then they must be
// spelled out, because each cell knows its launch. `cells`: those that are about to be touched.
bool Line::begin(uint32_t launch, uint32_t cells, bool keeps_earlier) {
  if (launch_ == launch) return true;
  if (keeps_earlier && launch_ != 0) {
    uint32_t touched = 0;
    for (uint32_t i = 0; i < count_; ++i) touched |= runs()[i].cells;
    if (has_cells_ || (touched & ~cells) != 0) return false;
  }
  launch_ = launch;
  has_cells_ = false;
  count_ = 0;
  return true;
}

// Makes room for so many runs. The memory's old content is lost.
bool Line::reserve(uint32_t runs, LineMemory& memory) {
  if (runs <= capacity_) return true;
  void* const more = memory.get(static_cast<uint32_t>(runs * sizeof(Run)));
  if (more == nullptr) return false;
  if (more_ != nullptr) memory.put(more_, static_cast<uint32_t>(capacity_ * sizeof(Run)));
  more_ = more;
  capacity_ = static_cast<uint8_t>(runs);
  return true;
}

// Adds accesses to cells that nobody has touched.
bool Line::append(const Run& me, LineMemory& memory) {
  for (uint32_t i = 0; i < count_; ++i) {
    if (unite(runs()[i], me)) return true;
  }
  if (count_ == MOST_RUNS) return false;
  if (count_ >= OWN_RUNS && count_ >= capacity_) {
    std::array<Run, MORE_RUNS> kept;
    const uint32_t count = count_;
    std::copy_n(runs(), count, kept.begin());
    if (!reserve(count < MORE_RUNS ? MORE_RUNS : MOST_RUNS, memory)) return false;
    std::copy_n(kept.begin(), count, static_cast<Run*>(more_));
  } else if (count_ == OWN_RUNS) {
    std::copy_n(own_.begin(), OWN_RUNS, static_cast<Run*>(more_));
  }
  ++count_;
  runs()[count_ - 1] = me;
  return true;
}

std::optional<uint32_t> Line::settled_after(uint32_t cells) const {
  const auto& [a, b] = own_;
  const bool are_both_reads = !has_cells_ && count_ == own_.size() && a.role != Role::write &&
                              b.role != Role::write && a.role != b.role;
  if (!are_both_reads || (cells & ~(a.cells & b.cells)) != 0) return std::nullopt;
  return std::max(a.block, b.block);
}

// The usual cases: nobody has touched the line, or the same threads or earlier ones of the block have, and all of `me`'s cells
// alike: then the line has at most a run that reads and a run that writes. Returns false in other cases.
bool Line::touch_again(const Run& me, const WarpKnowledge& known) {
  if (count_ > OWN_RUNS) return false;
  uint32_t place = count_;
  for (uint32_t i = 0; i < count_; ++i) {
    const Run& run = own_[i];
    const bool is_known = run.time <= known.all || (run.threads == me.threads && !run.has_also);
    if (run.cells != me.cells || run.block != me.block || !is_known ||
        run.role == Role::second_read)
      return false;
    if (run.role == me.role) place = i;
  }
  own_[place] = me;
  count_ = static_cast<uint8_t>(std::max<uint32_t>(count_, place + 1));
  return true;
}

bool Line::touch(uint32_t launch, const Run& me, const WarpKnowledge& known, LineMemory& memory,
                 bool keeps_earlier) {
  if (!begin(launch, me.cells, keeps_earlier) || has_cells_) return false;
  if (touch_again(me, known)) return true;
  uint32_t overlap = 0;
  for (uint32_t i = 0; i < count_; ++i) overlap |= runs()[i].cells & me.cells;
  if (overlap == 0) return append(me, memory);
  Runs all(runs(), count_);
  const bool is_noted = me.role == Role::write ? all.write(me, known) : all.read(me, known);
  if (!is_noted) return false;
  all.tidy();
  const uint32_t count = all.count();
  Run* into = own_.data();
  if (count > OWN_RUNS) {
    if (count > MOST_RUNS || !reserve(count > MORE_RUNS ? MOST_RUNS : MORE_RUNS, memory))
      return false;
    into = static_cast<Run*>(more_);
  }
  std::copy_n(all.data(), count, into);
  count_ = static_cast<uint8_t>(count);
  return true;
}

Cell* Line::cells(uint32_t launch, LineMemory& memory, bool keeps_earlier, const std::byte* values,
                  uint32_t unit) {
  const bool is_current = begin(launch, 0, keeps_earlier);
  if (has_cells_) {
    launch_ = launch;
    return static_cast<Cell*>(more_);
  }
  const Runs all(runs(), count_);
  if (!reserve(ALL_CELLS, memory)) return nullptr;
  Cell* const cells = static_cast<Cell*>(more_);
  std::fill_n(cells, CELLS, Cell{});
  for (uint32_t i = 0; i < all.count(); ++i) {
    const Run& run = all.data()[i];
    for (uint32_t rest = run.cells; rest != 0; rest &= rest - 1) {
      const uint32_t c = lowest_of(rest);
      Cell& cell = cells[c];
      cell.launch = is_current ? launch : launch_;
      cell.is_weak = true;
      Toucher& place = run.role == Role::write  ? cell.write
                       : run.role == Role::read ? cell.read
                                                : cell.second_read;
      place = toucher_of(run, c);
      if (run.role == Role::write && values != nullptr)
        std::memcpy(&cell.value, values + size_t{c} * unit, unit);
    }
  }
  has_cells_ = true;
  launch_ = launch;
  return cells;
}

Line::Touch Line::last_touch(uint32_t cell) const {
  if (has_cells_) {
    const Cell& c = static_cast<const Cell*>(more_)[cell];
    return {c.launch, c.write.is_somebody(), c.is_weak};
  }
  Touch touch;
  for (uint32_t i = 0; i < count_; ++i) {
    const Run& run = runs()[i];
    if ((run.cells >> cell & 1u) == 0) continue;
    touch.launch = launch_;
    touch.is_weak = true;
    touch.wrote |= run.role == Role::write;
  }
  return touch;
}

}  // namespace simulator
