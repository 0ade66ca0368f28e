#include "results/tables/table_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "results/tables/table_cells.hpp"
#include "results/values/metrics.hpp"

namespace results {
namespace {

bool is_reference(const Result& r) { return r.who.set == "sgemm" && r.who.number == 0; }

// Returns the name of the kernel before a step: "1", or a name without a number.
std::string short_name(const Identity& who) {
  return who.number ? std::to_string(*who.number) : who.name;
}

// True if the ratio is 1 to two decimals.
bool is_equal(double ratio) { return ratio > 0.995 && ratio < 1.005; }

std::string size_of(const Result& r, const text::Signs& signs) {
  return r.problem ? size_text(*r.problem, signs) : "";
}

class LadderTable : public ResultTable {
 public:
  LadderTable(const Run& run, std::vector<const Result*> rows, const Recorded& recorded,
              const text::Signs& signs)
      : ResultTable(run, std::move(rows), recorded, signs) {
    add("", "#", Align::right, 0, [](const Result& r) {
      return r.who.number ? std::to_string(*r.who.number) : std::string("+");
    });
    name_column_ = columns_.size();
    add("", "kernel", Align::left, 0, [](const Result& r) {
      return r.below_fp32.empty() ? r.who.name : fmt::format("{} ({})", r.who.name, r.below_fp32);
    });
    column("", "correct", Align::left, 0,
           [this](const Result& r) { return correct(r, is_reference(r) ? "ref" : signs_.right); });
    add_path(11);
    add_errors();
    if (is_timed()) {
      add_timing();
    } else {
      add_traffic();
    }
    drop_empty_columns();
  }

  std::vector<std::string> heading() const override {
    const std::optional<Problem>& p = rows_.front()->problem;
    if (!p) return {heading_line({}, {})};
    std::vector<std::string> details;
    if (p->alpha != 1.0f || p->beta != 0.0f)
      details.push_back(fmt::format("alpha {} beta {}", p->alpha, p->beta));
    if (!p->is_dense())
      details.push_back(fmt::format("lda {} ldb {} ldc {}", p->lda, p->ldb, p->ldc));
    if (!p->begins_on_boundaries())
      details.push_back(
          fmt::format("offset {} of A {} of B {} of C", p->offset_a, p->offset_b, p->offset_c));
    if (p->has_transposes()) details.push_back(transposes_of(*p));
    if (p->is_batch()) details.push_back(fmt::format("{} products", p->batch));
    if (!p->has_dense_strides())
      details.push_back(
          fmt::format("stride {} of A {} of B {} of C", p->stride_a, p->stride_b, p->stride_c));
    if (p->data != Data::uniform) details.push_back(fmt::format("{} data", name_of(p->data)));
    const std::string arithmetic = this->arithmetic();
    return {heading_line({size_text(*p, signs_) + (arithmetic.empty() ? "" : " " + arithmetic)},
                         details)};
  }

  // Returns a line for each arithmetic less accurate than FP32.
  std::vector<Note> notes(int) const override {
    std::vector<std::pair<std::string, std::vector<std::string>>> kernels;
    for (const Result* r : rows_) {
      if (r->below_fp32.empty()) continue;
      if (kernels.empty() || kernels.back().first != r->below_fp32)
        kernels.push_back({r->below_fp32, {}});
      kernels.back().second.push_back(short_name(r->who));
    }
    std::vector<Note> notes;
    for (const auto& [arithmetic, names] : kernels) {
      notes.push_back({fmt::format(
          "({0}): {1} {2} in {0}, which is less accurate than FP32: do not "
          "compare the speed with an FP32 kernel's",
          arithmetic, fmt::join(names, ", "), names.size() == 1 ? "computes" : "compute")});
    }
    return notes;
  }

  std::string footnote(bool alone, int width) const override {
    if (starred_column_.empty() || !shows(starred_column_, width)) return "";
    return starred_note(size_of, alone ? "" : "the size over each table");
  }

 private:
  // Returns the arithmetic for the heading: FP32 if any row has it, because the other rows are marked. Otherwise the
  // arithmetic of all rows, or nothing if they differ.
  std::string arithmetic() const {
    const std::string& first = rows_.front()->below_fp32;
    if (any([](const Result& r) { return r.below_fp32.empty(); })) return "FP32";
    return any([&](const Result& r) { return r.below_fp32 != first; }) ? "" : first;
  }

