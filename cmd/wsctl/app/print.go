package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Infof writes a formatted line to standard error, unless --quiet is set.
func (a *App) Infof(format string, args ...any) {
	if !a.flags.quiet {
		_, _ = fmt.Fprintln(a.Err, Sanitize(fmt.Sprintf(format, args...))) // standard error is the only place to report to
	}
}

// Warnf writes a formatted line to standard error, also if --quiet is set.
func (a *App) Warnf(format string, args ...any) {
	_, _ = fmt.Fprintln(a.Err, Sanitize(fmt.Sprintf(format, args...))) // standard error is the only place to report to
}

// Donef says on standard error what was done. At a terminal the line begins with a check mark, or the word ok where the locale is not
// UTF-8 or ACCESSIBLE is set, unless it is a dry run.
func (a *App) Donef(isDryRun bool, format string, args ...any) {
	mark := ""
	if a.ErrTerminal && !isDryRun {
		mark = "✓ "
		if !IsUTF8(a.Getenv) || a.Getenv("ACCESSIBLE") != "" {
			mark = "ok "
		}
	}
	a.Infof("%s%s", mark, fmt.Sprintf(format, args...))
}

// IsUTF8 reports whether the locale has the character encoding UTF-8, which is also assumed if no locale is set.
func IsUTF8(env func(string) string) bool {
	locale := cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG"))
	encoding := strings.ReplaceAll(strings.ToLower(locale), "-", "")
	return locale == "" || strings.Contains(encoding, "utf8")
}

// CanPrompt reports whether the user can be prompted.
func (a *App) CanPrompt() bool { return a.InTerminal && a.ErrTerminal && !a.flags.noInput }

// CanShow reports whether somebody reads standard error and may be asked to do something elsewhere.
func (a *App) CanShow() bool { return a.ErrTerminal && !a.flags.noInput }

// WantsProgress reports whether a progress line is shown on standard error.
func (a *App) WantsProgress() bool {
	return a.ErrTerminal && !a.flags.quiet && !a.flags.debug && a.Getenv("CI") == ""
}

// colorize colors a word for standard error, if color is enabled.
func (a *App) colorize(word string) string {
	if a.usesColor(a.ErrTerminal) {
		return "\x1b[1;31m" + word + "\x1b[0m"
	}
	return word
}

// usesColor reports whether color is enabled for a stream. The --color flag takes precedence over NO_COLOR, which takes
// precedence over whether the stream is a terminal.
func (a *App) usesColor(terminal bool) bool {
	switch a.flags.color {
	case "always":
		return true
	case "never":
		return false
	default:
		return terminal && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
	}
}

// Printer returns a Printer with the default columns, or those of --columns. Its errors report invalid output flags.
func (a *App) Printer(defaults []Column) (*Printer, error) {
	p := &Printer{
		Out: a.Out, Terminal: a.OutTerminal, Width: a.Width, Color: a.usesColor(a.OutTerminal), Now: a.Now(),
		Format: a.Format(), Columns: defaults, NoHeaders: a.flags.noHeaders, CSVRaw: a.flags.csvRaw,
		JQ: a.flags.jq, Template: a.flags.template,
	}
	if p.JQ != "" && p.Template != "" {
		return nil, Usagef("--jq and --template exclude each other")
	}
	if err := p.checkQuery(a.HasColumns()); err != nil {
		return nil, err
	}
	if a.HasColumns() {
		p.Columns = ParseColumns(a.flags.columns)
	}
	return p, p.Check()
}

// checkQuery returns a usage error if --jq or --template goes with a format or with columns, which it would replace.
func (p *Printer) checkQuery(hasColumns bool) error {
	query := "--jq"
	switch {
	case p.JQ != "":
	case p.Template != "":
		query = "--template"
	default:
		return nil
	}
	switch p.Format {
	case FormatTable, FormatCSV, FormatName:
		return Usagef("%s does not go with -o %s: it decides what is written", query, p.Format).
			WithHint("with --jq, @csv and @tsv write rows: --jq '.[] | [.id, .title] | @csv'")
	case FormatAuto, FormatJSON, FormatNDJSON, FormatYAML:
	}
	if hasColumns {
		return Usagef("%s does not go with --columns: it decides what is written", query)
	}
	return nil
}

// WritesData reports whether the output is JSON or YAML, or that of a jq expression or template.
func (a *App) WritesData() bool {
	return a.Format().isData() || a.flags.jq != "" || a.flags.template != ""
}

// PrintText writes a text: alone on a line in formats with rows, and otherwise as a JSON value.
func (a *App) PrintText(text string) error {
	p, err := a.Printer(nil)
	if err != nil {
		return err
	}
	if p.WritesRows() {
		return p.Text(text + "\n")
	}
	return a.Print(text)
}

// Print writes a value in the format of the output flags.
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
