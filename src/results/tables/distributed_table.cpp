#include "results/tables/distributed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "results/tables/table_cells.hpp"
#include "results/values/statistics.hpp"
#include "text/foreign.hpp"

namespace results {
namespace {

std::string size_of(const DistributedProduct& p) {
  return p.M == p.N && p.N == p.K ? fmt::format("{}", p.M) : fmt::format("{}x{}x{}", p.M, p.N, p.K);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

// Returns the rank of the GPU that multiplied for longest, and by how much longer than the one that did for shortest: "1 +0.8".
std::string slowest(const DistributedProduct& p) {
  const auto [least, most] =
      std::ranges::minmax_element(p.processes, {}, &DistributedProcess::product_s);
  if (p.processes.size() < 2 || least->product_s <= 0) return "-";
  return fmt::format("{} +{:.1f}", most->rank, 100 * (most->product_s / least->product_s - 1));
}

std::string moved(const DistributedProduct& p) {
  if (p.least_bytes == 0) return "-";
  return fmt::format("{:.2f}",
                     static_cast<double>(received_bytes(p)) / static_cast<double>(p.least_bytes));
}

std::string speed(const DistributedProduct& p) {
  if (p.tiles_found > 0) return "-";
  return fmt::format("{:.2f}", flops_of(p) / seconds_of(p) / 1e12);
}

// The most seconds of any process.
double most(const DistributedProduct& p, double DistributedProcess::* seconds) {
  double longest = 0;
  for (const DistributedProcess& one : p.processes) longest = std::max(longest, one.*seconds);
  return longest;
}

std::vector<text::Column> columns() {
  constexpr int GAP = 1;
  std::vector<text::Column> all;
  const auto add = [&](const char* heading, int rank, int width) {
    all.push_back({.heading = heading, .rank = rank, .gap = GAP, .width = width});
  };
  add("size", 0, 11);
  add("seconds", 0, 8);
  add("TFLOP/s", 0, 8);
  add("eff. %", 0, 6);
  add("cuBLAS%", 1, 7);
  add("hidden", 2, 6);
  add("moved", 4, 5);
  add("slowest", 3, 8);
  add("error", 5, 6);
  add("right", 0, 5);
  all.front().gap = 0;
  return all;
}

text::Table::Row row_of(const DistributedProduct& p) {
  return {{size_of(p)},
          {fmt::format("{:.4f}", seconds_of(p))},
          {speed(p)},
          {percent(efficiency_of(p))},
          {percent(share_of_cublas(p))},
          {fmt::format("{:.0f}%", 100 * hidden_share(p))},
          {moved(p)},
          {slowest(p)},
          {fmt::format("{:.4f}", p.error_over_bound)},
          {p.correct ? "yes" : "NO", p.correct ? text::Tone::plain : text::Tone::bad}};
}

std::vector<std::string> notes_of(const DistributedProduct& p) {
  std::vector<std::string> notes{
      fmt::format("panels of {}, blocks of {}", p.panel, p.block),
      fmt::format("products {:.4f} s, messages {:.4f} s", most(p, &DistributedProcess::product_s),
                  most(p, &DistributedProcess::messages_s))};
  if (!p.cublasmp_samples_s.empty()) {
    const double reference = quartiles(p.cublasmp_samples_s).median;
    notes.push_back(fmt::format("cuBLASMp {:.4f} s, so {:.2f} times as fast", reference,
                                reference / seconds_of(p)));
  }
  if (p.model_s)
    notes.push_back(fmt::format("the model says {:.4f} s ({:+.1f} %)", *p.model_s,
                                100 * (*p.model_s / seconds_of(p) - 1)));
  if (p.reproducible) {
    std::string bits = "bits of C " + p.bits;
    if (!p.usual_samples_s.empty())
      bits += fmt::format(", which take {:+.1f} %",
                          100 * (seconds_of(p) / quartiles(p.usual_samples_s).median - 1));
    notes.push_back(bits);
  }
  if (p.tiles > 1) notes.push_back(fmt::format("{} tiles of C", p.tiles));
  if (p.tiles_found > 0)
    notes.push_back(fmt::format("{} of them from the checkpoint", p.tiles_found));
  return notes;
}

// What products of one table have in common.
std::vector<std::string> common_to(const DistributedProduct& p) {
  std::vector<std::string> facts{fmt::format("grid {}x{}", p.grid_rows, p.grid_cols), p.kernel,
                                 p.carrier == "nccl" ? "NCCL" : "MPI"};
  if (p.transposes_a) facts.emplace_back("A transposed");
  if (p.transposes_b) facts.emplace_back("B transposed");
  if (p.reproducible) facts.emplace_back("reproducible");
  if (p.device_bytes > 0) facts.emplace_back("in the host's memory");
  return facts;
}

}  // namespace

DistributedTable::DistributedTable(const text::Page& page) : page_(page), table_(columns(), page) {
  table_.fit(0, left_out_);
}

std::string DistributedTable::headings(const DistributedProduct& product) const {
  return text::wrap(joined(common_to(product), text::Signs(page_.unicode)), page_.width, 2) + "\n" +
         table_.headings();
}

std::string DistributedTable::entry(const DistributedProduct& product) const {
  return table_.line(row_of(product)) +
         text::wrap("  " + joined(notes_of(product), text::Signs(page_.unicode)), page_.width, 2) +
         "\n";
}

std::string DistributedTable::left_out() const {
  if (left_out_.empty()) return "";
  return text::wrap(text::not_shown(left_out_), page_.width, 2) + "\n";
}

std::string to_predictions(const std::vector<DistributedProduct>& products, const Rates& rates,
                           const text::Page& page) {
  std::vector<text::Column> columns;
  for (const char* heading :
       {"size", "grid", "panel", "seconds", "TFLOP/s", "eff. %", "products s", "messages s"})
    columns.push_back({.heading = heading});
  columns.front().gap = 0;
  columns[2].rank = 1;
  text::Table table(columns, page);
  std::vector<text::Table::Row> rows;
  for (const DistributedProduct& p : products) {
    const Prediction said = predict(p, rates);
    rows.push_back({{size_of(p)},
                    {fmt::format("{}x{}", p.grid_rows, p.grid_cols)},
                    {fmt::format("{}", p.panel)},
                    {fmt::format("{:.4f}", said.seconds)},
                    {fmt::format("{:.1f}", flops_of(p) / said.seconds / 1e12)},
                    {percent(flops_of(p) / rates.flops / p.gpus() / said.seconds)},
                    {fmt::format("{:.4f}", said.products_s)},
                    {fmt::format("{:.4f}", said.messages_s)}});
    table.make_room_for(rows.back());
  }
  std::vector<std::string> left_out;
  table.fit(0, left_out);
  std::string text =
      text::wrap(fmt::format("a model, not a measurement: GPUs of {:g} TFLOP/s, {:g} GB/s within a "
                             "host of {}, {:g} GB/s between hosts",
                             rates.flops / 1e12, rates.nvlink_bytes / 1e9, rates.gpus_per_host,
                             rates.network_bytes / 1e9),
                 page.width, 2) +
      "\n" + table.headings();
  for (const text::Table::Row& row : rows) text += table.line(row);
  return text;
}

std::string to_table(const std::vector<DistributedProduct>& products, const text::Page& page) {
  const DistributedTable table(page);
  std::string text, last;
  for (const DistributedProduct& product : products) {
    const std::string headings = table.headings(product);
    if (headings != last) text += (text.empty() ? "" : "\n") + headings;
    last = headings;
    text += table.entry(product);
  }
  return products.empty() ? text : text + table.left_out();
}

std::string to_markdown(const std::vector<DistributedProduct>& products) {
  const text::Page page{.unicode = true};
  std::string text, last;
  std::vector<text::Table::Row> rows;
  const auto add_rows = [&] {
    if (!rows.empty()) text += text::Table(columns(), page).markdown(rows);
    rows.clear();
  };
  for (const DistributedProduct& product : products) {
    const std::string heading = joined(common_to(product), text::Signs(page.unicode));
    if (heading != last) {
      add_rows();
      text += (text.empty() ? "" : "\n") + text::in_markdown(heading) + "\n\n";
    }
    last = heading;
    rows.push_back(row_of(product));
  }
  add_rows();
  return text;
}

}  // namespace results
