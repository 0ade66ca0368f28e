#include "workshop/predict/lab_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "app/error.hpp"
#include "results/values/metrics.hpp"
#include "text/page.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

const lab::Variant* find_variant(const lab::Lab& of, std::string_view name) {
  for (const lab::Variant& variant : of.variants) {
    if (name == variant.name) return &variant;
  }
  return nullptr;
}

// Reads the texts of one lab.
class Reader {
 public:
  explicit Reader(const lab::Lab& of) : questions_{.of = &of} {
    if (!of.is_riddle) return;
    for (const lab::Variant& variant : of.variants) questions_.ideas.emplace_back(variant.idea);
    std::ranges::sort(questions_.ideas);
  }

  void read_questions(const Document& document) {
    at_ = {document.file, document.head.line};
    questions_.opening = document.head.prose();
    for (const Section& section : document.sections) {
      at_.line = section.line;
      QuestionGroup group{.words = section.title};
      for (const std::string_view line : text::lines_of(section.text)) {
        if (line.starts_with("- ")) {
          group.asked.push_back(asked_in(words_of(line.substr(2))));
        } else if (!line.empty()) {
          group.more += std::string(line) + "\n";
        }
      }
      if (group.asked.empty()) throw wrong("the section asks for nothing: it has no line '- ...'");
      questions_.groups.push_back(std::move(group));
    }
    if (questions_.groups.empty()) throw wrong("there is no question: no section '## ...'");
    refuse_what_is_asked_twice();
  }

  void read_wrong_answers(const Document& document) {
    for (const Section& section : document.sections) {
      at_ = {document.file, section.line};
      Misunderstanding known{.title = section.title,
                             .explanation = section.prose(),
                             .file = document.file,
                             .line = section.line};
      read_sign(section.field("Known by"), known);
      if (known.explanation.empty()) throw wrong("the section explains nothing");
      questions_.misunderstandings.push_back(std::move(known));
    }
  }

  LabQuestions take() { return std::move(questions_); }

 private:
  // Parses: COUNTER [of BUFFER] in VARIANT
  Asked asked_in(const std::vector<std::string>& words) const {
    const bool has_buffer = words.size() > 1 && words[1] == "of";
    const size_t in = has_buffer ? 3 : 1;
    if (words.size() != in + 2 || words[in] != "in") {
      throw wrong(fmt::format("'{}' is not COUNTER of BUFFER in VARIANT", fmt::join(words, " ")));
    }
    Asked asked{
        .counter = words[0], .buffer = has_buffer ? words[2] : "", .variant = words[in + 1]};
    refuse_what_is_not_there(asked);
    return asked;
  }

  void refuse_what_is_not_there(const Asked& asked) const {
    const lab::Lab& of = *questions_.of;
    const lab::Variant* variant = find_variant(of, asked.variant);
    if (variant == nullptr) {
      throw wrong(fmt::format("{} has no variant '{}'", of.name, asked.variant));
    }
    if (asked.is_idea()) {
      if (!of.is_riddle) throw wrong(fmt::format("{} is no riddle: its ideas are told", of.name));
      return;
    }
    const results::Metric* metric = results::find_metric(asked.counter);
    if (metric == nullptr) throw wrong(fmt::format("there is no counter '{}'", asked.counter));
    if (asked.buffer.empty()) return;
    if (!metric->of_buffer) {
      throw wrong(fmt::format("{} is counted of the whole launch, not of '{}'", asked.counter,
                              asked.buffer));
    }
    const lab::Sizes sizes = lab::counted_sizes(of);
    if (const char* reason = lab::refusal(*variant, sizes)) {
      throw wrong(fmt::format("{} does not run: {}", asked.variant, reason));
    }
    for (const lab::Array& array : variant->setup(sizes).arrays) {
      if (asked.buffer == array.name) return;
    }
    throw wrong(fmt::format("{} has no array '{}'", of.name, asked.buffer));
  }