  // Adds the columns of errors and hazards. The user asked for them with an option, so their ranks 1 to 3 keep them
  // longest on a narrow page.
  void add_errors() {
    figure("frobenius_error", 1);
    figure("reference_frobenius_error", 2);
    figure("largest_error", 2);
    figure("reference_largest_error", 3);
  }

  void add_timing() {
    add_figure("time   ", "median_ms", 0, [this](double ms) { return time_text(ms, signs_); });
    figure("spread", 8);
    add_figure("GFLOP/s", "gflops", 5, grouped);
    figure("percent_of_peak", 7);
    figure("percent_of_fp16_roof", 11);
    figure("joules", 4);  // asked for, as errors are
    figure("reference_joules", 5);
    add_figure("GB/s", "gbytes_per_second", 14, grouped);
    figure("percent_of_copy", 13);
    const auto itself = [](const Result& r) { return &r; };
    add_kernels("registers", 15, registers_of, itself);
    add_kernels("shared KiB", 15, shared_kib_of, itself);
    add_kernels("blocks/SM", 15, blocks_per_multiprocessor_of, itself);
    figure("percent_of_cublas", 0);
    add_bar("percent_of_cublas", 12);
    add_step("faster than the row above", 9, [this](size_t i) { return faster(i); });
  }

  void add_traffic() {
    const bool is_asked_for_more =
        any([](const Result& r) { return r.seen.looked_for_hazards || r.judged.errors; });
    add_promise(is_asked_for_more ? 4 : 8);  // the column shows a verdict as well
    add_hazards(1);
    figure("load_sectors_per_request", 6, "A");
    figure("load_sectors_per_request", 6, "B");
    // C is written, not read: another metric under the same heading.
    figure("store_sectors_per_request", 6, "C");
    add_share("bytes_used_over_fetched", 7);
    add_step("sectors against the row above", 9, [this](size_t i) { return fewer(i); });
    if (!any_starred()) return;
    const Problem size = dense_problem(RECORDED_SIZE, RECORDED_SIZE, RECORDED_SIZE);
    add_starred(fmt::format("at {}", size_text(size, signs_)), "% cuBLAS *", "percent_of_cublas", 5,
                [](double percent) { return fmt::format("{:.1f}", percent); });
    columns_.back().spoken_name = fmt::format("% cuBLAS * at {}", size_text(size, signs_));
    starred_column_ = columns_.back().name();
  }

  // Returns a figure of the row above divided by this row's figure. Nothing if the row above is the reference.
  std::optional<double> step(size_t i, const char* key) const {
    if (i == 0 || is_reference(*rows_[i - 1])) return std::nullopt;
    const auto above = value(*rows_[i - 1], key), here = value(*rows_[i], key);
    if (!above || !here || *above == 0 || *here == 0) return std::nullopt;
    return *above / *here;
  }

  std::string faster(size_t i) const {
    const auto ratio = step(i, "median_ms");
    if (!ratio) return "";
    const std::string above = short_name(rows_[i - 1]->who);
    if (is_equal(*ratio)) return fmt::format("as fast as {}", above);
    return fmt::format("{} {} than {}", factor_text(*ratio >= 1 ? *ratio : 1 / *ratio, signs_),
                       *ratio >= 1 ? "faster" : "slower", above);
  }

  std::string fewer(size_t i) const {
    const auto ratio = step(i, "global_sectors");
    if (!ratio) return "";
    const std::string above = short_name(rows_[i - 1]->who);
    if (is_equal(*ratio)) return fmt::format("as many sectors as {}", above);
    return fmt::format("{} {} sectors than {}",
                       factor_text(*ratio >= 1 ? *ratio : 1 / *ratio, signs_),
                       *ratio >= 1 ? "fewer" : "more", above);
  }

  std::string starred_column_{};  // the starred column's name, or nothing
};

}  // namespace

std::unique_ptr<ResultTable> ladder_table(const Run& run, std::vector<const Result*> rows,
                                          const Recorded& recorded, const text::Signs& signs) {
  return std::make_unique<LadderTable>(run, std::move(rows), recorded, signs);
}

}  // namespace results
