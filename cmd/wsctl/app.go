package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/config"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// app is one run of the program.
type app struct {
	world

	flags    globalFlags
	compiler *api.Compiler
	loaded   *config.Settings
}

// globalFlags are the flags that every command has.
type globalFlags struct {
	output, jq, template, columns string
	profile, url, color           string
	noHeaders, csvRaw             bool
	quiet, debug                  bool
	noInput                       bool
	retries                       int
}

func newApp(w world) *app { return &app{world: w, compiler: api.NewCompiler()} }

// settings loads the configuration when it is first needed: commands that need none work with a broken one.
func (a *app) settings(cmd *cobra.Command) (*config.Settings, error) { return a.load(cmd, false) }

// settingsOfNewProfile is settings for the commands that make a profile: the one in use need not exist.
func (a *app) settingsOfNewProfile(cmd *cobra.Command) (*config.Settings, error) {
	return a.load(cmd, true)
}

func (a *app) load(cmd *cobra.Command, newProfile bool) (*config.Settings, error) {
	if a.loaded != nil {
		return a.loaded, nil
	}
	flags := map[string]string{}
	for _, name := range []string{"profile", "url", "org", "space"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			flags[name] = f.Value.String()
		}
	}
	loaded, err := config.Load(config.Sources{
		Dir: config.Dir(a.env), Env: a.env, Flags: flags, NewProfile: newProfile,
	}, a.keyring)
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	a.loaded = loaded
	return loaded, nil
}

// client returns a client of the server in use, with the token of the caller if there is one.
func (a *app) client(cmd *cobra.Command) (*client.Client, error) {
	settings, err := a.settings(cmd)
	if err != nil {
		return nil, err
	}
	if err := config.CheckURL(settings.URL.Text); err != nil {
		return nil, exit.Usagef("%v (from %s)", err, settings.URL.Origin)
	}
	token, err := settings.Token()
	if err != nil {
		return nil, err
	}
	return a.clientWith(settings.URL.Text, token.Text), nil
}

func (a *app) clientWith(url, token string) *client.Client {
	options := []client.Option{
		client.WithToken(token), client.WithHTTPClient(a.http), client.WithRetries(a.flags.retries),
		client.WithUserAgent("wsctl/" + version()), client.WithNotice(a.waiting),
	}
	if a.flags.debug {
		handler := slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelDebug})
		options = append(options, client.WithLogger(slog.New(handler)))
	}
	return client.New(url, options...)
}

func (a *app) waiting(w client.Wait) {
	a.say("waiting %s before trying again: %v", w.For.Round(time.Second), w.Cause)
}

// say talks to people: on standard error, never in quiet mode.
func (a *app) say(format string, args ...any) {
	if !a.flags.quiet {
		_, _ = fmt.Fprintln(a.err, output.Sanitize(fmt.Sprintf(format, args...)))
	}
}

// paint marks a word on standard error, where colour is wanted.
func (a *app) paint(word string) string {
	if a.colored(a.errTerminal) {
		return "\x1b[1;31m" + word + "\x1b[0m"
	}
	return word
}

// colored decides on colour: the flag, then NO_COLOR with any text, then whether the stream is a terminal.
func (a *app) colored(terminal bool) bool {
	switch a.flags.color {
	case "always":
		return true
	case "never":
		return false
	default:
		return terminal && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
	}
}

// canAsk reports whether a question would reach a person.
func (a *app) canAsk() bool { return a.inTerminal && a.errTerminal && !a.flags.noInput }

// printer returns the printer for answers with the given columns, which --columns replaces.
func (a *app) printer(defaults []output.Column) (*output.Printer, error) {
	p := &output.Printer{
		Out: a.out, Terminal: a.outTerminal, Width: a.width, Color: a.colored(a.outTerminal), Now: a.now(),
		Format: output.Format(a.flags.output), Columns: defaults, NoHeaders: a.flags.noHeaders, CSVRaw: a.flags.csvRaw,
		JQ: a.flags.jq, Template: a.flags.template,
	}
	if p.JQ != "" && p.Template != "" {
		return nil, exit.Usagef("--jq and --template exclude each other")
	}
	if a.flags.columns != "" {
		p.Columns = output.ParseColumns(a.flags.columns)
	}
	return p, p.Check()
}

// print writes one value as the flags say.
func (a *app) print(value any) error {
	p, err := a.printer(nil)
	if err != nil {
		return err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return p.Value(data)
}

// organization returns the organization to work in: what is set, else the only one that the caller has.
func (a *app) organization(cmd *cobra.Command) (string, error) {
	settings, err := a.settings(cmd)
	if err != nil {
		return "", err
	}
	if settings.Org.Text != "" {
		return settings.Org.Text, nil
	}
	c, err := a.client(cmd)
	if err != nil {
		return "", err
	}
	return onlyOrganization(cmd.Context(), c)
}

func onlyOrganization(ctx context.Context, c *client.Client) (string, error) {
	var names, ids []string
	for o, err := range client.All(ctx, c.Organizations.List, api.ListOrganizationsInput{}) {
		if err != nil {
			return "", err
		}
		ids = append(ids, o.ID)
		names = append(names, fmt.Sprintf("%s (%s)", o.ID, o.Title))
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", exit.Usagef("you are in no organization").WithHint("create one with: wsctl organizations create --title TITLE")
	default:
		return "", exit.Usagef("which organization? you are in %s", strings.Join(names, ", ")).
			WithHint("give --org, set WSCTL_ORG, or keep one with: wsctl config set org %s", ids[0])
	}
}

// space returns the space to work in.
func (a *app) space(cmd *cobra.Command) (string, error) {
	settings, err := a.settings(cmd)
	if err != nil {
		return "", err
	}
	if settings.Space.Text == "" {
		return "", exit.Usagef("which space?").
			WithHint("give --space, set WSCTL_SPACE, or keep one with: wsctl config set space ID; wsctl spaces list shows them")
	}
	return settings.Space.Text, nil
}
