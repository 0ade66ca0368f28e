#include "runner/inspect/sass_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/find_tool.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/own_program.hpp"
#include "app/subprocess.hpp"
#include "app/words.hpp"
#include "results/files/json.hpp"
#include "results/values/date.hpp"
#include "runner/inspect/inspect.hpp"
#include "runner/machine/kernel_name.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/baselines.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {
namespace {

using Json = nlohmann::ordered_json;
using results::Result;
using results::Run;

constexpr int SCHEMA = 1;
// The recorded figures' architecture. It is preferred if the program was built for several.
constexpr const char* PREFERRED_ARCHITECTURE = "sm_90a";

Error failed(const std::string& what) { return {ExitCode::failure, what}; }

std::string output_of(const std::vector<std::string>& command) {
  Finished finished = run_interruptibly(command);
  stop_if_interrupted();
  if (finished.code == 0) return std::move(finished.output);
  const size_t begin = finished.output.find_first_not_of(" \t\r\n");
  const std::string line =
      begin == std::string::npos
          ? ""
          : finished.output.substr(begin, finished.output.find('\n', begin) - begin);
  throw failed(fmt::format("'{}' ended with {}{}{}", command.front(), finished.code,
                           line.empty() ? "" : ": ", printable(line)));
}

// Returns "cuobjdump 13.0.88" for "Cuda compilation tools, release 13.0, V13.0.88".
std::string version_of(const std::string& cuobjdump) {
  const std::string text = output_of({cuobjdump, "--version"});
  const size_t at = text.find(", V");
  if (at == text.npos) return "cuobjdump";
  const size_t begin = at + 3;
  return "cuobjdump " + text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

std::string chosen_architecture(const std::vector<SassResources>& all) {
  std::set<std::string> known;
  for (const SassResources& one : all) known.insert(one.architecture);
  return known.contains(PREFERRED_ARCHITECTURE) ? PREFERRED_ARCHITECTURE
         : known.empty()                        ? ""
                                                : *known.rbegin();
}

Json written(const SassEntry& entry) {
  const SassSummary& s = entry.summary;
  Json accesses = Json::array();
  for (const SassAccess& access : s.accesses) {
    accesses.push_back({{"kind", access.kind},
                        {"bytes_per_lane", access.bytes},
                        {"opcode", access.opcode},
                        {"in_main_loop", access.in_loop},
                        {"outside", access.outside}});
  }
  return {{"subject", entry.subject},
          {"kernel", s.kernel},
          {"promised", entry.is_promised},
          {"architecture", s.architecture},
          {"registers", s.registers},
          {"stack_bytes", s.stack_bytes},
          {"spills", s.spills},
          {"has_main_loop", s.has_loop},
          {"main_loop_instructions", s.loop_instructions},
          {"main_loop_ffma", s.loop_ffma},
          {"accesses", accesses}};
}

SassEntry entry_from(const Json& row) {
  SassEntry entry{.subject = row.at("subject"), .is_promised = row.at("promised")};
  SassSummary& s = entry.summary;
  s = {.kernel = row.at("kernel"),
       .architecture = row.at("architecture"),
       .registers = row.at("registers"),
       .stack_bytes = row.at("stack_bytes"),
       .spills = row.at("spills"),
       .has_loop = row.at("has_main_loop"),
       .loop_instructions = row.at("main_loop_instructions"),
       .loop_ffma = row.at("main_loop_ffma")};
  for (const Json& access : row.at("accesses")) {
    s.accesses.push_back({.kind = access.at("kind"),
                          .bytes = access.at("bytes_per_lane"),
                          .opcode = access.at("opcode"),
                          .in_loop = access.at("in_main_loop"),
                          .outside = access.at("outside")});
  }
  return entry;
}

// Returns the machine code of this program, or of the requested one. Nothing if it has none or no tool can read it;
// `why` then has the reason.
std::optional<SassReport> looked_into(const SassRequest& request, const Run& run,
                                      std::string* why) {
  const bool asked = !request.program.empty();
  if (!asked && machine::KIND != results::Machine::cuda) {
    *why = "this program's kernels are compiled for the simulated GPU";
    return std::nullopt;
  }
  const auto cuobjdump = find_cuda_tool("cuobjdump");
  if (!cuobjdump) {
    *why = fmt::format("cuobjdump is not to be found {}", WHERE_CUDA_TOOLS_LIE);
    if (asked) throw failed(*why);
    return std::nullopt;
  }
  const std::string program = asked ? request.program : own_program().string();
  return sass_report(request.workloads, run, *cuobjdump, program);
}

SassReport only(SassReport report, const std::vector<Workload>& workloads) {
  std::erase_if(report.entries, [&](const SassEntry& entry) {
    return std::ranges::none_of(workloads,
                                [&](const Workload& s) { return sass_name(s) == entry.subject; });
  });
  return report;
}

bool keeps_its_word(const Workload& workload, const SassEntry& entry,
                    std::span<const SassEntry> all) {
  return std::ranges::all_of(width_verdicts(workload, entry, all),
                             [](const WidthVerdict& verdict) { return verdict.access != nullptr; });
}

}  // namespace

std::string sass_name(const Workload& workload) {
  const results::Identity who = workload.who;
  return fmt::format("{}/{}{}{}", who.set, results::label(who), who.variant.empty() ? "" : "/",
                     who.variant);
}

std::vector<std::pair<std::string, bool>> kernels_of(const Workload& workload, const Run& run) {
  std::vector<std::pair<std::string, bool>> kernels;
  const results::Identity who = workload.who;
  for (const Result& result : run.results) {
    const results::Identity& other = result.who;
    if (other.set != who.set || other.name != who.name || other.variant != who.variant) continue;
    for (const results::Kernel& kernel : result.seen.kernels) {
      const bool promised = !result.judged.claims.empty();
      const auto known =
          std::ranges::find(kernels, kernel.name, &std::pair<std::string, bool>::first);
      if (known == kernels.end()) {
        kernels.emplace_back(kernel.name, promised);
      } else {
        known->second |= promised;
      }
    }
  }
  return kernels;
}

SassReport sass_report(const std::vector<Workload>& workloads, const Run& run,
                       const std::string& cuobjdump, const std::string& program) {
  results::Provenance from;  // machine code needs no device
  add_commit(from);
  SassReport report{
      .date = results::utc_now(), .toolkit = version_of(cuobjdump), .commit = from.commit};
  const std::vector<SassResources> resources =
      read_resources(output_of({cuobjdump, "-res-usage", program}));
  const std::string architecture = chosen_architecture(resources);
  std::map<std::string, const SassResources*> by_kernel;
  for (const SassResources& one : resources) {
    if (one.architecture == architecture) by_kernel[kernel_name(one.name)] = &one;
  }

  // Disassembles the requested kernels only: a program has hundreds of megabytes of machine code.
  std::string functions;
  std::set<std::string> wanted;
  for (const Workload& workload : workloads) {
    const auto kernels = kernels_of(workload, run);
    if (kernels.empty()) {
      throw failed(fmt::format(
          "which kernels {} launches is not recorded: 'bench/record.py counters' records it",
          workload.name));
    }
    for (const auto& [kernel, promised] : kernels) {
      const auto known = by_kernel.find(kernel);
      if (known == by_kernel.end()) {
        throw failed(fmt::format(
            "'{}' has no kernel {} ({}{})", program, kernel,
            resources.empty() ? "it has no machine code for a GPU at all" : "for ", architecture));
      }
      if (wanted.insert(kernel).second)
        functions += (functions.empty() ? "" : ",") + known->second->name;
    }
  }
  std::map<std::string, SassSummary> summaries;
  for (const SassFunction& function : read_sass(
           output_of({cuobjdump, "-sass", "-arch", architecture, "-fun", functions, program}))) {
    SassSummary summary = summary_of(function);
    const auto known = by_kernel.find(summary.kernel);
    if (known == by_kernel.end()) continue;
    summary.registers = known->second->registers;
    summary.stack_bytes = known->second->stack_bytes;
    summaries[summary.kernel] = std::move(summary);
  }
  for (const Workload& workload : workloads) {
    const std::string name = sass_name(workload);
    for (const auto& [kernel, promised] : kernels_of(workload, run)) {
      const auto summary = summaries.find(kernel);
      if (summary == summaries.end()) {
        throw failed(fmt::format("'{}' printed no code of {}", cuobjdump, kernel));
      }
      SassEntry entry{.subject = name, .is_promised = promised, .summary = summary->second};
      if (std::ranges::find(report.entries, entry) ==
          report.entries.end())  // at another size it was seen before
        report.entries.push_back(std::move(entry));
    }
  }
  return report;
}

std::string to_json(const SassReport& report) {
  Json kernels = Json::array();
  for (const SassEntry& entry : report.entries) kernels.push_back(written(entry));
  const Json json = {{"context",
                      {{"sass_schema", SCHEMA},
                       {"date", report.date},
                       {"commit", report.commit ? Json(*report.commit) : Json(nullptr)},
                       {"toolkit", report.toolkit}}},
                     {"kernels", kernels}};
  return json.dump(2) + "\n";
}

SassReport read_sass_report(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw failed(fmt::format("'{}' cannot be read", path));
  try {
    const Json json = Json::parse(file);
    const Json& context = json.at("context");
    if (context.at("sass_schema") != SCHEMA) {
      throw failed(fmt::format("'{}' cannot be used: it is not of schema {}", path, SCHEMA));
    }
    SassReport report{.date = context.at("date"), .toolkit = context.at("toolkit")};
    if (!context.at("commit").is_null()) report.commit = context.at("commit").get<std::string>();
    for (const Json& row : json.at("kernels")) report.entries.push_back(entry_from(row));
    return report;
  } catch (const Json::exception&) {
    throw failed(fmt::format("'{}' cannot be used: 'sass --json' did not write it", path));
  }
}

std::vector<WidthVerdict> width_verdicts(const Workload& workload, const SassEntry& entry,
                                         std::span<const SassEntry> all) {
  if (!entry.is_promised) return {};
  std::vector<WidthVerdict> verdicts;
  for (const device::Claim& claim : workload.promise) {
    if (std::string_view(claim.counter) != "load_bytes_per_lane") continue;
    if (claim.relation != device::Relation::equal) continue;
    const auto bytes = static_cast<int>(claim.value);
    const auto known = std::ranges::find(verdicts, bytes, &WidthVerdict::bytes);
    if (known != verdicts.end()) {
      known->buffers += fmt::format(", {}", claim.buffer);
    } else {
      verdicts.push_back({claim.buffer, bytes, load_of_width(entry.summary, bytes)});
    }
  }
  std::erase_if(verdicts, [&](const WidthVerdict& verdict) {
    return verdict.access == nullptr && std::ranges::any_of(all, [&](const SassEntry& other) {
             return other.is_promised && other.subject == entry.subject &&
                    load_of_width(other.summary, verdict.bytes) != nullptr;
           });
  });
  return verdicts;
}

std::string sass_text(const Workload& workload, const SassEntry& entry, const text::Page& page,
                      std::span<const SassEntry> all) {
  const text::Signs signs(page.unicode);
  const SassSummary& s = entry.summary;
  std::string text =
      text::wrap(fmt::format("{} ({}){}", s.kernel, s.architecture,
                             entry.is_promised ? "" : ", at sizes of which nothing is promised"),
                 page.width, 2) +
      "\n";
  const std::string spilt = s.spills == 0
                                ? "nothing spilt"
                                : fmt::format("{} loads and stores of local memory", s.spills);
  text += fmt::format("  {} registers, {}", s.registers, spilt);
  if (s.stack_bytes > 0) text += fmt::format(", {} bytes of stack", s.stack_bytes);
  text += "\n";
  text += fmt::format("  {}: {} instructions",
                      s.has_loop ? "main loop" : "no loop with FFMA; in all", s.loop_instructions);
  if (s.loop_ffma > 0) {
    text += fmt::format(", {} of them FFMA ({:.1f} %)", s.loop_ffma,
                        100.0 * s.loop_ffma / s.loop_instructions);
  }
  text += "\n";
  if (!s.accesses.empty()) {
    text += fmt::format("  {:<16}{:>12}{:>12}{:>10}\n", "", "bytes/lane",
                        s.has_loop ? "main loop" : "in all", s.has_loop ? "outside" : "");
  }
  for (const SassAccess& access : s.accesses) {
    text +=
        fmt::format("  {:<16}{:>12}{:>12}{:>10}  {}\n", access.kind, access.bytes, access.in_loop,
                    s.has_loop ? fmt::format("{}", access.outside) : "", access.opcode);
  }
  for (const WidthVerdict& verdict : width_verdicts(workload, entry, all)) {
    const std::string found = verdict.access == nullptr
                                  ? (entry.summary.has_loop ? "no such load is in the main loop"
                                                            : "no such load is in the code")
                                  : fmt::format("{} is there", verdict.access->opcode);
    text += text::wrap(fmt::format("  {} {}: {} bytes a lane promised: {}",
                                   verdict.access == nullptr ? signs.wrong : signs.right,
                                   verdict.buffers, verdict.bytes, found),
                       page.width, 4) +
            "\n";
  }
  return text;
}

ExitCode run(const SassRequest& request) {
  catch_signals(machine::interrupt);
  const text::Page page = stdout_page(request.color);
  std::unique_ptr<OutputFile> json_file;
  if (!request.json_file.empty()) json_file = std::make_unique<OutputFile>(request.json_file);
  Run simulated;
  try {
    simulated = results::read_run(simulated_counters());
  } catch (const results::Unusable& error) {
    throw failed(error.what());
  }

  std::string why;
  std::optional<SassReport> report = looked_into(request, simulated, &why);
  std::string said;
  if (!report) {
    if (!std::filesystem::exists(recorded_sass())) {
      throw failed(why + ", and no machine code is recorded");
    }
    report = only(read_sass_report(recorded_sass()), request.workloads);
    said = text::wrap(fmt::format("recorded on {} with {}; {}", report->date.substr(0, 10),
                                  report->toolkit, why),
                      page.width, 0) +
           "\n\n";
  }
  bool kept = true;
  std::string text;
  std::set<std::string> shown;
  for (const Workload& workload : request.workloads) {
    if (!shown.insert(sass_name(workload)).second) continue;
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", workload.name);
    bool found = false;
    for (const SassEntry& entry : report->entries) {
      if (entry.subject != sass_name(workload)) continue;
      found = true;
      kept &= keeps_its_word(workload, entry, report->entries);
      text += sass_text(workload, entry, page, report->entries);
    }
    if (!found) text += "  nothing is recorded of it\n";
  }
  if (json_file) json_file->commit(to_json(*report));
  write_stdout(request.json_to_stdout ? to_json(*report) : said + text);
  return kept ? ExitCode::ok : ExitCode::wrong;
}

}  // namespace runner
