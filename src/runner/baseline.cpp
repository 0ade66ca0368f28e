#include "runner/baseline.hpp"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runner/error.hpp"

namespace runner {
namespace {

// A text of the file without what would move the terminal's cursor.
std::string printable(const nlohmann::json& value) {
  std::string text = value.get<std::string>();
  std::erase_if(text, [](unsigned char c) { return std::iscntrl(c) != 0; });
  return text;
}

}  // namespace

Baseline read_baseline(const std::string& path) {
  const auto unusable = [&](const std::string& why) {
    return Error(ExitCode::usage, fmt::format("baseline '{}' cannot be used: {}", path, why));
  };
  std::ifstream file(path);
  if (!file) throw unusable("it cannot be read");

  Baseline baseline;
  baseline.size = Baseline::SIZE;
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    baseline.date = printable(json.at("context").at("date")).substr(0, 10);
    for (const auto& row : json.at("benchmarks")) {
      const bool here =
          row.at("name").get<std::string>().ends_with(std::string("/") + Baseline::SIZE) &&
          row.value("correct", true) && row.value("l2", "warm") == "warm";
      if (!here || !row.contains("percent_of_cublas") || row.at("percent_of_cublas").is_null())
        continue;
      baseline.device = printable(row.at("device"));
      baseline.percent_of_cublas[row.at("kernel").get<std::string>()] =
          row.at("percent_of_cublas").get<double>();
    }
  } catch (const nlohmann::json::exception& error) {
    throw unusable(error.what());
  } catch (const std::ios_base::failure&) {  // a directory
    throw unusable("it cannot be read");
  }
  if (baseline.percent_of_cublas.empty()) {
    throw unusable(fmt::format("it has no percent_of_cublas at {}", Baseline::SIZE));
  }
  return baseline;
}

}  // namespace runner
