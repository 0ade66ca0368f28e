// The command `sgemm_runner learn --verify`, which proves the exercises.
#include <fmt/format.h>

#include <algorithm>

#include <filesystem>
#include <functional>
#include <sstream>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/own_program.hpp"
#include "app/subprocess.hpp"
#include "app/temporary_folder.hpp"
#include "app/terminal.hpp"
#include "runner/machine/machine.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/course/own_files.hpp"
#include "workshop/judge/judge_answer.hpp"
#include "workshop/predict/prediction.hpp"
#include "workshop/tell/sign.hpp"
#include "workshop/tell/verdict.hpp"
#include "workshop/words/layout.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

constexpr const char* SECTIONS[] = {"The idea",        "Draw this",         "The task",
                                    "What to look at", "A question before", QUESTION_AFTER,
                                    "Further reading"};

// Prints each proof's result at once.
class Findings {
 public:
  explicit Findings(const text::Page& page) : page_(page) {}

  void begin(const std::string& title) {
    runner::write_stdout(inked(title, Ink::bold, page_) + "\n");
  }
  // Adds a proof's result. An empty complaint means that the proof holds.
  void add(const std::string& what, const std::string& complaint) {
    const text::Signs signs(page_.unicode);
    runner::write_stdout(fmt::format("  {} {}\n{}",
                                     inked(complaint.empty() ? signs.right : signs.wrong,
                                           complaint.empty() ? Ink::good : Ink::bad, page_),
                                     what, complaint.empty() ? "" : indented(complaint, 6)));
    if (!complaint.empty()) ++wrong_;
  }
  // Tells what is no proof.
  void say(const std::string& what) { runner::write_stdout("    " + what + "\n"); }
  int wrong() const { return wrong_; }

 private:
  const text::Page& page_;
  int wrong_ = 0;
};

// Returns an answer's outcome, for the exercise's author.
std::string told(const Outcome& outcome, const std::optional<Section>& known) {
  std::string text = fmt::format("ending is {}", name_of(outcome.ending));
  for (const Cause& cause : outcome.causes) text += "; cause is " + cause.name;
  for (const results::Hazard& hazard : outcome.hazards) text += "; hazard is " + hazard.kind;
  if (!outcome.examined.empty()) text += "; examination is " + outcome.examined;
  if (!outcome.contract_check.empty()) text += "; check is " + outcome.contract_check;
  for (const results::CheckedClaim& claim : outcome.claims) {
    if (claim.kept) continue;
    text += fmt::format("; claim {}{}{} is {}", claim.counter, at_size(claim),
                        claim.buffer.empty() ? "" : " of " + claim.buffer,
                        claim.counted ? fmt::format("{:.6g}", *claim.counted) : "not counted");
  }
  if (known) text += fmt::format("; known as '{}'", known->title);
  return text + "\n" + outcome.message + outcome.compiler_output;
}

class RungExercise {
 public:
  RungExercise(const Exercise& exercise, int every, Findings& findings)
      : exercise_(exercise),
        every_(static_cast<size_t>(every)),
        findings_(findings),
        file_(folder_ / (exercise.name + ".cu").c_str()) {}

  void prove() {
    if (exercise_.letters().empty()) {
      findings_.add(exercise_.holes().file, "it has no hole: a section like '## a: what to write'");
    }
    for (const char letter : exercise_.letters()) {
      prove_skeleton(letter);
      prove_solution(letter);
    }
    const Document document = exercise_.wrong_answers();
    const std::vector<Section>& answers = document.sections;
    for (size_t i = 0; i < answers.size(); i += every_)
      prove_wrong_answer(answers[i], document.file);
    if (every_ > 1) {
      findings_.say(fmt::format("{} of {} wrong answers were left out",
                                answers.size() - (answers.size() + every_ - 1) / every_,
                                answers.size()));
    }
  }

 private:
  Outcome judge(const std::string& source) {
    write_text(file_, source);
    // A busy machine is slow, and an endless loop must reach its limit.
    return judge_answer(exercise_, file_, {.kernel_seconds = 60, .with_worth = false});
  }

  void prove_skeleton(char letter) {
    const Document holes = exercise_.holes();
    for (const Section& section : holes.sections) {
      if (!section.title.starts_with(std::string(1, letter) + ":")) continue;
      const std::string source = cut(exercise_, letter);
      const Outcome outcome = judge(source);
      const std::string text = section.field("Fails by");
      const Sign sign = parse_sign(text, fmt::format("{}:{}", holes.file, section.line));
      const bool fails = outcome.ending != Ending::right && matches(sign, outcome, source);
      findings_.add(fmt::format("hole {} as it is given fails: {}", letter, text),
                    fails ? "" : told(outcome, {}));
    }
  }

  // Proves the solution once, because it gives the same code in each hole.
  void prove_solution(char letter) {
    const std::string source = cut(exercise_, letter, solution_of(exercise_, letter));
    std::string complaint;
    if (code_of(source) != right_code_) {
      const Outcome outcome = judge(source);
      if (outcome.ending == Ending::right) {
        right_code_ = code_of(source);
      } else {
        complaint = told(outcome, {});
      }
    }
    findings_.add(fmt::format("hole {} with the rung's code in it is right", letter), complaint);
  }

