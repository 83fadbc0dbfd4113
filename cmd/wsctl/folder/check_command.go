package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// checkScope is a folder to check, or a part of it.
type checkScope struct {
	top    string // directory of the configuration, absolute
	config Config
	named  []string // paths below the root that are to be checked; "" is all
	isAbs  bool     // it was named by an absolute path
}

// check checks the folders that paths name, without asking a server, and returns app.ErrDiffers if a push would refuse or lose
// something.
func check(a *app.App, cmd *cobra.Command, paths []string) error {
	for _, name := range []string{
		"ask", "delete", "dry-run", "exit-code", "fix-links", "merge", "message", "new-request", "only-path", "space", "take",
	} {
		if cmd.Flags().Changed(name) {
			return app.Usagef("--check does not go with --%s: it sends nothing", name)
		}
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	scopes, err := findScopes(a, paths)
	if err != nil {
		return err
	}
	findings, files := []Finding{}, 0
	for _, s := range scopes {
		if len(s.named) == 0 { // only paths outside of the content
			continue
		}
		found, n, err := s.check(a)
		if err != nil {
			return err
		}
		findings, files = append(findings, found...), files+n
	}
	isWhole := slices.ContainsFunc(scopes, func(s *checkScope) bool { return slices.Contains(s.named, "") })
	if files == 0 && len(findings) == 0 && isWhole {
		return app.Usagef("there is nothing to check in %s", strings.Join(paths, ", "))
	}
	if err := printFindings(a, findings); err != nil {
		return err
	}
	return reportFindings(a, findings, files)
}

// findScopes returns the folders that paths name, each once.
func findScopes(a *app.App, paths []string) (scopes []*checkScope, err error) {
	for _, name := range paths {
		s, err := findScope(name)
		if err != nil {
			return nil, err
		}
		at, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		known := slices.IndexFunc(scopes, func(other *checkScope) bool { return other.top == s.top })
		if known < 0 {
			known, scopes = len(scopes), append(scopes, s)
		}
		below, err := filepath.Rel(s.root(), at)
		switch above, _ := filepath.Rel(at, s.root()); {
		case err == nil && filepath.IsLocal(below) && below != ".":
			scopes[known].named = append(scopes[known].named, filepath.ToSlash(below))
		case filepath.IsLocal(above):
			scopes[known].named = append(scopes[known].named, "")
		default:
			a.Infof("%s is not below %s, and is not sent", name, s.config.Root)
		}
	}
	return scopes, nil
}

// findScope returns the folder that a path is in: that of the nearest wsctl.yaml, else a directory itself. A file without one
// is in the folder at the working directory, or else in that at its directory.
func findScope(name string) (*checkScope, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, app.Usagef("%s cannot be read: %v", name, errors.Unwrap(err))
	}
	dir := name
	if !info.IsDir() {
		dir = filepath.Dir(name)
	}
	s := &checkScope{isAbs: filepath.IsAbs(name)}
	if s.config, s.top, err = FindConfig(dir); !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if !info.IsDir() && filepath.IsLocal(name) {
		dir = "."
	}
	if s.top, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	s.config = Config{Root: findRoot(s.top), Name: folderName(s.top)}
	return s, nil
}

func (s *checkScope) root() string { return filepath.Join(s.top, filepath.FromSlash(s.config.Root)) }

// check returns the findings of the folder, with paths as seen from the working directory, and the number of the checked files.
func (s *checkScope) check(a *app.App) (findings []Finding, files int, err error) {
	f, err := openToRead(s.top, s.config)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if _, err := f.top.Lstat(journalName); err == nil {
		a.Infof("a pull in %s was interrupted; the next push or pull completes it", s.top)
	}
	report, err := f.Check(a.Now())
	if err != nil {
		return nil, 0, err
	}
	for _, at := range report.Files {
		if s.has(at) {
			files++
		}
	}
	prefix := s.prefix()
	for _, found := range report.Findings {
		if s.has(found.Path) {
			found.Path = path.Clean(prefix + found.Path)
			findings = append(findings, found)
		}
	}
	return findings, files, nil
}

// has reports whether a path below the root is to be checked.
func (s *checkScope) has(at string) bool {
	return slices.ContainsFunc(s.named, func(name string) bool {
		return name == "" || at == name || strings.HasPrefix(at, name+"/")
	})
}

// prefix returns what stands before paths below the root, as seen from the working directory.
func (s *checkScope) prefix() string {
	root := s.root()
	if here, err := filepath.Abs("."); err == nil && !s.isAbs {
		if below, err := filepath.Rel(here, root); err == nil {
			root = below
		}
	}
	if root == "." {
		return ""
	}
	return filepath.ToSlash(root) + "/"
}

// printFindings prints findings: as lines, unless a format or columns are chosen.
func printFindings(a *app.App, findings []Finding) error {
	printer, err := a.Printer(app.ParseColumns("path,line,severity,rule,message"))
	if err != nil {
		return err
	}
	if a.Format() != app.FormatAuto || a.HasColumns() || !printer.WritesRows() {
		return app.PrintItems(printer, findings)
	}
	for _, f := range findings {
		mark := ""
		if f.Severity == SeverityNote {
			mark = "note: "
		}
		if err := printer.Text(app.SanitizeLine(fmt.Sprintf("%s:%d: %s%s", f.Path, f.Line, mark, f.Message)) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// reportFindings says how many findings there are, and returns app.ErrDiffers if some of them are errors.
func reportFindings(a *app.App, findings []Finding, files int) error {
	failed := 0
	for _, f := range findings {
		if f.Severity == SeverityError {
			failed++
		}
	}
	found := ""
	if notes := len(findings) - failed; notes > 0 {
		found = ", " + app.Pluralize(notes, "note")
	}
	if failed == 0 {
		a.Donef(false, "Checked %s%s", app.Pluralize(files, "file"), found)
		return nil
	}
	a.Infof("checked %s: %s%s", app.Pluralize(files, "file"), app.Pluralize(failed, "error"), found)
	return app.ErrDiffers
}
