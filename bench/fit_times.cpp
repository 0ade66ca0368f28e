// Finds the microseconds of the estimates by which rung 12, `best` and the preloaded library choose, from recorded times. Writes a header's new text to stdout,
// and how well the estimates fit to stderr.
//
//     bench/shapes.py --list --seed 1 | build/cuda/bin/plan_times > bench/baselines/nvidia-h200-plans.csv
//     build/cuda/bin/fit_times plans bench/baselines/nvidia-h200-plans.csv > new && mv new src/kernels/tuned/tile_us.hpp
//
//     bench/shapes.py --kernels 12,16 --times bench/baselines/nvidia-h200-shapes.csv
//     build/cuda/bin/fit_times products bench/baselines/nvidia-h200-shapes.csv > new && mv new src/kernels/best/tensor_us.hpp
//     build/cuda/bin/fit_times cublas bench/baselines/nvidia-h200-shapes.csv > new && mv new src/preload/choose/cublas_us.hpp
//
// The first two estimates are sums over kinds of work (tile_times.hpp, tensor_time.hpp), so each fit is a linear least-squares fit of relative
// errors, in which a kind of work takes no less than no time. The third is no estimate of cuBLAS's times but a line under them.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernels/best/choice.hpp"
#include "kernels/best/tensor_time.hpp"
#include "kernels/tuned/split_search.hpp"
#include "kernels/tuned/tile_table.hpp"
#include "preload/choose/decision.hpp"

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
using ladder::CallWork, ladder::SplitPlan, ladder::TensorWork, ladder::TensorWorks,
    ladder::TileWork;

constexpr int USAGE = 2;  // exit code

// A file of recorded times. Its first line, without "# ", says where the times come from.
struct Recorded {
  std::string origin;
  std::vector<std::istringstream> lines;  // commas are blanks
};

Recorded read(std::ifstream& file) {
  Recorded recorded;
  std::string line;
  if (std::getline(file, line)) recorded.origin = line.substr(std::min<size_t>(2, line.size()));
  while (std::getline(file, line)) {
    std::ranges::replace(line, ',', ' ');
    recorded.lines.emplace_back(line);
  }
  return recorded;
}

// Returns the x >= 0 for which A x is closest to b. (The algorithm NNLS of Lawson and Hanson, "Solving Least Squares Problems", 1974,
// chapter 23: columns enter one at a time, and leave when their result would become negative.)
VectorXd fit(const MatrixXd& A, const VectorXd& b) {
  const VectorXd norms = A.colwise().norm().cwiseMax(1e-300);
  const MatrixXd scaled = A * norms.cwiseInverse().asDiagonal();
  const MatrixXd products = scaled.transpose() * scaled;
  const VectorXd right = scaled.transpose() * b;
  constexpr double LITTLE = 1e-9;
  VectorXd x = VectorXd::Zero(A.cols());
  std::vector<Index> in;  // columns with x > 0
  for (Index rounds = 0; rounds < 10 * A.cols(); ++rounds) {
    VectorXd gain = right - products * x;
    gain(in).setZero();
    Index entering = 0;
    if (gain.maxCoeff(&entering) < LITTLE * b.norm()) break;
    in.push_back(entering);
    while (true) {
      const VectorXd best = products(in, in).ldlt().solve(right(in));
      double step = 1;  // the largest that keeps all results positive
      for (Index i = 0; i < best.size(); ++i) {
        const double now = x(in[size_t(i)]);
        if (best(i) <= 0) step = std::min(step, now / (now - best(i)));
      }
      x(in) += step * (best - x(in));
      if (step == 1) break;
      std::erase_if(in, [&](Index i) {
        const bool leaves = x(i) <= LITTLE;
        if (leaves) x(i) = 0;
        return leaves;
      });
    }
  }
  return x.cwiseQuotient(norms);
}

// How far estimates are from recorded times.
class Errors {
 public:
  void add(double estimated, double recorded, std::string product) {
    const double ratio = estimated / recorded;
    log_sum_ += std::abs(std::log(ratio));
    ++count_;
    if (count_ > 1 && std::abs(std::log(ratio)) < std::abs(std::log(worst_))) return;
    worst_ = ratio;
    worst_product_ = std::move(product);
  }
  double mean_percent() const { return 100 * std::expm1(log_sum_ / count_); }
  double worst_percent() const { return 100 * (worst_ - 1); }
  const std::string& worst_product() const { return worst_product_; }

