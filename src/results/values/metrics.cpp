#include "results/values/metrics.hpp"

#include <algorithm>
#include <stdexcept>

#include "results/values/counts.hpp"
#include "results/values/statistics.hpp"

namespace results {
namespace {

using Figure = std::optional<double>;

Figure count(const Result& r, const char* key, std::string_view buffer = {}) {
  return r.seen.traffic ? r.seen.traffic->count(key, buffer) : std::nullopt;
}

Figure percent(Figure share) { return share ? Figure(100 * *share) : share; }

const Timing* timing(const Result& r) {
  return r.seen.timing && !r.seen.timing->samples_ms.empty() ? &*r.seen.timing : nullptr;
}

Figure median_ms(const Result& r) {
  return timing(r) ? Figure(quartiles(timing(r)->samples_ms).median) : std::nullopt;
}

// Returns amount / time, in 10^9 a second. Nothing for an empty product.
Figure rate(const Result& r, double amount) {
  const Figure ms = median_ms(r);
  if (!ms || *ms == 0 || amount == 0) return std::nullopt;
  return amount / (*ms * 1e6);
}

Figure gflops(const Result& r) { return r.problem ? rate(r, r.problem->flops()) : std::nullopt; }

Figure gbytes_per_second(const Result& r) {
  if (r.useful_bytes) return rate(r, static_cast<double>(*r.useful_bytes));
  return r.problem ? rate(r, r.problem->least_bytes()) : std::nullopt;
}

// Returns the median speed in per cent of the speed of the reference, which took turns with the kernel.
Figure paired_median(const Timing& t) { return median_over_runs(by_run(t, paired_percent(t))); }

Figure percent_of_cublas(const Result& r) {
  if (!timing(r) || (r.problem && r.problem->is_empty())) return std::nullopt;
  if (timing(r)->is_against_copy) return std::nullopt;
  if (timing(r)->is_reference) return 100.0;
  return paired_median(*timing(r));
}

Figure most_blocks(const Result& r) {
  Figure most;
  for (const Kernel& kernel : r.seen.kernels) {
    const int64_t blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    most = std::max(most.value_or(0), static_cast<double>(blocks));
  }
  return most;
}

// Returns the warps of all kernels. A block's last warp counts even if it is not full.
Figure warps(const Result& r) {
  Figure sum;
  for (const Kernel& kernel : r.seen.kernels) {
    const int64_t blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    const int64_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    sum = sum.value_or(0) + static_cast<double>(blocks * ((threads + 31) / 32));
  }
  return sum;
}

Figure error(const Result& r, Figure Errors::* which) {
  return r.judged.errors ? *r.judged.errors.*which : std::nullopt;
}

Figure of_timing(const Result& r, Figure Timing::* which) {
  return timing(r) ? timing(r)->*which : std::nullopt;
}

Figure reference_gflops(const Result& r) {
  if (!timing(r) || !r.problem || timing(r)->is_against_copy) return std::nullopt;
  if (timing(r)->reference_samples_ms.empty()) return std::nullopt;
  const double ms = quartiles(timing(r)->reference_samples_ms).median;
  return ratio(r.problem->flops(), ms * 1e6);
}

using Buffer = std::string_view;

constexpr Metric METRICS[] = {
    // Memory traffic, counted.
    {"load_sectors_per_request", "load sectors per request", "sectors/request", "", Better::neither,
     1,
     "32-byte sectors that a warp's load touches: 4 if its lanes load 32 neighbouring floats from "
     "a sector's beginning on",
     true,
     [](const Result& r, Buffer b, const Roofs&) {
       return ratio(count(r, counts::LOAD_SECTORS, b), count(r, counts::LOAD_REQUESTS, b));
     }},
    {"store_sectors_per_request", "store sectors per request", "sectors/request", "",
     Better::neither, 1, "32-byte sectors that a warp's store touches", true,
     [](const Result& r, Buffer b, const Roofs&) {
       return ratio(count(r, counts::STORE_SECTORS, b), count(r, counts::STORE_REQUESTS, b));
     }},
    {"load_lines_per_request", "lines per load", "lines/request", "", Better::neither, 1,
     "128-byte lines that a warp's load touches", true,
     [](const Result& r, Buffer b, const Roofs&) {
       return ratio(count(r, counts::LOAD_LINES, b), count(r, counts::LOAD_REQUESTS, b));
     }},
    {"store_lines_per_request", "lines per store", "lines/request", "", Better::neither, 1,
     "128-byte lines that a warp's store touches", true,
     [](const Result& r, Buffer b, const Roofs&) {
       return ratio(count(r, counts::STORE_LINES, b), count(r, counts::STORE_REQUESTS, b));
     }},
    {"load_bytes_per_lane", "bytes per load and lane", "bytes/lane", "", Better::neither, 0,
     "width of the loads (or of the cp.async that replace them)", true,
     [](const Result& r, Buffer b, const Roofs&) {
       return ratio(count(r, counts::LOAD_BYTES, b), count(r, counts::LOAD_LANES, b));
     }},
    {"store_bytes_per_lane", "bytes per store and lane", "bytes/lane", "", Better::neither, 0,
     "width of the stores", true,
     [](const Result& r, Buffer b, const Roofs&) {
       return ratio(count(r, counts::STORE_BYTES, b), count(r, counts::STORE_LANES, b));
     }},
    {"async_copy_share", "share of cp.async in the loads", "cp.async", "", Better::neither, 2,
     "bytes loaded by cp.async / all bytes loaded", true,
     [](const Result& r, Buffer b, const Roofs&) {
       // A kernel without cp.async has no such bytes, which is a share of 0.
       return ratio(count(r, counts::ASYNC_COPY_BYTES, b).value_or(0),
                    count(r, counts::LOAD_BYTES, b));
     }},
    {"bytes_used_over_fetched", "bytes used / bytes fetched", "bytes used", "", Better::more, 3,
     "of the bytes that sectors bring or take, the share that was asked for", false,
     [](const Result& r, Buffer, const Roofs&) {
       return ratio(count(r, counts::GLOBAL_BYTES_USED), count(r, counts::GLOBAL_BYTES_FETCHED));
     }},
    {"global_sectors", "sectors of global memory", "sectors", "", Better::less, 0,
     "32-byte sectors that all loads and stores touch", false,
     [](const Result& r, Buffer, const Roofs&) {
       const Figure bytes = count(r, counts::GLOBAL_BYTES_FETCHED);
       return bytes ? Figure(*bytes / 32) : bytes;
     }},
    {"flops_per_global_byte", "FLOP per byte of global memory", "FLOP/byte", "", Better::more, 2,
     "floating-point operations, of tensor cores too / bytes fetched from and written to global "
     "memory, in sectors",
     false,
     [](const Result& r, Buffer, const Roofs&) {
       const Figure flops = count(r, counts::FLOPS), tensor = count(r, counts::TENSOR_FLOPS);
       return ratio(flops && tensor ? Figure(*flops + *tensor) : flops,
                    count(r, counts::GLOBAL_BYTES_FETCHED));
     }},
    {"tensor_share", "share of tensor cores in the operations", "tensor", "", Better::neither, 2,
     "floating-point operations on tensor cores / all, those in FP32 included", false,
     [](const Result& r, Buffer, const Roofs&) {
       const Figure flops = count(r, counts::FLOPS), tensor = count(r, counts::TENSOR_FLOPS);
       return flops && tensor ? ratio(tensor, *flops + *tensor) : std::nullopt;
     },
     false},
    {"shared_loads_per_ffma", "shared loads per FFMA", "shared/FFMA", "", Better::less, 2,
     "loads from shared memory / multiply-adds, lane by lane", false,
     [](const Result& r, Buffer, const Roofs&) {
       return ratio(count(r, counts::SHARED_LOAD_LANES), count(r, counts::FFMA));
     }},
    {"shared_wavefronts_per_ffma", "wavefronts of shared loads per FFMA", "wavefronts/FFMA", "",
     Better::less, 2, "passes over the banks for loads / a warp's multiply-adds", false,
     [](const Result& r, Buffer, const Roofs&) {
       const Figure ffma = count(r, counts::FFMA);
       return ratio(count(r, counts::SHARED_LOAD_WAVEFRONTS), ffma ? Figure(*ffma / 32) : ffma);
     }},
    {"shared_bank_conflicts", "shared bank conflicts", "conflicts", "", Better::less, 0,
     "wavefronts beyond the least number, loads and stores", false,
     [](const Result& r, Buffer, const Roofs&) { return count(r, counts::SHARED_BANK_CONFLICTS); }},
    {"shared_load_wavefronts_per_request", "wavefronts per shared load", "wavefronts/load", "",
     Better::less, 2, "passes over the banks that a warp's load from shared memory takes", false,
     [](const Result& r, Buffer, const Roofs&) {
       return ratio(count(r, counts::SHARED_LOAD_WAVEFRONTS), count(r, counts::SHARED_LOADS));
     }},
    {"shared_store_wavefronts_per_request", "wavefronts per shared store", "wavefronts/store", "",
     Better::less, 2, "passes over the banks that a warp's store to shared memory takes", false,
     [](const Result& r, Buffer, const Roofs&) {
       return ratio(count(r, counts::SHARED_STORE_WAVEFRONTS), count(r, counts::SHARED_STORES));
     }},
    {"local_bytes", "bytes of local memory", "local", "", Better::less, 0,
     "traffic to .local: spills, or register arrays indexed at run time", false,
     [](const Result& r, Buffer, const Roofs&) { return count(r, counts::LOCAL_BYTES); }},
    {"copies_during_loads", "copies during loads", "copies hidden", "", Better::neither, 2,
     "copies by cp.async that were under way while their warp loaded from shared memory; 0 if each "
     "is awaited at once",
     false,
     [](const Result& r, Buffer, const Roofs&) {
       const Figure copies = count(r, counts::ASYNC_COPY_LANES);
       if (!copies) return r.seen.traffic ? Figure(0) : std::nullopt;  // there are no copies
       return ratio(count(r, counts::ASYNC_COPY_LANES_DURING_LOADS).value_or(0), copies);
     },
     false},
    {"barriers_per_warp", "barriers for each warp", "barriers/warp", "", Better::less, 1,
     "barriers of its block at which a warp waits, such as __syncthreads()", false,
     [](const Result& r, Buffer, const Roofs&) {
       return ratio(count(r, counts::BARRIERS), warps(r));
     },
     false},
    {"blocks", "blocks", "blocks", "", Better::neither, 0, "of the largest grid that was launched",
     false, [](const Result& r, Buffer, const Roofs&) { return most_blocks(r); }, false},

    // Errors, with --errors.
    {"frobenius_error", "relative Frobenius error", "error", "", Better::less, SHORT,
     "against an FP64 product: sqrt(sum of error^2) / sqrt(sum of value^2)", false,
     [](const Result& r, Buffer, const Roofs&) { return error(r, &Errors::frobenius); }},
    {"reference_frobenius_error", "relative Frobenius error of the reference", "ref error", "",
     Better::neither, SHORT, "the same of rung 0 on the same data", false,
     [](const Result& r, Buffer, const Roofs&) { return error(r, &Errors::reference_frobenius); }},
    {"largest_error", "largest error of an element", "max error", "", Better::less, SHORT,
     "the largest |error| / (|A||B|) of an element, against an FP64 product", false,
     [](const Result& r, Buffer, const Roofs&) { return error(r, &Errors::largest); }},
    {"reference_largest_error", "largest error of an element of the reference", "ref max", "",
     Better::neither, SHORT, "the same of rung 0 on the same data", false,
     [](const Result& r, Buffer, const Roofs&) { return error(r, &Errors::reference_largest); }},

    // Time, measured.
    {"median_ms", "median time", "time", "ms", Better::less, 2, "of one launch", false,
     [](const Result& r, Buffer, const Roofs&) { return median_ms(r); }},
    {"q1_ms", "first quartile of the time", "q1", "ms", Better::less, 2, "of one launch", false,
     [](const Result& r, Buffer, const Roofs&) {
       return timing(r) ? Figure(quartiles(timing(r)->samples_ms).q1) : std::nullopt;
     }},
    {"q3_ms", "third quartile of the time", "q3", "ms", Better::less, 2, "of one launch", false,
     [](const Result& r, Buffer, const Roofs&) {
       return timing(r) ? Figure(quartiles(timing(r)->samples_ms).q3) : std::nullopt;
     }},
    {"spread", "interquartile range / median", "IQR", "%", Better::less, 1,
     "how far the middle half of the samples scatters", false,
     [](const Result& r, Buffer, const Roofs&) -> Figure {
       if (!timing(r)) return std::nullopt;
       const Quartiles q = quartiles(timing(r)->samples_ms);
       return percent(ratio(q.q3 - q.q1, q.median));
     }},
    {"gflops", "GFLOP/s", "GFLOP/s", "", Better::more, 0, "2 M N K / median time", false,
     [](const Result& r, Buffer, const Roofs&) { return gflops(r); }},
    {"percent_of_cublas", "per cent of cuBLAS", "% cuBLAS", "", Better::more, 1,
     "median of the ratios of neighbouring samples, kernel and cuBLAS taking turns; of several "
     "runs "
     "the mean of their medians",
     false, [](const Result& r, Buffer, const Roofs&) { return percent_of_cublas(r); }},
    {"reference_gflops", "GFLOP/s of cuBLAS", "cuBLAS", "", Better::neither, 0,
     "2 M N K / median time of cuBLAS, which took turns with the kernel", false,
     [](const Result& r, Buffer, const Roofs&) { return reference_gflops(r); }},
    {"percent_of_fp16_roof", "per cent of the FP16 roof", "% FP16 roof", "", Better::more, 1,
     "of a third of the rate of cuBLAS's FP16 product: a product in FP16 parts takes three", false,
     [](const Result& r, Buffer, const Roofs&) {
       return percent(ratio(gflops(r), of_timing(r, &Timing::fp16_roof_gflops)));
     }},
    {"joules", "energy of a launch", "energy", "J", Better::less, 3,
     "of the whole device, measured while the kernel ran alone, again and again", false,
     [](const Result& r, Buffer, const Roofs&) { return of_timing(r, &Timing::joules); }},
    {"reference_joules", "energy of a launch of cuBLAS", "cuBLAS's energy", "J", Better::neither, 3,
     "the same of cuBLAS's product", false,
     [](const Result& r, Buffer, const Roofs&) { return of_timing(r, &Timing::reference_joules); }},
    {"reference_clock_mhz", "clock of cuBLAS", "cuBLAS's clock", "MHz", Better::neither, 0,
     "of the multiprocessors, the median while cuBLAS's samples were taken", false,
     [](const Result& r, Buffer, const Roofs&) {
       return of_timing(r, &Timing::reference_clock_mhz);
     }},
    {"percent_of_peak", "per cent of the FP32 peak", "% peak", "", Better::more, 1,
     "of the FP32 peak at the measured clock", false,
     [](const Result& r, Buffer, const Roofs&) {
       return timing(r) ? percent(ratio(gflops(r), timing(r)->fp32_peak_gflops)) : std::nullopt;
     }},
    {"clock_mhz", "clock", "clock", "MHz", Better::neither, 0,
     "of the multiprocessors, the median while the samples were taken", false,
     [](const Result& r, Buffer, const Roofs&) {
       return timing(r) && timing(r)->clocks_mhz.size() == 3 ? Figure(timing(r)->clocks_mhz[1])
                                                             : std::nullopt;
     }},
    {"gbytes_per_second", "GB/s", "GB/s", "", Better::more, 0,
     "bytes that must be read and written at least / median time: A and B once, C once (twice if "
     "beta is not 0)",
     false, [](const Result& r, Buffer, const Roofs&) { return gbytes_per_second(r); }},
    {"percent_of_copy", "per cent of a copy", "% copy", "", Better::more, 1,
     "of a device-to-device copy: of as many bytes in turns where there is no product, otherwise "
     "GB/s over the copy's",
     false,
     [](const Result& r, Buffer, const Roofs& roofs) {
       if (timing(r) && timing(r)->is_against_copy) return paired_median(*timing(r));
       return percent(ratio(gbytes_per_second(r), roofs.copy_gbytes_per_second));
     }},
};

}  // namespace

std::optional<double> ratio(std::optional<double> numerator, std::optional<double> denominator) {
  if (!numerator || !denominator || *denominator == 0) return std::nullopt;
  return *numerator / *denominator;
}

std::span<const Metric> metrics() { return METRICS; }

const Metric* find_metric(std::string_view key) {
  const auto found =
      std::ranges::find(METRICS, key, [](const Metric& m) { return std::string_view(m.key); });
  return found == std::end(METRICS) ? nullptr : &*found;
}

const Metric& metric(std::string_view key) {
  const Metric* found = find_metric(key);
  if (found == nullptr) throw std::logic_error("no metric " + std::string(key));
  return *found;
}

std::optional<double> value(const Result& result, std::string_view key, std::string_view buffer,
                            const Roofs& roofs) {
  return metric(key).value(result, buffer, roofs);
}

std::vector<double> paired_percent(const Timing& timing) {
  std::vector<double> ratios;
  const size_t pairs = std::min(timing.samples_ms.size(), timing.reference_samples_ms.size());
  for (size_t i = 0; i < pairs; ++i) {
    if (timing.samples_ms[i] > 0) {
      ratios.push_back(100 * timing.reference_samples_ms[i] / timing.samples_ms[i]);
    }
  }
  return ratios;
}

std::vector<std::vector<double>> by_run(const Timing& timing, const std::vector<double>& values) {
  const auto one_for_each = values.size() == timing.samples_ms.size();
  if (timing.samples_of_runs.empty() || !one_for_each) return {values};
  std::vector<std::vector<double>> runs;
  auto first = values.begin();
  for (const int samples : timing.samples_of_runs) {
    runs.emplace_back(first, first + samples);
    first += samples;
  }
  return runs;
}

std::optional<double> median_over_runs(const std::vector<std::vector<double>>& runs) {
  std::vector<double> medians;
  for (const std::vector<double>& run : runs) {
    if (!run.empty()) medians.push_back(quartiles(run).median);
  }
  return medians.empty() ? std::nullopt : std::optional(mean(medians));
}

}  // namespace results
