#include "runner/inspect/ptx_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/project.hpp"
#include "runner/inspect/inspect.hpp"
#include "runner/machine/machine.hpp"
#include "runner/trial/launch_once.hpp"

namespace runner {
namespace {

constexpr int CODE_INDENT = 10;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Returns the form that similar statements share: "%r12" and "%r3" are the same, and so are "+16" and "+4096".
// Constants stay, because the source line has them. Labels stay, because branches name them.
std::string shape_of(const std::string& text) {
  std::string shape;
  char mark = 0;  // the kind of name or offset that the digits belong to
  for (const char c : text) {
    const bool in_name = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (c == '%' || c == '+') {
      mark = c;
    } else if (!in_name) {
      mark = 0;
    }
    if (mark == 0 || !is_digit(c)) shape += c;
  }
  return shape;
}

struct Statement {
  std::string text;  // the first of the similar statements
  std::string shape;
  int times = 0;
};

void add(std::vector<Statement>& statements, const std::string& text) {
  const std::string shape = shape_of(text);
  const auto known = std::ranges::find(statements, shape, &Statement::shape);
  if (known == statements.end()) {
    statements.push_back({text, shape, 1});
  } else {
    ++known->times;
  }
}

}  // namespace

std::string ptx_listing(const machine::KernelCode& code, const SourceText& source,
                        const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::map<std::string, std::map<int, std::vector<Statement>>> files;
  std::vector<std::string> order;  // the files, by first statement
  for (const machine::CodeLine& one : code.lines) {
    if (std::ranges::find(order, one.file) == order.end()) order.push_back(one.file);
    add(files[one.file][one.line], one.text);
  }
  // The file with the most statements comes first; usually it is the kernel's own.
  const auto statements_in = [&](const std::string& file) {
    size_t count = 0;
    for (const auto& [line, statements] : files.at(file)) count += statements.size();
    return file.empty() ? 0 : count;
  };
  std::ranges::sort(order, [&](const std::string& a, const std::string& b) {
    return std::pair(statements_in(b), a) < std::pair(statements_in(a), b);
  });

  std::string text = fmt::format("{}: {} statements\n", code.kernel, code.lines.size());
  for (const std::string& file : order) {
    text += fmt::format("\n{}\n", file.empty() ? "of no line" : name_in_project(file));
    for (const auto& [line, statements] : files.at(file)) {
      if (!file.empty()) {
        text +=
            text::wrap(fmt::format("{:5} | {}", line, source(file, line)), page.width, 8) + "\n";
      }
      for (const Statement& statement : statements) {
        const std::string times =
            statement.times == 1 ? "" : fmt::format("   {} {}", signs.times, statement.times);
        text += text::wrap(std::string(CODE_INDENT, ' ') + statement.text + times, page.width,
                           CODE_INDENT + 4) +
                "\n";
      }
    }
  }
  return text;
}

SourceText source_files() {
  auto known = std::make_shared<std::map<std::string, std::vector<std::string>>>();
  return [known](const std::string& file, int line) -> std::string {
    auto [lines, is_new] = known->try_emplace(file);
    if (is_new) {
      std::ifstream stream(path_of_name(file));
      for (std::string one; std::getline(stream, one);) lines->second.push_back(one);
    }
    if (line < 1 || static_cast<size_t>(line) > lines->second.size()) return "";
    const std::string& text = lines->second[static_cast<size_t>(line) - 1];
    const size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  };
}

ExitCode run(const PtxRequest& request) {
  if (machine::KIND != results::Machine::simulator) {
    throw Error(ExitCode::usage,
                "'ptx' shows the code that the simulated GPU runs, and this program was built for "
                "CUDA devices: ./sgemm_runner --build sim ptx 6");
  }
  catch_signals(machine::interrupt);
  machine::open();
  const text::Page page = stdout_page(request.color);
  const SourceText source = source_files();
  std::string text;
  for (const Workload& workload : request.workloads) {
    stop_if_interrupted();
    machine::take_code();
    results::Observation seen;
    cudaError_t error = cudaSuccess;
    with_launch(workload,
                [&](const machine::Launch& launch) { error = machine::run(launch, seen); });
    if (error != cudaSuccess) {
      throw Error(ExitCode::failure,
                  fmt::format("{} does not run: {}", workload.name, cudaGetErrorString(error)));
    }
    text += fmt::format("{}{} at {}\n", text.empty() ? "" : "\n", workload.name, workload.size);
    for (const machine::KernelCode& code : machine::take_code()) {
      text += ptx_listing(code, source, page);
    }
  }
  write_stdout(text);
  return ExitCode::ok;
}

}  // namespace runner
