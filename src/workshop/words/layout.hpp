// Lays out the workshop's texts for a screen.
#pragma once

#include <string>
#include <string_view>

#include "text/page.hpp"

namespace workshop {

enum class Ink { plain, bold, good, bad };
/// Returns the text in colour, if the page has colours.
std::string inked(std::string_view text, Ink ink, const text::Page& page);

/// Returns Markdown for a screen: headings in bold, paragraphs and lists wrapped to the page, blocks indented. Marks of
/// emphasis go, marks of code stay. A link becomes its text and its address. A link to the playground becomes the
/// command.
std::string markdown_on(std::string_view markdown, const text::Page& page);

/// Returns a page that is narrower by this number of columns.
text::Page narrower(text::Page page, int columns);

/// Wraps each line by itself and indents its continuation by two columns.
std::string lines_on(std::string_view lines, const text::Page& page);

/// Puts this number of spaces before each line.
std::string indented(std::string_view text, int spaces);

/// Returns a line such as "check:   ./sgemm_runner check 2". Such lines align below each other.
std::string command_line(std::string_view what, std::string_view command);

}  // namespace workshop
