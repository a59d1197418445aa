#include "analysis/kernel_name_path.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace gapscope {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::size_t kMaxComponents = 64;

bool is_identifier(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$'; }

// Whether the word "operator" begins at `at`.
bool is_operator(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "operator";
  if (text.substr(at, kWord.size()) != kWord || (at > 0 && is_identifier(text[at - 1])))
    return false;
  const std::size_t end = at + kWord.size();
  return end < text.size() && !is_identifier(text[end]);
}

// Past the operator's name that begins at `at`: "operator<<", "operator()", "operator float*".
std::size_t skip_operator(std::string_view text, std::size_t at) {
  at += std::string_view("operator").size();
  const std::string_view rest = text.substr(at);
  if (rest.starts_with(' ')) return std::min(text.find('(', at), text.size());
  for (const std::string_view symbol :
       {"()", "[]", "->*", "<=>", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=",
        "&&", "||", "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "^=", "&=", "|="}) {
    if (rest.starts_with(symbol)) return at + symbol.size();
  }
  return std::min(at + 1, text.size());
}

// Past the bracket that closes the one at `at`, counting only that sort; the end if none does.
std::size_t skip_plain(std::string_view text, std::size_t at, char open, char close) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at + 1;
  }
  return text.size();
}

// Past one bracketed group of any sort other than <>, or one character.
std::size_t skip_unit(std::string_view text, std::size_t at) {
  switch (text[at]) {
    case '(':
      return skip_plain(text, at, '(', ')');
    case '{':
      return skip_plain(text, at, '{', '}');
    case '[':
      return skip_plain(text, at, '[', ']');
    case 'o':
      return is_operator(text, at) ? skip_operator(text, at) : at + 1;
    default:
      return at + 1;
  }
}

// Likewise for <>, in which < and > between other brackets or in an operator's name are no
// brackets.
std::size_t skip_angles(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && --depth == 0) return at + 1;
    at = skip_unit(text, at);
  }
  return text.size();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  QualifiedName parse() {
    while (at_ < text_.size() && step()) {
    }
    push();
    return std::move(result_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void push() {
    if (!current_.name.empty() && result_.components.size() < kMaxComponents) {
      result_.components.push_back(current_);
    }
    current_ = {};
  }

  // False when the name is over.
  bool step() {
    const char c = text_[at_];
    if (c == ' ') return blank();
    if (c == '(') return parenthesis();
    if (c == '<') {
      const std::size_t end = skip_angles(text_, at_);
      const std::size_t closed = end > at_ + 1 && text_[end - 1] == '>' ? 1 : 0;
      if (!current_.name.empty())
        current_.arguments = text_.substr(at_ + 1, end - at_ - 1 - closed);
      at_ = end;
      return true;
    }
    if (c == '{') {
      const std::size_t end = skip_plain(text_, at_, '{', '}');
      current_.lambda = rest().starts_with("{lambda");
      current_.name = current_.lambda ? text_.substr(at_ + 1, 6) : text_.substr(at_, end - at_);
      at_ = end;
      return true;
    }
    if (c == '[') {  // an ABI tag
      at_ = skip_plain(text_, at_, '[', ']');
      return true;
    }
    if (c == '*' || c == '&') {
      result_.pointer = true;
      return false;
    }
    if (rest().starts_with("::")) {
      push();
      at_ += 2;
      return true;
    }
    word();
    return true;
  }

  void word() {
    const std::size_t begin = at_;
    if (is_operator(text_, at_)) {
      at_ = skip_operator(text_, at_);
      current_.name = text_.substr(begin, at_ - begin);
      // "operator< <int>"
      if (rest().starts_with(" <")) ++at_;
      return;
    }
    while (at_ < text_.size() &&
           std::string_view(" (<{[*&:").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    if (at_ == begin) ++at_;  // a lone colon
    current_.name = text_.substr(begin, at_ - begin);
  }

  bool blank() {
    ++at_;
    if (rest().starts_with("[")) return false;  // " [clone .cold]"
    for (const std::string_view qualifier : {"const", "volatile", "noexcept"}) {
      if (rest().starts_with(qualifier) && (at_ + qualifier.size() == text_.size() ||
                                            !is_identifier(text_[at_ + qualifier.size()]))) {
        at_ += qualifier.size();
        return true;
      }
    }
    if (rest().starts_with("&") || rest().starts_with("*") || rest().starts_with("::")) return true;
    if (current_.has_parameters) return false;
    // What came before was a return type.
    current_ = {};
    result_.components.clear();
    return true;
  }

  bool parenthesis() {
    if (rest().starts_with(kAnonymous)) {
      at_ += kAnonymous.size();
      return true;
    }
    if (current_.has_parameters) return false;
    at_ = skip_plain(text_, at_, '(', ')');
    if (current_.name.empty() || current_.name == "decltype") return true;
    current_.has_parameters = true;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NameComponent current_;
  QualifiedName result_;
};

}  // namespace

QualifiedName parse_qualified_name(std::string_view text) { return Parser(text).parse(); }

absl::InlinedVector<std::string_view, 8> split_arguments(std::string_view arguments,
                                                         std::size_t max) {
  absl::InlinedVector<std::string_view, 8> parts;
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at <= arguments.size() && parts.size() < max) {
    if (at == arguments.size() || arguments[at] == ',') {
      const std::string_view part = absl::StripAsciiWhitespace(arguments.substr(begin, at - begin));
      if (!part.empty()) parts.push_back(part);
      begin = ++at;
      continue;
    }
    at = arguments[at] == '<' ? skip_angles(arguments, at) : skip_unit(arguments, at);
  }
  return parts;
}

}  // namespace gapscope
