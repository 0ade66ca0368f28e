#include "runner/trial/output_ends.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runner {

void OutputEnds::add(std::string_view text) {
  bytes_ += text.size();
  const size_t first = std::min(text.size(), most_ - begin_.size());
  begin_ += text.substr(0, first);
  text.remove_prefix(first);
  if (text.size() > most_) text.remove_prefix(text.size() - most_);
  end_ += text;
  // Cut the end only now and then, so that adding a text costs no more than its length.
  if (end_.size() > 2 * most_) end_.erase(0, end_.size() - most_);
}

std::string OutputEnds::text() const {
  if (bytes_ <= 2 * most_) return begin_ + end_;
  std::string_view begin = begin_, end = end_;
  if (end.size() > most_) end.remove_prefix(end.size() - most_);
  if (const size_t line = begin.rfind('\n'); line != begin.npos) begin = begin.substr(0, line + 1);
  if (const size_t line = end.find('\n'); line + 1 < end.size()) end.remove_prefix(line + 1);
  return fmt::format("{}{}... {} bytes are left out ...\n{}", begin,
                     begin.ends_with('\n') ? "" : "\n", bytes_ - begin.size() - end.size(), end);
}

}  // namespace runner
