// What the sections of the page share. Each section is a function in a file of its own and writes
// itself on the canvas, or nothing when it has nothing to say.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "sink/canvas.h"
#include "sink/text.h"

namespace gapscope::sink {

// What is shown: the steady state where there is one, else the whole window.
struct Page {
  Page(const report::Report& full_report, const TextOptions& text_options);

  const report::Report& report;
  const report::Scope& scope;
  const TextOptions& options;
  bool steady;
  double steps;             // that fill the scope, see steps_shown(); 0 when none do
  const char* step_word;    // "step", or "iter" where they were detected, not marked
  const char* window_word;  // "steady window" or "window"
};

// One row of the table of time. The rows of a device add up to its window.
struct Part {
  enum class Kind { compute, communication, copy, idle, unknown };
  Kind kind;
  std::string label;
  double ns;
  std::string evidence;
};
std::vector<Part> time_parts(const report::Device& device);
// Rows of the same label added: device-seconds.
std::vector<Part> summed_parts(const std::vector<const report::Device*>& devices);

// Devices with a block of their own. Beside others, one with under 100 operations is one line.
std::vector<const report::Device*> full_devices(const report::Scope& scope);
std::string device_title(const report::Device& device);  // "GPU 0 H200"

// "first -> last" figures of an advice: "39.7 -> 27.2 ms/step at best".
std::string bound_text(const Page& page, const Canvas& canvas, const report::Advice& advice);
// "1.46x", empty where it says nothing.
std::string bound_factor(const report::Advice& advice);

// Sections, in their order on the page.
void write_snapshot_on_top(const Page& page, Canvas& canvas);
void write_warning_on_top(const Page& page, Canvas& canvas);
void write_device_shares(const Page& page, Canvas& canvas);  // part of the headline
void write_trust(const Page& page, Canvas& canvas);          // its last line
void write_headline(const Page& page, Canvas& canvas);       // the first five lines
void write_window(const Page& page, Canvas& canvas);         // steps and what was left out
void write_device_time(const Page& page, const report::Device& device, Canvas& canvas);
void write_device_sum(const Page& page, Canvas& canvas);
void write_advice(const Page& page, Canvas& canvas);
void write_findings(const Page& page, const report::Device& device, Canvas& canvas);
void write_waits(const Page& page, Canvas& canvas);
void write_overlap(const Page& page, Canvas& canvas);
void write_families(const report::Device& device, Canvas& canvas);
void write_kernels(const report::Device& device, Canvas& canvas);
void write_copies(const report::Device& device, Canvas& canvas);
void write_longest_gaps(const report::Device& device, Canvas& canvas);
void write_calls(const Page& page, Canvas& canvas);
void write_ranges(const Page& page, Canvas& canvas);
void write_records(const Page& page, Canvas& canvas);
void write_notes(const Page& page, Canvas& canvas);

}  // namespace gapscope::sink
