#include "simulator/count/layouts.hpp"

#include <algorithm>
#include <utility>

namespace simulator {

LayoutStore::Shape LayoutStore::shape_of(const lens::Layout& l) {
  return {l.kernel, l.file,    l.line,    l.instruction, l.laid,   l.across_k,
          l.rows,   l.columns, l.swizzle, l.leading,     l.stride, l.base};
}

void LayoutStore::start(std::optional<Wanted> wanted) {
  const std::lock_guard lock(mutex_);
  wanted_ = std::move(wanted);
  kept_.clear();
}

bool LayoutStore::is_recording() const {
  const std::lock_guard lock(mutex_);
  return wanted_.has_value();
}

bool LayoutStore::wants(const std::string& file, int line) const {
  const std::lock_guard lock(mutex_);
  return wanted_ && (wanted_->file.empty() || lens::is_file(file, wanted_->file)) &&
         (wanted_->line == 0 || wanted_->line == line);
}

void LayoutStore::add(const Executor& by, const lens::Layout& layout) {
  const std::lock_guard lock(mutex_);
  if (!wanted_) return;
  const auto [found, is_new] = kept_.try_emplace(shape_of(layout), Kept{by, layout});
  Kept& kept = found->second;
  if (is_new || kept.by < by) return;
  if (by < kept.by) {
    kept = {by, layout};
    return;
  }
  std::vector<uint64_t>& later = kept.layout.later_starts;
  const bool is_known =
      layout.start == kept.layout.start || std::ranges::find(later, layout.start) != later.end();
  if (!is_known && later.size() < MOST_STARTS) later.push_back(layout.start);
}

std::vector<lens::Layout> LayoutStore::layouts() const {
  const std::lock_guard lock(mutex_);
  std::vector<lens::Layout> all;
  for (const auto& [shape, kept] : kept_) all.push_back(kept.layout);
  return all;
}

}  // namespace simulator