 private:
  double log_sum_ = 0, worst_ = 1;
  int count_ = 0;
  std::string worst_product_;
};

template <typename Kind>
std::string text_of(const ladder::Works<Kind>& us) {
  std::string text = "{{";
  for (size_t i = 0; i < us.of.size(); ++i)
    text += fmt::format("{}{:.4g}", i == 0 ? "" : ", ", us.of[i]);
  return text + "}}";
}

void print_header(const std::string& origin, const std::string& fits, std::string_view include,
                  std::string_view inside = "ladder") {
  fmt::print(stderr, "{}\n", fits);
  fmt::print("// Written by bench/fit_times. Do not edit; run it again.\n// {}\n// {}\n", origin,
             fits);
  fmt::print("#pragma once\n\n#include \"{}\"\n\n// clang-format off: numbers\nnamespace {} {{\n\n",
             include, inside);
}

int too_few(size_t samples, const char* of, int numbers) {
  fmt::print(stderr,
             "fit_times: the file has {} usable lines of {}: too few for a fit of {} numbers\n",
             samples, of, numbers);
  return USAGE;
}

// ---- Plans of rungs 11 and 12: tile_us.hpp.

struct PlanSample {
  int kernel;
  int64_t M, N, K;
  double us;
  SplitPlan plan;
  ladder::PlanWork work;
};

std::vector<PlanSample> plan_samples_of(Recorded& recorded, bool vector) {
  std::vector<PlanSample> samples;
  for (std::istringstream& words : recorded.lines) {
    PlanSample s{};
    int is_vector = 0;
    SplitPlan& plan = s.plan;
    if (!(words >> s.kernel >> is_vector >> s.M >> s.N >> s.K >> plan.choice >> plan.blocks >>
          plan.rounds >> s.us))
      continue;
    if ((is_vector == 1) != vector) continue;
    const bool whole = s.kernel == 11;
    if (plan.choice >= (whole ? std::size(ladder::TUNED_TABLE) : std::size(ladder::STREAM_K_TABLE)))
      continue;
    const ladder::Tile& t =
        (whole ? ladder::TUNED_TABLE : ladder::STREAM_K_TABLE)[plan.choice].tile;
    if (whole && !ladder::is_whole_choice(t, s.K)) continue;
    const SplitPlan all = ladder::undivided(plan.choice, t, s.M, s.N, s.K);
    plan.tiles_m = all.tiles_m;
    plan.tiles_n = all.tiles_n;
    plan.steps = all.steps;
    s.work = ladder::work_of(plan, t, s.M, s.N, s.K, ladder::H200.device.multiprocessors);
    samples.push_back(s);
  }
  return samples;
}

// The columns of the fit: first the kinds of CallWork, then for each kernel and tile those of TileWork.
constexpr size_t CALL_KINDS = static_cast<size_t>(CallWork::count),
                 TILE_KINDS = static_cast<size_t>(TileWork::count);
constexpr size_t WHOLE = std::size(ladder::TUNED_TABLE),
                 DIVIDED = std::size(ladder::STREAM_K_TABLE);
constexpr size_t COLUMNS = CALL_KINDS + TILE_KINDS * (WHOLE + DIVIDED);

size_t column_of(int kernel, size_t choice) {
  return CALL_KINDS + TILE_KINDS * (choice + (kernel == 11 ? 0 : WHOLE));
}

const ladder::TunedTile& tile_of(int kernel, size_t choice) {
  return kernel == 11 ? ladder::TUNED_TABLE[choice] : ladder::STREAM_K_TABLE[choice];
}

// True for the kinds of TileWork that count steps by the number of blocks side by side, and that number.
bool is_step(size_t kind) { return kind >= 1 && kind < static_cast<size_t>(TileWork::edge_steps); }
int blocks_of(size_t kind) { return static_cast<int>(kind); }

