#include "cli/completion.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"

namespace gapscope::cli {
namespace {

using Words = std::vector<std::string>;

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

Words names_of(const CLI::App& app) {
  Words names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

Words flags_of(const CLI::Option& option) {
  Words flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

// What may follow an option, where the help's word for it names all of that: "TEXT:{kernels,api}",
// "AUTO|NEVER". In "0|1|FOLDER" and "ALL|STEPS:A-B" one stands for many, so there is nothing to
// offer.
Words values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    return absl::StrSplit(type.substr(open + 1, close - open - 1), ',');
  }
  if (type.find('|') == std::string::npos) return {};
  const Words words = absl::StrSplit(absl::AsciiStrToLower(type), '|');
  const bool named = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return word != "folder" && std::all_of(word.begin(), word.end(), absl::ascii_isalnum);
  });
  return named ? words : Words();
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// Words instead of a file, where the command takes some.
Words positional_words(const CLI::App& app, const CLI::App& command) {
  if (command.get_name() == "help") {
    Words words = names_of(app);
    words.insert(words.end(), std::begin(kHelpTopics), std::end(kHelpTopics));
    return words;
  }
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (Words words = values_of(*option); !words.empty()) return words;
  }
  return {};
}

// For zsh's '...': no quote ends it, and what _arguments reads as its own is taken literally.
std::string zsh_text(std::string_view text) {
  return absl::StrReplaceAll(
      text, {{"'", "'\\''"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}, {"\n", " "}});
}

std::string zsh_option(const CLI::Option& option) {
  std::string out;
  const Words flags = flags_of(option);
  for (const std::string& flag : flags) {
    const Words values = values_of(option);
    std::string value;
    if (takes_value(option)) {
      value = values.empty() ? absl::StrCat(":", zsh_text(option.get_type_name()), ":_files")
                             : absl::StrCat(":value:(", absl::StrJoin(values, " "), ")");
    }
    const bool equals = !value.empty() && flag.size() > 2;
    absl::StrAppend(&out, " \\\n        '*", flag, equals ? "=" : "", "[",
                    zsh_text(option.get_description()), "]", value, "'");
  }
  return out;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string values, words;
  for (const CLI::App* command : commands_of(app)) {
    Words flags;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& flag : flags_of(*option)) {
        flags.push_back(flag);
        if (!takes_value(*option)) continue;
        absl::StrAppend(&values, "    ", command->get_name(), ":", flag, ") values=\"",
                        absl::StrJoin(values_of(*option), " "), "\" ;;\n");
      }
    }
    absl::StrAppend(&words, "    ", command->get_name(), ") flags=\"", absl::StrJoin(flags, " "),
                    "\" words=\"", absl::StrJoin(positional_words(app, *command), " "), "\" ;;\n");
  }
  return absl::StrReplaceAll(R"(# bash completion for gapscope, written by: gapscope completion bash
_gapscope() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "@COMMANDS@ --help --version" -- "$cur"))
    return
  fi
  # What follows an option that takes a value; files where nothing is offered.
  local values=- flags= words=
  case $command:$prev in
@VALUES@  esac
  if [[ $values != - ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
    return
  fi
  case $command in
@WORDS@  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  elif [[ $command == run ]] && declare -F _command_offset >/dev/null; then
    for ((i++; i < COMP_CWORD; i++)); do
      [[ ${COMP_WORDS[i]} == -* ]] || break
    done
    _command_offset $i
  fi
}
complete -o default -F _gapscope gapscope
)",
                             {{"@COMMANDS@", absl::StrJoin(names_of(app), " ")},
                              {"@VALUES@", values},
                              {"@WORDS@", words}});
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : commands_of(app)) {
    absl::StrAppend(&commands, "    '", command->get_name(), ":",
                    zsh_text(command->get_description()), "'\n");
    absl::StrAppend(&cases, "    ", command->get_name(), ")\n      _arguments -S");
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_positional()) absl::StrAppend(&cases, zsh_option(*option));
    }
    const Words words = positional_words(app, *command);
    const std::string rest = command->get_name() == "run" ? "'*:::command:_normal'"
                             : words.empty()
                                 ? std::string("'*:file:_files'")
                                 : absl::StrCat("'*:word:(", absl::StrJoin(words, " "), ")'");
    absl::StrAppend(&cases, " \\\n        ", rest, "\n      ;;\n");
  }
  return absl::StrReplaceAll(R"(#compdef gapscope
# zsh completion for gapscope, written by: gapscope completion zsh
_gapscope() {
  local -a commands=(
@COMMANDS@  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
@CASES@  esac
}
if [[ $funcstack[1] == _gapscope ]]; then
  _gapscope "$@"
else
  compdef _gapscope gapscope
fi
)",
                             {{"@COMMANDS@", commands}, {"@CASES@", cases}});
}

}  // namespace gapscope::cli
