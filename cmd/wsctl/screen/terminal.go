package screen

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	osc52 "github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// copyFunc copies text to the clipboard with OSC 52, which also works over ssh. Inside a terminal multiplexer it sends
// the sequence both to the multiplexer and, wrapped, to the outer terminal.
func copyFunc(a *app.App) func(string) tea.Cmd {
	return func(text string) tea.Cmd {
		return func() tea.Msg {
			if !a.OutTerminal {
				return components.NewToast("to copy: " + text)
			}
			sequence := osc52.New(text)
			written := sequence.String()
			if a.Getenv("TMUX") != "" {
				written += sequence.Tmux().String()
			}
			if _, err := fmt.Fprint(a.Out, written); err != nil {
				return remote.ErrorMsg{Err: fmt.Errorf("copy: %w", err)}
			}
			return components.NewToast("copied through the terminal: " + render.Excerpt(text))
		}
	}
}

// runInTerminal runs a command in the terminal for the linear interface, which has no screen to release.
func runInTerminal(a *app.App) tui.RunFunc {
	return func(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, a.Err
			return done(cmd.Run())
		}
	}
}

// browseFunc opens a URL in the browser named by BROWSER, which may use the terminal, else in that of the desktop. It shows
// the URL if there is neither.
func browseFunc(a *app.App, run tui.RunFunc) func(string) tea.Cmd {
	return func(url string) tea.Cmd {
		if words := browserCommand(a.Getenv("BROWSER"), url); len(words) > 0 {
			cmd := exec.Command(words[0], words[1:]...) //nolint:gosec,noctx // the user configures it, and ends it
			return run(cmd, func(err error) tea.Msg {
				if err != nil {
					return remote.ErrorMsg{Err: fmt.Errorf("the browser did not open %s: %w", url, err)}
				}
				return components.NewToast("opened " + url)
			})
		}
		return func() tea.Msg {
			if a.OpenURL == nil {
				return components.NewToast("there is no display; the address is " + url)
			}
			if err := a.OpenURL(url); err != nil {
				return remote.ErrorMsg{Err: errors.Join(errors.New("the browser did not open "+url), err)}
			}
			return components.NewToast("opened " + url)
		}
	}
}

// confirmRun returns a RunFunc that asks before it runs a command, which may draw on the whole terminal.
func confirmRun(run tui.RunFunc) tui.RunFunc {
	return func(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
		decline := func() tea.Msg { return done(errors.New("it was not opened")) }
		return components.Send(page.PickMsg{
			Question: filepath.Base(cmd.Path) + " may draw on the whole screen.",
			Choices:  []components.Choice{{Label: "open it", Cmd: run(cmd, done)}, {Label: "leave it", Cmd: decline}},
		})
	}
}

// browserCommand returns the command for a URL from a value of BROWSER: the first of its commands, which are separated by
// colons, with the URL in place of %s or at the end.
func browserCommand(value, url string) []string {
	first, _, _ := strings.Cut(value, ":")
	words := strings.Fields(first)
	placed := false
	for i, word := range words {
		if strings.Contains(word, "%s") {
			words[i], placed = strings.ReplaceAll(word, "%s", url), true
		}
	}
	if len(words) > 0 && !placed {
		words = append(words, url)
	}
	return words
}
