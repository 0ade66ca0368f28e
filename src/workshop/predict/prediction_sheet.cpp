#include "workshop/predict/prediction_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/error.hpp"
#include "app/words.hpp"
#include "text/page.hpp"
#include "text/table.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

constexpr int WIDTH = 80;
constexpr size_t MOST_TOLD = 5;  // the most bad lines of a sheet that are reported
constexpr const char* OPEN = "?";
constexpr const char* A_SHARE = "bytes_used_over_fetched";

// Wraps a paragraph into lines that begin with '# '.
std::string paragraph_as_comment(const std::string& paragraph) {
  const std::string wrapped = text::wrap(paragraph, WIDTH - 2, 0);
  std::string comment;
  for (const std::string_view line : text::lines_of(wrapped)) {
    comment += fmt::format("# {}\n", line);
  }
  return comment;
}

// Wraps a text into such lines. Empty lines and indented lines stay.
std::string as_comment(std::string_view text) {
  std::string comment, paragraph;
  const auto end_paragraph = [&] {
    comment += paragraph_as_comment(paragraph);
    paragraph.clear();
  };
  for (const std::string_view line : text::lines_of(text)) {
    if (line.empty() || line.starts_with(' ')) {
      end_paragraph();
      comment += line.empty() ? "#\n" : fmt::format("# {}\n", line);
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  end_paragraph();
  return comment;
}

std::string how_to_fill_in(const LabQuestions& questions) {
  const std::string what =
      questions.of->is_riddle
          ? "Put the number of a description in place of each ?."
          : "Put what you expect in place of each ?: a number like 4, 2/3 or 66.7 %.";
  return what +
         "\nGuess where you do not know: a wrong prediction costs nothing, and teaches most.\n" +
         fmt::format("Then save, and run\n    ./sgemm_runner check {}\n", questions.of->name) +
         "Lines that begin with # are for reading; write there what you like.\n";
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Reads the lines of one sheet.
class Reader {
 public:
  Reader(const LabQuestions& questions, const std::string& file)
      : questions_(questions), file_(file) {
    for (const Asked& asked : questions.all()) entries_.push_back({.asked = asked});
  }

  void read(std::string_view line) {
    ++number_;
    const std::vector<std::string> words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) return;
    Entry* entry = nullptr;
    for (Entry& one : entries_) {
      if (begins_as(words, one.asked)) entry = &one;
    }
    if (entry == nullptr) throw unknown(line);
    if (entry->line != 0) {
      throw wrong(fmt::format("{} {} stands in line {} too: keep one of the two",
                              entry->asked.variant, entry->asked.figure(), entry->line));
    }
    entry->line = number_;
    const auto used = static_cast<std::ptrdiff_t>(1 + words_of(entry->asked.figure()).size());
    const std::string written =
        fmt::format("{}", fmt::join(words.begin() + used, words.end(), " "));
    if (written.empty() || written == OPEN) return;
    entry->value = understood(entry->asked, written);
    entry->written = written;
  }

  std::vector<Entry> take() { return std::move(entries_); }

 private:
  static bool begins_as(const std::vector<std::string>& words, const Asked& asked) {
    std::vector<std::string> wanted = words_of(asked.figure());
    wanted.insert(wanted.begin(), asked.variant);
    return words.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), words.begin());
  }

  double understood(const Asked& asked, const std::string& written) const {
    const std::optional<double> value = parse_figure(written);
    const auto ideas = static_cast<double>(questions_.ideas.size());
    if (asked.is_idea()) {
      const bool is_number =
          value && *value >= 1 && *value <= ideas && *value == static_cast<int>(*value);
      if (is_number) return *value;
      throw wrong(fmt::format(
          "'{}' is the number of no description: write one of 1 to {}, or ? to leave it open",
          runner::printable(written), ideas));
    }
    if (!value || *value < 0) {
      throw wrong(
          fmt::format("'{}' is no prediction: write a number like 4, 2/3 or 66.7 %, or ? to leave "
                      "it open",
                      runner::printable(written)));
    }
    if (asked.counter == A_SHARE && *value > 1) {
      throw wrong(
          fmt::format("'{}' is more than all bytes: write a share like 0.5, 1/2 or 50 %", written));
    }
    return *value;
  }

  Error unknown(std::string_view line) const {
    return wrong(fmt::format(
        "'{}' is no line of this sheet: it wants a variant, a counter and a prediction, like "
        "'{} {} {}'",
        runner::printable(line), entries_.front().asked.variant, entries_.front().asked.figure(),
        OPEN));
  }

  // Keeps the learner's words unchanged, even if they are wrong.
  Error wrong(const std::string& what) const {
    return {ExitCode::usage, fmt::format("{}:{}: {}", file_, number_, what)};
  }

  const LabQuestions& questions_;
  const std::string& file_;
  std::vector<Entry> entries_;
  int number_ = 0;
};

}  // namespace

std::string new_sheet(const LabQuestions& questions) {
  std::string sheet = fmt::format("# {}: {}\n#\n", questions.of->name, questions.of->question);
  if (!questions.opening.empty()) sheet += as_comment(questions.opening) + "#\n";
  sheet += as_comment(how_to_fill_in(questions));
  using enum text::Align;
  text::Table table({{.heading = "#", .align = left, .gap = 0},
                     {.heading = "variant", .align = left, .gap = 1},
                     {.heading = "counter", .align = left, .gap = 3},
                     {.heading = "prediction", .align = left, .gap = 3}},
                    {});
  const auto row_of = [](const Asked& asked) -> text::Table::Row {
    return {{}, {asked.variant}, {asked.figure()}, {OPEN}};
  };
  for (const Asked& asked : questions.all()) table.make_room_for(row_of(asked));
  for (const QuestionGroup& group : questions.groups) {
    sheet += "\n" + as_comment(group.words);
    if (!group.more.empty()) sheet += as_comment(group.more);
    if (group.asked.front().is_idea()) {
      for (size_t i = 0; i < questions.ideas.size(); ++i) {
        sheet += fmt::format("#   {}  {}\n", i + 1, questions.ideas[i]);
      }
    }
    sheet += "#\n" + table.headings();
    for (const Asked& asked : group.asked) {
      sheet += table.line(row_of(asked));
    }
  }
  return sheet;
}

std::vector<Entry> read_sheet(const LabQuestions& questions, std::string_view text,
                              const std::string& file) {
  Reader reader(questions, file);
  std::vector<std::string> wrong;
  for (const std::string_view line : text::lines_of(text)) {
    try {
      reader.read(line);
    } catch (const Error& error) {
      wrong.emplace_back(error.what());
    }
  }
  if (wrong.empty()) return reader.take();
  if (wrong.size() > MOST_TOLD) {
    const size_t more = wrong.size() - MOST_TOLD;
    wrong.resize(MOST_TOLD);
    wrong.push_back(
        fmt::format("and {} more line{} that cannot be read", more, more == 1 ? "" : "s"));
  }
  wrong.push_back(fmt::format("'./sgemm_runner reset {}' gives a fresh sheet and keeps this one",
                              questions.of->name));
  throw Error(ExitCode::usage, wrong);
}

}  // namespace workshop
