#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/page_options.h"
#include "cli/snapshots.h"
#include "fmt/format.h"
#include "sink/safe_text.h"

namespace gapscope::cli {
namespace {

constexpr std::size_t kCommandColumn = 25;

// "4711      runs   12 s   python train.py" and below it the shares, as on the page.
std::string entry(const Snapshot& snapshot, const sink::TextOptions& options) {
  const std::string command =
      sink::printable(sink::short_command(snapshot.report.process.command), options.utf8);
  const auto width = static_cast<std::size_t>(options.width);
  const std::size_t room = width > kCommandColumn + 10 ? width - kCommandColumn : 10;
  std::string text =
      fmt::format("{:<9} {:<6} {:<7} {}\n", snapshot.file.pid, state_name(snapshot.state),
                  age_text(snapshot.file), sink::cut(command, room, options.utf8));
  sink::TextOptions indented = options;
  indented.width = options.width - 2;
  for (const std::string_view line :
       absl::StrSplit(sink::to_shares(snapshot.report, indented), '\n', absl::SkipEmpty())) {
    absl::StrAppend(&text, "  ", line, "\n");
  }
  return text;
}

int list(const PageOptions& page, const Environment& environment) {
  const Config config = load_config(environment, nullptr);
  if (config.snapshot_folder.empty()) {
    print_error("GAPSCOPE_SNAPSHOT=0: there are no snapshots to look at");
    return kBadInput;
  }
  const sink::TextOptions options = page.resolve(environment, "-");
  std::string text = fmt::format("{:<9} {:<6} {:<7} {}\n", "PID", "STATE", "AGE", "COMMAND");
  bool unreadable = false;
  for (const SnapshotFile& file : list_snapshots(config.snapshot_folder)) {
    const auto snapshot = read_snapshot(file);
    if (snapshot.ok()) {
      text += entry(*snapshot, options);
    } else {
      print_error(snapshot.status().message());
      unreadable = true;
    }
  }
  if (const absl::Status status = write_stdout(text); !status.ok()) {
    print_error(status.message());
    return kBadOutput;
  }
  return unreadable ? kBadInput : kOk;
}

}  // namespace

void add_ps(CLI::App& app, const Environment& environment, Action& action) {
  auto page = std::make_shared<PageOptions>();
  CLI::App* command = app.add_subcommand("ps", "List the processes that have a snapshot");
  command->footer(absl::StrCat(
      "Lists your processes with gapscope inside, newest snapshot first: those that run, those "
      "that\n"
      "ended (their report is whole) and those that died (it ends with their last snapshot), how "
      "old\n"
      "the snapshot is, and the shares of the GPU's time. gapscope show --pid PID prints the "
      "page.\n"
      "Snapshots lie in /dev/shm/gapscope.UID or where GAPSCOPE_SNAPSHOT says; of dead processes\n"
      "the newest 32 are kept, for a day.",
      "\n\n", kFooter));
  page->add_to(*command);
  command->callback([page, &environment, &action] {
    action = [page, &environment] { return list(*page, environment); };
  });
}

}  // namespace gapscope::cli
