// Text from the profiled program, made safe for a terminal: names and command lines may hold escape
// sequences, control characters, newlines, bidirectional overrides or bytes that are no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gapscope::sink {

// Valid UTF-8 of printable characters: blanks for white space, '?' for every other control or
// format character and for bytes that are no UTF-8. With utf8 = false every character beyond ASCII
// becomes '?' too (a few typographic ones their ASCII likeness).
std::string printable(std::string_view text, bool utf8);

// Columns on a terminal of printable() text: wide East Asian characters take 2, combining ones 0.
std::size_t columns(std::string_view text);

// How many bytes at the head of text fit into width columns.
std::size_t fitting_bytes(std::string_view text, std::size_t width);

// The text if it fits, else its head and an ellipsis; never wider than width.
std::string cut(std::string_view text, std::size_t width, bool utf8);
// The same, but head and tail are kept: names of kernels differ at both ends.
std::string cut_middle(std::string_view text, std::size_t width, bool utf8);

// A kernel's name without as many leading "a::b::" as it takes to fit, then cut in its middle.
std::string folded_name(std::string_view name, std::size_t width, bool utf8);

// A command line without the folders of its program and of the script that it runs.
std::string short_command(std::string_view command);

// Breaks printable text at blanks into lines of at most width columns; a number keeps its unit, and
// a word that no line can hold goes on in the next.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// text with blanks up to width, for columns flush left and flush right.
std::string pad_right(std::string text, std::size_t width);
std::string pad_left(std::string text, std::size_t width);

}  // namespace gapscope::sink