// Returns what is known of a tile's microseconds before the fit: how long a step takes with all blocks side by side that a
// multiprocessor holds, from bench/tune's rate with vector access, and with fewer blocks in proportion. The fit adds to that; with vector
// access it adds nothing to a step with all blocks. (Without that, the many small products decide how long a step takes, and the large
// products, whose steps are shorter, get wrong tiles.)
double known_us_of(int kernel, size_t choice, size_t kind) {
  if (!is_step(kind)) return 0;
  const auto& [t, tflops] = tile_of(kernel, choice);
  const double flops = 2.0 * t.BM * t.BN * t.BK * ladder::H200.device.multiprocessors;
  return flops * std::min(blocks_of(kind), t.blocks) / (tflops * 1e6);
}

// The microseconds of both kernels with one width of access.
struct Times {
  ladder::Works<CallWork> call;
  ladder::Works<TileWork> whole[WHOLE];      // of rung 11's kernel, for each tile of TUNED_TABLE
  ladder::Works<TileWork> divided[DIVIDED];  // of rung 12's, for each tile of STREAM_K_TABLE
};

Times fit_plans(const std::vector<PlanSample>& samples, bool vector) {
  std::map<std::tuple<int64_t, int64_t, int64_t>, double> best;
  for (const PlanSample& s : samples) {
    const auto [at, is_new] = best.try_emplace({s.M, s.N, s.K}, s.us);
    if (!is_new) at->second = std::min(at->second, s.us);
  }
  MatrixXd A = MatrixXd::Zero(Index(samples.size()), Index(COLUMNS));
  VectorXd b(Index(samples.size()));
  for (size_t row = 0; row < samples.size(); ++row) {
    const PlanSample& s = samples[row];
    // A plan that takes twice as long as the best will not be chosen: its error counts a quarter.
    const double weight = std::pow(best.at({s.M, s.N, s.K}) / s.us, 2);
    const auto set = [&](size_t column, double amount) {
      A(Index(row), Index(column)) = weight * amount / s.us;
    };
    for (size_t i = 0; i < CALL_KINDS; ++i) set(i, s.work.call.of[i]);
    const size_t first = column_of(s.kernel, s.plan.choice);
    double known_us = 0;
    for (size_t i = 0; i < TILE_KINDS; ++i) {
      const ladder::Tile& t = tile_of(s.kernel, s.plan.choice).tile;
      known_us += s.work.tile.of[i] * known_us_of(s.kernel, s.plan.choice, i);
      if (!vector || !is_step(i) || blocks_of(i) < t.blocks) set(first + i, s.work.tile.of[i]);
    }
    b(Index(row)) = weight * (1 - known_us / s.us);
  }
  const VectorXd x = fit(A, b);
  Times times{};
  for (size_t i = 0; i < CALL_KINDS; ++i) times.call.of[i] = x(Index(i));
  const auto tile = [&](int kernel, size_t choice) {
    ladder::Works<TileWork> us;
    for (size_t i = 0; i < TILE_KINDS; ++i)
      us.of[i] = known_us_of(kernel, choice, i) + x(Index(column_of(kernel, choice) + i));
    // With fewer blocks side by side a step takes no longer. More than `blocks` there never are.
    const int blocks = tile_of(kernel, choice).tile.blocks;
    const double most = us.of[static_cast<size_t>(blocks)];
    for (size_t i = 1; is_step(i); ++i) {
      if (blocks_of(i) > blocks || us.of[i] > most) us.of[i] = most;
    }
    return us;
  };
  for (size_t i = 0; i < WHOLE; ++i) times.whole[i] = tile(11, i);
  for (size_t i = 0; i < DIVIDED; ++i) times.divided[i] = tile(12, i);
  return times;
}

double estimate(const PlanSample& s, const Times& times) {
  const auto& of_tile = (s.kernel == 11 ? times.whole : times.divided)[s.plan.choice];
  return s.work.call.times(times.call) + s.work.tile.times(of_tile);
}

// Returns how much longer the plans that the estimates choose take than the fastest recorded ones, in per cent: the geometric mean.
double regret(const std::vector<PlanSample>& samples, const Times& times) {
  struct OfShape {
    double chosen_estimate, chosen_us, best_us;
  };
  std::map<std::tuple<int64_t, int64_t, int64_t>, OfShape> shapes;
  for (const PlanSample& s : samples) {
    const double us = estimate(s, times);
    const auto [at, is_new] = shapes.try_emplace({s.M, s.N, s.K}, OfShape{us, s.us, s.us});
    OfShape& shape = at->second;
    shape.best_us = std::min(shape.best_us, s.us);
    if (us < shape.chosen_estimate) {
      shape.chosen_estimate = us;
      shape.chosen_us = s.us;
    }
  }
  double log_sum = 0;
  for (const auto& [shape, of] : shapes) log_sum += std::log(of.chosen_us / of.best_us);
  return 100 * std::expm1(log_sum / static_cast<double>(shapes.size()));
}

