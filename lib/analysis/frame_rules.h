// What a stack of frames says about a thread: one table of patterns, in order of precedence.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/cause.h"

namespace gapscope {

enum class FrameKind : std::uint8_t {
  plain,        // says nothing beyond its name
  wait,         // a primitive that blocks (threading, queue, selectors): look further out
  loader,       // fetches or decodes input
  compiler,     // dynamo, inductor, triton
  idle_server,  // an event loop or a request queue that waits for work
};

// frame: "path/file.py:function:line", as host/ writes it.
FrameKind frame_kind(std::string_view frame);

// "dataloader.py:__next__", for people: the file's name without its folders, the line dropped.
std::string_view short_frame(std::string_view frame);

// Whether a range of this name fetches or prepares input, by what people call such ranges.
bool loads_input(std::string_view range);

// A system call or wait channel in which a thread sits when it waits for somebody to send work.
bool waits_for_outside(std::string_view wait);

}  // namespace gapscope
