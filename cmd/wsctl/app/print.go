package app

import (
	"encoding/json"
	"fmt"
)

// Say talks to people: a line on standard error, never in quiet mode.
func (a *App) Say(format string, args ...any) {
	if !a.flags.quiet {
		_, _ = fmt.Fprintln(a.Err, Sanitize(fmt.Sprintf(format, args...)))
	}
}

// CanAsk reports whether a question would reach a person.
func (a *App) CanAsk() bool { return a.InTerminal && a.ErrTerminal && !a.flags.noInput }

// WantsProgress reports whether a person is shown that something goes on, on standard error in one line again and again.
func (a *App) WantsProgress() bool {
	return a.ErrTerminal && !a.flags.quiet && !a.flags.debug && a.Env("CI") == ""
}

// paint marks a word on standard error, where colour is wanted.
func (a *App) paint(word string) string {
	if a.colored(a.ErrTerminal) {
		return "\x1b[1;31m" + word + "\x1b[0m"
	}
	return word
}

// colored decides on colour: the flag, then NO_COLOR with any text, then whether the stream is a terminal.
func (a *App) colored(terminal bool) bool {
	switch a.flags.color {
	case "always":
		return true
	case "never":
		return false
	default:
		return terminal && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb"
	}
}

// Printer returns the printer for answers with the given columns, which --columns replaces. Its errors are what is wrong
// with the flags for output.
func (a *App) Printer(defaults []Column) (*Printer, error) {
	p := &Printer{
		Out: a.Out, Terminal: a.OutTerminal, Width: a.Width, Color: a.colored(a.OutTerminal), Now: a.Now(),
		Format: a.Format(), Columns: defaults, NoHeaders: a.flags.noHeaders, CSVRaw: a.flags.csvRaw,
		JQ: a.flags.jq, Template: a.flags.template,
	}
	if p.JQ != "" && p.Template != "" {
		return nil, Usagef("--jq and --template exclude each other")
	}
	if a.HasColumns() {
		p.Columns = ParseColumns(a.flags.columns)
	}
	return p, p.Check()
}

// Print writes one value as the flags say.
func (a *App) Print(value any) error {
	p, err := a.Printer(nil)
	if err != nil {
		return err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return p.Value(data)
}
