// Makes text from others safe to show: from files, tools and judged code. Such text must not move the terminal's cursor, turn the
// reading direction or become markup.
#pragma once

#include <string>
#include <string_view>

namespace text {

/// Returns one line of safe text. Line breaks and tabs become spaces. Control characters, bidirectional and zero-width
/// ones are removed. Bytes that are not UTF-8 become question marks.
std::string plain_line(std::string_view foreign);

/// Returns the same for several lines.
std::string plain_lines(std::string_view foreign);

/// Escapes a text for a paragraph or a table cell of Markdown: it is shown as it is, never as HTML, a link, code or a table's
/// border. Stars and underscores stay as they are.
std::string in_markdown(std::string_view text);

/// Escapes a text for an element or an attribute of HTML or SVG. Control characters become
/// spaces, because HTML cannot hold them in any form.
std::string in_markup(std::string_view text);

}  // namespace text
