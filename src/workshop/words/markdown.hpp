// Texts of the workshop: Markdown that people read on a screen, and of which the program wants the sections and what
// stands in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace workshop {

/// A fenced block.
struct Block {
  std::string language{};  // "cuda"; empty where the fence names none
  std::string text{};      // its lines, each with its end
};

/// A section: what stands below a heading as far as the next one.
struct Section {
  std::string title{};  // without the signs before it
  int line = 0;         // where the heading stands, from 1 on; 0 for what stands before the first
  std::string text{};   // as it is written, blocks and all, without empty lines around it
  std::vector<Block> blocks{};

  /// Of a line "Known by: it is late" what stands behind "Known by:"; empty where there is none. A line that goes on in the
  /// next, which begins with two spaces, is one. Blocks are no such lines.
  std::string field(std::string_view name) const;
  /// All of them, for a name that may stand there several times.
  std::vector<std::string> fields(std::string_view name) const;
  /// The text without such lines and without blocks.
  std::string prose() const;
};

struct Document {
  std::string file{};               // for messages
  Section head{};                   // the title, and what stands below it before the first section
  std::vector<Section> sections{};  // the headings "## "

  /// Nullptr where there is none.
  const Section* find(std::string_view title) const;
};

/// Reads a text: `# ` is its title, `## ` begins a section, ``` fences a block.
Document parse_markdown(std::string_view text, const std::string& file);

/// Reads a file. Throws runner::Error(ExitCode::usage) where it cannot be read.
Document read_markdown(const std::string& path);

}  // namespace workshop
