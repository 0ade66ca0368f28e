// Reads JSON that all readers understand alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace results {

/// Parses a file's text. Throws Unusable (json.hpp) unless it is one whole JSON value in UTF-8, without two members of one name in
/// an object, and not nested deeper than any file of ours, which is known at once.
nlohmann::ordered_json strict_json(std::string_view text);

}  // namespace results
