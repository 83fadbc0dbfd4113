package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
)

// RunFunc runs a command on the terminal while the screen is suspended. done converts its result to a message.
type RunFunc func(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd

// RunOnTerminal is the RunFunc for a running screen. It releases the terminal for the command and restores it.
func RunOnTerminal(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
	return tea.ExecProcess(cmd, done)
}

// ExternalEditor returns a function that opens a text in the editor given by a command line in the form of VISUAL and
// EDITOR: "vi", "code --wait", "'/opt/my editor' -n". The screen is suspended until the editor exits, and the result
// is the saved text. If the editor fails, its file is kept and named in the error.
func ExternalEditor(command string, run RunFunc) func(content string) tea.Cmd {
	return func(content string) tea.Cmd {
		words := shellWords(command)
		if len(words) == 0 {
			return components.Send(page.EditedMsg{Err: errors.New("no editor: set VISUAL or EDITOR")})
		}
		return func() tea.Msg {
			path, made, err := writeTempFile(content)
			if err != nil {
				return page.EditedMsg{Err: err}
			}
			// The user configures the editor command.
			cmd := exec.Command(words[0], append(words[1:], path)...) //nolint:gosec,noctx // see above; the user ends it
			return run(cmd, func(err error) tea.Msg { return readBack(path, made, describeNotFound(words[0], err)) })()
		}
	}
}

// FileEditor returns a function that opens an existing file in the editor given by a command line, like ExternalEditor, at
// a line if line is not 0. The file is kept.
func FileEditor(command string, run RunFunc) func(path string, line int) tea.Cmd {
	return func(path string, line int) tea.Cmd {
		words := shellWords(command)
		if len(words) == 0 {
			return components.Send(page.FileEditedMsg{Path: path, Err: errors.New("no editor: set VISUAL or EDITOR")})
		}
		arguments := append(words[1:], fileArguments(words[0], path, line)...)
		// The user configures the editor command.
		cmd := exec.Command(words[0], arguments...) //nolint:gosec,noctx // see above; the user ends it
		return run(cmd, func(err error) tea.Msg {
			if err != nil {
				err = fmt.Errorf("the editor failed: %w", describeNotFound(words[0], err))
			}
			return page.FileEditedMsg{Path: path, Err: err}
		})
	}
}

// fileArguments returns the arguments that open a file at a line in an editor. Editors that are not known get the path
// only.
func fileArguments(editor, path string, line int) []string {
	at := fmt.Sprintf("%s:%d", path, line)
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(editor)), ".exe")
	switch {
	case line == 0:
		return []string{path}
	case slices.Contains([]string{"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro"}, name):
		return []string{fmt.Sprintf("+%d", line), path}
	case name == "hx" || name == "helix":
		return []string{at}
	case slices.Contains([]string{"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"}, name):
		return []string{"-g", at}
	default:
		return []string{path}
	}
}

// describeNotFound explains that a program does not exist. It returns other errors unchanged.
func describeNotFound(program string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s was not found: set VISUAL or EDITOR", program)
	}
	return err
}

// writeTempFile creates the file for an editor and returns its modification time.
func writeTempFile(content string) (path string, made time.Time, err error) {
	file, err := os.CreateTemp("", "wsctl-*.md")
	if err != nil {
		return "", made, fmt.Errorf("open editor: %w", err)
	}
	_, err = file.WriteString(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", made, fmt.Errorf("open editor: %w", err)
	}
	made, err = modTime(file.Name())
	return file.Name(), made, err
}

// modTime returns the modification time of a file. It is unchanged if an editor exits without saving.
func modTime(path string) (time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, fmt.Errorf("open editor: %w", err)
	}
	return info.ModTime(), nil
}

func readBack(path string, made time.Time, failed error) tea.Msg {
	if failed != nil {
		return page.EditedMsg{Err: fmt.Errorf("what you wrote is in %s: the editor failed: %w", path, failed)}
	}
	data, err := os.ReadFile(path) //nolint:gosec // the file was made above
	if err != nil {
		return page.EditedMsg{Err: fmt.Errorf("read what the editor left: %w", err)}
	}
	saved, err := modTime(path)
	_ = os.Remove(path) // the text is in memory and will be journaled
	return page.EditedMsg{Text: trimNewline(string(data)), Untouched: err == nil && saved.Equal(made)}
}

// trimNewline removes the line end that editors append to a text.
func trimNewline(s string) string {
	for _, end := range []string{"\r\n", "\n"} {
		if cut := len(s) - len(end); cut >= 0 && s[cut:] == end {
			return s[:cut]
		}
	}
	return s
}

// shellWords splits a command line at spaces outside of quotes. A backslash escapes the next character.
func shellWords(s string) []string {
	var words []string
	var word []rune
	var quote rune
	inWord, escaped := false, false
	for _, r := range s {
		switch {
		case escaped:
			word, escaped = append(word, r), false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word = append(word, r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				words, word, inWord = append(words, string(word)), nil, false
			}
		default:
			word, inWord = append(word, r), true
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words
}
