#include "runner/choose/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "app/error.hpp"

namespace runner {
namespace {

int64_t parse_dimension(std::string_view text, const std::string& whole) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = !text.empty() && end == text.data() + text.size();
  if (error == std::errc::result_out_of_range || (is_number && value > LARGEST_DIMENSION)) {
    throw Error(ExitCode::usage, fmt::format("size '{}' is out of range: a dimension is at most {}",
                                             whole, LARGEST_DIMENSION));
  }
  if (!is_number || value < 0) {
    throw Error(
        ExitCode::usage,
        fmt::format("size '{}' is not understood: write 4096, or MxNxK as in 128x160x7168", whole));
  }
  return value;
}

}  // namespace

results::Problem parse_size(const std::string& text) {
  std::vector<int64_t> sizes;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find_first_of("xX", start), text.size());
    sizes.push_back(parse_dimension(std::string_view(text).substr(start, end - start), text));
    start = end + 1;
  }
  if (sizes.size() == 1) return results::dense_problem(sizes[0], sizes[0], sizes[0]);
  if (sizes.size() == 3) return results::dense_problem(sizes[0], sizes[1], sizes[2]);
  throw Error(
      ExitCode::usage,
      fmt::format("size '{}' has {} dimensions: write one, or three as MxNxK", text, sizes.size()));
}

std::vector<std::string> options_of(const results::Problem& problem) {
  std::vector<std::string> words;
  const auto add = [&words](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (!problem.is_dense()) {
    add("--lda", std::to_string(problem.lda));
    add("--ldb", std::to_string(problem.ldb));
    add("--ldc", std::to_string(problem.ldc));
  }
  if (problem.transposes_a) words.emplace_back("--trans-a");
  if (problem.transposes_b) words.emplace_back("--trans-b");
  if (problem.is_batch()) {
    add("--batch", std::to_string(problem.batch));
    results::Problem dense = problem;
    dense.make_strides_dense();
    if (problem.stride_a != dense.stride_a) add("--stride-a", std::to_string(problem.stride_a));
    if (problem.stride_b != dense.stride_b) add("--stride-b", std::to_string(problem.stride_b));
    if (problem.stride_c != dense.stride_c) add("--stride-c", std::to_string(problem.stride_c));
  }
  if (problem.offset_a != 0) add("--offset-a", std::to_string(problem.offset_a));
  if (problem.offset_b != 0) add("--offset-b", std::to_string(problem.offset_b));
  if (problem.offset_c != 0) add("--offset-c", std::to_string(problem.offset_c));
  if (problem.alpha != 1.0f) add("--alpha", fmt::format("{}", problem.alpha));
  if (problem.beta != 0.0f) add("--beta", fmt::format("{}", problem.beta));
  if (problem.seed != 1) add("--seed", std::to_string(problem.seed));
  if (problem.data != results::Data::uniform) add("--data", name_of(problem.data));
  return words;
}

}  // namespace runner
