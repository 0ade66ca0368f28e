#include "workshop/quiz/quiz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "workshop/predict/lab_questions.hpp"

namespace workshop {
namespace {

std::string in_small_letters(std::string_view text) {
  std::string small;
  for (const char c : text) {
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const size_t first = small.find_first_not_of(" \t\r");
  if (first == small.npos) return "";
  return small.substr(first, small.find_last_not_of(" \t\r") + 1 - first);
}

// Returns the number at the beginning of an answer: 8 of "8 sectors", 12.5 of "12.5%".
std::optional<double> number_in(const std::string& answer) {
  std::string first;
  std::istringstream(answer) >> first;
  while (!first.empty() && std::isdigit(static_cast<unsigned char>(first.back())) == 0) {
    first.pop_back();
  }
  return parse_figure(first);
}

std::string choices_text(const QuizQuestion& question) {
  return question.choices.empty() ? "" : fmt::format(" ({})", fmt::join(question.choices, ", "));
}

std::string wrapped(const std::string& text, const text::Page& page, int indent) {
  return text::wrap(text, page.width, indent) + "\n";
}

// Returns the next line; nothing at the end of the input, or after "q".
std::optional<std::string> next_answer(std::istream& answers,
                                       const std::function<void(std::string_view)>& say,
                                       bool echo) {
  say("> ");
  std::string line;
  const bool came = static_cast<bool>(std::getline(answers, line));
  line = in_small_letters(line);
  if (echo || !came) say(line + "\n");
  if (!came || line == "q" || line == "quit") return std::nullopt;
  return line;
}

}  // namespace

std::optional<bool> is_right(const QuizQuestion& question, std::string_view answer) {
  const std::string given = in_small_letters(answer);
  if (!question.choices.empty()) {
    std::vector<std::string> meant;
    std::ranges::copy_if(
        question.choices, std::back_inserter(meant),
        [&](const std::string& choice) { return !given.empty() && choice.starts_with(given); });
    if (meant.size() != 1) return std::nullopt;
    return meant.front() == question.answer;
  }
  const std::optional<double> number = number_in(given);
  if (!number) return std::nullopt;
  const double wanted = *parse_figure(question.answer);
  // A count is a whole number, so a near number is wrong.
  const bool is_whole = question.answer.find('.') == std::string::npos;
  return is_whole ? *number == wanted : is_close(*number, wanted);
}

QuizScore ask(const std::vector<QuizQuestion>& questions, std::istream& answers,
              const std::function<void(std::string_view)>& say, bool echo, const text::Page& page) {
  QuizScore score;
  for (size_t i = 0; i < questions.size(); ++i) {
    const QuizQuestion& question = questions[i];
    const std::string number = fmt::format("{}. ", i + 1);
    say("\n" + wrapped(number + question.text + choices_text(question), page,
                       static_cast<int>(number.size())));
    std::optional<bool> right;
    while (!right) {
      const std::optional<std::string> answer = next_answer(answers, say, echo);
      if (!answer) return score;
      if (answer->empty()) break;
      right = is_right(question, *answer);
      if (right) continue;
      say(question.choices.empty() ? "A number, please (Enter skips, q ends).\n"
                                   : fmt::format("One of {}, please (Enter skips, q ends).\n",
                                                 fmt::join(question.choices, ", ")));
    }
    if (!right) {
      ++score.skipped;
      say(wrapped(fmt::format("It is {}. {}", question.answer, question.why), page, 0));
    } else if (*right) {
      ++score.right;
      say(wrapped(fmt::format("Right. {}", question.why), page, 0));
    } else {
      ++score.wrong;
      score.exercises_of_wrong.push_back(question.exercise);
      say(wrapped(fmt::format("No, it is {}. {}", question.answer, question.why), page, 0));
    }
  }
  return score;
}

}  // namespace workshop
