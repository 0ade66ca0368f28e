#include "workshop/commands/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "app/error.hpp"
#include "app/output.hpp"
#include "app/project.hpp"
#include "app/subprocess.hpp"
#include "app/temporary_folder.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/course/own_files.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

namespace fs = std::filesystem;
using runner::Error;
using runner::ExitCode;

constexpr const char* FOLDER = "sgemm_ladder";  // in the archive

const fs::path& root() {
  static const fs::path folder = runner::project_folder();
  return folder;
}

constexpr const char* BUILD = "build/sim";  // where ./sgemm_runner expects it
constexpr const char* PROGRAMS[] = {"sgemm_runner", "sgemm_workbench", "sgemm_workshop"};
constexpr const char* LEARNERS_README = "exercises/README.md";

// Files that a class does not need or must not see. A folder ends in '/'.
constexpr const char* LEFT_OUT[] = {
    ".ci/",
    "Dockerfile",  // it runs the tests
    "bench/baselines/nvidia-h200-profile.json",
    "bench/baselines/nvidia-h200-sass.json",
    "bench/baselines/simulator.json",
    "docs/class/",  // for the instructor, and so is the next one
    "docs/workshop.md",
    "run_tests",
    "src/kernels/best/choice.cpp",  // it is there compiled, as the rungs are
    "test/",                        // wrong kernels, and right ones
    LEARNERS_README,                // it becomes README.md
};
constexpr const char* LEFT_OUT_OF_EXERCISES[] = {"answers.md"};
constexpr const char* WITHOUT_BLOCKS =
    "wrong_answers.md";  // but for one change their code is the solution

// ---- The files.

std::vector<std::string> parts(const std::string& text, char end) {
  std::vector<std::string> all;
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(end, from), text.size());
    if (to > from) all.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return all;
}

// Returns the files that git tracks, relative to the root; nothing if the root is not that of a git repository.
std::vector<std::string> tracked_files() {
  const runner::Finished top =
      runner::run_command({"git", "-C", root(), "rev-parse", "--show-toplevel"}, false);
  std::error_code none;
  if (top.code != 0 || !fs::equivalent(top.output.substr(0, top.output.find('\n')), root(), none)) {
    return {};
  }
  const runner::Finished listed =
      runner::run_command({"git", "-C", root(), "ls-files", "-z"}, false);
  return listed.code == 0 ? parts(listed.output, '\0') : std::vector<std::string>{};
}

// Returns all files of the tree except build products and the learner's own.
std::vector<std::string> files_below_root() {
  const std::set<std::string> made{"build", "__pycache__", ".git"};
  std::vector<std::string> all;
  for (fs::recursive_directory_iterator entry(root()), end; entry != end; ++entry) {
    const std::string name = entry->path().lexically_relative(root()).generic_string();
    if (made.contains(entry->path().filename().string()) || name == "exercises/mine") {
      if (entry->is_directory()) entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      all.push_back(name);
    }
  }
  return all;
}

bool is_below(const std::string& name, const std::string& folder) {
  return folder.ends_with('/') && name.starts_with(folder);
}

// Returns the sources that hold solutions.
std::set<std::string> solutions() {
  std::set<std::string> files;
  for (const Exercise& exercise : course()) {
    if (!exercise.is_written()) continue;
    for (const std::string& path : files_of_solution(exercise)) {
      files.insert(fs::path(path).lexically_relative(root()).generic_string());
    }
  }
  return files;
}

bool is_for_a_class(const std::string& name, const std::set<std::string>& solutions) {
  if (solutions.contains(name)) return false;
  for (const std::string left_out : LEFT_OUT) {
    if (name == left_out || is_below(name, left_out)) return false;
  }
  return !(is_below(name, "exercises/") &&
           std::ranges::find(LEFT_OUT_OF_EXERCISES, fs::path(name).filename()) !=
               std::end(LEFT_OUT_OF_EXERCISES));
}

// ---- The copies.

std::string without_blocks(const std::string& markdown) {
  std::string text;
  bool inside = false;
  for (const std::string& line : parts(markdown, '\n')) {
    if (line.starts_with("```")) {
      inside = !inside;
    } else if (!inside) {
      text += line.starts_with("#") ? "\n" + line + "\n\n" : line + "\n";
    }
  }
  return text;
}

// Returns the statements of all holes' solutions that are long enough to give a solution away.
std::set<std::string> statements_of_solutions() {
  constexpr size_t TELLING = 24;  // characters
  std::set<std::string> statements;
  for (const Exercise& exercise : course()) {
    if (!exercise.is_written()) continue;
    for (const char letter : exercise.letters()) {
      for (const std::string& line : parts(solution_of(exercise, letter), '\n')) {
        const size_t begin = line.find_first_not_of(' ');
        if (begin == line.npos) continue;
        const std::string code = line.substr(begin, line.find("//") - begin);
        const std::string statement = code.substr(0, code.find_last_not_of(' ') + 1);
        if (statement.size() >= TELLING && statement.find('=') != statement.npos) {
          statements.insert(statement);
        }
      }
    }
  }
  return statements;
}

// Returns a page of docs/ without the solutions' statements that it quotes.
std::string without_statements(const std::string& page, const std::set<std::string>& statements) {
  std::string text = page;
  for (const std::string& statement : statements) {
    for (size_t at = text.find(statement); at != text.npos; at = text.find(statement, at)) {
      const size_t end = std::min(text.find('\n', at), text.size());
      text.replace(at, end - at, "// you write this line in an exercise");
    }
  }
  return text;
}

