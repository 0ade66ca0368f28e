#include "distributed/layout/axis.hpp"

#include <algorithm>

namespace distributed {
namespace {

// Appends a run, or makes the last one longer.
void append(std::vector<Segment>& segments, const Segment& segment) {
  if (!segments.empty()) {
    Segment& last = segments.back();
    if (last.from + last.length == segment.from && last.to + last.length == segment.to) {
      last.length += segment.length;
      return;
    }
  }
  segments.push_back(segment);
}

int64_t end_of_block(const Axis& axis, int64_t element) {
  return (element / axis.block + 1) * axis.block;
}

}  // namespace

int Axis::owner(int64_t element) const {
  return static_cast<int>((first + element / block) % processes);
}

int64_t Axis::size_on(int process) const {
  const int64_t whole_blocks = size / block;
  const int turn = (process - first + processes) % processes;  // 0 has the first block
  const int64_t mine = whole_blocks / processes + (turn < whole_blocks % processes ? 1 : 0);
  return mine * block + (turn == whole_blocks % processes ? size % block : 0);
}

int64_t Axis::place_of(int64_t element) const {
  return element / (block * processes) * block + element % block;
}

std::vector<Segment> segments_between(const Axis& from, int sender, const Axis& to, int receiver) {
  std::vector<Segment> segments;
  for (int64_t begin = 0, end = 0; begin < from.size; begin = end) {
    end = std::min({end_of_block(from, begin), end_of_block(to, begin), from.size});
    if (from.owner(begin) == sender && to.owner(begin) == receiver)
      append(segments, {from.place_of(begin), to.place_of(begin), end - begin});
  }
  return segments;
}

std::vector<Segment> segments_within(const Axis& from, int sender, int64_t begin, int64_t end) {
  std::vector<Segment> segments;
  for (int64_t at = begin, next = at; at < end; at = next) {
    next = std::min(end_of_block(from, at), end);
    if (from.owner(at) == sender) append(segments, {from.place_of(at), at - begin, next - at});
  }
  return segments;
}

int64_t length_of(const std::vector<Segment>& segments) {
  int64_t length = 0;
  for (const Segment& segment : segments) length += segment.length;
  return length;
}

}  // namespace distributed
