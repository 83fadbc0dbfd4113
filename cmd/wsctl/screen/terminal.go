package screen

import (
	"errors"
	"fmt"
	"os/exec"

	osc52 "github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// copier has the terminal put a text into the clipboard (OSC 52), which works through ssh, too. A multiplexer gets the
// request as its own, and as one to hand on.
func copier(a *app.App) func(string) tea.Cmd {
	return func(what string) tea.Cmd {
		return func() tea.Msg {
			if !a.OutTerminal {
				return components.Told("to copy: " + what)
			}
			sequence := osc52.New(what)
			written := sequence.String()
			if a.Env("TMUX") != "" {
				written += sequence.Tmux().String()
			}
			if _, err := fmt.Fprint(a.Out, written); err != nil {
				return remote.FailMsg{Err: fmt.Errorf("copy: %w", err)}
			}
			return components.Told("copied through the terminal: " + render.Excerpt(what))
		}
	}
}

// besides runs a command on the same terminal, where no screen has to be put away.
func besides(a *app.App) tui.Run {
	return func(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, a.Err
			return done(cmd.Run())
		}
	}
}

// browser opens an address beside the screen; without a display it is said instead.
func browser(a *app.App) func(string) tea.Cmd {
	return func(url string) tea.Cmd {
		return func() tea.Msg {
			if a.Open == nil {
				return components.Told("there is no display; the address is " + url)
			}
			if err := a.Open(url); err != nil {
				return remote.FailMsg{Err: errors.Join(errors.New("the browser did not open "+url), err)}
			}
			return components.Told("opened " + url)
		}
	}
}
