// Texts that others wrote: from files, tools and judged code. What is read of them goes through one of these before a person
// sees it, so that nothing in them moves a terminal's cursor, turns the reading direction or becomes markup.
#pragma once

#include <string>
#include <string_view>

namespace text {

/// A text of one line, for terminals and all else. Line breaks and tabs become spaces. Control characters, those of bidirectional
/// text and others that take no room are left out; bytes that are no UTF-8 become question marks.
std::string plain_line(std::string_view foreign);

/// The same of several lines.
std::string plain_lines(std::string_view foreign);

/// Text of a page, foreign or our own, in a paragraph or a table's cell of Markdown: it reads as it stands here, and is neither
/// HTML nor a link, code or a table's border. Stars and underscores are left as they are.
std::string in_markdown(std::string_view text);

}  // namespace text
