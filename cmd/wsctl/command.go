package main

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/exit"
)

// rowCommand is the command of one row of the contract: its arguments and flags are the row's input, its output
// is the row's answer.
type rowCommand struct {
	builder

	cmd    *cobra.Command
	row    api.Row
	twin   *api.Row // the same operation inside a change request, for --change-request
	input  api.Input
	answer *api.Schema
	extra  extra
	isList bool

	argument string // the path parameter that is one
	path     map[string]*value
	query    map[string]*value
	body     []*bodyField

	data, cursor, ifMatch, key           string
	resolve                              []string
	limit                                int
	all, envelope, dryRun, yes, web, raw bool
}

// extra is what a row cannot say about its command.
type extra struct {
	bodyArgument string            // the member of the body that is an argument
	defaults     map[string]string // of members of the body

	argument  string               // the path parameter that is one, when it is not the row's
	verb      string               // when it is not the row's
	operation api.ContentOperation // the one that the body holds
	members   []string             // of the operation, that have flags
}

func extras(row api.Row) extra {
	switch row.Name {
	case api.ImportContent.Name, api.ImportChangeRequestContent.Name:
		return extra{bodyArgument: "url", defaults: map[string]string{"source": string(api.ImportWebsite)}}
	default:
		return extra{}
	}
}

// builder makes the commands of rows. They share what it compiles of the contract.
type builder struct {
	app      *app.App
	compiler *api.Compiler
}

func newBuilder(a *app.App) builder { return builder{a, api.NewCompiler()} }

// row makes the command of a row.
func (b builder) row(row api.Row) *cobra.Command { return b.command(row, extras(row)) }

// command makes a command out of a row and what is to be said beyond it.
func (b builder) command(row api.Row, more extra) *cobra.Command {
	r := &rowCommand{
		builder: b, row: row, extra: more, isList: row.IsList(), argument: cmp.Or(more.argument, positional(row)),
		input: b.compiler.Input(row), answer: b.compiler.Compile(row.Out),
		path: map[string]*value{}, query: map[string]*value{},
	}
	if twin, ok := row.Twin(); ok {
		r.twin = &twin
	}
	if more.operation != "" {
		r.input.Body = more.narrow(b.compiler.Compile(reflect.TypeFor[api.ContentChange]()))
	}
	r.cmd = &cobra.Command{
		Short: strings.TrimSuffix(row.Summary, "."), Aliases: verbAliases(row),
		Long: row.Summary + "\n\n" + row.Method + " " + row.Path,
		RunE: r.run,
	}
	r.arguments()
	r.pathFlags()
	r.queryFlags()
	r.bodyFlags()
	r.resolveFlag()
	r.commonFlags()
	r.cmd.Example = example(r)
	return r.cmd
}

// arguments says which arguments the command takes.
func (r *rowCommand) arguments() {
	names := []string{cmp.Or(r.extra.verb, r.row.Verb())}
	if r.argument != "" {
		names = append(names, strings.ToUpper(kebab(r.argument)))
	}
	if r.extra.bodyArgument != "" {
		names = append(names, strings.ToUpper(kebab(r.extra.bodyArgument)))
	}
	r.cmd.Use = strings.Join(names, " ")
	if r.row.Verb() == api.ListSpaceRevisions.Verb() {
		r.cmd.Aliases = []string{"history"}
	}
	r.cmd.Args = app.Exactly(names[1:]...)
	r.cmd.ValidArgsFunction = cobra.NoFileCompletions
	if argument := cmp.Or(r.argument, r.extra.bodyArgument); argument != "" {
		r.cmd.ValidArgsFunction = idCompletion(r.app, argument)
	}
}

func (r *rowCommand) commonFlags() {
	f := r.cmd.Flags()
	if r.isList {
		f.IntVar(&r.limit, "limit", api.DefaultLimit, "show at most this `number` of items")
		f.BoolVar(&r.all, "all", false, "show all items")
		f.BoolVar(&r.envelope, "envelope", false, "write {items, count, next} instead of the items alone")
		f.StringVar(&r.cursor, "cursor", "", "go on from the next.page of an earlier `answer`")
		r.cmd.MarkFlagsMutuallyExclusive("all", "limit")
	}
	if r.row.Writes() {
		f.BoolVar(&r.dryRun, "dry-run", false, "check everything and show what would be, but change nothing")
		f.StringVar(&r.ifMatch, "if-match", "", "only when the resource still has this `etag`")
		f.StringVar(&r.key, "idempotency-key", "", "repeating a command with the same `key` does it once")
	}
	if r.row.Method == http.MethodDelete {
		f.BoolVarP(&r.yes, "yes", "y", false, "do not ask")
	}
	if hasMember(r.answer, "urls", "app") {
		f.BoolVar(&r.web, "web", false, "open it in the browser")
	}
	if hasMember(r.answer, "markdown") || hasMember(r.answer, "downloadURL") {
		f.BoolVar(&r.raw, "raw", false, "write the Markdown or the file alone, byte for byte")
	}
}

// hasMember reports whether a schema has the member at the end of a path.
func hasMember(s *api.Schema, path ...string) bool {
	for _, name := range path {
		f, ok := s.Field(name)
		if !ok {
			return false
		}
		s = f.Schema
	}
	return true
}

// request turns what was typed into a request, and asks nothing of the server but perhaps which organization.
func (r *rowCommand) request(cmd *cobra.Command, args []string) (client.Request, error) {
	if err := r.mayWrite(cmd); err != nil {
		return client.Request{}, err
	}
	body, err := r.bodyJSON(args)
	if err != nil {
		return client.Request{}, err
	}
	path, err := r.pathValues(cmd, args)
	if err != nil {
		return client.Request{}, err
	}
	row := r.row
	if v, ok := r.path["changeRequest"]; ok && v.given && r.twin != nil {
		row = *r.twin
		path["changeRequestId"] = v.String()
	}
	query := r.queryValues()
	if r.raw && r.query["format"] != nil {
		query.Set("format", string(api.FormatMarkdown))
	}
	req, err := client.Build(row, path, query, body)
	if err != nil {
		return client.Request{}, exit.Usagef("%v", err)
	}
	return req, nil
}

// mayWrite refuses a write with a read-only profile.
func (r *rowCommand) mayWrite(cmd *cobra.Command) error {
	if !r.row.Writes() {
		return nil
	}
	return mayWrite(r.app, cmd)
}

func mayWrite(a *app.App, cmd *cobra.Command) error {
	settings, err := a.Settings(cmd)
	if err != nil {
		return err
	}
	if settings.IsReadOnly() {
		return exit.Usagef("profile %s is read-only; nothing was sent", settings.Profile.Text).
			WithHint("choose another with --profile, or: wsctl config set read_only false")
	}
	return nil
}

func (r *rowCommand) callOptions() []client.CallOption {
	var options []client.CallOption
	if r.dryRun {
		options = append(options, client.DryRun())
	}
	if r.ifMatch != "" {
		options = append(options, client.IfMatch(r.ifMatch))
	}
	return append(options, keyed(r.key)...)
}

// keyed sends a key that was typed.
func keyed(key string) []client.CallOption {
	if key == "" {
		return nil
	}
	return []client.CallOption{client.IdempotencyKey(key)}
}

// subject names what a command is about, for people: space spc_1.
func (r *rowCommand) subject(args []string) string {
	if r.argument == "" {
		return r.row.Resource()
	}
	return fmt.Sprintf("%s %s", strings.ReplaceAll(kebab(r.argument), "-", " "), args[0])
}