  void refuse_what_is_asked_twice() const {
    const std::vector<Asked> all = questions_.all();
    for (const Asked& asked : all) {
      if (std::ranges::count(all, asked) == 1) continue;
      throw wrong(fmt::format("{} in {} is asked twice", asked.figure(), asked.variant));
    }
  }

  // Parses: ASKED is|above|below VALUE; for an idea, its first words.
  void read_sign(const std::string& sign, Misunderstanding& known) const {
    const std::vector<std::string> words = words_of(sign);
    const auto relation = std::ranges::find_if(words, [](const std::string& word) {
      return word == "is" || word == "above" || word == "below";
    });
    if (relation == words.end() || relation + 1 == words.end()) {
      throw wrong(fmt::format("'Known by: {}' is not COUNTER of BUFFER in VARIANT is VALUE", sign));
    }
    known.of = asked_in({words.begin(), relation});
    using Sign = Misunderstanding::Sign;
    known.sign = *relation == "is" ? Sign::is : *relation == "above" ? Sign::above : Sign::below;
    const std::string value = fmt::format("{}", fmt::join(relation + 1, words.end(), " "));
    const std::optional<double> number =
        known.of.is_idea() ? number_of_idea(value) : parse_figure(value);
    if (!number) throw wrong(fmt::format("a learner cannot write '{}' as a prediction", value));
    known.value = *number;
    const std::vector<Asked> all = questions_.all();
    if (std::ranges::find(all, known.of) == all.end()) {
      throw wrong(fmt::format("{} in {} is not asked", known.of.figure(), known.of.variant));
    }
  }

  std::optional<double> number_of_idea(std::string_view beginning) const {
    std::optional<double> number;
    for (size_t i = 0; i < questions_.ideas.size(); ++i) {
      if (!questions_.ideas[i].starts_with(beginning)) continue;
      if (number) return std::nullopt;  // two ideas begin so
      number = static_cast<double>(i + 1);
    }
    return number;
  }

  Error wrong(const std::string& what) const {
    return {ExitCode::failure, fmt::format("{}:{}: {}", at_.file, at_.line, what)};
  }

  LabQuestions questions_;
  struct {
    std::string file;
    int line = 0;
  } at_{};
};

// Parses a whole text as a number.
std::optional<double> parse_number(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const bool is_plain = text.find_first_not_of("0123456789.+-eE ") == text.npos;
  if (text.empty() || !is_plain) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::string Asked::figure() const {
  return buffer.empty() ? counter : fmt::format("{} of {}", counter, buffer);
}

bool Misunderstanding::is_shown_by(double prediction) const {
  switch (sign) {
    case Sign::is:
      return is_close(prediction, value);
    case Sign::above:
      return prediction > value;
    case Sign::below:
      return prediction < value;
  }
  return false;
}

std::vector<Asked> LabQuestions::all() const {
  std::vector<Asked> all;
  for (const QuestionGroup& group : groups) {
    all.insert(all.end(), group.asked.begin(), group.asked.end());
  }
  return all;
}

std::optional<double> parse_figure(std::string_view text) {
  if (text.ends_with('%')) {
    const auto percent = parse_number(std::string(text.substr(0, text.size() - 1)));
    return percent ? std::optional(*percent / 100) : std::nullopt;
  }
  const size_t slash = text.find('/');
  if (slash == text.npos) return parse_number(std::string(text));
  const auto above = parse_number(std::string(text.substr(0, slash)));
  const auto below = parse_number(std::string(text.substr(slash + 1)));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

bool is_close(double a, double b) {
  return std::abs(a - b) <= 0.01 * std::max(std::abs(a), std::abs(b));
}

LabQuestions parse_lab_questions(const lab::Lab& of, const Document& questions,
                                 const Document& wrong_answers) {
  Reader reader(of);
  reader.read_questions(questions);
  reader.read_wrong_answers(wrong_answers);
  return reader.take();
}

LabQuestions read_lab_questions(const lab::Lab& of, const std::string& folder) {
  return parse_lab_questions(of, read_markdown(folder + "/questions.md"),
                             read_markdown(folder + "/wrong_answers.md"));
}

}  // namespace workshop
