package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// commandInfo is the machine-readable description of a command.
type commandInfo struct {
	Command  string     `json:"command"`
	Summary  string     `json:"summary"`
	Usage    string     `json:"usage"`
	Aliases  []string   `json:"aliases"`
	Examples []string   `json:"examples"`
	Flags    []flagInfo `json:"flags"`
}

type flagInfo struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand,omitempty"`
	Type      string `json:"type"`
	Default   string `json:"default,omitempty"`
	Usage     string `json:"usage"`
	Required  bool   `json:"required,omitempty"` // unless --data or the environment has it
}

func commandsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "commands", Short: "List all commands; with -o json their flags and examples too",
		Example: "  wsctl commands\n  wsctl commands -o json", Args: app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			printer, err := a.Printer(app.ParseColumns("command,summary"))
			if err != nil {
				return err
			}
			var infos []commandInfo
			for _, leaf := range leafCommands(cmd.Root()) {
				infos = append(infos, describeCommand(leaf))
			}
			return app.PrintItems(printer, infos)
		},
	}
}

// leafCommands returns the available commands below cmd that have no subcommands, or cmd itself if it has none.
func leafCommands(cmd *cobra.Command) []*cobra.Command {
	if !cmd.HasSubCommands() {
		return []*cobra.Command{cmd}
	}
	var commands []*cobra.Command
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			commands = append(commands, leafCommands(child)...)
		}
	}
	return commands
}

func describeCommand(cmd *cobra.Command) commandInfo {
	info := commandInfo{
		Command: cmd.CommandPath(), Summary: cmd.Short, Usage: cmd.UseLine(),
		Aliases: append([]string{}, cmd.Aliases...), Examples: []string{}, Flags: []flagInfo{},
	}
	for line := range strings.Lines(cmd.Example) {
		info.Examples = append(info.Examples, strings.TrimSpace(line))
	}
	visit := func(f *pflag.Flag) {
		name, usage := pflag.UnquoteUsage(f)
		if name == "" {
			name = f.Value.Type()
		}
		info.Flags = append(info.Flags, flagInfo{f.Name, f.Shorthand, name, f.DefValue, usage, app.IsRequired(f)})
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	return info
}
