// Reads JSON that all readers understand alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace results {

/// Parses a file's text. Throws Unusable (json.hpp) unless it is one whole JSON value in UTF-8. Throws if an object has
/// two members of one name. Throws as soon as the nesting is deeper than in any file of ours.
nlohmann::ordered_json strict_json(std::string_view text);

}  // namespace results
