// Exercises are cut from the rungs' own sources, so that the two cannot drift apart: the lines between
// `// exercise a: begin` and `// exercise a: end` are taken out, and what stands in the exercise's folder takes their place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workshop/course/exercise.hpp"

namespace workshop {

/// The rung's source with the headers that are part of the exercise in their place: all that a learner's file may hold,
/// marks and all. Throws runner::Error where this copy of the project has no solutions.
std::string whole_source(const Exercise& exercise);

/// The files that hold the exercise's solution, with the project's folder before them: the rung's source, and the headers that
/// are part of the exercise. Throws as whole_source() does.
std::vector<std::string> files_of_solution(const Exercise& exercise);

/// Whether this copy has the rung's source, or of a lab the answers. (An archive for a class has neither.)
bool has_solution(const Exercise& exercise);
/// Throws runner::Error(ExitCode::usage) where it has not.
void require_solution(const Exercise& exercise);

/// What the learner gets for hole `letter`: what it is about, then the source with `filling` between the marks (empty: what
/// stands in the exercise's folder) and all other holes' solutions left in. Throws runner::Error for a letter that is no
/// hole, and where marks and holes do not fit together.
std::string cut(const Exercise& exercise, char letter, const std::string& filling = {});

/// What the rung has between the marks of a hole.
std::string solution_of(const Exercise& exercise, char letter);

/// What the learner's file has between the marks of its hole, or all of it where the marks are gone.
std::string own_part(const std::string& source);
/// The code without spaces, line ends and a byte order mark: what is compared where these make no difference.
std::string without_spaces(std::string_view code);
/// True if `code`, between the marks of a hole, is nothing or as it was given.
bool is_unwritten(const Exercise& exercise, char hole, std::string_view code);
/// The same of a learner's file.
bool is_unwritten(const Exercise& exercise, const std::string& source);

/// The file with this text between the marks of its hole; nothing if it has no marks.
std::optional<std::string> with_own_part(const std::string& source, const std::string& text);

/// The file without its marks and without what it says before the first line of code: what a compiler makes something of.
std::string code_of(const std::string& source);

/// The hole that a learner's file was cut for; 'a' where that cannot be told any more.
char hole_of(const std::string& source);

}  // namespace workshop
