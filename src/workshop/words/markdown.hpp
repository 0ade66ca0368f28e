// The workshop's texts in Markdown: shown on a screen, and read by the program for their sections, fields and blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace workshop {

/// A fenced block.
struct Block {
  std::string language{};  // "cuda"; empty if the fence names none
  std::string text{};      // its lines, each with a newline
};

/// A section: a heading and the text up to the next heading.
struct Section {
  std::string title{};  // without the # before it
  int line = 0;         // of the heading, from 1 on; 0 for the text before the first heading
  std::string text{};   // as written, blocks included, without empty lines around it
  std::vector<Block> blocks{};

  /// Returns the value of a field: "it is late" for a line "Known by: it is late"; empty if there is none. A following
  /// line that begins with two spaces continues the value. Lines in blocks are not fields.
  std::string field(std::string_view name) const;
  /// Returns all values of a field that may be repeated.
  std::vector<std::string> fields(std::string_view name) const;
  /// Returns the text without fields and blocks.
  std::string prose() const;
};

struct Document {
  std::string file{};               // for messages
  Section head{};                   // the title, and the text before the first section
  std::vector<Section> sections{};  // one for each heading "## "

  /// Returns the section with this title; nullptr if there is none.
  const Section* find(std::string_view title) const;
};

/// Parses a text: `# ` is its title, `## ` begins a section, and ``` fences a block.
Document parse_markdown(std::string_view text, const std::string& file);

/// Reads a file. Throws runner::Error(ExitCode::usage) if it cannot be read.
Document read_markdown(const std::string& path);

}  // namespace workshop
