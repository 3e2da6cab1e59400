import type { Command } from "./command.ts";

/** The shells that have completion. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The script by which a shell completes `lockstorm`. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case "bash":
      return bash(commands);
    case "zsh":
      return zsh(commands);
    case "fish":
      return fish(commands);
  }
}

function bash(commands: readonly Command[]): string {
  const flagCases = commands.flatMap(({ name, flags }) =>
    Object.entries(flags).flatMap(([flag, { value, choices: words }]) => {
      if (value === undefined) return [];
      const reply = words === undefined ? "COMPREPLY=()" : `COMPREPLY=($(compgen -W '${words.join(" ")}' -- "$cur"))`;
      return [`    '${name} --${flag}') ${reply}; return ;;`];
    }),
  );
  const commandCases = commands.map(({ name, flags, operandChoices = [] }) => {
    const words = ["--help", ...Object.keys(flags).map((flag) => `--${flag}`), ...operandChoices];
    return `    ${name}) COMPREPLY=($(compgen -W '${words.join(" ")}' -- "$cur")) ;;`;
  });
  return [
    "# bash completion for lockstorm. To have it always: lockstorm completion bash >> ~/.bashrc",
    "_lockstorm() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" command="${COMP_WORDS[1]}"',
    "  if ((COMP_CWORD == 1)); then",
    `    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(" ")} --help' -- "$cur"))`,
    "    return",
    "  fi",
    '  case "$command $before" in',
    ...flagCases,
    "  esac",
    '  case "$command" in',
    ...commandCases,
    "  esac",
    "}",
    // Where nothing fits, files do.
    "complete -o default -F _lockstorm lockstorm",
    "",
  ].join("\n");
}

function zsh(commands: readonly Command[]): string {
  const cases = commands.flatMap(({ name, flags, operandChoices: operands }) => {
    const specs = Object.entries(flags).map(([flag, { value, help, choices: words }]) => {
      const action = words === undefined ? "_files" : `(${words.join(" ")})`;
      return quoted(
        `--${flag}[${help.replaceAll(/[[\]:]/g, "\\$&")}]${value === undefined ? "" : `:${value}:${action}`}`,
      );
    });
    const rest = quoted(operands === undefined ? "*:file:_files" : `*:word:(${operands.join(" ")})`);
    return [`    ${name}) _arguments ${["'--help[say more]'", ...specs, rest].join(" ")} ;;`];
  });
  return [
    "#compdef lockstorm",
    "# zsh completion for lockstorm. To have it always: lockstorm completion zsh > a folder of $fpath/_lockstorm",
    "_lockstorm() {",
    "  if ((CURRENT == 2)); then",
    "    local -a commands=(",
    ...commands.map(({ name, summary }) => `      ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`),
    "    )",
    "    _describe command commands",
    "    return",
    "  fi",
    "  local command=$words[2]",
    "  shift words",
    "  ((CURRENT--))",
    "  case $command in",
    ...cases,
    "  esac",
    "}",
    // When sourced, the script registers itself; as a function of $fpath, it is called.
    'if [[ $funcstack[1] == _lockstorm ]]; then _lockstorm "$@"; else compdef _lockstorm lockstorm; fi',
    "",
  ].join("\n");
}

function fish(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const lines = commands.flatMap(({ name, summary, flags, operandChoices: operands }) => {
    const within = `complete -c lockstorm -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c lockstorm -n 'not __fish_seen_subcommand_from ${names}' -f -a ${name} -d ${quoted(summary)}`,
      ...Object.entries(flags).map(([flag, { value, help, choices: words }]) => {
        const takes = value === undefined ? "" : words === undefined ? " -r" : ` -x -a ${quoted(words.join(" "))}`;
        return `${within} -l ${flag}${takes} -d ${quoted(help)}`;
      }),
      ...(operands === undefined ? [] : [`${within} -f -a ${quoted(operands.join(" "))}`]),
    ];
  });
  return [
    "# fish completion for lockstorm. To have it always:",
    "# lockstorm completion fish > ~/.config/fish/completions/lockstorm.fish",
    ...lines,
    "",
  ].join("\n");
}

/** Puts the text in single quotes; zsh and fish close and reopen them around a quote in the text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
