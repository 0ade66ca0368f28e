// The command lines of `sgemm_runner learn`, `check`, `hint`, `solution`, `reset` and `progress`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "app/words.hpp"
#include "runner/cli/subcommands.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/quiz/quiz.hpp"

// The table declares its subcommands in the namespace runner.
namespace runner {
namespace {

using namespace workshop;

constexpr const char* LEARN_EXAMPLES =
    R"(
Examples:
  sgemm_runner learn                where you are, and what is next
  sgemm_runner learn 2              exercise 2: makes your file and says what to do
  sgemm_runner check                judges it; check --watch at each save
  sgemm_runner hint                 the next of three hints
  sgemm_runner learn copy_stride    a lab: predict, then see
  sgemm_runner learn quiz           questions about what you have begun, with fresh numbers
  sgemm_runner learn quiz banks     questions about one exercise; learn quiz all: about all
)";

// The options that all of them share: one exercise, and the learner's folder.
class Word : public Subcommand<sgemm_workshop> {
 protected:
  void add_exercise(CLI::App& app, const std::string& what) {
    app.add_option("EXERCISE", exercise_, what);
  }
  void add_folder(CLI::App& app) {
    app.add_option("--folder", folder_, "the folder of your files (default exercises/mine)")
        ->type_name("DIR");
  }
  std::string exercise_, folder_;
};

char hole_from(const std::string& word) {
  if (word.empty()) return 0;
  if (word.size() == 1) return word[0];
  throw Error(ExitCode::usage, fmt::format("--hole '{}' should be one letter: a, b, c", word));
}

class LearnSubcommand : public Word {
 public:
  void add_options(CLI::App& app) override {
    app.add_option("EXERCISES", exercises_,
                   "an exercise's number or name, next, skip, or quiz; without one: where you are");
    app.add_option("--hole", hole_, "which hole: a is the smallest")->type_name("LETTER");
    app.add_option("--questions", questions_,
                   "questions of the quiz (default 30, or fewer if it has few kinds)")
        ->type_name("N");
    app.add_option("--seed", seed_, "seed of the quiz: the same seed asks the same questions")
        ->type_name("N");
    app.add_flag("--verify", verify_, "prove the exercises, for authors");
    app.add_option("--every", every_, "with --verify: only every N-th wrong answer")
        ->type_name("N");
    app.add_option("--pack", pack_, "write the project without solutions, for teachers")
        ->type_name("FILE.tar.gz");
    add_folder(app);
    app.footer(LEARN_EXAMPLES);
  }
  WorkshopRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    if (!pack_.empty()) return PackRequest{.file = pack_};
    if (verify_) return verification();
    if (!every_.empty()) throw Error(ExitCode::usage, "--every belongs to --verify");
    if (!exercises_.empty() && exercises_.front() == "quiz") return quiz();
    const bool skips = exercises_.size() == 2 && exercises_.front() == "skip";
    if (exercises_.size() > 1 && !skips) {
      throw Error(ExitCode::usage, "one exercise at a time: './sgemm_runner learn 2'");
    }
    if (!questions_.empty() || !seed_.empty()) {
      throw Error(ExitCode::usage,
                  "--questions and --seed are the quiz's: './sgemm_runner learn quiz'");
    }
    LearnRequest request;
    request.folder = folder_;
    request.exercise = exercises_.empty() ? "" : exercises_.front();
    if (skips) request.skipped = exercises_.back();
    request.hole = hole_from(hole_);
    return request;
  }

 private:
  VerifyRequest verification() const {
    VerifyRequest request{.exercises = exercises_};
    if (!every_.empty())
      request.every = static_cast<int>(parse_integer("--every", every_, 1, 1000));
    return request;
  }
  QuizRequest quiz() const {
    QuizRequest request;
    request.folder = folder_;
    request.exercises.assign(exercises_.begin() + 1, exercises_.end());
    if (!questions_.empty()) {
      request.questions =
          static_cast<int>(parse_integer("--questions", questions_, 1, MOST_QUIZ_QUESTIONS));
    }
    if (!seed_.empty()) request.seed = parse_natural("--seed", seed_);
    return request;
  }

