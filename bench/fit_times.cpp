// Finds the microseconds in src/kernels/best/tensor_us.hpp from recorded times. Writes the file's new text to stdout, and how well the
// estimates fit to stderr.
//
//     bench/shapes.py --kernels 12,16 --times bench/baselines/nvidia-h200-shapes.csv
//     build/cuda/bin/fit_times bench/baselines/nvidia-h200-shapes.csv > new && mv new src/kernels/best/tensor_us.hpp
//
// The time of a product is modelled as a sum over kinds of work (tensor_time.hpp), so this is a linear least-squares fit of relative errors.
// A kind of work takes no less than no time: kinds with a negative result are left out, one at a time. Some products are much slower than
// the model because their data sent sums to FP64; they are left out, too, and counted.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/best/choice.hpp"
#include "kernels/best/tensor_time.hpp"

namespace {

using ladder::TensorWork, ladder::TensorWorks;

struct Sample {
  int64_t M, N, K;
  double us;
  TensorWorks works;

  double error(const TensorWorks& us_of) const { return works.times(us_of) / us; }
};

constexpr auto KINDS = static_cast<Eigen::Index>(TensorWork::count);

// Reads rung 16's lines of a file of bench/shapes.py --times. `origin`: the file's first line, without "# ".
std::vector<Sample> samples_of(std::ifstream& file, std::string& origin) {
  std::vector<Sample> samples;
  std::string line;
  if (std::getline(file, line)) origin = line.substr(std::min<size_t>(2, line.size()));
  while (std::getline(file, line)) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    int kernel = 0;
    int64_t M = 0, N = 0, K = 0;
    double us = 0;
    if (!(words >> kernel >> M >> N >> K >> us) || kernel != 16) continue;
    if (us > 0 && ladder::is_for_tensor_fp32(M, N, K)) {
      const ladder::ProductShape shape = ladder::dense_shape(M, N, K);
      samples.push_back({M, N, K, us, works_of_tensor_fp32(shape, ladder::H200.device)});
    }
  }
  return samples;
}

TensorWorks fit(const std::vector<Sample>& samples) {
  std::vector<Eigen::Index> kinds;  // that are not left out
  for (Eigen::Index kind = 0; kind < KINDS; ++kind) {
    if (std::ranges::any_of(samples, [&](const Sample& s) { return s.works.of[size_t(kind)] > 0; }))
      kinds.push_back(kind);
  }
  const auto rows = static_cast<Eigen::Index>(samples.size());
  while (true) {
    Eigen::MatrixXd works(rows, static_cast<Eigen::Index>(kinds.size()));
    for (Eigen::Index row = 0; row < rows; ++row) {
      const Sample& s = samples[size_t(row)];
      for (Eigen::Index i = 0; i < works.cols(); ++i)
        works(row, i) = s.works.of[size_t(kinds[size_t(i)])] / s.us;
    }
    const Eigen::VectorXd us = works.colPivHouseholderQr().solve(Eigen::VectorXd::Ones(rows));
    Eigen::Index worst = -1;
    for (Eigen::Index i = 0; i < us.size(); ++i) {
      const auto weight = [&](Eigen::Index j) { return us(j) * works.col(j).norm(); };
      if (us(i) < 0 && (worst < 0 || weight(i) < weight(worst))) worst = i;
    }
    if (worst >= 0) {
      kinds.erase(kinds.begin() + worst);
      continue;
    }
    TensorWorks result;
    for (Eigen::Index i = 0; i < us.size(); ++i) result.of[size_t(kinds[size_t(i)])] = us(i);
    return result;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "");
  if (!file) {
    fmt::print(stderr, "usage: fit_times FILE.csv, a file of bench/shapes.py --times\n");
    return 2;
  }
  std::string origin;
  std::vector<Sample> samples = samples_of(file, origin);
  if (samples.size() < 5 * static_cast<size_t>(KINDS)) {
    fmt::print(stderr,
               "fit_times: {} has {} usable lines of kernel 16: too few for a fit of {} numbers\n",
               argv[1], samples.size(), KINDS);
    return 2;
  }
  const size_t all = samples.size();
  constexpr double FAR = 0.6;  // of the time: the rest was spent on FP64
  TensorWorks us = fit(samples);
  std::erase_if(samples, [&](const Sample& s) { return s.error(us) < FAR; });
  us = fit(samples);

  double log_error = 0;
  for (const Sample& s : samples) log_error += std::abs(std::log(s.error(us)));
  const double mean = 100 * std::expm1(log_error / static_cast<double>(samples.size()));
  const auto far = [&](const Sample& s) { return std::abs(std::log(s.error(us))); };
  const Sample& worst = *std::ranges::max_element(samples, {}, far);
  const std::string fits = fmt::format(
      "{} products, {} more left out; mean error {:.1f} %, largest {:+.0f} % at {}x{}x{}",
      samples.size(), all - samples.size(), mean, 100 * (worst.error(us) - 1), worst.M, worst.N,
      worst.K);
  fmt::print(stderr, "{}\n", fits);

  fmt::print("// Written by bench/fit_times. Do not edit; run it again.\n// {}\n// {}\n", origin,
             fits);
  fmt::print(
      "#pragma once\n\n#include \"kernels/best/tensor_time.hpp\"\n\n// clang-format off: "
      "numbers\nnamespace ladder {{\n\n"
      "inline constexpr TensorWorks TENSOR_FP32_US{{\n    {{");
  for (size_t i = 0; i < us.of.size(); ++i) fmt::print("{}{:.4g}", i == 0 ? "" : ", ", us.of[i]);
  fmt::print("}}}};\n\n}}  // namespace ladder\n");
}
