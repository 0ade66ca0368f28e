#include "results/tables/table_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "results/tables/table_cells.hpp"
#include "results/values/counts.hpp"
#include "results/values/metrics.hpp"

namespace results {
namespace {

std::string size_of(const Result& r, const text::Signs&) { return sizes_of(r.who); }

class LabTable : public ResultTable {
 public:
  LabTable(const Run& run, std::vector<const Result*> rows, const Recorded& recorded,
           const text::Signs& signs)
      : ResultTable(run, std::move(rows), recorded, signs) {
    add("", "variant", Align::left, 0, [](const Result& r) { return r.who.variant; });
    column("", "correct", Align::left, 0,
           [this](const Result& r) { return correct(r, signs_.right); });
    add_path(6);
    if (is_timed()) {
      add_timing();
    } else {
      add_traffic();
    }
    if (any([](const Result& r) { return !r.idea.empty(); })) {
      add("", IDEA, Align::left, 20, [](const Result& r) { return r.idea; });
      columns_.back().is_told_below = true;
    }
    drop_empty_columns();
  }

  std::vector<std::string> heading() const override {
    const Identity& who = rows_.front()->who;
    const Lesson* lesson = lesson_of_rows();
    const std::string sizes = sizes_of(who);
    return {lesson == nullptr ? who.name : fmt::format("{}: {}", who.name, lesson->question),
            heading_line(sizes.empty() ? std::vector<std::string>{} : std::vector{sizes}, {})};
  }

  std::vector<Note> notes(int width) const override {
    std::vector<Note> notes;
    int widest = 0;
    for (const Result* r : rows_) widest = std::max(widest, text::display_width(r->who.variant));
    const auto add_for = [&](const Result& r, const std::string& text) {
      const int space = widest - text::display_width(r.who.variant) + 2;
      notes.push_back(
          {r.who.variant + std::string(static_cast<size_t>(space), ' ') + text, 1 + widest + 2});
    };
    const bool tells_ideas = !shows(IDEA, width);
    for (const Result* r : rows_) {
      if (tells_ideas && !r->idea.empty()) add_for(*r, r->idea);
    }
    for (const Result* r : rows_) {
      if (!r->refusal.empty()) add_for(*r, "refused: " + r->refusal);
    }
    if (const Lesson* lesson = lesson_of_rows()) {
      notes.push_back(
          {lesson->answer.empty()
               ? "how the lanes of each walk is for you to find; --reveal tells it, and the answer"
               : lesson->answer,
           1});
    }
    if (const std::string note = starred_note(size_of); !note.empty()) notes.push_back({note, 3});
    return notes;
  }

  // Returns nothing: each lab was recorded at its own size, and its notes say which.
  std::string footnote(bool, int) const override { return ""; }

 private:
  static constexpr const char* IDEA = "idea";

  void add_timing() {
    add_figure("time   ", "median_ms", 0, [this](double ms) { return time_text(ms, signs_); });
    figure("spread", 4);
    add_figure("GB/s", "gbytes_per_second", 1, grouped);
    const auto itself = [](const Result& r) { return &r; };
    add_kernels("registers", 5, registers_of, itself);
    add_kernels("shared KiB", 10, shared_kib_of, itself);
    add_kernels("blocks/SM", 5, blocks_per_multiprocessor_of, itself);
    figure("percent_of_copy", 0);
    add_bar("percent_of_copy", 7);
  }

  void add_traffic() {
    add_promise(8);
    add_per_request("sectors/request", "load_sectors_per_request", "store_sectors_per_request", 1);
    add_per_request("lines/request", "load_lines_per_request", "store_lines_per_request", 3);
    add_share("bytes_used_over_fetched", 2);
    figure_of_those_that_have("shared_load_wavefronts_per_request", 1);
    figure_of_those_that_have("shared_store_wavefronts_per_request", 1);
    if (!any_starred()) return;
    const auto there = [this](const Result& r) { return starred(r).result; };
    add_kernels("registers *", 5, registers_of, there);
    add_kernels("blocks/SM *", 5, blocks_per_multiprocessor_of, there);
    const bool has_copy = any([this](const Result& r) {
      const Result* figure = starred(r).result;
      return figure != nullptr && value(*figure, "percent_of_copy");
    });
    if (has_copy) {
      add_starred("", "% copy *", "percent_of_copy", 0,
                  [](double percent) { return fmt::format("{:.1f}", percent); });
    } else {  // a lab that is not about bytes moved
      add_starred("", "time *   ", "median_ms", 0,
                  [this](double ms) { return time_text(ms, signs_); });
    }
  }

  // Adds a column for the loads and one for the stores. If several buffers differ, their mean says nothing, so each buffer
  // has its own column.
  void add_per_request(const char* group, const char* loads, const char* stores, int rank) {
    const auto read = buffers_of(counts::LOAD_REQUESTS);
    const auto written = buffers_of(counts::STORE_REQUESTS);
    if (!differ(read, loads) && !differ(written, stores)) {
      figure(loads, group, "load", rank);
      figure(stores, group, "store", rank);
      return;
    }
    const auto add = [&](const char* key, const char* verb, const std::vector<std::string>& buffers,
                         const std::vector<std::string>& others) {
      for (const std::string& buffer : buffers) {
        const bool both = std::ranges::find(others, buffer) != others.end();
        figure(key, group, both ? fmt::format("{} {}", verb, buffer) : buffer, rank, buffer);
      }
    };
    add(loads, "load", read, written);
    add(stores, "store", written, read);
  }

  void figure_of_those_that_have(const char* key, int rank) {
    if (any([key](const Result& r) { return value(r, key).value_or(0) > 0; })) figure(key, rank);
  }

  // Returns the buffers in the order of their first appearance.
  std::vector<std::string> buffers_of(const char* requests) const {
    std::vector<std::string> buffers;
    for (const Result* r : rows_) {
      if (!r->seen.traffic) continue;
      for (const Count& one : r->seen.traffic->counts) {
        const bool known = std::ranges::find(buffers, one.buffer) != buffers.end();
        if (one.key == requests && !one.buffer.empty() && one.value > 0 && !known)
          buffers.push_back(one.buffer);
      }
    }
    return buffers;
  }

  bool differ(const std::vector<std::string>& buffers, const char* key) const {
    return any([&](const Result& r) {
      const auto whole = value(r, key);
      return std::ranges::any_of(buffers, [&](const std::string& buffer) {
        const auto one = value(r, key, buffer);
        return one && one != whole;
      });
    });
  }

  const Lesson* lesson_of_rows() const {
    const auto found = std::ranges::find(run_.lessons, rows_.front()->who.name, &Lesson::lab);
    return found == run_.lessons.end() ? nullptr : &*found;
  }
};

}  // namespace

std::unique_ptr<ResultTable> lab_table(const Run& run, std::vector<const Result*> rows,
                                       const Recorded& recorded, const text::Signs& signs) {
  return std::make_unique<LabTable>(run, std::move(rows), recorded, signs);
}

}  // namespace results
