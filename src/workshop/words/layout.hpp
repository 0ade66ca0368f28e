// How the workshop's texts stand on a screen.
#pragma once

#include <string>
#include <string_view>

#include "text/page.hpp"

namespace workshop {

enum class Ink { plain, bold, good, bad };
/// The text in colour, where the page has colours.
std::string inked(std::string_view text, Ink ink, const text::Page& page);

/// Markdown for a screen: headings in bold, paragraphs and lists wrapped to the page, blocks as they are, indented; the
/// signs of emphasis and code stay, as they are read as such.
std::string markdown_on(std::string_view markdown, const text::Page& page);

/// A page for what is to be set in by so many columns.
text::Page narrower(text::Page page, int columns);

/// Each line wrapped for itself, its further lines set in by two columns.
std::string lines_on(std::string_view lines, const text::Page& page);

/// Each line behind so many spaces.
std::string indented(std::string_view text, int spaces);

/// "check:   ./sgemm_runner check 2": what one can type, below each other.
std::string command_line(std::string_view what, std::string_view command);

}  // namespace workshop
