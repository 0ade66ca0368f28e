#include "simulator/ptx/ptx.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <set>
#include <stdexcept>
#include <tuple>

namespace simulator::ptx {
namespace {

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (start <= text.size()) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::string fold_blanks(std::string_view text) {
  std::string folded;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) folded += c;
    if (blank && !folded.empty() && folded.back() != ' ') folded += ' ';
  }
  while (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return folded;
}

using Files = std::map<uint64_t, std::string>;

// A function whose body was skipped.
struct Head {
  Function function;
  size_t body = 0;  // position of the body in the text, after the brace
  bool is_read = false;
};

// Reads on from a position in the text. The position is the only state of parsing itself.
class Reader {
 public:
  explicit Reader(std::string_view text, size_t at = 0) : text_(text), at_(at) {}

  // Reads the module without the functions' bodies.
  void read_module(std::vector<Head>& heads, std::vector<Variable>& variables, Files& files,
                   std::string& target) {
    while (skip_blanks(), at_ < text_.size()) read_top_level(heads, variables);
    files = std::move(files_);
    target = std::move(target_);
  }

  // Reads the body that starts here. Throws Unreadable.
  void read_body(Function& function, const Files& files) {
    files_ = files;
    try {
      read_statements(function);
    } catch (const std::runtime_error& error) {
      resolve_lines(function);
      const std::vector<SourceLine>& chain = function.lines[line_].chain;
      throw Unreadable{error.what(), chain.empty() ? SourceLine{} : chain.front()};
    }
    resolve_lines(function);
  }

 private:
  // --- characters and words -------------------------------------------------------------------

