// Products on many processes as a table: a line for each, which can be printed as soon as the product is known, and notes below it.
#pragma once

#include <string>
#include <vector>

#include "results/values/distributed.hpp"
#include "results/values/distributed_model.hpp"
#include "text/page.hpp"
#include "text/table.hpp"

namespace results {

class DistributedTable {
 public:
  /// On a narrow page it has fewer columns.
  explicit DistributedTable(const text::Page& page);

  /// Returns what the following products have in common, in a line, and the line of headings: "grid 2x2 · best · NCCL".
  std::string headings(const DistributedProduct& product) const;
  /// Returns a product's line, and notes on it.
  std::string entry(const DistributedProduct& product) const;
  /// Returns the names of the columns for which the page is too narrow, in a line; else an empty text.
  std::string left_out() const;

 private:
  const text::Page page_;
  text::Table table_;
  std::vector<std::string> left_out_;
};

/// Returns what the cost model says of products, as a table that says that it is a model.
std::string to_predictions(const std::vector<DistributedProduct>& products, const Rates& rates,
                           const text::Page& page);

/// Returns products as tables: one for each sequence of products with the same headings.
std::string to_table(const std::vector<DistributedProduct>& products, const text::Page& page);

/// Returns the same cells as Markdown, without the notes.
std::string to_markdown(const std::vector<DistributedProduct>& products);

}  // namespace results
