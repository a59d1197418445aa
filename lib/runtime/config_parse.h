// Values of configuration variables, from text. Pure functions; nullopt means that the text is not
// of the form. Part of config.h's implementation; the command line uses them too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gapscope::config {

// Digits only, no sign; nullopt beyond 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

// "64MiB", "3GB", "1.5 GiB", "4096", "512k". KB, MB, GB, TB are powers of 1000; K, M, G, T with or
// without iB are powers of 1024. Case does not matter.
std::optional<std::uint64_t> parse_size(std::string_view text);

// Nanoseconds of "60s", "500ms", "2m", "1h", "20us"; a number without a unit is seconds.
std::optional<std::uint64_t> parse_duration_ns(std::string_view text);

// "0", "1" and the words people write for them: no, yes, off, on, false, true.
std::optional<bool> parse_bool(std::string_view text);

// A size as it would be written: the largest binary unit that divides it, "64MiB".
std::string format_size(std::uint64_t bytes);

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate with the smallest edit distance, the first of equals; "" when none is near, that is
// within a third of the letters.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// For a message of one line: control characters escaped, cut at 60 bytes.
std::string quote_for_message(std::string_view text);

}  // namespace gapscope::config
