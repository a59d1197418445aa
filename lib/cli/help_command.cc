#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/gate_options.h"
#include "cli/nvprof_help.h"
#include "cli/output.h"

namespace gapscope::cli {
namespace {

// CLI::App::help() would describe the command that was parsed, help itself.
std::string page_of(const CLI::App& command, const std::string& name) {
  return command.get_formatter()->make_help(&command, name, CLI::AppFormatMode::Normal);
}

int help(const CLI::App& app, const std::string& topic) {
  std::string text;
  if (topic.empty()) {
    text = page_of(app, "gapscope");
  } else if (topic == "env") {
    text = absl::StrCat(
        config_help(),
        "\nThe command gapscope env, which prints what a run ran in, has a page of its\n"
        "own: gapscope env --help.\n");
  } else if (topic == "gates") {
    text = gates_help();
  } else if (topic == "nvprof") {
    text = nvprof_help();
  } else {
    const auto named = [&topic](const CLI::App* command) { return command->get_name() == topic; };
    const auto commands = app.get_subcommands(named);
    if (commands.empty()) {
      print_error(
          absl::StrCat("no help on '", topic, "'; topics: env, gates, nvprof, and each command"));
      return kUsage;
    }
    text = page_of(*commands.front(), absl::StrCat("gapscope ", topic));
  }
  const absl::Status status = write_stdout(text);
  if (status.ok()) return kOk;
  print_error(status.message());
  return kBadOutput;
}

}  // namespace

void add_help(CLI::App& app, const Environment&, Action& action) {
  auto topic = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("help", "Help on a command, or on a topic: env, gates, nvprof");
  command->add_option("TOPIC", *topic,
                      "env (environment variables), gates (--fail-if), nvprof, or a command");
  command->callback(
      [topic, &app, &action] { action = [topic, &app] { return help(app, *topic); }; });
}

}  // namespace gapscope::cli