int print_plan_times(std::ifstream& file) {
  std::string text, fits, origin;
  const std::streampos begin = file.tellg();
  for (const bool vector : {false, true}) {
    file.clear();
    file.seekg(begin);
    Recorded recorded = read(file);
    origin = recorded.origin;
    const std::vector<PlanSample> samples = plan_samples_of(recorded, vector);
    if (samples.size() < 5 * COLUMNS)
      return too_few(samples.size(), vector ? "vector access" : "scalar access", COLUMNS);
    const Times times = fit_plans(samples, vector);
    Errors errors;
    for (const PlanSample& s : samples)
      errors.add(estimate(s, times), s.us, fmt::format("{}x{}x{}", s.M, s.N, s.K));
    fits += fmt::format(
        "{}{} plans of {} access: mean error {:.1f} %, the chosen plans {:.1f} % slower than the "
        "fastest",
        vector ? "; " : "", samples.size(), vector ? "vector" : "scalar", errors.mean_percent(),
        regret(samples, times));
    const char* bytes = vector ? "16" : "4";
    text += fmt::format(
        "\n// With accesses of {0} bytes.\ninline constexpr Works<CallWork> CALL_US_{0}{1};\n",
        bytes, text_of(times.call));
    const auto table = [&](const char* name, std::span<const ladder::Works<TileWork>> us) {
      text += fmt::format("inline constexpr Works<TileWork> {}_{}[] = {{\n", name, bytes);
      for (const auto& one : us) text += fmt::format("    {},\n", text_of(one));
      text += "};\n";
    };
    table("WHOLE_US", times.whole);
    table("DIVIDED_US", times.divided);
  }
  print_header(origin, fits, "kernels/tuned/tile_times.hpp");
  fmt::print("{}\n}}  // namespace ladder\n", text.substr(1));
  return 0;
}

// ---- Products by rung 16: tensor_us.hpp.

struct ProductSample {
  int64_t M, N, K;
  double us;
  TensorWorks works;

  double ratio(const TensorWorks& us_of) const { return works.times(us_of) / us; }
};

std::vector<ProductSample> product_samples_of(Recorded& recorded) {
  std::vector<ProductSample> samples;
  for (std::istringstream& words : recorded.lines) {
    std::string kernel;
    int64_t M = 0, N = 0, K = 0;
    double us = 0;
    if (!(words >> kernel >> M >> N >> K >> us) || us <= 0) continue;
    if (kernel != "16_tensor_fp32") continue;
    if (!ladder::is_for_tensor_fp32(M, N, K)) continue;
    const ladder::ProductShape shape = ladder::dense_shape(M, N, K);
    samples.push_back({M, N, K, us, works_of_tensor_fp32(shape, 1, ladder::H200.device)});
  }
  return samples;
}

TensorWorks fit_products(const std::vector<ProductSample>& samples) {
  TensorWorks result;
  MatrixXd A(Index(samples.size()), Index(result.of.size()));
  for (Index row = 0; row < A.rows(); ++row) {
    const ProductSample& s = samples[size_t(row)];
    for (Index i = 0; i < A.cols(); ++i) A(row, i) = s.works.of[size_t(i)] / s.us;
  }
  const VectorXd x = fit(A, VectorXd::Ones(A.rows()));
  for (size_t i = 0; i < result.of.size(); ++i) result.of[i] = x(Index(i));
  return result;
}

