#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/output.h"

namespace gapscope::cli {

void add_completion(CLI::App& app, const Environment&, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes gapscope's words in a shell");
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(std::string("For bash, in ~/.bashrc:  source <(gapscope completion bash)\n"
                              "For zsh, in ~/.zshrc behind compinit:  source <(gapscope completion "
                              "zsh)\n\n") +
                  kFooter);
  command->callback([shell, &app, &action] {
    action = [shell, &app] {
      const absl::Status status =
          write_stdout(*shell == "bash" ? bash_completion(app) : zsh_completion(app));
      if (status.ok()) return static_cast<int>(kOk);
      print_error(status.message());
      return static_cast<int>(kBadOutput);
    };
  });
}

}  // namespace gapscope::cli