  void prove_wrong_answer(const Section& answer, const std::string& document) {
    const std::string holes = holes_of(answer);
    const std::vector<char> letters = exercise_.letters();
    const bool are_known = std::ranges::all_of(
        holes, [&](char hole) { return std::ranges::find(letters, hole) != letters.end(); });
    if (holes.empty() || !are_known || answer.blocks.size() != 1) {
      findings_.add(answer.title, fmt::format("{}:{}: it should say 'Hole: a', or more of the "
                                              "exercise's holes, and have one ```cuda block",
                                              document, answer.line));
      return;
    }
    const std::string source = cut(exercise_, holes.front(), answer.blocks.front().text);
    const Outcome outcome = judge(source);
    const auto known = known_wrong_answer(exercise_, outcome, source);
    findings_.add(fmt::format("known by its sign: {}", answer.title),
                  known && known->title == answer.title ? "" : told(outcome, known));
  }

  const Exercise& exercise_;
  size_t every_;
  Findings& findings_;
  runner::TemporaryFolder folder_;
  std::string file_;
  std::string right_code_{};  // the code of a file that was judged right
};

void prove_lab(const Exercise& exercise, Findings& findings) {
  const LabQuestions questions = read_lab_questions(exercise.lab(), exercise.folder);
  findings.add(
      fmt::format("{} figures to predict, and {} wrong predictions that are known",
                  questions.all().size(), questions.misunderstandings.size()),
      fmt::format("{}", fmt::join(complaints_about(questions, facts_of(questions)), "\n")));
}

void prove_texts(const Exercise& exercise, Findings& findings) {
  const Document readme = exercise.readme();
  for (const char* title : SECTIONS) {
    const Section* const section = readme.find(title);
    if (section == nullptr || section->text.empty()) {
      findings.add(readme.file, fmt::format("the section '## {}' is missing", title));
    }
  }
  const Document answers = exercise.answers();
  for (const char* title : {"Before", "After"}) {
    const Section* const answer = answers.find(title);
    if (answer == nullptr || answer->text.empty()) {
      findings.add(answers.file, fmt::format("the section '## {}' is missing", title));
    }
  }
  const Document hints = exercise.hints();
  std::string complaint;
  if (hints.sections.size() != 3) {
    complaint = fmt::format("it has {} hints, and should have 3", hints.sections.size());
  }
  for (const Section& hint : hints.sections) {
    if (hint.text.empty())
      complaint = fmt::format("{}:{}: this hint is empty", hints.file, hint.line);
  }
  findings.add("three hints", complaint);
}

// Runs the README's lines that begin with ./sgemm_runner, with the programs beside this one.
void prove_commands(const Exercise& exercise, Findings& findings) {
  int count = 0;
  const int wrong_before = findings.wrong();
  for (const Section& section : exercise.readme().sections) {
    for (const Block& block : section.blocks) {
      if (block.language != "sh") continue;
      for (const std::string_view line : text::lines_of(block.text)) {
        constexpr std::string_view COMMAND = "./sgemm_runner ";
        const std::string text(line.substr(0, line.find(" #")));
        if (!text.starts_with(COMMAND)) {
          findings.add(text, "a command should begin with ./sgemm_runner");
          continue;
        }
        const std::string words = text.substr(COMMAND.size());
        const std::string program = (runner::own_program().parent_path() / "sgemm_runner").string();
        const runner::Finished done =
            runner::run_command({"sh", "-c", fmt::format("exec '{}' {}", program, words)}, true);
        runner::stop_if_interrupted();
        ++count;
        if (done.code != 0) {
          findings.add(text, fmt::format("exit code {}\n{}", done.code, done.output));
        }
      }
    }
  }
  if (count == 0) findings.add("commands of the README", "it names none");
  if (findings.wrong() > wrong_before) return;
  findings.add(fmt::format("{} commands of the README run", count), "");
}

}  // namespace

ExitCode run(const VerifyRequest& request) {
  runner::catch_signals(runner::machine::interrupt);
  if (runner::machine::MEASURES_TIME) {
    throw Error(ExitCode::usage,
                "the exercises are proved by counters: './sgemm_runner --build sim "
                "learn --verify'");
  }
  const text::Page page = runner::stdout_page(runner::When::automatic);
  std::vector<const Exercise*> exercises;
  exercises.reserve(course().size() + request.exercises.size());
  for (const std::string& word : request.exercises) exercises.push_back(&find_exercise(word));
  if (exercises.empty()) {
    for (const Exercise& exercise : course()) exercises.push_back(&exercise);
  }
  Findings findings(page);
  for (const Exercise* exercise : exercises) {
    findings.begin(exercise->name);
    try {
      prove_texts(*exercise, findings);
      if (exercise->is_written()) {
        RungExercise(*exercise, request.every, findings).prove();
      } else {
        prove_lab(*exercise, findings);
      }
      prove_commands(*exercise, findings);
    } catch (const Error& error) {
      if (error.code() == ExitCode::interrupted) throw;
      findings.add("its texts can be used", error.what());
    }
  }
  runner::write_stdout(findings.wrong() == 0
                           ? fmt::format("{} proved: all their statements hold\n",
                                         exercises.size() == 1
                                             ? "1 exercise"
                                             : fmt::format("{} exercises", exercises.size()))
                           : fmt::format("{} things do not hold\n", findings.wrong()));
  return findings.wrong() == 0 ? ExitCode::ok : ExitCode::wrong;
}

}  // namespace workshop