  std::vector<std::string> exercises_;
  std::string hole_, pack_, questions_, seed_, every_;
  bool verify_ = false;
};

class CheckSubcommand : public Word {
 public:
  void add_options(CLI::App& app) override {
    add_exercise(app, "its number or name; without one: the exercise at hand");
    app.add_option("--answer", answer_,
                   "first put this file's text between the marks; what was there is kept")
        ->type_name("FILE");
    app.add_flag("--watch", watch_, "judge at each save, until Ctrl-C");
    app.add_flag("--json", json_, "print the verdict as JSON");
    app.add_flag("-v,--verbose", verbose_,
                 "also print everything the compiler says, every cause, the time taken");
    app.add_option("--seconds", seconds_, "seconds that a launch may take (default 10)")
        ->type_name("S");
    add_folder(app);
  }
  WorkshopRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    CheckRequest request;
    request.folder = folder_;
    request.exercise = exercise_;
    request.answer = answer_;
    request.watch = watch_;
    request.json = json_;
    request.verbose = verbose_;
    if (!seconds_.empty()) request.seconds = parse_seconds("--seconds", seconds_);
    if (watch_ && json_) throw Error(ExitCode::usage, "--watch is for people: leave --json out");
    if (watch_ && !answer_.empty()) {
      throw Error(ExitCode::usage, "--watch judges your own file at each save: leave --answer out");
    }
    return request;
  }

 private:
  bool watch_ = false, json_ = false, verbose_ = false;
  std::string answer_, seconds_;
};

class HintSubcommand : public Word {
 public:
  void add_options(CLI::App& app) override {
    add_exercise(app, "its number or name; without one: the exercise at hand");
    add_folder(app);
  }
  WorkshopRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    HintRequest request;
    request.folder = folder_;
    request.exercise = exercise_;
    return request;
  }
};

class SolutionSubcommand : public Word {
 public:
  void add_options(CLI::App& app) override {
    add_exercise(app, "its number or name");
    add_folder(app);
  }
  WorkshopRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    SolutionRequest request;
    request.folder = folder_;
    request.exercise = exercise_;
    return request;
  }
};

class ResetSubcommand : public Word {
 public:
  void add_options(CLI::App& app) override {
    add_exercise(app, "its number or name");
    app.add_option("--hole", hole_, "which hole: a is the smallest")->type_name("LETTER");
    add_folder(app);
  }
  WorkshopRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    ResetRequest request;
    request.folder = folder_;
    request.exercise = exercise_;
    request.hole = hole_from(hole_);
    return request;
  }

 private:
  std::string hole_;
};

class ProgressSubcommand : public Word {
 public:
  void add_options(CLI::App& app) override {
    app.add_option(
        "FILES", files_,
        "each learner's progress.json, for a class; all, or none: your own progress in all "
        "exercises");
    app.add_option("--export", exported_,
                   "write your progress to NAME.json, to hand in under this name")
        ->type_name("NAME.json");
    app.add_flag("--json", json_, "print JSON");
    add_folder(app);
  }
  WorkshopRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    ProgressRequest request;
    request.folder = folder_;
    if (files_ != std::vector<std::string>{"all"}) request.files = files_;
    request.exported = exported_;
    request.json = json_;
    if (!exported_.empty() && !files_.empty()) {
      throw Error(ExitCode::usage, "--export writes your own progress: leave the files out");
    }
    return request;
  }

 private:
  std::vector<std::string> files_;
  std::string exported_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand<sgemm_workshop>> learn_subcommand() {
  return std::make_unique<LearnSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workshop>> check_subcommand() {
  return std::make_unique<CheckSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workshop>> hint_subcommand() {
  return std::make_unique<HintSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workshop>> solution_subcommand() {
  return std::make_unique<SolutionSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workshop>> reset_subcommand() {
  return std::make_unique<ResetSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workshop>> progress_subcommand() {
  return std::make_unique<ProgressSubcommand>();
}

}  // namespace runner
