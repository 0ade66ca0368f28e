// sgemm_workshop, the program behind the subcommands with which one climbs the ladder alone: what it can be asked for, and
// what it does then. Users call it through sgemm_runner (see runner/cli/program.hpp).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/error.hpp"
#include "runner/request/run_request.hpp"
#include "workshop/quiz/quiz.hpp"

namespace workshop {

/// What all requests have in common.
struct OwnFolder {
  std::string folder{};  // where the learner's files are; empty for exercises/mine
};

/// `sgemm_runner learn [EXERCISE]`
struct LearnRequest : OwnFolder {
  std::string exercise{};  // empty: where am I; "next", "skip"
  std::string skipped{};   // with "skip", the exercise; empty: the one at hand
  char hole = 0;           // 0: the one that it has, or its first
};

/// `sgemm_runner learn --verify [EXERCISES...]`
struct VerifyRequest {
  std::vector<std::string> exercises{};  // empty for all
};

/// `sgemm_runner learn --pack FILE`
struct PackRequest {
  std::string file{};
};

/// `sgemm_runner check [EXERCISE]`
struct CheckRequest : OwnFolder {
  std::string exercise{};  // empty: the one at hand; "all": every one that has a file
  std::string answer{};    // a file with what belongs between the marks; empty: it stands there
  bool watch = false;
  bool json = false;
  bool verbose = false;
  double seconds = 10;  // that a launch may take
};

/// `sgemm_runner hint [EXERCISE]`
struct HintRequest : OwnFolder {
  std::string exercise{};
};

/// `sgemm_runner solution EXERCISE`
struct SolutionRequest : OwnFolder {
  std::string exercise{};
};

/// `sgemm_runner reset EXERCISE`
struct ResetRequest : OwnFolder {
  std::string exercise{};
  char hole = 0;
};

/// `sgemm_runner progress [FILES...]`
struct ProgressRequest : OwnFolder {
  std::vector<std::string> files{};  // of a class; none: one's own
  std::string exported{};            // the file to hand in, "ada.json"; empty for none
  bool json = false;
};

using WorkshopRequest =
    std::variant<LearnRequest, QuizRequest, VerifyRequest, PackRequest, CheckRequest, HintRequest,
                 SolutionRequest, ResetRequest, ProgressRequest, runner::ShowText>;

/// Throws runner::Error(ExitCode::usage) with a message for the user.
WorkshopRequest parse_workshop_command_line(int argc, const char* const* argv);

/// Says where one is and what is next, or opens an exercise: makes the learner's file and says what to do.
runner::ExitCode run(const LearnRequest& request);
/// Proves the exercises: `wrong` if one does not hold.
runner::ExitCode run(const VerifyRequest& request);
/// Writes the project without solutions, for a class.
runner::ExitCode run(const PackRequest& request);
/// Judges an answer: `wrong` if it is not right yet.
runner::ExitCode run(const CheckRequest& request);
/// Prints the next hint.
runner::ExitCode run(const HintRequest& request);
/// Prints the rung's code beside the learner's.
runner::ExitCode run(const SolutionRequest& request);
/// Begins an exercise anew; what was there is kept.
runner::ExitCode run(const ResetRequest& request);
/// Prints how far one is, or a class.
runner::ExitCode run(const ProgressRequest& request);

}  // namespace workshop

namespace runner {

/// The program, as the table of subcommands names it. NOLINTNEXTLINE(readability-identifier-naming)
struct sgemm_workshop {
  using Request = workshop::WorkshopRequest;
};

}  // namespace runner