// Some products are much slower than the estimate because their data sent sums to FP64; they are left out, and counted.
int print_product_times(std::ifstream& file) {
  Recorded recorded = read(file);
  std::vector<ProductSample> samples = product_samples_of(recorded);
  const size_t all = samples.size();
  constexpr auto KINDS = static_cast<int>(TensorWork::count);
  if (all < size_t{5} * KINDS) return too_few(all, "kernel 16", KINDS);
  constexpr double FAR = 0.6;  // of the time: the rest was spent on FP64
  TensorWorks us = fit_products(samples);
  std::erase_if(samples, [&](const ProductSample& s) { return s.ratio(us) < FAR; });
  us = fit_products(samples);

  Errors errors;
  for (const ProductSample& s : samples)
    errors.add(s.works.times(us), s.us, fmt::format("{}x{}x{}", s.M, s.N, s.K));
  const std::string fits = fmt::format(
      "{} products, {} more left out; mean error {:.1f} %, largest {:+.0f} % at {}", samples.size(),
      all - samples.size(), errors.mean_percent(), errors.worst_percent(), errors.worst_product());
  print_header(recorded.origin, fits, "kernels/best/tensor_time.hpp");
  fmt::print(
      "inline constexpr TensorWorks TENSOR_FP32_US{{\n    {}}};\n\n}}  // namespace ladder\n",
      text_of(us).substr(1, text_of(us).size() - 2));
  return 0;
}

// ---- The least times of cuBLAS: cublas_us.hpp.

// A product of `gflop` in `us`.
struct CublasSample {
  double gflop, us;
};

// Returns cuBLAS's times of the products that the preloaded library may answer.
std::vector<CublasSample> cublas_samples_of(Recorded& recorded) {
  std::vector<CublasSample> samples;
  for (std::istringstream& words : recorded.lines) {
    std::string kernel;
    int64_t M = 0, N = 0, K = 0;
    double us = 0, cublas_us = 0;
    if (!(words >> kernel >> M >> N >> K >> us >> cublas_us)) continue;
    if (cublas_us >= preload::LEAST_US)
      samples.push_back({preload::gflop_of(M, N, K, 1), cublas_us});
  }
  return samples;
}

// Returns how close a line is to the samples above it: the mean of line / sample. Returns 0 if a sample lies below the line.
double closeness_of(const preload::CublasTimes& line, const std::vector<CublasSample>& samples) {
  double sum = 0;
  for (const CublasSample& s : samples) {
    const double share = line.us(s.gflop, ladder::H200.device.multiprocessors) / s.us;
    constexpr double ROUNDING = 1e-9;
    if (!(share <= 1 + ROUNDING)) return 0;
    sum += share;
  }
  return sum / static_cast<double>(samples.size());
}

// Writes the line under all times that is closest to them. It goes through two samples.
int print_cublas_times(std::ifstream& file) {
  Recorded recorded = read(file);
  const std::vector<CublasSample> samples = cublas_samples_of(recorded);
  constexpr int NUMBERS = 2;
  if (samples.size() < size_t{5} * NUMBERS) return too_few(samples.size(), "cuBLAS", NUMBERS);
  preload::CublasTimes closest{};
  double closeness = 0;
  for (const CublasSample& a : samples) {
    for (const CublasSample& b : samples) {
      if (!(a.gflop < b.gflop)) continue;
      const double slope = (b.us - a.us) / (b.gflop - a.gflop);
      const preload::CublasTimes line{a.us - slope * a.gflop, slope};
      if (line.call_us < 0 || line.us_per_gflop < 0) continue;
      const double its = closeness_of(line, samples);
      if (its <= closeness) continue;
      closeness = its;
      closest = line;
    }
  }
  const std::string fits =
      fmt::format("{} times of cuBLAS; the line is at {:.0f} % of them on average", samples.size(),
                  100 * closeness);
  print_header(recorded.origin, fits, "preload/choose/decision.hpp", "preload");
  fmt::print(
      "inline constexpr CublasTimes CUBLAS_US{{.call_us = {:.4g}, .us_per_gflop = {:.4g}}};\n\n}}  "
      "// "
      "namespace preload\n",
      closest.call_us, closest.us_per_gflop);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  std::ifstream file(argc == 3 ? argv[2] : "");
  if (!file || (what != "plans" && what != "products" && what != "cublas")) {
    fmt::print(stderr,
               "usage: fit_times plans FILE.csv, a file of bench/plan_times\n"
               "       fit_times products FILE.csv, a file of bench/shapes.py --times\n"
               "       fit_times cublas FILE.csv, the same file\n");
    return USAGE;
  }
  if (what == "plans") return print_plan_times(file);
  return what == "products" ? print_product_times(file) : print_cublas_times(file);
}
