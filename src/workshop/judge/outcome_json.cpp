#include "workshop/judge/outcome_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace workshop {

using Json = nlohmann::ordered_json;

Json json_of(const Outcome& outcome) {
  Json causes = Json::array(), hazards = Json::array(), claims = Json::array();
  for (const Cause& cause : outcome.causes) {
    causes.push_back({{"name", cause.name}, {"sentence", cause.sentence}});
  }
  for (const results::Hazard& hazard : outcome.hazards) {
    hazards.push_back({{"kind", hazard.kind},
                       {"message", hazard.message},
                       {"kernel", hazard.kernel},
                       {"lines", hazard.lines},
                       {"times", hazard.times}});
  }
  for (const results::CheckedClaim& claim : outcome.claims) {
    Json json = {{"counter", claim.counter},
                 {"buffer", claim.buffer},
                 {"relation", claim.relation},
                 {"value", claim.value}};
    if (claim.counted) json["counted"] = *claim.counted;
    json["kept"] = claim.kept;
    claims.push_back(std::move(json));
  }
  return {{"ending", name_of(outcome.ending)},
          {"message", outcome.message},
          {"compiler_output", outcome.compiler_output},
          {"causes", std::move(causes)},
          {"map", outcome.map},
          {"hazards", std::move(hazards)},
          {"contract_check", outcome.contract_check},
          {"claims", std::move(claims)},
          {"worth", outcome.worth},
          {"pictures", outcome.pictures},
          {"printed", outcome.printed},
          {"compile_seconds", outcome.compile_seconds},
          {"run_seconds", outcome.run_seconds}};
}

Outcome outcome_from(const Json& json) {
  Outcome outcome;
  const auto ending = ending_named(json.at("ending"));
  if (!ending) throw std::runtime_error("an ending that is none");
  outcome.ending = *ending;
  outcome.message = json.at("message");
  outcome.compiler_output = json.at("compiler_output");
  for (const Json& cause : json.at("causes")) {
    outcome.causes.push_back({.name = cause.at("name"), .sentence = cause.at("sentence")});
  }
  outcome.map = json.at("map");
  for (const Json& hazard : json.at("hazards")) {
    outcome.hazards.push_back({.kind = hazard.at("kind"),
                               .message = hazard.at("message"),
                               .kernel = hazard.at("kernel"),
                               .lines = hazard.at("lines"),
                               .times = hazard.at("times")});
  }
  outcome.contract_check = json.at("contract_check");
  for (const Json& claim : json.at("claims")) {
    results::CheckedClaim checked{.counter = claim.at("counter"),
                                  .buffer = claim.at("buffer"),
                                  .relation = claim.at("relation"),
                                  .value = claim.at("value"),
                                  .kept = claim.at("kept")};
    if (claim.contains("counted")) checked.counted = claim.at("counted").get<double>();
    outcome.claims.push_back(std::move(checked));
  }
  outcome.worth = json.at("worth");
  outcome.pictures = json.at("pictures");
  outcome.printed = json.at("printed");
  outcome.compile_seconds = json.at("compile_seconds");
  outcome.run_seconds = json.at("run_seconds");
  return outcome;
}

}  // namespace workshop
