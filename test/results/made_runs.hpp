// Runs made by hand, for tests that need no device.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "results/values/counts.hpp"
#include "results/values/run.hpp"

namespace made {

using results::Count;
using results::Problem;
using results::Result;
using results::Run;

/// Returns a rung that is right, on M = N = K = `size`.
inline Result rung(int number, const std::string& name, int64_t size = 64) {
  Result r{.who = {.set = "sgemm", .number = number, .name = name},
           .problem = results::dense_problem(size, size, size),
           .date = "2026-01-02T03:04:06+00:00"};
  r.judged.correct = true;
  r.judged.compared = size * size;
  return r;
}

/// Returns the result with times: `ms` a launch, beside a reference that takes `reference_ms`.
inline Result timed(Result r, double ms, double reference_ms) {
  r.seen.timing = results::Timing{
      .samples_ms = {ms, ms, ms},
      .reference_samples_ms = {reference_ms, reference_ms, reference_ms},
      .clocks_mhz = {1965, 1980, 1980},
      .fp32_peak_gflops = 66908,
  };
  return r;
}

/// Returns the result with counts.
inline Result counted(Result r, std::vector<Count> counts) {
  r.seen.traffic = results::Traffic{.counts = std::move(counts), .simulation_seconds = 0.25};
  return r;
}

inline Run run_of(results::Machine machine, std::vector<Result> rows) {
  Run run{.results = std::move(rows)};
  run.from.machine = machine;
  run.from.date = "2026-01-02T03:04:05+00:00";
  run.from.device = machine == results::Machine::cuda ? "Example E100" : "simulated GPU";
  run.from.device_detail = "sm_90";
  return run;
}

/// Returns a run in which no field has its default value.
inline Run full() {
  namespace counts = results::counts;
  Run run;
  run.from = {.machine = results::Machine::cuda,
              .date = "2026-01-02T03:04:05+00:00",
              .program = "sgemm_runner 0.1.0",
              .commit = "0123456789abcdef",
              .uncommitted_changes = true,
              .command_line = {"sgemm_runner", "1", "--size", "64"},
              .device = "Example E100",
              .device_detail = "sm_90",
              .multiprocessors = 132,
              .memory_bytes = int64_t{1} << 37,
              .driver = "570.86.15",
              .cuda = "12.8",
              .cublas = "12.8.4",
              .power_limit_watts = 700.5,
              .clock_limit_mhz = 1980,
              .ecc = false,
              .schedule = UINT64_MAX,
              .roofs = {.copy_gbytes_per_second = 4123.25, .fp32_gflops = 60123.75}};
  Result r{.who = {.set = "labs",
                   .number = 3,
                   .name = "strided_copy",
                   .variant = "float4",
                   .parameters = {{"stride", 8}, {"offset", -1}}},
           .problem = Problem{.M = 65,
                              .N = 63,
                              .K = 61,
                              .lda = 64,
                              .ldb = 66,
                              .ldc = 68,
                              .offset_a = 1,
                              .offset_b = 2,
                              .offset_c = 63,
                              .alpha = 0.1f,
                              .beta = -2.5f,
                              .seed = UINT64_MAX,
                              .data = results::Data::cancelling,
                              .transposes_a = true,
                              .transposes_b = true,
                              .batch = 7,
                              .stride_a = 0,
                              .stride_b = 5000,
                              .stride_c = 6000},
           .below_fp32 = "TF32",
           .path = "few rows, scalar",
           .expected = {{12, "stream_k", 4.25}, {16, "tensor_fp32", 11}},
           .date = "2026-01-02T03:04:06+00:00"};
  r.seen.kernels = {{.name = "copy_kernel<Tile<8>>",
                     .grid = {1, 2, 3},
                     .block = {4, 5, 6},
                     .registers = 254,
                     .shared_bytes = 99328,
                     .blocks_per_multiprocessor = 2}};
  r.seen.traffic = results::Traffic{.counts = {{counts::LOAD_REQUESTS, "A", 4},
                                               {counts::LOAD_REQUESTS, "B", 2},
                                               {counts::LOAD_SECTORS, "A", 64},
                                               {counts::LOAD_SECTORS, "B", 8},
                                               {counts::LOAD_LINES, "A", 16},
                                               {counts::LOAD_LINES, "B", 2},
                                               {counts::LOAD_LANES, "A", 128},
                                               {counts::LOAD_LANES, "B", 64},
                                               {counts::LOAD_BYTES, "A", 2048},
                                               {counts::LOAD_BYTES, "B", 256},
                                               {counts::ASYNC_COPY_BYTES, "A", 1024},
                                               {counts::STORE_REQUESTS, "C", 3},
                                               {counts::STORE_SECTORS, "C", 12},
                                               {counts::STORE_LINES, "C", 6},
                                               {counts::STORE_LANES, "C", 96},
                                               {counts::STORE_BYTES, "C", 384},
                                               {counts::GLOBAL_BYTES_FETCHED, "", 3200},
                                               {counts::GLOBAL_BYTES_USED, "", 2400},
                                               {counts::SHARED_LOADS, "", 8},
                                               {counts::SHARED_LOAD_WAVEFRONTS, "", 12},
                                               {counts::SHARED_STORES, "", 2},
                                               {counts::SHARED_STORE_WAVEFRONTS, "", 5},
                                               {counts::SHARED_LOAD_LANES, "", 64},
                                               {counts::SHARED_BANK_CONFLICTS, "", 7},
                                               {counts::LOCAL_BYTES, "", 96},
                                               {counts::FFMA, "", 32},
                                               {counts::FLOPS, "", UINT64_MAX},
                                               {counts::TENSOR_FLOPS, "", uint64_t{1} << 63},
                                               {counts::BARRIERS, "", 36}},
                                    .simulation_seconds = 0.125};
  r.seen.timing = results::Timing{.options = {.cold = true,
                                              .once = true,
                                              .no_graph = true,
                                              .energy = true,
                                              .seconds = 0.5,
                                              .samples = 7,
                                              .target_spread = 0.0625},
                                  .samples_ms = {1, 2, 3, 4, 5},
                                  .reference_samples_ms = {2, 2, 3, 2, 5},
                                  .samples_of_runs = {2, 3},
                                  .sample_seconds = {0, 0.25, 0, 0.5, 1},
                                  .sample_clocks_mhz = {1980, 0, 1965, 1950, 1980},
                                  .is_reference = true,
                                  .launches_per_sample = 50,
                                  .steady = false,
                                  .clocks_mhz = {1500, 1755, 1980},
                                  .reference_clock_mhz = 1860,
                                  .joules = 0.5,
                                  .reference_joules = 1.75,
                                  .fp16_roof_gflops = 200000,
                                  .slowdowns = {"power limit", "thermal slowdown"},
                                  .fp32_peak_gflops = 66908.25};
  r.seen.left_to_fp64 = {.rows = 3, .cols = 1, .bands = 7, .share = 0.125};
  r.seen.lines = {{.file = "strided_copy.cu",
                   .line = 30,
                   .instruction = "ld.global.v4.f32",
                   .buffer = "A",
                   .bytes_per_lane = 16,
                   .requests = 4,
                   .lanes = 128,
                   .bytes_used = 2047,
                   .sectors = 64,
                   .lines = 16,
                   .wavefronts = 5,
                   .bank_conflicts = 7}};
  r.seen.looked_for_hazards = true;
  r.seen.hazards = {{.kind = "race",
                     .message = "one writes\nwhat another reads",
                     .kernel = "copy_kernel",
                     .lines = {"strided_copy.cu:30", "strided_copy.cu:33"},
                     .times = 4096}};
  r.judged = {.error = "cudaErrorIllegalAddress",
              .complaint = "C[1][2] is 4, should be 3",
              .failure = "simulated GPU: illegal memory access\n  block (0,0,0)\n",
              .first_mismatch =
                  results::Mismatch{
                      .row = 1, .col = 2, .got = 4.5f, .want = 3.25, .bound = 0.0625, .product = 6},
              .compared = 4095,
              .max_abs_error = 1.25,
              .error_over_bound = 20,
              .errors = results::Errors{.frobenius = 0x1p-10,
                                        .largest = 0x1p-12,
                                        .reference_frobenius = 0x1p-22,
                                        .reference_largest = 0x1p-23,
                                        .wrong_infinities = 3,
                                        .reference_wrong_infinities = 2,
                                        .frobenius_floor = 0x1p-21,
                                        .largest_floor = 0x1p-20},
              .claims = {{.counter = "load_sectors_per_request",
                          .buffer = "A",
                          .relation = "=",
                          .value = 16,
                          .counted = 16,
                          .kept = true},
                         {.counter = "async_copy_share",
                          .buffer = "",
                          .relation = ">=",
                          .value = 1,
                          .counted = std::nullopt,
                          .kept = false}},
              .contract = {{"an empty K scales C", "C[0][0] was never written"}},
              .contract_checks = 14,
              .doubts = {"power limit", "only 5 samples"}};
  r.compared = results::Compared{.verdict = results::Change::slower,
                                 .reasons = {"5.1 % below", "beyond 3 %"},
                                 .base_percent = std::array{90.5, 91.25, 92.0},
                                 .base_ms = 2.5,
                                 .change_percent = -5.125,
                                 .threshold_percent = 3,
                                 .p_value = 0.0001};
  run.compared_with = results::ComparedWith{.file = "base.json",
                                            .date = "2026-01-01T00:00:00+00:00",
                                            .commit = "fedcba9876543210",
                                            .notes = {"driver 570 there, 580 here"}};
  run.results = {r};
  return run;
}

/// Returns a lab's run: a variant timed beside a copy, and one that refused its sizes.
inline results::Run of_a_lab() {
  const auto who = [](const char* variant) {
    return results::Identity{.set = "lab",
                             .name = "copy_stride",
                             .variant = variant,
                             .parameters = {{"elements", 16384}}};
  };
  Result r{.who = who("8"),
           .useful_bytes = 131072,
           .idea = "every eighth",
           .date = "2026-01-02T03:04:06+00:00"};
  r.seen.timing = results::Timing{
      .samples_ms = {4, 4, 4}, .reference_samples_ms = {1, 2, 3}, .is_against_copy = true};
  r.judged.correct = true;
  const Result refused{.who = who("float4"),
                       .idea = "16 bytes a lane",
                       .refusal = "a float4 must lie at a multiple of 16 bytes",
                       .date = "2026-01-02T03:04:07+00:00"};
  Run run = run_of(results::Machine::cuda, {r, refused});
  run.lessons = {{"copy_stride", "what does a stride cost?", "A sector for each lane."}};
  return run;
}

/// Returns a run of sgemm_distributed: a product on two processes, measured, and continued from a checkpoint. Together they have
/// every field with a value other than its default.
inline Run of_two_processes() {
  Run run = run_of(results::Machine::cuda, {});
  run.distributed = {{
      .M = 512,
      .N = 384,
      .K = 256,
      .transposes_a = true,
      .transposes_b = true,
      .alpha = 0.1f,
      .beta = -2.5f,
      .seed = UINT64_MAX,
      .grid_rows = 2,
      .grid_cols = 1,
      .block = 64,
      .panel = 128,
      .kernel = "best",
      .carrier = "nccl",
      .correct = true,
      .error_over_bound = 0.0625,
      .elements_compared = 4096,
      .failures = {"rank 1: memory beside a matrix was written"},
      .samples_s = {0.25, 1, 0.5},
      .reproducible = true,
      .usual_samples_s = {0.375, 0.5},
      .device_bytes = int64_t{1} << 33,
      .tiles = 3,
      .bits = "0123456789abcdef",
      .one_gpu_samples_s = {0.75, 0.875},
      .cublas_samples_s = {0.75},
      .cublasmp_samples_s = {1, 1.5},
      .model_s = 0.375,
      .least_bytes = 393216,
      .processes =
          {{.rank = 0,
            .host = "first",
            .device = "Example E100",
            .whole_s = 0.5,
            .product_s = 0.4375,
            .messages_s = 0.125,
            .received_bytes = 196608,
            .spans = {{.is_product = false, .panel = 0, .begin_s = -0x1p-20, .end_s = 0.0625},
                      {.is_product = true, .panel = 0, .begin_s = 0.0625, .end_s = 0.5},
                      {.is_product = false, .panel = 1, .begin_s = 0.125, .end_s = 0.1875}}},
           {.rank = 1,
            .host = "second",
            .device = "Example E200",
            .whole_s = 0.5,
            .product_s = 0.375,
            .messages_s = 0.5,
            .received_bytes = 200000,
            .spans = {{.is_product = true, .panel = 1, .begin_s = 0.125, .end_s = 0.5}}}},
  }};
  run.distributed.push_back(run.distributed[0]);
  run.distributed[1].tiles_found = 2;
  return run;
}

/// Returns a run of sgemm_acceptance: three GPUs, of which one is slower and one is wrong. Together they have every field with a value other
/// than its default.
inline Run of_three_gpus() {
  using results::JudgedGpu, results::JudgedRow;
  Run run = run_of(results::Machine::cuda, {});
  const JudgedRow right{.name = "sgemm/12_stream_k/4096x4096x2048",
                        .kernel = "12 stream_k",
                        .M = 4096,
                        .N = 4096,
                        .K = 2048,
                        .quartiles_ms = std::array{1.25, 1.5, 1.75},
                        .clock_mhz = 1980,
                        .base_rank = 0,
                        .compared = {.verdict = results::Change::same,
                                     .base_ms = 1.5,
                                     .change_percent = 0,
                                     .threshold_percent = 3,
                                     .p_value = 1}};
  JudgedRow slow = right;
  slow.quartiles_ms = std::array{1.875, 2.0, 2.25};
  slow.clock_mhz = 1500;
  slow.slowdowns = {"hardware slowdown"};
  slow.compared = {.verdict = results::Change::slower,
                   .reasons = {"the speed changed by -25.0 %"},
                   .base_percent = std::array{90.5, 91.25, 92.0},
                   .base_ms = 1.5,
                   .change_percent = -25,
                   .threshold_percent = 3,
                   .p_value = 0.0001};
  const JudgedRow of_a_lab{.name = "lab/copy_stride/8/elements=16384",
                           .kernel = "copy_stride/8",
                           .compared = {.reasons = {"there is nothing to compare it with"}}};
  run.acceptance = {{.rank = 0,
                     .host = "first",
                     .gpu = "0",
                     .device = "Example E100",
                     .driver = "570.86.15",
                     .cuda = "12.8",
                     .cublas = "12.8.4",
                     .power_limit_watts = 700,
                     .verdict = results::GpuVerdict::ok,
                     .clocks_mhz = std::array{1965.0, 1980.0, 1980.0},
                     .rows = {right}},
                    {.rank = 1,
                     .host = "second",
                     .gpu = "GPU-8f2c",
                     .device = "Example E100",
                     .driver = "570.86.15",
                     .cuda = "12.8",
                     .cublas = "12.8.4",
                     .power_limit_watts = 500.5,
                     .verdict = results::GpuVerdict::slower,
                     .reasons = {"12 stream_k at 4096x4096x2048 is 25.0 % slower than on rank 0",
                                 "its clock was 1500 MHz, and 1980 MHz on rank 0"},
                     .clocks_mhz = std::array{1485.0, 1500.0, 1515.0},
                     .rows = {slow, of_a_lab}},
                    {.rank = 2,
                     .host = "second",
                     .gpu = "1",
                     .verdict = results::GpuVerdict::wrong,
                     .reasons = {"C[1][2] is 4, should be 3"}}};
  return run;
}

}  // namespace made
