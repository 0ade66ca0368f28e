#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "results/files/json.hpp"
#include "results/tables/table.hpp"

namespace results {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::pair<std::string, Json>>;

std::string csv_cell(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>()
                     : value.is_null() ? ""
                                       : value.dump();
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Returns "race; unwritten read".
std::string kinds_of(const Json& hazards) {
  std::vector<std::string> kinds;
  for (const Json& hazard : hazards) kinds.push_back(hazard.at("kind").get<std::string>());
  return fmt::format("{}", fmt::join(kinds, "; "));
}

// Collects the single values of a row; a value of an object is named "object.key". Leaves lists out, except the kinds
// of hazards: a hazard may be the only reason that a row is wrong.
void flatten(const std::string& prefix, const Json& object, Cells& flat) {
  for (const auto& [key, value] : object.items()) {
    if (key == "hazards") {
      flat.emplace_back(prefix + key, kinds_of(value));
      continue;
    }
    if (value.is_array()) continue;
    if (value.is_object()) {
      flatten(prefix + key + ".", value, flat);
    } else {
      flat.emplace_back(prefix + key, value);
    }
  }
}

}  // namespace

std::string to_csv(const Run& run) {
  const Json json = Json::parse(to_json(run));
  std::vector<Cells> rows;
  std::vector<std::string> columns;
  for (const Json& row : json.at("benchmarks")) {
    flatten("", row, rows.emplace_back());
    for (const auto& [key, value] : rows.back()) {
      if (std::ranges::find(columns, key) == columns.end()) columns.push_back(key);
    }
  }
  std::string csv = fmt::format("{}\n", fmt::join(columns, ","));
  for (const Cells& row : rows) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto cell = std::ranges::find(row, columns[i], &Cells::value_type::first);
      csv += (i == 0 ? "" : ",") + (cell == row.end() ? std::string() : csv_cell(cell->second));
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace results
