// The command `sgemm_runner learn quiz`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/desk/desk.hpp"
#include "workshop/quiz/quiz.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

constexpr int QUESTIONS = 30, QUESTIONS_OF_A_TEMPLATE = 3;

// The exercises that a quiz asks about.
struct Subjects {
  std::vector<const Exercise*> exercises{};
  bool are_all = false;    // all exercises that have questions
  bool are_begun = false;  // the exercises that the learner has begun
};

bool is_begun(const Step* step) {
  return step != nullptr && (!step->opened.empty() || !step->solved.empty());
}

Subjects subjects_of(const QuizRequest& request) {
  const std::vector<const Exercise*> all = quiz_exercises();
  if (request.exercises == std::vector<std::string>{"all"})
    return {.exercises = all, .are_all = true};
  Subjects subjects;
  for (const std::string& word : request.exercises) {
    const Exercise& exercise = find_exercise(word);
    if (std::ranges::find(all, &exercise) == all.end()) {
      throw Error(ExitCode::usage,
                  fmt::format("the quiz has no question about {}; it has some about {}",
                              exercise.name, fmt::join(names_of(all), ", ")));
    }
    subjects.exercises.push_back(&exercise);
  }
  if (!subjects.exercises.empty()) return subjects;
  const Desk desk(request.folder);
  std::ranges::copy_if(all, std::back_inserter(subjects.exercises), [&](const Exercise* exercise) {
    return is_begun(desk.progress().find(exercise->name));
  });
  if (subjects.exercises.empty()) return {.exercises = all, .are_all = true};
  subjects.are_begun = true;
  return subjects;
}

std::string opening(const Subjects& subjects, size_t questions, const text::Page& page) {
  std::string about = "questions about all exercises";
  if (!subjects.are_all) {
    about =
        fmt::format("questions about {}{}", fmt::join(names_of(subjects.exercises), ", "),
                    subjects.are_begun
                        ? ", which you have begun ('./sgemm_runner learn quiz all' asks about all)"
                        : "");
  }
  return text::wrap(fmt::format("{} {}; each is judged at once. Enter skips one, q ends. The same "
                                "again:",
                                questions, about),
                    page.width, 0) +
         "\n";
}

std::string score_text(const QuizScore& score, size_t questions) {
  const int asked = score.right + score.wrong;
  std::string text = fmt::format("\n{} of {} right", score.right, asked);
  if (score.skipped > 0) text += fmt::format(", {} skipped", score.skipped);
  const auto left = static_cast<int>(questions) - asked - score.skipped;
  if (left > 0) text += fmt::format(", {} not asked", left);
  text += ".\n";
  std::map<std::string, int> exercises;
  for (const std::string& exercise : score.exercises_of_wrong) ++exercises[exercise];
  for (const auto& [exercise, count] : exercises) {
    text += fmt::format("{} wrong: ./sgemm_runner learn {}\n", count, exercise);
  }
  return text;
}

}  // namespace

ExitCode run(const QuizRequest& request) {
  if (request.questions && (*request.questions < 1 || *request.questions > MOST_QUIZ_QUESTIONS)) {
    throw Error(ExitCode::usage, fmt::format("--questions {} should be from 1 to {}",
                                             *request.questions, MOST_QUIZ_QUESTIONS));
  }
  runner::catch_signals();
  const Subjects subjects = subjects_of(request);
  const uint64_t seed = request.seed ? *request.seed : std::random_device{}() % 100000;
  const int templates = static_cast<int>(quiz_templates(subjects.exercises).size());
  const int count =
      request.questions.value_or(std::min(QUESTIONS, QUESTIONS_OF_A_TEMPLATE * templates));
  const std::vector<QuizQuestion> questions = quiz_questions(count, seed, subjects.exercises);
  const auto say = [](std::string_view text) { runner::write_stdout(text); };
  const text::Page page = runner::stdout_page(runner::When::automatic);
  say(opening(subjects, questions.size(), page) +
      fmt::format("  ./sgemm_runner learn quiz {} --questions {} --seed {}\n",
                  subjects.are_all
                      ? "all"
                      : fmt::format("{}", fmt::join(names_of(subjects.exercises), " ")),
                  count, seed));
  const QuizScore score = ask(questions, std::cin, say, isatty(STDIN_FILENO) == 0, page);
  say(score_text(score, questions.size()));
  return runner::interrupted() ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace workshop
