// The requests of sgemm_workshop, the program behind the subcommands for exercises, and the functions that carry them
// out. Users call it through sgemm_runner (see runner/cli/program.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/error.hpp"
#include "runner/request/run_request.hpp"

namespace workshop {

/// The part that all requests share.
struct OwnFolder {
  std::string folder{};  // the folder of the learner's files; empty for exercises/mine
};

/// `sgemm_runner learn [EXERCISE]`
struct LearnRequest : OwnFolder {
  std::string exercise{};  // its name, "next" or "skip"; empty: print the learner's place
  std::string skipped{};   // with "skip", the exercise; empty: the current one
  char hole = 0;           // 0: the exercise's current hole, or its first
};

/// `sgemm_runner learn quiz [EXERCISES...]`
struct QuizRequest : OwnFolder {
  std::vector<std::string>
      exercises{};  // "all": all with questions; empty: all begun ones, or all if none is begun
  std::optional<int> questions{};  // none: 30, or three of each kind if that is fewer
  std::optional<uint64_t> seed{};  // none: draw one and print it
};

/// `sgemm_runner learn --verify [EXERCISES...] [--every N]`
struct VerifyRequest {
  std::vector<std::string> exercises{};  // empty for all
  int every = 1;                         // proves only every N-th wrong answer of an exercise
};

/// `sgemm_runner learn --pack FILE`
struct PackRequest {
  std::string file{};
};

/// `sgemm_runner check [EXERCISE]`
struct CheckRequest : OwnFolder {
  std::string exercise{};  // empty: the current one; "all": every exercise that has a file
  std::string
      answer{};  // a file with the text to put between the marks; empty: leave the learner's file alone
  bool watch = false;
  bool json = false;
  bool verbose = false;
  double seconds = 10;  // the most seconds for a launch
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
  std::vector<std::string> files{};  // progress files of a class; none: the learner's own file
  std::string exported{};            // the file to write for handing in, "ada.json"; empty for none
  bool json = false;
};

using WorkshopRequest =
    std::variant<LearnRequest, QuizRequest, VerifyRequest, PackRequest, CheckRequest, HintRequest,
                 SolutionRequest, ResetRequest, ProgressRequest, runner::ShowText>;

/// Parses a command line. Throws runner::Error(ExitCode::usage) with a message for the user.
WorkshopRequest parse_workshop_command_line(int argc, const char* const* argv);

/// Prints the learner's place and the next exercise. If an exercise is named, opens it: makes the learner's file and
/// prints the task.
runner::ExitCode run(const LearnRequest& request);
/// Asks on stdout, reads an answer a line from stdin, and prints the score. Returns `ok` for any score.
runner::ExitCode run(const QuizRequest& request);
/// Proves the exercises. Returns `wrong` if a proof fails.
runner::ExitCode run(const VerifyRequest& request);
/// Writes the project without solutions, for a class.
runner::ExitCode run(const PackRequest& request);
/// Judges an answer. Returns `wrong` unless it is right.
runner::ExitCode run(const CheckRequest& request);
/// Prints the next hint.
runner::ExitCode run(const HintRequest& request);
/// Prints the rung's code beside the learner's.
runner::ExitCode run(const SolutionRequest& request);
/// Begins an exercise again and keeps a copy of the learner's file.
runner::ExitCode run(const ResetRequest& request);
/// Prints the progress of the learner, or of a class.
runner::ExitCode run(const ProgressRequest& request);

}  // namespace workshop

namespace runner {

/// The program, as the table of subcommands names it. NOLINTNEXTLINE(readability-identifier-naming)
struct sgemm_workshop {
  using Request = workshop::WorkshopRequest;
};

}  // namespace runner
