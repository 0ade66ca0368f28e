#include "workshop/diagnose/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "workshop/diagnose/evidence.hpp"
#include "workshop/diagnose/hypotheses.hpp"
#include "workshop/diagnose/wrong_map.hpp"

namespace workshop {
namespace {

struct Position {
  int64_t row, col;
};

struct Elements {
  std::vector<Position> wrong{}, right{};
};

Elements elements_of(const ExaminedProduct& facts) {
  Elements elements;
  for (int64_t i = 0; i < facts.given().M; ++i) {
    for (int64_t j = 0; j < facts.given().N; ++j) {
      (facts.is_wrong(i, j) ? elements.wrong : elements.right).push_back({i, j});
    }
  }
  return elements;
}

// True if the hypothesis explains fewer than half of a small, even sample of the wrong elements. Most hypotheses fail
// here.
bool is_out_of_the_question(const Hypothesis& hypothesis, const std::vector<Position>& wrong) {
  constexpr size_t LOOKS = 32;
  const size_t step = std::max<size_t>(1, wrong.size() / LOOKS);
  size_t looks = 0, explained = 0;
  for (size_t at = 0; at < wrong.size(); at += step) {
    ++looks;
    if (hypothesis.fit(wrong[at].row, wrong[at].col) == Fit::yes) ++explained;
  }
  return 2 * explained < looks;
}

bool holds(const Hypothesis& hypothesis, const Elements& elements) {
  if (elements.wrong.empty() || is_out_of_the_question(hypothesis, elements.wrong)) return false;
  const size_t may_stay_unexplained = elements.wrong.size() / 10;
  size_t unexplained = 0;
  for (const auto& [row, col] : elements.wrong) {
    if (hypothesis.fit(row, col) != Fit::yes && ++unexplained > may_stay_unexplained) return false;
  }
  return std::ranges::none_of(
      elements.right, [&](const Position& p) { return hypothesis.fit(p.row, p.col) == Fit::no; });
}

}  // namespace

BlockTile tile_of_source(std::string_view source) {
  // Returns the number after "BM ="; BM must be a whole word.
  const auto constant = [source](std::string_view name) {
    const auto is_of_a_word = [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    };
    const auto skip_spaces = [source](size_t at) {
      return std::min(source.find_first_not_of(' ', at), source.size());
    };
    for (size_t at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
      if (at > 0 && is_of_a_word(source[at - 1])) continue;
      const size_t equals = skip_spaces(at + name.size());
      if (equals >= source.size() || source[equals] != '=') continue;
      const size_t digits = skip_spaces(equals + 1);
      int64_t value = 0;
      const auto [end, error] =
          std::from_chars(source.data() + digits, source.data() + source.size(), value);
      const size_t behind = skip_spaces(static_cast<size_t>(end - source.data()));
      const bool is_whole =
          behind < source.size() && (source[behind] == ',' || source[behind] == ';');
      if (error == std::errc{} && value > 0 && is_whole) return value;
    }
    return int64_t{0};
  };
  return {.rows = constant("BM"), .cols = constant("BN"), .depth = constant("BK")};
}

Diagnosis diagnose(const Evidence& evidence, const text::Page& page) {
  const ExaminedProduct facts(evidence);
  Diagnosis diagnosis{.wrong = facts.wrong(), .map = wrong_map(facts, page)};
  if (diagnosis.wrong == 0) return diagnosis;
  const Elements elements = elements_of(facts);
  for (const Hypothesis& hypothesis : hypotheses(facts)) {
    const bool is_known = std::ranges::any_of(
        diagnosis.causes, [&](const Cause& cause) { return cause.name == hypothesis.name; });
    if (is_known || !holds(hypothesis, elements)) continue;
    diagnosis.causes.push_back(
        {.name = hypothesis.name,
         .sentence = fmt::format("{} {}", hypothesis.seen, usual_reason(hypothesis.name))});
  }
  std::ranges::sort(diagnosis.causes, {},
                    [](const Cause& cause) { return place_of_cause(cause.name); });
  return diagnosis;
}

}  // namespace workshop
