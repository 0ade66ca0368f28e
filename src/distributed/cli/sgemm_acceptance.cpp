// sgemm_acceptance: measures the GPUs of a cluster and judges each beside the others. mpirun starts it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "app/words.hpp"
#include "distributed/accept/own_run.hpp"
#include "distributed/cli/acceptance_request.hpp"
#include "distributed/cli/together.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/transport/processes.hpp"
#include "results/compare/acceptance.hpp"
#include "results/files/json.hpp"
#include "results/tables/acceptance_table.hpp"
#include "results/values/date.hpp"
#include "results/values/run.hpp"
#include "text/foreign.hpp"

namespace distributed {
namespace {

using results::GpuRun;
using runner::Error, runner::ExitCode;

constexpr const char* PROGRAM = "sgemm_acceptance";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = runner::split(text, '\n');
  std::erase(lines, "");
  return lines;
}

// Waits for all processes. It sleeps meanwhile, to leave the cores to processes that still measure.
void wait_for_all() {
  constexpr std::chrono::milliseconds PAUSE(20);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int is_done = 0;;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) return;
    runner::stop_if_interrupted();
    std::this_thread::sleep_for(PAUSE);
  }
}

// Returns the texts of all processes, on the process 0.
std::vector<std::string> gathered(const std::string& mine) {
  const int processes = size_of(MPI_COMM_WORLD);
  const auto length = static_cast<int64_t>(mine.size());
  std::vector<int64_t> lengths(static_cast<size_t>(processes));
  MPI_Gather(&length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (rank_in(MPI_COMM_WORLD) != 0) {
    MPI_Send(mine.data(), static_cast<int>(length), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return {};
  }
  std::vector<std::string> all{mine};
  for (int rank = 1; rank < processes; ++rank) {
    std::string& text =
        all.emplace_back(static_cast<size_t>(lengths[static_cast<size_t>(rank)]), ' ');
    MPI_Recv(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  return all;
}

// What came of all GPUs, on the process 0.
std::vector<GpuRun> gathered_runs(const std::string& gpu, const OwnRun& mine) {
  const std::vector<std::string> hosts = gathered(host_name()), gpus = gathered(gpu),
                                 texts = gathered(mine.text);
  std::vector<OwnRun::End> ends(static_cast<size_t>(size_of(MPI_COMM_WORLD)));
  MPI_Gather(&mine.end, sizeof mine.end, MPI_BYTE, ends.data(), sizeof mine.end, MPI_BYTE, 0,
             MPI_COMM_WORLD);
  std::vector<GpuRun> runs;
  for (size_t rank = 0; rank < texts.size(); ++rank) {
    GpuRun& run = runs.emplace_back(GpuRun{.rank = static_cast<int>(rank),
                                           .host = text::plain_line(hosts[rank]),
                                           .gpu = text::plain_line(gpus[rank])});
    if (ends[rank] == OwnRun::End::saved) {
      run.run = results::run_from_json(texts[rank]);
    } else {
      run.is_wrong = ends[rank] == OwnRun::End::wrong;
      run.reasons = lines_of(texts[rank]);
    }
  }
  return runs;
}

// The origin of the file: the device of the first GPU that has a run.
results::Provenance provenance(const std::vector<GpuRun>& runs,
                               const std::vector<std::string>& command_line) {
  results::Provenance from{.machine =
                               IS_SIMULATED ? results::Machine::simulator : results::Machine::cuda};
  for (const GpuRun& one : runs) {
    if (!one.run) continue;
    from = one.run->from;
    break;
  }
  from.roofs = {};  // of one GPU only
  from.date = results::utc_now();
  from.program = "sgemm_acceptance " SGEMM_VERSION;
  from.command_line = command_line;
  return from;
}

// Judges the GPUs, tells the verdicts and writes the file, if there is to be one.
ExitCode report(const std::vector<GpuRun>& runs, runner::OutputFile* json_file,
                const std::vector<std::string>& command_line) {
  results::Run run{.from = provenance(runs, command_line), .acceptance = results::judge(runs)};
  // mpirun gives its processes a terminal of their own, so whether people see colours is not known.
  runner::write_stdout(results::to_table(run.acceptance, runner::stdout_page(runner::When::never)));
  if (const std::string told = results::told(run.acceptance); !told.empty())
    runner::write_stderr(fmt::format("{}: {}\n", PROGRAM, told));
  if (json_file != nullptr) json_file->commit(results::to_json(run));
  return results::all_pass(run.acceptance) ? ExitCode::ok : ExitCode::regression;
}

ExitCode run(const AcceptanceRequest& request, const std::vector<std::string>& command_line) {
  const int rank = rank_in(MPI_COMM_WORLD);
  const std::string gpu = gpu_at(own_gpu());
  std::unique_ptr<runner::OutputFile> json_file;
  all_or_none([&] {
    if (rank != 0 || request.json_file.empty()) return;
    runner::require_free_or_replaced(request.json_file, request.replace);
    json_file = std::make_unique<runner::OutputFile>(request.json_file);
  });
  const OwnRun mine = measure_gpu(gpu, request.runner, request.words);
  wait_for_all();
  if (is_true_everywhere(mine.end == OwnRun::End::refused))
    throw Error(ExitCode::usage, fmt::format("{}", fmt::join(lines_of(mine.text), "; ")));
  const std::vector<GpuRun> runs = gathered_runs(gpu, mine);
  ExitCode code = ExitCode::ok;
  all_or_none([&] {
    if (rank == 0) code = report(runs, json_file.get(), command_line);
  });
  MPI_Bcast(&code, sizeof code, MPI_BYTE, 0, MPI_COMM_WORLD);
  return code;
}

ExitCode parse_and_run(int argc, char** argv) {
  const std::vector<std::string> command_line(argv, argv + argc);
  agree({command_line.begin() + 1, command_line.end()});
  const AcceptanceRequest request = parse_acceptance(argc, argv);
  if (request.help.empty()) return run(request, command_line);
  if (rank_in(MPI_COMM_WORLD) == 0) runner::write_stdout(request.help);
  return ExitCode::ok;
}

// A process that is interrupted ends all, because others may wait for it.
ExitCode run_until_interrupted(int argc, char** argv) {
  runner::catch_signals();
  return run_together(PROGRAM, [&] {
    try {
      return parse_and_run(argc, argv);
    } catch (const Error& error) {
      if (error.code() == ExitCode::interrupted)
        MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::interrupted));
      throw;
    }
  });
}

}  // namespace
}  // namespace distributed

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const runner::ExitCode code = distributed::run_until_interrupted(argc, argv);
  MPI_Finalize();
  return static_cast<int>(code);
}
