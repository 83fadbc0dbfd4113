package screen

import (
	"errors"
	"fmt"

	osc52 "github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
)

// copier has the terminal put a text into the clipboard (OSC 52), which works through ssh, too. A multiplexer gets the
// request as its own, and as one to hand on.
func copier(a *app.App) func(string) tea.Cmd {
	return func(what string) tea.Cmd {
		return func() tea.Msg {
			sequence := osc52.New(what)
			written := sequence.String()
			if a.Env("TMUX") != "" {
				written += sequence.Tmux().String()
			}
			if _, err := fmt.Fprint(a.Out, written); err != nil {
				return remote.FailMsg{Err: fmt.Errorf("copy: %w", err)}
			}
			return components.Told("copied through the terminal: " + text.Excerpt(what))
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
