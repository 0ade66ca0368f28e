#include "runner/choose/expectation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/error.hpp"
#include "app/words.hpp"
#include "results/values/run.hpp"
#include "runner/verify/product.hpp"
#include "text/page.hpp"

namespace runner {
namespace {

struct KnownGpu {
  const char *word, *name;
  ladder::Gpu gpu;
};
constexpr KnownGpu KNOWN_GPUS[] = {
    {"h200", "NVIDIA H200", ladder::H200},
};

const KnownGpu& known_gpu(const std::string& word) {
  const auto known = std::ranges::find_if(
      KNOWN_GPUS, [&](const KnownGpu& one) { return equal_ignoring_case(word, one.word); });
  if (known != std::end(KNOWN_GPUS)) return *known;
  std::vector<const char*> words;
  for (const KnownGpu& one : KNOWN_GPUS) words.push_back(one.word);
  throw Error(ExitCode::usage, fmt::format("--device '{}': the times of kernels are known of {}",
                                           printable(word), fmt::join(words, ", ")));
}

ladder::ProductShape shape_of(const results::Problem& p) {
  const auto is_aligned = [](int64_t ld, int64_t stride, int64_t offset) {
    return ld % 4 == 0 && stride % 4 == 0 && offset % 4 == 0;
  };
  return {.M = p.M,
          .N = p.N,
          .K = p.K,
          .transposed_a = p.transposes_a,
          .transposed_b = p.transposes_b,
          .aligned_a = is_aligned(p.lda, p.stride_a, p.offset_a),
          .aligned_b = is_aligned(p.ldb, p.stride_b, p.offset_b),
          .aligned_c = is_aligned(p.ldc, p.stride_c, p.offset_c)};
}

}  // namespace

std::string expectations(std::span<const results::Problem> problems, const std::string& gpu,
                         int width) {
  const KnownGpu& known = known_gpu(gpu);
  std::string text = text::wrap(
      fmt::format("best on an {}, by times fitted to recorded ones:", known.name), width, 2);
  text += "\n";
  for (const results::Problem& problem : problems) {
    const std::string line =
        problem.is_empty()
            ? "nothing to compute"
            : results::text_of(expected_rungs(shape_of(problem), problem.batch, known.gpu));
    text += text::wrap(fmt::format("{}{}: {}", problem.size(), results::batch_of(problem), line),
                       width, 2) +
            "\n";
  }
  return text;
}

}  // namespace runner
