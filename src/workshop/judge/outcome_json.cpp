#include "workshop/judge/outcome_json.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "results/files/fields.hpp"

namespace workshop {
namespace {

using results::List;
using results::needed;
using results::Object;
using results::omitted;

// A text that is kept as it is. The code that shows it makes it printable.
struct WholeText : results::Text {
  static std::string read(const results::Place& place) { return place.whole_text(); }
};
constexpr auto NUMBER = results::Number<double>{std::numeric_limits<double>::lowest(),
                                                std::numeric_limits<double>::max()};

constexpr auto CAUSE = std::tuple{
    needed("name", &Cause::name, WholeText{}),
    needed("sentence", &Cause::sentence, WholeText{}),
};

constexpr auto HAZARD = std::tuple{
    needed("kind", &results::Hazard::kind, WholeText{}),
    needed("message", &results::Hazard::message, WholeText{}),
    needed("kernel", &results::Hazard::kernel, WholeText{}),
    needed("lines", &results::Hazard::lines, List<WholeText>{}),
    needed("times", &results::Hazard::times, results::Natural{}),
};

constexpr auto CLAIM = std::tuple{
    results::Head<results::Joined<results::CheckedClaim>>{
        "counter", {&results::CheckedClaim::counter, " at ", &results::CheckedClaim::size}},
    needed("buffer", &results::CheckedClaim::buffer, WholeText{}),
    needed("relation", &results::CheckedClaim::relation, WholeText{}),
    needed("value", &results::CheckedClaim::value, NUMBER),
    omitted("counted", &results::CheckedClaim::counted, NUMBER),
    needed("kept", &results::CheckedClaim::kept, results::Truth{}),
};

constexpr auto FAULT = std::tuple{
    needed("kind", &Fault::kind, WholeText{}),
    needed("action", &Fault::action, WholeText{}),
    needed("memory", &Fault::memory, WholeText{}),
};

constexpr int ENDINGS = static_cast<int>(Ending::broken_promise) + 1;

constexpr auto OUTCOME = std::tuple{
    needed("ending", &Outcome::ending, results::Word<Ending>{name_of, ENDINGS, "is no ending"}),
    omitted("fault", &Outcome::fault, Object<FAULT>{}),
    omitted("size", &Outcome::size, WholeText{}),
    omitted("strided", &Outcome::strided, results::Truth{}),
    omitted("again", &Outcome::again, WholeText{}),
    omitted("examined", &Outcome::examined, WholeText{}),
    omitted("remark", &Outcome::remark, WholeText{}),
    needed("message", &Outcome::message, WholeText{}),
    needed("compiler_output", &Outcome::compiler_output, WholeText{}),
    needed("causes", &Outcome::causes, List<Object<CAUSE>>{}),
    needed("map", &Outcome::map, WholeText{}),
    needed("hazards", &Outcome::hazards, List<Object<HAZARD>>{}),
    needed("contract_check", &Outcome::contract_check, WholeText{}),
    needed("claims", &Outcome::claims, List<Object<CLAIM>>{}),
    needed("worth", &Outcome::worth, WholeText{}),
    needed("pictures", &Outcome::pictures, WholeText{}),
    needed("printed", &Outcome::printed, WholeText{}),
    needed("compile_seconds", &Outcome::compile_seconds, NUMBER),
    needed("run_seconds", &Outcome::run_seconds, NUMBER),
};

}  // namespace

nlohmann::ordered_json json_of(const Outcome& outcome) { return Object<OUTCOME>::written(outcome); }

Outcome outcome_from(const nlohmann::ordered_json& json) {
  return Object<OUTCOME>::read({json, "the outcome"});
}

}  // namespace workshop
