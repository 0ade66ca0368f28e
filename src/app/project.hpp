// The folders of the project and of this program's build.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// The build folder of the running program, absolute. Programs are in its folder bin.
std::filesystem::path build_folder();

/// The project's folder, absolute. It is found from the program's place, so a tree can be moved together with its build.
std::filesystem::path project_folder();

/// The short name of a source file: relative to the project's folder if the file is in it, else unchanged.
std::string name_in_project(const std::string& file);

/// The path of a file whose short name is `name`.
std::string path_of_name(const std::string& name);

}  // namespace runner
