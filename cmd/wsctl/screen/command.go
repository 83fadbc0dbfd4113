package screen

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/term"
)

// themes are the values of --theme.
var themes = []string{"auto", "light", "dark", "16", "mono"}

// Command is "wsctl tui".
func Command(a *app.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "tui", Short: "Read and review on a screen: spaces, pages, change requests, comments, merges",
		Example: "  wsctl tui\n  wsctl tui --space $SPACE --change-request 2", Args: app.Exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(a, cmd, o) },
	}
	cmd.Flags().String("org", "", "`id` of the organization to begin with")
	cmd.Flags().String("space", "", "`id` of the space to begin with")
	cmd.Flags().StringVar(&o.request, "change-request", "", "`id` or number of the change request to begin with")
	cmd.Flags().StringVar(&o.theme, "theme", "auto", "light, dark, 16 or mono; auto: what the terminal says of its colours, COLORFGBG of its background, else dark")
	app.OneOf(cmd, "theme", themes)
	cmd.Flags().BoolVar(&o.linear, "linear", false, "write pages as lines and read commands by the line, for screen readers")
	cmd.Flags().BoolVar(&o.mouse, "mouse", true, "scroll and click with the mouse; the screen can turn it off, too, so that it selects text")
	return cmd
}

// options are the flags of the screen.
type options struct {
	request, theme string
	mouse, linear  bool
}

func run(a *app.App, cmd *cobra.Command, o options) error {
	if !o.linear && (!a.InTerminal || !a.OutTerminal) {
		return app.Usagef("the screen needs a terminal").WithHint("--linear does without, and so do the other commands: wsctl commands lists them")
	}
	if !slices.Contains(themes, o.theme) {
		return app.Usagef("--theme must be auto, light, dark, 16 or mono, not %q", o.theme)
	}
	a.Silence() // nothing may write over the screen
	settings, err := a.Settings(cmd)
	if err != nil {
		return err
	}
	token, err := settings.Token()
	if err != nil {
		return err
	}
	if o.request != "" && settings.Space.Text == "" {
		return app.Usagef("--change-request needs --space")
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	run := tui.OnScreen
	if o.linear {
		run = besides(a)
	}
	model := tui.New(ctx, tui.Options{
		Client: connect(a.ClientWith(settings.URL.Text, token.Text), settings.IsReadOnly()),
		Drafts: drafts.Dir(draftDir(a.Env, settings.URL.Text, token.Text)),
		Theme:  render.NewTheme(render.PaletteFor(a.Env, o.theme, term.Dark(a.Env("COLORFGBG")))), Now: a.Now, NewKey: rand.Text, Edit: tui.ExternalEditor(editor(a.Env), run),
		EditIn: tui.EditorIn(editor(a.Env), run), Edits: drafts.Dir(draftDir(a.Env, settings.URL.Text, token.Text)), Copy: copier(a), Browse: browser(a), Mouse: o.mouse,
		Visits: drafts.Dir(draftDir(a.Env, settings.URL.Text, token.Text)),
		After:  after, Organization: settings.Org.Text, Space: settings.Space.Text, ChangeRequest: o.request,
	})
	if o.linear {
		return tui.Linear(model, a.In, a.Out)
	}
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithAltScreen(), tea.WithReportFocus(), tea.WithInput(a.In), tea.WithOutput(a.Out),
		tea.WithFPS(framesPerSecond),
	}
	if o.mouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	program := tea.NewProgram(model, options...)
	go refresh(ctx, program)
	_, err = program.Run()
	return err
}

// framesPerSecond is how often what has changed is drawn: a key is seen 8 ms later at most, and not only after 16.
const framesPerSecond = 120

// moment is how long a cursor stands still before it rests.
const moment = 150 * time.Millisecond

// after sends a message when a moment has passed.
func after(msg tea.Msg) tea.Cmd {
	return tea.Tick(moment, func(time.Time) tea.Msg { return msg })
}

// refresh has the screen drawn again now and then, as it says how long ago things were, and ask what others did.
func refresh(ctx context.Context, program *tea.Program) {
	every, pulse := time.NewTicker(tui.Refresh), time.NewTicker(tui.Pulse)
	defer every.Stop()
	defer pulse.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pulse.C:
			program.Send(tui.TickMsg{})
		case <-every.C:
			program.Send(tui.TimeMsg{})
		}
	}
}

// editor is the command line of the caller's editor.
func editor(env func(string) string) string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command := env(name); command != "" {
			return command
		}
	}
	return "vi"
}

// draftDir is where the unsent texts of one user for one server are kept: beside the configuration, because they
// are worth a backup.
func draftDir(env func(string) string, url, token string) string {
	user := token
	if parts := strings.Split(token, "_"); len(parts) == 4 { // wsd_<user>_<token id>_<secret>: a new token is the same user
		user = parts[1]
	}
	sum := sha256.Sum256([]byte(url + "\n" + user))
	return filepath.Join(app.Dir(env), "drafts", hex.EncodeToString(sum[:8]))
}
