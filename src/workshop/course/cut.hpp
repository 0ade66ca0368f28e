// Cuts exercises from the rungs' own sources, so that the two cannot drift apart. The lines between `// exercise a:
// begin` and `// exercise a: end` are replaced by the text in the exercise's folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workshop/course/exercise.hpp"

namespace workshop {

/// Returns the rung's source, marks included, with the headers that are part of the exercise pasted in. Throws
/// runner::Error if this copy of the project has no solutions.
std::string whole_source(const Exercise& exercise);

/// Returns the paths of the files with the exercise's solution: the rung's source, and the headers that are part of the
/// exercise. Throws as whole_source() does.
std::vector<std::string> files_of_solution(const Exercise& exercise);

/// True if this copy has the rung's source, or the lab's answers. (An archive for a class has neither.)
bool has_solution(const Exercise& exercise);
/// Throws runner::Error(ExitCode::usage) unless has_solution().
void require_solution(const Exercise& exercise);

/// Returns the learner's file for hole `letter`: a heading, then the source with `filling` between the marks (empty:
/// the text in the exercise's folder). All other holes keep their solutions. Throws runner::Error if there is no such
/// hole, or if marks and holes do not match.
std::string cut(const Exercise& exercise, char letter, const std::string& filling = {});

/// Returns the text between the marks of a hole in the rung's source.
std::string solution_of(const Exercise& exercise, char letter);

/// Returns the text between the marks of a learner's file, or the whole file if the marks are gone.
std::string own_part(const std::string& source);
/// Returns the code without spaces, line ends and a byte order mark, for comparisons that ignore them.
std::string without_spaces(std::string_view code);
/// True if `code`, the text between the marks of a hole, is empty or as it was given.
bool is_unwritten(const Exercise& exercise, char hole, std::string_view code);
/// True for a learner's whole file if the text between its marks is empty or as it was given.
bool is_unwritten(const Exercise& exercise, const std::string& source);

/// Returns the file with this text between its marks; nothing if it has no marks.
std::optional<std::string> with_own_part(const std::string& source, const std::string& text);

/// Returns the file without its marks and without the comments before the first line of code.
std::string code_of(const std::string& source);

/// Returns the hole that a learner's file was cut for; 'a' if its marks are gone.
char hole_of(const std::string& source);

}  // namespace workshop
