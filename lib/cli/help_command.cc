#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/output.h"

namespace gapscope::cli {
namespace {

int help(const CLI::App& app, const std::string& topic) {
  std::string text;
  if (topic.empty()) {
    text = app.help();
  } else if (topic == "env") {
    text = config_help();
  } else {
    const auto named = [&topic](const CLI::App* command) { return command->get_name() == topic; };
    const auto commands = app.get_subcommands(named);
    if (commands.empty()) {
      print_error(absl::StrCat("no help on '", topic, "'; topics: env, and each command"));
      return kUsage;
    }
    text = commands.front()->help(absl::StrCat("gapscope ", topic));
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
      app.add_subcommand("help", "Help on the environment variables (help env) or on a command");
  command->add_option("TOPIC", *topic, "env, or the name of a command");
  command->callback(
      [topic, &app, &action] { action = [topic, &app] { return help(app, *topic); }; });
}

}  // namespace gapscope::cli
