// sgemm_distributed: one product on the GPUs of many processes. mpirun starts it.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/error.hpp"
#include "app/output.hpp"
#include "app/project.hpp"
#include "distributed/cli/request.hpp"
#include "distributed/cli/table.hpp"
#include "distributed/fault/fault.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/run/measure.hpp"
#include "distributed/transport/processes.hpp"
#include "results/files/json.hpp"
#include "results/values/date.hpp"
#include "results/values/run.hpp"
#include "sgemm_ladder.h"

namespace distributed {
namespace {

using runner::Error, runner::ExitCode;

// Returns true if it is true on all processes.
bool is_true_everywhere(bool here) {
  int everywhere = 0;
  const int mine = here ? 1 : 0;
  MPI_Allreduce(&mine, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return everywhere != 0;
}

// Throws on all processes if one has another version or other arguments than the process 0.
void agree(const std::vector<std::string>& arguments) {
  std::string mine = std::to_string(sgemm_ladder_version());
  for (const std::string& word : arguments) mine += '\n' + word;
  uint64_t length = mine.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  std::string first = mine;
  first.resize(length);
  MPI_Bcast(first.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (!is_true_everywhere(mine == first))
    throw Error(ExitCode::usage,
                "the processes have different arguments or versions; start the same program with "
                "the same arguments on all");
}

// Runs a step of one process. If it refuses, all processes refuse.
void all_or_none(const std::function<void()>& step) {
  std::optional<Error> refusal;
  try {
    step();
  } catch (const Error& error) {
    refusal = error;
  }
  if (is_true_everywhere(!refusal)) return;
  throw refusal.value_or(Error(ExitCode::usage, "another process refused"));
}

// Gives each process of a machine a GPU of its own.
void choose_device() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  const int place = rank_in(machine), processes = size_of(machine);
  MPI_Comm_free(&machine);
  const int gpus = gpus_for(processes);
  if (!is_true_everywhere(processes <= gpus))
    throw Error(
        ExitCode::usage,
        fmt::format("a machine has {} processes and {} GPUs; each process needs a GPU of its own",
                    processes, gpus));
  choose_gpu(place);
}

results::Provenance provenance(const std::vector<std::string>& command_line) {
  const MachineFacts facts = machine_facts();
  const auto known = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  results::Provenance from{
      .machine = facts.is_simulated ? results::Machine::simulator : results::Machine::cuda,
      .date = results::utc_now(),
      .program = "sgemm_distributed " SGEMM_VERSION,
      .command_line = command_line};
  from.device = facts.device;
  from.device_detail = facts.device_detail;
  from.multiprocessors = facts.multiprocessors;
  from.memory_bytes = facts.memory_bytes;
  from.cuda = known(facts.cuda);
  from.driver = known(facts.driver);
  from.cublas = known(facts.cublas);
  const runner::Commit commit = runner::commit_of_sources();
  from.commit = commit.name;
  from.uncommitted_changes = commit.has_changes;
  return from;
}

// Tells the result of one product, and keeps all results so far in the file. Only the process 0 has one.
class Report {
 public:
  Report(const Request& request, const std::vector<std::string>& command_line) : request_(request) {
    if (!request.json_file.empty()) {
      runner::require_free_or_replaced(request.json_file, request.replace);
      run_.from = provenance(command_line);
      const runner::OutputFile is_writable(request.json_file);
    }
  }

  void add(const Measured& measured) {
    if (!has_headings_) runner::write_stdout(text_of(request_) + "\n" + headings());
    has_headings_ = true;
    runner::write_stdout(line_of(measured.product));
    std::string notes;
    for (const std::string& failure : measured.product.failures) notes += failure + "\n";
    runner::write_stdout(notes_of(measured.product));
    if (!measured.note.empty()) notes += measured.note + "\n";
    runner::write_stderr(notes);
    is_right_ = is_right_ && measured.product.correct;
    if (request_.json_file.empty()) return;
    results::DistributedProduct& kept = run_.distributed.emplace_back(measured.product);
    kept.kernel = name_of_algorithm(request_.problems.front().algorithm);
    kept.carrier = request_.carrier == Carrier::nccl ? "nccl" : "mpi";
    runner::OutputFile(request_.json_file).commit(results::to_json(run_));
  }

  ExitCode code() const { return is_right_ ? ExitCode::ok : ExitCode::wrong; }

 private:
  const Request& request_;
  results::Run run_;
  bool has_headings_ = false, is_right_ = true;
};

ExitCode run(const Request& r, const std::vector<std::string>& command_line) {
  choose_device();
  std::vector<std::vector<Tile>> tiles;
  tiles.reserve(r.problems.size());
  for (const Problem& problem : r.problems)
    tiles.push_back(planned_tiles(problem, r.grid, r.protocol, MPI_COMM_WORLD));
  std::optional<Report> report;
  all_or_none([&] {
    if (rank_in(MPI_COMM_WORLD) == 0) report.emplace(r, command_line);
  });
  const std::unique_ptr<Transport> transport =
      make_transport(r.carrier, MPI_COMM_WORLD, r.grid, r.patience);
  for (size_t i = 0; i < r.problems.size(); ++i) {
    const Measured measured =
        measure(r.problems[i], r.grid, r.protocol, tiles[i], *transport, MPI_COMM_WORLD);
    if (report) report->add(measured);
  }
  ExitCode code = report ? report->code() : ExitCode::ok;
  MPI_Bcast(&code, sizeof code, MPI_BYTE, 0, MPI_COMM_WORLD);
  return code;
}

// What all processes refuse alike, the process 0 tells. Another failure ends all processes.
ExitCode run_or_tell(int argc, char** argv) {
  const int rank = rank_in(MPI_COMM_WORLD);
  const std::vector<std::string> command_line(argv, argv + argc);
  try {
    const char* const fault = std::getenv("SGEMM_FAULT");
    if (const std::string refusal = plant_fault(fault == nullptr ? "" : fault, rank);
        !is_true_everywhere(refusal.empty()))
      throw Error(ExitCode::usage, refusal);
    agree({command_line.begin() + 1, command_line.end()});
    const Request request = parse(argc, argv, size_of(MPI_COMM_WORLD));
    if (request.help.empty()) return run(request, command_line);
    if (rank == 0) fmt::print("{}", request.help);
    return ExitCode::ok;
  } catch (const Error& error) {
    if (rank == 0) fmt::print(stderr, "sgemm_distributed: {}\n", error.what());
    return error.code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "sgemm_distributed: rank {}: {}\n", rank, error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::failure));
    return ExitCode::failure;
  }
}

}  // namespace
}  // namespace distributed

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const runner::ExitCode code = distributed::run_or_tell(argc, argv);
  MPI_Finalize();
  return static_cast<int>(code);
}
