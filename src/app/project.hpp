// The folders of the project and of this program's build.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// Returns the build folder of the running program, absolute. Programs are in its folder bin.
std::filesystem::path build_folder();

/// Returns the project's folder, absolute. It is found from the program's place, so a tree can be moved together with
/// its build.
std::filesystem::path project_folder();

/// Returns the short name of a source file: relative to the project's folder if the file is in it, else unchanged.
std::string name_in_project(const std::string& file);

/// Returns the path of the file whose short name is `name`.
std::string path_of_name(const std::string& name);

}  // namespace runner