  [[noreturn]] void fail(const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())),
                       '\n');
    throw std::runtime_error("PTX line " + std::to_string(line) + ": " + what);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail("a comment without an end");
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  bool accept(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }

  // Reads a name: a register, symbol, label or keyword. Dots belong to opcodes and special registers.
  std::string word(bool with_dots = false) {
    skip_blanks();
    const size_t start = at_;
    while (is_word_char(peek()) || (with_dots && peek() == '.')) ++at_;
    if (at_ == start) fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }

  std::string directive() {
    expect('.');
    return word();
  }

  std::string quoted() {
    expect('"');
    const size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) fail("a string without an end");
    std::string s(text_.substr(at_, end - at_));
    at_ = end + 1;
    return s;
  }

  std::string_view rest_of_line() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end;
    return line.substr(0, line.find("//"));
  }

  uint64_t unsigned_number() {
    skip_blanks();
    const Operand value = number();
    return value.bits;
  }

  // Reads an integer in any base, or a 0f / 0d constant given by its bits.
  Operand number() {
    skip_blanks();
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    const bool minus = accept('-');
    const size_t start = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0) ++at_;
    if (peek() == '.') return decimal(start, minus);
    std::string_view digits = text_.substr(start, at_ - start);
    if (digits.empty()) fail("expected a number");
    int base = 10;
    const std::string_view prefix = digits.substr(0, 2);
    if (prefix == "0f" || prefix == "0F" || prefix == "0d" || prefix == "0D") {
      operand.is_double = prefix[1] == 'd' || prefix[1] == 'D';
      operand.is_float = !operand.is_double;
      base = 16;
    } else if (prefix == "0x" || prefix == "0X") {
      base = 16;
    } else if (prefix == "0b" || prefix == "0B") {
      base = 2;
    } else if (digits.size() > 1 && digits[0] == '0') {
      base = 8;
    }
    if (base != 10) digits.remove_prefix(base == 8 ? 1 : 2);
    if (digits.ends_with('U')) digits.remove_suffix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), operand.bits, base);
    if (error != std::errc{} || end != digits.data() + digits.size()) fail("not a number");
    if (minus) operand.bits = 0 - operand.bits;
    return operand;
  }

  // Reads 1.5 or 25.0e-3 after the digits before the point: a double, as in PTX.
  Operand decimal(size_t start, bool minus) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.is_double = true;
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("not a number");
    at_ = static_cast<size_t>(end - text_.data());
    operand.bits = std::bit_cast<uint64_t>(minus ? -value : value);
    return operand;
  }

  // --- the module -----------------------------------------------------------------------------

  void read_top_level(std::vector<Head>& heads, std::vector<Variable>& module_variables) {
    if (peek() != '.') fail("expected a directive");
    const size_t start = at_;
    const std::string name = directive();
    if (name == "version" || name == "target" || name == "address_size") {
      if (name == "target") target_ = word();
      rest_of_line();  // further words of .target change nothing
    } else if (name == "file") {
      read_file();
    } else if (name == "section") {
      skip_section();
    } else if (name == "visible" || name == "weak" || name == "extern" || name == "common") {
      // Linkage has no meaning here; the next directive tells the kind.
    } else if (name == "entry" || name == "func") {
      heads.push_back(read_head(name == "entry"));
    } else if (name == "global" || name == "const" || name == "shared") {
      at_ = start;
      for (Variable& variable : read_variables()) module_variables.push_back(std::move(variable));
    } else if (name == "pragma") {
      quoted();
      expect(';');
    } else {
      fail("unknown directive ." + name);
    }
  }

  void read_file() {
    const uint64_t number = unsigned_number();
    std::string path = quoted();
    const std::string_view rest = rest_of_line();
    const size_t name = rest.find('"');
    if (name != rest.npos) {  // this was a directory
      path += "/";
      path += rest.substr(name + 1, rest.find('"', name + 1) - name - 1);
    }
    files_[number] = path;
  }

  void skip_section() {
    const size_t open = text_.find('{', at_);
    const size_t close = text_.find('}', at_);
    if (open == std::string_view::npos || close == std::string_view::npos)
      fail("a section without an end");
    at_ = close + 1;
  }

  // Reads one statement with one or more variables: ".shared .align 16 .b8 name[512], other[4];".
  std::vector<Variable> read_variables() {
    std::vector<Variable> variables;
    Variable common = read_variable_head();
    do {
      Variable variable = common;
      variable.name = word();
      read_array_and_initial_value(variable);
      variables.push_back(std::move(variable));
    } while (accept(','));
    expect(';');
    return variables;
  }

  // Reads the words before the name: the space, the alignment, the type.
  Variable read_variable_head() {
    Variable variable;
    skip_blanks();
    while (peek() == '.') {
      const std::string name = directive();
      const bool is_space = name == "param" || name == "shared" || name == "global" ||
                            name == "const" || name == "local";
      if (name == "align") {
        variable.align = unsigned_number();
      } else if (is_space) {
        if (variable.space.empty())
          variable.space = name;  // a later one is a pointer's space, and only advice
      } else if (name != "ptr") {
        variable.type = name;  // an unknown type is refused at its use
      }
      skip_blanks();
    }
    variable.align = std::max<uint64_t>(variable.align, std::max(1u, type_bytes(variable.type)));
    return variable;
  }

  void read_array_and_initial_value(Variable& variable) {
    while (accept('[')) {
      variable.is_array = true;
      if (accept(']')) {
        variable.count = 0;
        continue;
      }
      variable.count *= unsigned_number();
      expect(']');
    }
    if (!accept('=')) return;
    const bool braces = accept('{');
    do {
      append_initial(variable);
    } while (accept(','));
    if (braces) expect('}');
  }

  void append_initial(Variable& variable) {
    const uint32_t bytes = type_bytes(variable.type);
    skip_blanks();
    Operand value;
    if (std::isdigit(static_cast<unsigned char>(peek())) != 0 || peek() == '-') {
      value = number();
      for (uint32_t b = 0; b < bytes; ++b) {
        variable.initial.push_back(static_cast<uint8_t>(value.bits >> (8 * b)));
      }
      return;
    }
    const std::string name = word();  // generic(symbol) or symbol, perhaps + offset
    value.kind = Operand::Kind::symbol;
    value.name = name;
    if (name == "generic") {
      expect('(');
      value.name = word();
      expect(')');
    }
    if (accept('+')) value.offset = static_cast<int64_t>(unsigned_number());
    variable.addresses.emplace_back(variable.initial.size(), value);
    variable.initial.insert(variable.initial.end(), bytes, 0);
  }

  // --- functions ------------------------------------------------------------------------------

  std::vector<Variable> read_parameters() {
    std::vector<Variable> parameters;
    expect('(');
    if (accept(')')) return parameters;
    do {
      Variable parameter = read_variable_head();
      parameter.name = word();
      read_array_and_initial_value(parameter);
      parameters.push_back(std::move(parameter));
    } while (accept(','));
    expect(')');
    return parameters;
  }

  Head read_head(bool is_entry) {
    Head head;
    Function& function = head.function;
    function.is_entry = is_entry;
    skip_blanks();
    if (peek() == '(') function.results = read_parameters();
    function.name = word();
    skip_blanks();
    if (peek() == '(') function.parameters = read_parameters();
    read_performance_directives(function);
    if (accept('{')) {
      function.has_body = true;
      head.body = at_;
      skip_body(function.name);
    } else {
      expect(';');
    }
    return head;
  }

  // Skips to after the body's closing brace. Operands have braces too, always in pairs.
  void skip_body(const std::string& name) {
    for (int depth = 1; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) {
        ++at_;
        return;
      }
      if (c == '/' || c == '"') skip_comment_or_string();
    }
    fail("the body of " + name + " has no end");
  }

  // Skips a comment or string. Stops at its last character.
  void skip_comment_or_string() {
    const auto end_of = [&](std::string_view mark) {
      const size_t end = text_.find(mark, at_ + 1);
      return end == text_.npos ? text_.size() - 1 : end + mark.size() - 1;
    };
    if (text_[at_] == '"') {
      at_ = end_of("\"");
    } else if (text_.substr(at_, 2) == "//") {
      at_ = end_of("\n");
    } else if (text_.substr(at_, 2) == "/*") {
      at_ = end_of("*/");
    }
  }

  void read_performance_directives(Function& function) {
    skip_blanks();
    while (peek() == '.') {
      const std::string name = directive();
      std::vector<uint64_t> sizes;
      skip_blanks();
      if (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
        do {
          sizes.push_back(unsigned_number());
        } while (accept(','));
      }
      uint64_t product = 1;
      for (const uint64_t size : sizes) product *= size;
      if (name == "maxntid" || name == "reqntid") function.max_threads = product;
      if (name == "minnctapersm") function.min_blocks = product;
      if (name == "maxnreg") function.max_registers = product;
      if (name == "maxclusterrank") function.most_in_cluster = product;
      if (name == "reqnctapercluster") {
        function.cluster = {1, 1, 1};
        std::copy_n(sizes.begin(), std::min<size_t>(sizes.size(), 3), function.cluster.begin());
      }
      skip_blanks();
    }
  }

  void read_statements(Function& function) {
    function.lines.emplace_back();
    line_ = 0;
    scopes_.clear();
    scopes_.emplace_back();
    while (true) {
      skip_blanks();
      if (at_ >= text_.size()) fail("the body of " + function.name + " has no end");
      if (accept('{')) {
        scopes_.emplace_back().first = function.body.size();
      } else if (accept('}')) {
        if (scopes_.size() == 1) return;
        close_scope(function);
      } else if (accept(';')) {
        // Empty statement: inline assembly often ends in one.
      } else if (peek() == '.') {
        read_directive_in_body(function);
      } else {
        read_label_or_instruction(function);
      }
    }
  }

  // Ends the inner scope. A branch in it may come before its label, so branches get the labels' unique names here.
  void close_scope(Function& function) {
    const Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    if (scope.labels.empty()) return;
    for (size_t i = scope.first; i < function.body.size(); ++i) {
      for (Operand& operand : function.body[i].operands) {
        const auto label = scope.labels.find(operand.name);
        if (operand.kind == Operand::Kind::symbol && label != scope.labels.end())
          operand.name = label->second;
      }
    }
  }

  void read_directive_in_body(Function& function) {
    const size_t start = at_;
    const std::string name = directive();
    if (name == "reg") {
      read_registers(function);
    } else if (name == "loc") {
      read_line(function);
    } else if (name == "pragma") {
      quoted();
      expect(';');
    } else if (name == "section") {
      skip_section();
    } else if (name == "shared" || name == "local" || name == "param" || name == "const" ||
               name == "global") {
      at_ = start;
      for (Variable& variable : read_variables()) function.variables.push_back(std::move(variable));
    } else if (name == "file") {
      read_file();
    } else {
      fail("unknown directive ." + name + " in " + function.name);
    }
  }

  // Reads register declarations: ".reg .b32 %r<9>;" declares a family, ".reg .pred p, q;" single names, for their
  // scope.
  void read_registers(Function& function) {
    std::string type = directive();
    if (type.starts_with('v')) fail("vector registers are not supported");
    do {
      const std::string name = word();
      if (accept('<')) {
        unsigned_number();
        expect('>');
        function.registers[name + "<>"] = type;
      } else {
        const std::string unique = unique_name(name);
        scopes_.back().registers[name] = unique;
        function.registers[unique] = type;
      }
    } while (accept(','));
    expect(';');
  }

  // Returns the name under which a register or label of the current scope is known: inline assembly declares the same
  // names again and again.
  std::string unique_name(const std::string& name) {
    return scopes_.size() == 1 ? name : name + "#" + std::to_string(scoped_names_++);
  }

  void read_line(Function& function) {
    const std::string_view line = rest_of_line();
    std::vector<std::string> clauses = split(line, ',');
    const auto place = parse_place(clauses[0]);
    std::vector<Place> chain{place};
    for (const std::string& clause : clauses) {
      const size_t found = clause.find("inlined_at");
      if (found == std::string::npos) continue;
      const Place site = parse_place(std::string_view(clause).substr(found + 10));
      chain.push_back(site);
      // The call site has an earlier .loc of its own, with the place at which it was inlined in turn.
      const auto outer = inlined_.find(site);
      if (outer != inlined_.end()) {
        chain.insert(chain.end(), outer->second.begin() + 1, outer->second.end());
      }
    }
    inlined_[place] = chain;
    if (std::get<1>(place) == 0) return;  // line 0: code without a line keeps the line before
    line_ = static_cast<uint32_t>(function.lines.size());
    function.lines.emplace_back();
    pending_lines_.push_back({line_, chain});
  }

  using Place = std::tuple<uint64_t, int, int>;  // file number, line, column

  Place parse_place(std::string_view text) const {
    std::array<uint64_t, 3> numbers{};
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (uint64_t& number : numbers) {
      while (at != end && std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
      const auto result = std::from_chars(at, end, number);
      if (result.ec != std::errc{}) fail("a .loc that names no line");
      at = result.ptr;
    }
    return {numbers[0], static_cast<int>(numbers[1]), static_cast<int>(numbers[2])};
  }

  // Resolves lines at the end, because a file's name may come after its code.
  void resolve_lines(Function& function) {
    for (const PendingLine& pending : pending_lines_) {
      for (const auto& [file, line, column] : pending.chain) {
        function.lines[pending.line].chain.push_back({files_[file], line});
      }
    }
  }

  void read_label_or_instruction(Function& function) {
    const size_t start = at_;
    if (peek() != '@') {
      const std::string name = word();
      if (accept(':')) {
        skip_blanks();
        if (text_.substr(at_, 14) == ".branchtargets") {
          directive();
          std::vector<std::string>& targets = function.branch_targets[name];
          do {
            targets.push_back(word());
          } while (accept(','));
          expect(';');
        } else if (text_.substr(at_, 14) == ".callprototype") {
          // Tells the layout of the arguments of a call through a pointer. They come as they are stored.
          at_ = std::min(text_.find(';', at_), text_.size());
          expect(';');
        } else {
          const std::string unique = unique_name(name);
          if (unique != name) scopes_.back().labels[name] = unique;
          function.labels[unique] = function.body.size();
        }
        return;
      }
      at_ = start;
    }
    function.body.push_back(read_instruction(function));
  }

  Instruction read_instruction(const Function& function) {
    Instruction instruction;
    instruction.line = line_;
    skip_blanks();
    if (accept('@')) {
      instruction.guard_negated = accept('!');
      instruction.guard = register_name(function, word());
      if (instruction.guard.empty()) fail("a guard that is no register");
    }
    skip_blanks();
    const size_t start = at_;
    instruction.opcode = split(opcode_word(), '.');
    skip_blanks();
    while (peek() != ';') {
      instruction.operands.push_back(read_operand(function));
      if (!accept(',')) break;
    }
    skip_blanks();
    instruction.source = fold_blanks(text_.substr(start, at_ - start));
    expect(';');
    return instruction;
  }

  // Reads an opcode: "ld.global.L1::no_allocate.v4.f32". A modifier may contain colons.
  std::string opcode_word() {
    const size_t start = at_;
    while (is_word_char(peek()) || peek() == '.' || peek() == ':') ++at_;
    if (at_ == start) fail("expected an instruction");
    return std::string(text_.substr(start, at_ - start));
  }

  // Returns the name under which the register is declared, or empty if `name` is no register.
  std::string register_name(const Function& function, const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->registers.find(name);
      if (found != scope->registers.end()) return found->second;
    }
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits < name.size() && function.registers.contains(name.substr(0, digits) + "<>"))
      return name;
    return {};
  }

  Operand read_operand(const Function& function) {
    skip_blanks();
    Operand operand;
    if (accept('!')) {
      operand = read_operand(function);
      operand.negated = true;
      return operand;
    }
    if (accept('[')) return read_address(function);
    if (peek() == '{' || peek() == '(') {
      const char close = peek() == '{' ? '}' : ')';
      ++at_;
      operand.kind = Operand::Kind::list;
      if (accept(close)) return operand;
      do {
        operand.parts.push_back(read_operand(function));
      } while (accept(','));
      expect(close);
      return operand;
    }
    if (std::isdigit(static_cast<unsigned char>(peek())) != 0 || peek() == '-') return number();

    std::string name = word(true);
    const std::string declared = register_name(function, name);
    operand.kind = declared.empty() ? Operand::Kind::symbol : Operand::Kind::reg;
    operand.name = declared.empty() ? name : declared;
    if (operand.kind == Operand::Kind::symbol && accept('+')) {
      operand.offset = static_cast<int64_t>(number().bits);
    }
    if (accept('|')) {
      Operand pair;
      pair.kind = Operand::Kind::pair;
      pair.parts = {operand, read_operand(function)};
      return pair;
    }
    return operand;
  }

  Operand read_address(const Function& function) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    skip_blanks();
    if (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
      operand.offset = static_cast<int64_t>(number().bits);
    } else {
      const std::string name = word(true);
      const std::string declared = register_name(function, name);
      operand.base_is_register = !declared.empty();
      operand.name = declared.empty() ? name : declared;
      skip_blanks();
      if (accept('+')) operand.offset = static_cast<int64_t>(number().bits);
      if (peek() == '-') operand.offset = static_cast<int64_t>(number().bits);
    }
    skip_blanks();
    if (accept(',')) {  // coordinates
      skip_blanks();
      operand.parts = read_operand(function).parts;
      skip_blanks();
    }
    expect(']');
    return operand;
  }

  /// The names that a scope declares, and their unique names.
  struct Scope {
    std::map<std::string, std::string> registers, labels;
    size_t first = 0;  // its first instruction
  };
  struct PendingLine {
    uint32_t line;
    std::vector<Place> chain;
  };

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 0;
  std::vector<Scope> scopes_;  // of the statement, outermost first
  int scoped_names_ = 0;
  Files files_;
  std::string target_;
  std::map<Place, std::vector<Place>> inlined_;
  std::vector<PendingLine> pending_lines_;
};

}  // namespace

