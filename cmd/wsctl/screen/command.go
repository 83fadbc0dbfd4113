package screen

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/render"
)

// themes are the values of --theme.
var themes = []string{"auto", "light", "dark", "16", "256", "truecolor", "mono"}

// Command returns the command wsctl tui.
func Command(a *app.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "tui", Short: "Read and review on a screen: spaces, pages, change requests, comments, merges",
		Example: "  wsctl tui\n  wsctl tui --change-request skylark-handbook#2",
		Args:    app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(a, cmd, o) },
	}
	cmd.Flags().String("org", "", resolve.Usage("what to begin with", false, "organization"))
	cmd.Flags().String("space", "", resolve.Usage("what to begin with", false, "space"))
	cmd.Flags().StringVar(&o.request, "change-request", "", resolve.Usage("what to begin with", false, "changeRequest"))
	app.AcceptNames(cmd)
	cmd.Flags().StringVar(&o.theme, "theme", "auto",
		"light, dark, 16, 256, truecolor or mono; auto: what COLORTERM, TERM and COLORFGBG say, else what the terminal answers")
	app.CompleteWords(cmd, "theme", themes)
	cmd.Flags().BoolVar(&o.linear, "linear", false, "write pages as lines and read commands by the line, for screen readers")
	cmd.Flags().BoolVar(&o.ascii, "ascii", false, "draw signs and frames in ASCII, as in a locale that is not UTF-8")
	cmd.Flags().BoolVar(&o.mouse, "mouse", true,
		"scroll and click with the mouse; the screen can turn it off, too, so that it selects text")
	return cmd
}

// options holds the flags of wsctl tui.
type options struct {
	request, theme       string
	mouse, linear, ascii bool
}

func run(a *app.App, cmd *cobra.Command, o options) error {
	if name := a.Getenv("TERM"); !o.linear && a.InTerminal && a.OutTerminal && (name == "" || name == "dumb") {
		o.linear = true
		a.Infof("TERM is %s, so pages are written as lines (--linear)", cmp.Or(name, "not set"))
	}
	if !o.linear && (!a.InTerminal || !a.OutTerminal) {
		return app.Usagef("the screen needs a terminal").WithHint("--linear does without, and so do the other commands: wsctl commands " +
			"lists them")
	}
	if !slices.Contains(themes, o.theme) {
		return app.Usagef("--theme must be auto, light, dark, 16, 256, truecolor or mono, not %q", o.theme)
	}
	if !cmd.Flags().Changed("mouse") {
		o.mouse = !loadPreferences(a.Getenv).MouseOff
	}
	a.Silence() // other output would corrupt the screen
	settings, err := a.Settings(cmd)
	if err != nil {
		return err
	}
	token, err := settings.Token()
	if err != nil {
		return err
	}
	c, err := a.Client(cmd)
	if err != nil {
		return err
	}
	start, err := findStart(a, cmd, settings, o.request)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	shown := detectTerminal(a, o)
	theme := render.NewTheme(render.PaletteFor(a.Getenv, o.theme, shown.display))
	run, editor := runFrom(a.In), editorCommand(a.Getenv)
	if o.linear {
		theme, run = render.Theme{}, confirmRun(runInTerminal(a))
	}
	model := tui.New(ctx, tui.Options{
		Client: newRemote(c, settings.IsReadOnly()),
		Drafts: drafts.Dir(draftDir(a.Getenv, settings.URL.Value, token.Value)),
		Theme:  theme, Now: a.Now, NewKey: rand.Text,
		Edit:     tui.ExternalEditor(editor, run),
		EditFile: tui.FileEditor(editor, run), Edits: drafts.Dir(draftDir(a.Getenv, settings.URL.Value, token.Value)),
		Copy: copyFunc(a), Browse: browseFunc(a, run), Mouse: o.mouse, RememberMouse: rememberMouse(a.Getenv),
		ASCII:  o.ascii || !app.IsUTF8(a.Getenv),
		Visits: drafts.Dir(draftDir(a.Getenv, settings.URL.Value, token.Value)),
		Delay:  sendDelayed, Organization: start.organization, Space: start.space, ChangeRequest: start.request,
	})
	if o.linear {
		return cmp.Or(runLinear(ctx, linear(model, a.In, a.Out)), refusal(model))
	}
	return cmp.Or(runProgram(ctx, shown, a.Out, model, o.mouse), refusal(model))
}

