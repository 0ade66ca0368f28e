#include "workshop/tell/sign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <regex>

#include "app/error.hpp"
#include "app/suggest.hpp"
#include "app/words.hpp"
#include "results/values/metrics.hpp"
#include "runner/choose/size.hpp"
#include "runner/verify/contract/contract.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/diagnose/diagnosis.hpp"

namespace workshop {
namespace {

using Holds = std::function<bool(const Outcome& outcome, const std::string& source)>;

// The error in a term, to which parse_sign() adds the place.
struct NoTerm {
  std::string why;
};

// Throws unless the word is known.
void require_known(const char* what, const std::string& word, const std::vector<std::string>& known,
                   const char* list) {
  if (std::ranges::find(known, word) != known.end()) return;
  throw NoTerm{fmt::format("there is no {} '{}'{} ({} has the list)", what, word,
                           runner::did_you_mean(word, known), list)};
}

// Parses "fault", "fault or wrong_result".
Holds ending_is(const std::string& text) {
  std::vector<Ending> endings;
  for (const std::string& word : runner::split(text, ' ')) {
    if (word == "or") continue;
    const std::optional<Ending> ending = ending_named(word);
    require_known("ending", word, ending_names(), "src/workshop/judge/outcome.cpp");
    if (ending) endings.push_back(*ending);
  }
  return [endings](const Outcome& outcome, const std::string&) {
    return std::ranges::find(endings, outcome.ending) != endings.end();
  };
}

Holds cause_is(const std::string& word) {
  require_known("cause", word, cause_names(), "src/workshop/diagnose/hypotheses.cpp");
  return [word](const Outcome& outcome, const std::string&) {
    return std::ranges::find(outcome.causes, word, &Cause::name) != outcome.causes.end();
  };
}

Holds hazard_is(const std::string& word) {
  std::vector<std::string> words;
  std::string kind;
  for (const auto& [known, its_kind] : hazard_words()) {
    words.push_back(known);
    if (known == word) kind = its_kind;
  }
  require_known("hazard", word, words, "src/workshop/tell/sign.cpp");
  return [kind](const Outcome& outcome, const std::string&) {
    return std::ranges::find(outcome.hazards, kind, &results::Hazard::kind) !=
           outcome.hazards.end();
  };
}

// Parses "misaligned", "out_of_bounds reads", "out_of_bounds shared".
Holds fault_is(const std::string& text) {
  const std::vector<std::string> words = runner::split(text, ' ');
  for (const std::string& word : words)
    require_known("fault", word, fault_words(), "src/workshop/tell/sign.cpp");
  return [words](const Outcome& outcome, const std::string&) {
    const Fault& fault = outcome.fault;
    return std::ranges::all_of(words, [&](const std::string& word) {
      return word == fault.kind || word == fault.action || word == fault.memory;
    });
  };
}

void require_size(const std::string& word) {
  std::string why;
  try {
    if (runner::parse_size(word).size() == word) return;
  } catch (const runner::Error& error) {
    why = fmt::format(" ({})", error.what());
  }
  throw NoTerm{fmt::format("it should be 'at [strided] MxNxK', and '{}' is no size{}", word, why)};
}

// Parses "256x128x64", "strided", "strided 129x131x67".
Holds at(const std::string& text) {
  const std::vector<std::string> words = runner::split(text, ' ');
  for (const std::string& word : words) {
    if (word != "strided") require_size(word);
  }
  return [words](const Outcome& outcome, const std::string&) {
    return std::ranges::all_of(words, [&](const std::string& word) {
      return word == "strided" ? outcome.strided : word == outcome.size;
    });
  };
}

// Compares the first answers only: the examination may have got more questions after the sign was written.
Holds examination_is(const std::string& answers) {
  return [answers](const Outcome& outcome, const std::string&) {
    return outcome.examined == answers || outcome.examined.starts_with(answers + " ");
  };
}

Holds check_is(const std::string& word) {
  std::vector<std::string> names;
  for (const runner::ContractCheck& check : runner::contract()) names.emplace_back(check.name);
  require_known("check", word, names, "src/runner/verify/contract/contract.cpp");
  return
      [word](const Outcome& outcome, const std::string&) { return outcome.contract_check == word; };
}

Holds says(const std::string& text) {
  try {
    const std::regex expression(text);
    return [expression](const Outcome& outcome, const std::string&) {
      return std::regex_search(outcome.message, expression) ||
             std::ranges::any_of(outcome.hazards, [&](const results::Hazard& hazard) {
               return std::regex_search(hazard.message, expression);
             });
    };
  } catch (const std::regex_error&) {
    throw NoTerm{fmt::format("'{}' is no regular expression", text)};
  }
}

Holds source_has(const std::string& text) {
  return [text](const Outcome&, const std::string& source) {
    return source.find(text) != source.npos;
  };
}

Holds source_lacks(const std::string& text) {
  return [text](const Outcome&, const std::string& source) {
    return source.find(text) == source.npos;
  };
}

bool compares(const std::string& relation, double counted, double value) {
  const bool same = std::abs(counted - value) <= 1e-3 * std::abs(value);
  if (relation == "is") return same;
  return !same && (relation == "below" ? counted < value : counted > value);
}

// Parses "load_sectors_per_request of A is 4", "blocks below 64", "blocks at 64x64x4096 below 64". "is below 64" means
// the same.
Holds claim(const std::string& text) {
  constexpr const char* FORM =
      "it should be 'claim COUNTER [of BUFFER] [at MxNxK] is|below|above VALUE'";
  std::vector<std::string> words = runner::split(text, ' ');
  const auto what_stands_behind = [&](const char* word) -> std::string {
    if (words.size() <= 2 || words[1] != word) return "";
    const std::string value = words[2];
    words.erase(words.begin() + 1, words.begin() + 3);
    return value;
  };
  const std::string buffer = what_stands_behind("of");
  const std::string size = what_stands_behind("at");
  if (words.size() == 4 && words[1] == "is") words.erase(words.begin() + 1);
  if (words.size() != 3) throw NoTerm{FORM};

  std::vector<std::string> counters;
  for (const results::Metric& metric : results::metrics()) counters.emplace_back(metric.key);
  require_known("counter", words[0], counters, "src/results/values/metrics.cpp");
  const std::string& counter = words[0];
  const std::string& relation = words[1];
  if (relation != "is" && relation != "below" && relation != "above") throw NoTerm{FORM};
  double value = 0;
  const char* const end = words[2].data() + words[2].size();
  const auto [behind, error] = std::from_chars(words[2].data(), end, value);
  if (error != std::errc{} || behind != end) {
    throw NoTerm{fmt::format("'{}' is no number", words[2])};
  }
  return [=](const Outcome& outcome, const std::string&) {
    return std::ranges::any_of(outcome.claims, [&](const results::CheckedClaim& checked) {
      return checked.counter == counter && (size.empty() || checked.size == size) &&
             checked.buffer == buffer && checked.counted &&
             compares(relation, *checked.counted, value);
    });
  };
}

struct Kind {
  const char* begins;
  Holds (*parse)(const std::string& rest);
};

constexpr Kind KINDS[] = {
    {"ending is", ending_is},
    {"fault is", fault_is},
    {"at", at},
    {"cause is", cause_is},
    {"claim", claim},
    {"hazard is", hazard_is},
    {"check is", check_is},
    {"examination is", examination_is},
    {"says", says},
    {"source has", source_has},
    {"source lacks", source_lacks},
};

Holds parse_term(const std::string& text) {
  std::vector<std::string> beginnings;
  for (const Kind& kind : KINDS) {
    beginnings.emplace_back(kind.begins);
    if (!text.starts_with(beginnings.back() + " ")) continue;
    return kind.parse(text.substr(beginnings.back().size() + 1));
  }
  // Compares as many words as the nearest known name has.
  std::string begin;
  for (const std::string& word : runner::split(text, ' ')) {
    begin += (begin.empty() ? "" : " ") + word;
    const std::string nearest = runner::nearest(begin, beginnings);
    if (nearest.empty()) continue;
    throw NoTerm{fmt::format("a term begins otherwise; did you mean '{} ...'?", nearest)};
  }
  throw NoTerm{fmt::format("a term begins with '{}'", fmt::join(beginnings, "', '"))};
}

}  // namespace

std::vector<std::string> fault_words() {
  return {"out_of_bounds", "use_after_free", "misaligned",     "barrier_divergence",
          "trap",          "failed_assert",  "stack_overflow", "no_function",
          "reads",         "writes",         "copies",         "shared",
          "local",         "before",         "host",           "null",
          "before_shared"};
}

std::vector<std::pair<std::string, std::string>> hazard_words() {
  return {
      {"race", "race"},
      {"unwritten_read", "unwritten read"},
      {"early_use", "early use"},
      {"absent_lane", "absent lane"},
      {"false_mask", "false mask"},
      {"forbidden_barrier", "forbidden barrier"},
      {"beyond_array", "beyond an array"},
      {"refused_call", "refused call"},
  };
}

Sign parse_sign(const std::string& text, const std::string& where) {
  const auto error = [&](const std::string& why) {
    return runner::Error(runner::ExitCode::failure, fmt::format("{}: {}", where, why));
  };
  if (text.empty()) {
    throw error(
        "there is no sign: a line like 'Known by: ending is wrong_result; cause is transposed'");
  }
  Sign sign;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find("; ", begin), text.size());
    const std::string term = text.substr(begin, end - begin);
    try {
      sign.terms.push_back({.text = term, .holds = parse_term(term)});
    } catch (const NoTerm& no_term) {
      throw error(fmt::format("the sign's term '{}': {}", term, no_term.why));
    }
    begin = end + 2;
  }
  return sign;
}

bool matches(const Sign& sign, const Outcome& outcome, const std::string& source) {
  return !sign.terms.empty() && std::ranges::all_of(sign.terms, [&](const Term& term) {
    return term.holds(outcome, source);
  });
}

}  // namespace workshop
