// sgemm_distributed: one product on the GPUs of many processes. mpirun starts it.
#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/error.hpp"
#include "app/output.hpp"
#include "app/project.hpp"
#include "app/terminal.hpp"
#include "distributed/cli/request.hpp"
#include "distributed/cli/together.hpp"
#include "distributed/fault/fault.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/run/measure.hpp"
#include "distributed/transport/processes.hpp"
#include "results/files/json.hpp"
#include "results/tables/distributed_table.hpp"
#include "results/values/date.hpp"
#include "results/values/distributed_model.hpp"
#include "results/values/run.hpp"

namespace distributed {
namespace {

using runner::Error, runner::ExitCode;

results::Provenance provenance(const std::vector<std::string>& command_line) {
  const MachineFacts facts = machine_facts();
  const auto known = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  results::Provenance from{
      .machine = IS_SIMULATED ? results::Machine::simulator : results::Machine::cuda,
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
    results::DistributedProduct& product = run_.distributed.emplace_back(measured.product);
    product.kernel = name_of_algorithm(request_.problems.front().algorithm);
    product.carrier = request_.carrier == Carrier::nccl ? "nccl" : "mpi";
    product.model_s = results::modelled_seconds(product);
    if (run_.distributed.size() == 1) runner::write_stdout(table_.headings(product));
    runner::write_stdout(table_.entry(product));
    std::string notes;
    for (const std::string& failure : product.failures) notes += failure + "\n";
    if (!measured.note.empty()) notes += measured.note + "\n";
    runner::write_stderr(notes);
    is_right_ = is_right_ && product.correct;
    if (!request_.json_file.empty())
      runner::OutputFile(request_.json_file).commit(results::to_json(run_));
  }

  void end() const { runner::write_stdout(table_.left_out()); }
  ExitCode code() const { return is_right_ ? ExitCode::ok : ExitCode::wrong; }

 private:
  const Request& request_;
  const results::DistributedTable table_{runner::stdout_page(runner::When::automatic)};
  results::Run run_;
  bool is_right_ = true;
};

ExitCode run(const Request& r, const std::vector<std::string>& command_line) {
  choose_gpu(own_gpu());
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
  if (report) report->end();
  ExitCode code = report ? report->code() : ExitCode::ok;
  MPI_Bcast(&code, sizeof code, MPI_BYTE, 0, MPI_COMM_WORLD);
  return code;
}

// What the cost model says of the products on each of the grids.
std::string predictions(const Request& request) {
  std::vector<results::DistributedProduct> products;
  for (const Problem& problem : request.problems)
    for (const Grid& grid : request.predicted) products.push_back(description_of(problem, grid));
  return results::to_predictions(products, request.rates,
                                 runner::stdout_page(runner::When::automatic));
}

ExitCode parse_and_run(int argc, char** argv) {
  const int rank = rank_in(MPI_COMM_WORLD);
  const std::vector<std::string> command_line(argv, argv + argc);
  const char* const fault = std::getenv("SGEMM_FAULT");
  if (const std::string refusal = plant_fault(fault == nullptr ? "" : fault, rank);
      !is_true_everywhere(refusal.empty()))
    throw Error(ExitCode::usage, refusal);
  agree({command_line.begin() + 1, command_line.end()});
  const Request request = parse(argc, argv, size_of(MPI_COMM_WORLD));
  if (request.help.empty() && request.predicted.empty()) return run(request, command_line);
  const std::string text = request.help.empty() ? predictions(request) : request.help;
  if (rank == 0) runner::write_stdout(text);
  return ExitCode::ok;
}

}  // namespace
}  // namespace distributed

int main(int argc, char** argv) {
  // All kernels are loaded at once. To load one later, CUDA may wait for those that run: for ever, if that is a message from a process that
  // has fallen silent.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  MPI_Init(&argc, &argv);
  const runner::ExitCode code = distributed::run_together(
      "sgemm_distributed", [&] { return distributed::parse_and_run(argc, argv); });
  MPI_Finalize();
  return static_cast<int>(code);
}