// start holds the ids of what the screen begins with; they may be empty.
type start struct{ organization, space, request string }

// findStart finds what the screen begins with by the names in the settings and flags.
func findStart(a *app.App, cmd *cobra.Command, settings *app.Settings, request string) (s start, err error) {
	names := resolve.New(a, cmd)
	s = start{settings.Org.Value, settings.Space.Value, request}
	rest, in, err := names.Split("changeRequest", request)
	if err != nil {
		return s, err
	}
	s.request = rest
	switch space := in["space"]; {
	case space != "" && cmd.Flags().Changed("space") && space != s.space:
		return s, app.Usagef("--change-request names the space %s, --space is %s: give one of them", space, s.space)
	case space != "":
		s.space = space
	}
	if s.request != "" && s.space == "" {
		return s, app.Usagef("--change-request needs --space")
	}
	if s.organization != "" {
		if s.organization, err = names.Organization(); err != nil {
			return s, err
		}
	}
	s.space, err = names.Find("space", s.space)
	return s, err
}

// refusal returns the error of a screen that ended because the server refused its token, or nil.
func refusal(model *tui.Model) error {
	refused, ok := api.AsError(model.Refused())
	if !ok {
		return nil
	}
	ended := *refused
	ended.Message = strings.TrimSuffix(ended.Message, ".") + ". The screen has ended; drafts are kept."
	return &ended
}

// linear returns a function that runs the linear interface. The model has a context of its own.
func linear(model *tui.Model, in io.Reader, out io.Writer) func() error {
	return func() error { return tui.Linear(model, in, out) }
}

// runLinear calls run, which is made by the function linear, and returns when the input ends, the user quits, or ctx is canceled by a
// signal. Texts are journaled line by line.
func runLinear(ctx context.Context, run func() error) error {
	done := make(chan error, 1)
	go func() { done <- run() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done(): // the read of the next line goes on until the process ends
		return ctx.Err()
	}
}

// runProgram runs the screen until the user quits or ctx is canceled by a signal. Before it returns, the drafts are written and
// the terminal is restored.
func runProgram(ctx context.Context, t terminal, out io.Writer, model tea.Model, mouse bool) error {
	options := []tea.ProgramOption{
		tea.WithoutSignalHandler(), tea.WithAltScreen(), tea.WithReportFocus(), tea.WithInput(t.in), tea.WithOutput(out),
		tea.WithFPS(framesPerSecond),
	}
	if mouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	program := tea.NewProgram(model, options...)
	defer context.AfterFunc(ctx, func() { program.Send(tui.ExitMsg{}) })()
	polling, stop := context.WithCancel(ctx)
	defer stop()
	go pollAndRedraw(polling, program)
	go func() {
		for _, msg := range messagesOf(t.typeahead) {
			program.Send(msg)
		}
	}()
	_, err := program.Run()
	return cmp.Or(ctx.Err(), err)
}

// framesPerSecond is the frame rate: with 120 a key press is visible after at most 8 ms instead of 16.
const framesPerSecond = 120

// loadDelay is the time without a cursor movement after which content for the position of the cursor is loaded.
const loadDelay = 150 * time.Millisecond

// sendDelayed sends msg after loadDelay.
func sendDelayed(msg tea.Msg) tea.Cmd {
	return tea.Tick(loadDelay, func(time.Time) tea.Msg { return msg })
}

// pollAndRedraw periodically redraws the screen, which shows relative times, and polls for changes by others.
func pollAndRedraw(ctx context.Context, program *tea.Program) {
	every, pulse := time.NewTicker(tui.AgeInterval), time.NewTicker(tui.TickInterval)
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

// editorCommand returns the command line of the user's editor: VISUAL, or else EDITOR, or else vi.
func editorCommand(env func(string) string) string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command := env(name); command != "" {
			return command
		}
	}
	return "vi"
}

// draftDir returns the directory of the drafts of a user on a server. It is next to the configuration, because drafts
// should be backed up.
func draftDir(env func(string) string, url, token string) string {
	user := token
	// A token is wsd_<user>_<token id>_<secret>. All tokens of a user share the drafts.
	if parts := strings.Split(token, "_"); len(parts) == 4 {
		user = parts[1]
	}
	sum := sha256.Sum256([]byte(url + "\n" + user))
	return filepath.Join(app.ConfigDir(env), "drafts", hex.EncodeToString(sum[:8]))
}
