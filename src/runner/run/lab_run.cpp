// The command `sgemm_runner lab`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/output.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/machine/machine.hpp"
#include "runner/report/promise_json.hpp"
#include "runner/run/run_lifecycle.hpp"
#include "runner/run/workbench_run.hpp"
#include "runner/trial/measure.hpp"

namespace runner {
namespace {

using results::Run;
using Json = nlohmann::ordered_json;

std::string labs_as_json() {
  Json list = Json::array();
  for (const lab::Lab* one : lab::all()) {
    Json parameters = Json::array(), variants = Json::array();
    for (const lab::Parameter& p : one->parameters) {
      parameters.push_back({{"name", p.name},
                            {"meaning", p.meaning},
                            {"counted", p.counted},
                            {"timed", p.timed},
                            {"odd", odd_size(p)},
                            {"least", p.least},
                            {"most", p.most},
                            {"whole", p.whole}});
    }
    for (const lab::Variant& v : one->variants) {
      Json variant = {{"name", v.name}};
      if (!one->is_riddle) variant["idea"] = v.idea;
      variant["promise"] = promise_as_json(v.claims);
      variants.push_back(std::move(variant));
    }
    list.push_back({{"lab", one->name},
                    {"question", one->question},
                    {"is_riddle", one->is_riddle},
                    {"parameters", std::move(parameters)},
                    {"variants", std::move(variants)}});
  }
  return list.dump(2) + "\n";
}

std::string labs_as_text(int width) {
  constexpr int INDENT = 16;
  std::string text;
  for (const lab::Lab* one : lab::all()) {
    const auto add = [&](std::string_view name, const std::string& what) {
      text += text::wrap(fmt::format("{:<{}}{}", name, INDENT, what), width, INDENT) + "\n";
    };
    std::vector<std::string> variants;
    variants.reserve(one->variants.size());
    for (const lab::Variant& variant : one->variants) variants.emplace_back(variant.name);
    add(one->name, one->question);
    add("", fmt::format("variants: {}", fmt::join(variants, ", ")));
    for (const lab::Parameter& p : one->parameters) {
      add("", fmt::format("--{} {}: {}", p.name, machine::MEASURES_TIME ? p.timed : p.counted,
                          p.meaning));
    }
  }
  return text;
}

}  // namespace

ExitCode run(const LabRequest& request) {
  const auto refuse = [&](const machine::Device& device) {
    refuse_what_cannot_fit(request.workloads, device);
  };
  const auto measure = [&](const machine::Device&, Run& done) {
    measure_all(request.workloads, {.options = request.measure, .reveal = request.reveal},
                request.presentation.verbosity >= 0, done);
  };
  return run_lifecycle(
      request,
      {.recorded = {.labs = true}, .refuse_what_cannot_be_run = refuse, .measure = measure});
}

ExitCode run(const LabListRequest& request) {
  write_stdout(request.json ? labs_as_json() : labs_as_text(stdout_page(When::automatic).width));
  return ExitCode::ok;
}

}  // namespace runner
