// Draws timelines as text, and sums up their waits and phases for both drawings.
#include "lens/timeline.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace lens {
namespace {

constexpr int DEFAULT_WIDTH = 100;  // of a page without limit
constexpr int LONGEST_NAME = 14;

std::string plural(uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// The characters of the drawing.
struct Characters {
  explicit Characters(bool unicode)
      : runs(unicode ? "█" : "#"),
        at_barrier(unicode ? "▒" : "|"),
        for_phase(unicode ? "·" : ".") {}
  const char *runs, *at_barrier, *for_phase;
  const char *multiplies = "M", *copies = "C", *nothing = " ";

  const char* of(const Moment& moment) const {
    if (moment.multiplies) return multiplies;
    if (moment.copies) return copies;
    switch (moment.doing) {
      case Doing::nothing:
        return nothing;
      case Doing::runs:
        return runs;
      case Doing::waits_at_barrier:
        return at_barrier;
      case Doing::waits_for_phase:
        return for_phase;
    }
    return nothing;
  }
};

// Returns "warp 4", "warps 0-3" or "warps 0-3, 8" for the warps with a count; nothing if there are none.
std::string list_of_warps(const std::vector<uint64_t>& counts) {
  std::string list;
  size_t warps = 0;
  for (size_t warp = 0; warp < counts.size(); ++warp) {
    if (counts[warp] == 0) continue;
    size_t last = warp;
    while (last + 1 < counts.size() && counts[last + 1] != 0) ++last;
    list += (list.empty() ? "" : ", ") + std::to_string(warp);
    if (last > warp) list += "-" + std::to_string(last);
    warps += last - warp + 1;
    warp = last;
  }
  if (list.empty()) return "";
  return (warps == 1 ? "warp " : "warps ") + list;
}

std::string row(const std::string& name, int name_width, const std::string& cells) {
  std::string text = text::pad_right(text::shortened(name, LONGEST_NAME, "~"), name_width) + cells;
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string Track::name() const {
  return first == last ? "warp " + std::to_string(first)
                       : "warps " + std::to_string(first) + "-" + std::to_string(last);
}

std::vector<Track> tracks_of(const Timeline& timeline) {
  std::vector<Track> tracks;
  for (size_t warp = 0; warp < timeline.warps.size(); ++warp) {
    if (!tracks.empty() && timeline.warps[tracks.back().first] == timeline.warps[warp]) {
      tracks.back().last = warp;
    } else {
      tracks.push_back({warp, warp});
    }
  }
  return tracks;
}

Moment summary(const std::vector<Moment>& moments, size_t first, size_t count) {
  Moment most;
  std::array<size_t, 4> times{};
  for (size_t i = first; i < std::min(first + count, moments.size()); ++i) {
    const Moment& one = moments[i];
    most.multiplies |= one.multiplies;
    most.copies |= one.copies;
    if (++times[static_cast<size_t>(one.doing)] > times[static_cast<size_t>(most.doing)] ||
        i == first) {
      most.doing = one.doing;
      most.mbarrier = one.mbarrier;
    }
  }
  return most;
}

std::vector<std::string> waits_in_words(const Timeline& timeline) {
  std::vector<std::string> sentences;
  for (const Track& track : tracks_of(timeline)) {
    std::map<size_t, uint64_t> steps;  // by mbarrier
    uint64_t at_barriers = 0;
    for (const Moment& moment : timeline.warps[track.first]) {
      if (moment.doing == Doing::waits_for_phase) ++steps[moment.mbarrier];
      if (moment.doing == Doing::waits_at_barrier) ++at_barriers;
    }
    std::vector<std::string> waits;
    if (at_barriers > 0) waits.push_back(plural(at_barriers, "step") + " at barriers");
    for (const auto& [mbarrier, count] : steps)
      waits.push_back(plural(count, "step") + " for " + timeline.mbarriers[mbarrier].name);
    if (waits.empty()) continue;
    std::string sentence = track.name() + (track.first == track.last ? " waits " : " wait ");
    for (const std::string& wait : waits) sentence += (&wait == &waits.front() ? "" : ", ") + wait;
    sentences.push_back(sentence);
  }
  return sentences;
}

std::vector<std::string> phases_in_words(const Timeline& timeline) {
  std::vector<std::pair<std::string, std::string>> all;  // names, and what they have in common
  for (const TimedMbarrier& one : timeline.mbarriers) {
    std::string words = plural(one.phases.empty() ? 0 : one.phases.back(), "phase");
    const std::string arriving = list_of_warps(one.arrivals), copying = list_of_warps(one.copies);
    if (!arriving.empty() && arriving == copying) {
      words += ", by arrivals and copies of " + arriving;
    } else {
      if (!arriving.empty()) words += ", by arrivals of " + arriving;
      if (!copying.empty()) words += ", by copies of " + copying;
    }
    if (!all.empty() && all.back().second == words) {
      all.back().first += ", " + one.name;
    } else {
      all.emplace_back(one.name, words);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [names, words] : all) {
    const bool several = names.find(',') != std::string::npos;
    sentences.push_back(names + ": " + (several ? "each " : "") + words);
  }
  return sentences;
}

std::string timeline(const Timeline& timeline, const text::Page& page) {
  const int width = page.width == 0 ? DEFAULT_WIDTH : page.width;
  const std::vector<Track> tracks = tracks_of(timeline);
  int name_width = 0;
  for (const Track& track : tracks)
    name_width = std::max(name_width, static_cast<int>(track.name().size()));
  for (const TimedMbarrier& one : timeline.mbarriers)
    name_width = std::max(name_width, text::display_width(one.name));
  name_width = std::min(name_width, LONGEST_NAME) + 2;

  const size_t steps = timeline.steps();
  const auto columns = static_cast<size_t>(std::max(1, width - name_width));
  const size_t per_column = std::max<size_t>(1, (steps + columns - 1) / columns);
  std::string text =
      text::wrap("timeline of " + timeline.kernel + ", block " + std::to_string(timeline.block) +
                     ": " + plural(steps, "step") + (timeline.is_cut ? ", the first ones" : "") +
                     "; a column is " + plural(per_column, "step") +
                     ". In a step each warp executes one basic block, unless it waits.",
                 page.width, 2);
  text += "\n\n";

  const Characters characters(page.unicode);
  for (const Track& track : tracks) {
    std::string cells;
    for (size_t step = 0; step < steps; step += per_column)
      cells += characters.of(summary(timeline.warps[track.first], step, per_column));
    text += row(track.name(), name_width, cells);
  }
  for (const TimedMbarrier& one : timeline.mbarriers) {
    std::string cells;
    for (size_t step = 0; step < steps; step += per_column) {
      const size_t last = std::min(step + per_column, steps) - 1;
      const bool exists = last >= one.begins && last - one.begins < one.phases.size();
      cells += exists ? std::to_string(one.phases[last - one.begins] % 10) : " ";
    }
    text += row(one.name, name_width, cells);
  }

  text +=
      "\n" +
      text::wrap(std::string(characters.runs) + " runs; " + characters.copies +
                     " requests a copy; " + characters.multiplies + " begins a product; " +
                     characters.at_barrier + " waits at a barrier; " + characters.for_phase +
                     " waits for an mbarrier's phase" +
                     (timeline.mbarriers.empty()
                          ? ""
                          : "; a digit: the last one of the mbarrier's number of complete phases"),
                 page.width, 2) +
      "\n";
  for (const std::string& sentence : waits_in_words(timeline))
    text += text::wrap(sentence, page.width, 2) + "\n";
  for (const std::string& sentence : phases_in_words(timeline))
    text += text::wrap(sentence, page.width, 2) + "\n";
  return text;
}

}  // namespace lens