uint64_t Variable::bytes() const { return std::max(1u, type_bytes(type)) * count; }

uint32_t type_bytes(std::string_view type) {
  static const std::map<std::string_view, uint32_t> bytes = {
      {"b8", 1},   {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2},  {"s16", 2},   {"f16", 2},
      {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4},  {"f16x2", 4}, {"bf16x2", 4},
      {"b64", 8},  {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16}};
  const auto found = bytes.find(type);
  return found == bytes.end() ? 0 : found->second;
}

struct Module::Text {
  std::string text;
  std::vector<Head> heads;
  std::vector<Variable> variables;
  std::vector<std::string> functions;
  Files files;
  std::string target;
};

Module::Module(std::string_view text) : text_(std::make_unique<Text>()) {
  text_->text = text;
  Reader(text_->text).read_module(text_->heads, text_->variables, text_->files, text_->target);
  std::set<std::string_view> known;
  for (const Head& head : text_->heads) {
    if (known.insert(head.function.name).second) text_->functions.push_back(head.function.name);
  }
}

Module::Module(Module&&) noexcept = default;
Module::~Module() = default;

const std::string& Module::target() const { return text_->target; }

const std::vector<Variable>& Module::variables() const { return text_->variables; }

const std::vector<std::string>& Module::functions() const { return text_->functions; }

const Function* Module::find(std::string_view name) const {
  // A declaration may precede the function itself.
  Head* found = nullptr;
  for (Head& head : text_->heads) {
    if (head.function.name == name && (found == nullptr || head.function.has_body)) found = &head;
  }
  if (found == nullptr) return nullptr;
  if (found->function.has_body && !found->is_read) {
    Function function = found->function;
    Reader(text_->text, found->body).read_body(function, text_->files);
    found->function = std::move(function);
    found->is_read = true;
  }
  return &found->function;
}

}  // namespace simulator::ptx
