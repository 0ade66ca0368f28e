#include "results/tables/recorded.hpp"

#include <algorithm>

#include "results/values/metrics.hpp"

namespace results {

bool can_stand_in(const Result& r) {
  if (!r.judged.correct || !r.seen.timing || r.seen.timing->options.cold ||
      r.seen.timing->options.no_graph)
    return false;
  if (is_of_a_lab(r)) return value(r, "median_ms").has_value();
  if (r.who.set != "sgemm" || !r.problem) return false;
  Problem size = dense_problem(RECORDED_SIZE, RECORDED_SIZE, RECORDED_SIZE);
  size.seed = r.problem->seed;
  return r.problem == size && value(r, "percent_of_cublas");
}

RecordedResult recorded_result(const Recorded& recorded, const Identity& who) {
  for (const Run& run : recorded) {
    const auto found = std::ranges::find_if(run.results, [&](const Result& r) {
      return r.who.set == who.set && r.who.name == who.name && r.who.variant == who.variant &&
             can_stand_in(r);
    });
    if (found != run.results.end()) return {&run, &*found};
  }
  return {};
}

}  // namespace results