void copy(const std::string& name, const fs::path& to, const std::set<std::string>& statements) {
  const fs::path target = to / name;
  fs::create_directories(target.parent_path());
  if (target.filename() == WITHOUT_BLOCKS) {
    write_text(target.string(), without_blocks(read_text((root() / name).string())));
  } else if (is_below(name, "docs/") && target.extension() == ".md") {
    write_text(target.string(),
               without_statements(read_text((root() / name).string()), statements));
  } else {
    fs::copy_file(root() / name, target);
  }
}

// Adds the rungs and the choice among them as compiled by this build, and the rungs' exercises with the holes already cut.
void add_rungs(const fs::path& to) {
  const fs::path objects = to / "src/kernels/compiled" / SGEMM_PROCESSOR;
  fs::create_directories(objects);
  fs::copy_file(runner::build_folder() / SGEMM_CHOICE_OBJECT, objects / "choice.o");
  for (const Exercise& exercise : course()) {
    if (!exercise.is_written()) continue;
    fs::copy_file(runner::build_folder() / SGEMM_RUNG_OBJECTS / (exercise.name + ".cu.o"),
                  objects / (exercise.name + ".o"));
    for (const std::string& file : files_of_solution(exercise)) {
      if (fs::path(file).extension() == ".cu") continue;
      write_text(
          (to / fs::path(file).lexically_relative(root())).string(),
          fmt::format(
              "// The file of exercises/{} contains the text of this header.\n#pragma once\n",
              exercise.name));
    }
    for (const char letter : exercise.letters()) {
      write_text(
          (to / "exercises" / exercise.name / fmt::format("skeleton_{}.cu", letter)).string(),
          cut(exercise, letter));
    }
  }
}

// Adds the programs of this build and all that they need to compile a learner's file, so that a laptop need not build
// them. The stamps tell ./sgemm_runner and ./simcc that the programs are up to date (cmake/setup.sh).
void add_programs(const fs::path& to) {
  const fs::path from = runner::build_folder(), build = to / BUILD;
  std::vector<std::string> files{"simcc", "compile_kernel", "src/simulator/libsimulator.a",
                                 "src/lens/liblens.a", "src/text/libtext.a"};
  std::vector<std::string> targets{"simulator"};
  for (const char* program : PROGRAMS) {
    files.push_back(fmt::format("bin/{}", program));
    targets.emplace_back(program);
  }
  for (const std::string& file : files) {
    fs::create_directories((build / file).parent_path());
    fs::copy_file(from / file, build / file);
  }
  fs::create_directories(build / "built");
  for (const std::string& target : targets) write_text((build / "built" / target).string(), "");
  write_text((build / "packed_for").string(), SGEMM_PROCESSOR "\n");
}

// ---- The archive.

// Returns the archive. Its bytes depend only on names and contents, not on the user, the time or the umask.
std::string archive_of(const fs::path& parent) {
  const runner::Finished done = runner::run_command(
      {"tar", "--create", "--directory", parent.string(), "--format=gnu", "--sort=name",
       "--mtime=2000-01-01 00:00:00Z", "--owner=0", "--group=0", "--numeric-owner",
       "--mode=u+rwX,go+rX,go-w", "--use-compress-program=gzip -6 -n", FOLDER},
      false);
  if (done.code != 0) {
    throw Error(ExitCode::failure,
                fmt::format("tar could not make the archive: exit code {}", done.code));
  }
  return done.output;
}

void refuse_file(const std::string& file) {
  constexpr std::array ENDINGS{".tar.gz", ".tgz"};
  if (std::ranges::none_of(ENDINGS, [&](const char* ending) { return file.ends_with(ending); })) {
    throw Error(
        ExitCode::usage,
        fmt::format("--pack '{}' should be the name of an archive: --pack class.tar.gz", file));
  }
  std::error_code none;
  if (fs::exists(fs::symlink_status(file, none))) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' is there already: remove it, or name another file", file));
  }
}

void refuse_build() {
  if (*SGEMM_RUNG_OBJECTS == '\0' || runner::build_folder() != root() / BUILD) {
    throw Error(
        ExitCode::usage,
        "the archive holds the programs of the build in build/sim, and this is another build: "
        "'./sgemm_runner --build sim learn --pack class.tar.gz'");
  }
  for (const Exercise& exercise : course()) {
    if (!exercise.is_written() || has_solution(exercise)) continue;
    throw Error(ExitCode::usage,
                "this copy of the project is such an archive, unpacked: hand on the file itself");
  }
}

}  // namespace

void pack_for_class(const std::string& file) {
  refuse_file(file);
  refuse_build();
  runner::OutputFile output(file);
  const runner::TemporaryFolder temporary(runner::TemporaryFolder::For::files);
  const fs::path to = temporary / FOLDER;

  std::vector<std::string> files = tracked_files();
  if (files.empty()) files = files_below_root();
  const std::set<std::string> hidden = solutions(), statements = statements_of_solutions();
  for (const std::string& name : files) {
    if (is_for_a_class(name, hidden) && fs::is_regular_file(root() / name)) {
      copy(name, to, statements);
    }
  }
  fs::copy_file(root() / LEARNERS_README, to / "README.md", fs::copy_options::overwrite_existing);
  add_rungs(to);
  add_programs(to);
  output.commit(archive_of(to.parent_path()));
}

runner::ExitCode run(const PackRequest& request) {
  pack_for_class(request.file);
  runner::write_stdout(fmt::format(
      "{} is the project without solutions, for {} processors.\n"
      "On each of them: tar -xf {}, and in the folder {}: ./sgemm_runner learn\n",
      as_typed(request.file), SGEMM_PROCESSOR, fs::path(request.file).filename().string(), FOLDER));
  return ExitCode::ok;
}

}  // namespace workshop
