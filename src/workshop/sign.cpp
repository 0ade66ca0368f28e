#include "workshop/sign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "runner/error.hpp"

namespace workshop {
namespace {

bool holds(const std::string& term, const Outcome& o, const std::string& source) {
  const auto rest = [&](const char* begin) { return term.substr(std::string(begin).size()); };
  if (term.starts_with("ending is ")) return rest("ending is ") == name_of(o.ending);
  if (term.starts_with("cause is ")) {
    return std::ranges::any_of(o.causes,
                               [&](const Cause& c) { return c.name == rest("cause is "); });
  }
  if (term.starts_with("hazard is ")) {
    return std::ranges::any_of(o.hazards,
                               [&](const auto& h) { return h.kind == rest("hazard is "); });
  }
  if (term.starts_with("check is ")) return o.contract_check == rest("check is ");
  if (term.starts_with("says ")) return std::regex_search(o.message, std::regex(rest("says ")));
  if (term.starts_with("source has ")) return source.find(rest("source has ")) != source.npos;
  if (term.starts_with("source lacks ")) return source.find(rest("source lacks ")) == source.npos;
  if (term.starts_with("claim ")) {
    std::istringstream words(rest("claim "));
    std::string counter, word, buffer;
    words >> counter >> word;
    if (word == "of") words >> buffer >> word;
    double value = 0;
    words >> value;
    return std::ranges::any_of(o.claims, [&](const results::CheckedClaim& c) {
      if (c.counter.substr(0, c.counter.find(' ')) != counter || c.buffer != buffer || !c.counted) {
        return false;
      }
      const double off = *c.counted - value;
      return word == "is"      ? std::abs(off) < 1e-3 * std::max(1.0, value)
             : word == "below" ? off < 0
                               : off > 0;
    });
  }
  return false;
}

}  // namespace

Sign parse_sign(const std::string& text, const std::string& where) {
  if (text.empty()) {
    throw runner::Error(runner::ExitCode::failure, fmt::format("{}: there is no sign", where));
  }
  Sign sign;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find("; ", begin), text.size());
    sign.terms.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return sign;
}

bool matches(const Sign& sign, const Outcome& outcome, const std::string& source) {
  return std::ranges::all_of(sign.terms,
                             [&](const std::string& term) { return holds(term, outcome, source); });
}

}  // namespace workshop
