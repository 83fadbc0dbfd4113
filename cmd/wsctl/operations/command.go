package operations

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
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
	path     map[string]*app.FlagValue
	query    map[string]*app.FlagValue
	body     []*bodyField

	listing               Listing
	data, ifMatch, key    string
	resolve               []string
	dryRun, yes, web, raw bool
}

// extra is what a row cannot say about its command.
type extra struct {
	bodyArgument string            // the member of the body that is an argument
	defaults     map[string]string // of members of the body
	sampled      string            // a member of an object in the body that examples need, as object.member

	argument  string                        // the path parameter that is one, when it is not the row's
	choose    func(argument string) api.Row // the row, where the argument says which it is
	verb      string                        // when it is not the row's
	operation api.ContentOperation          // the one that the body holds
	members   []string                      // of the operation, that have flags
}

func extras(row api.Row) extra {
	switch row.Name {
	case api.ImportContent.Name, api.ImportChangeRequestContent.Name:
		return extra{bodyArgument: "url", defaults: map[string]string{"source": string(api.ImportWebsite)}}
	case api.CreateImportRun.Name:
		return extra{sampled: "source.url"}
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
		builder: b, row: row, extra: more, isList: row.IsList(), argument: cmp.Or(more.argument, app.Argument(row)),
		input: b.compiler.Input(row), answer: b.compiler.Compile(row.Out),
		path: map[string]*app.FlagValue{}, query: map[string]*app.FlagValue{},
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

// verbAliases are short names of commands.
func verbAliases(row api.Row) []string {
	if name, ok := strings.CutPrefix(row.Verb(), "get-"); ok && row.Out == api.GetRevisionChanges.Out {
		return []string{name}
	}
	return nil
}

// arguments says which arguments the command takes.
func (r *rowCommand) arguments() {
	names := []string{cmp.Or(r.extra.verb, r.row.Verb())}
	if r.argument != "" {
		names = append(names, strings.ToUpper(app.Kebab(r.argument)))
	}
	if r.extra.bodyArgument != "" {
		names = append(names, strings.ToUpper(app.Kebab(r.extra.bodyArgument)))
	}
	r.cmd.Use = strings.Join(names, " ")
	if r.row.Verb() == api.ListSpaceRevisions.Verb() {
		r.cmd.Aliases = []string{"history"}
	}
	r.cmd.Args = app.Exactly(names[1:]...)
	r.cmd.ValidArgsFunction = cobra.NoFileCompletions
	if argument := cmp.Or(r.argument, r.extra.bodyArgument); argument != "" {
		r.cmd.ValidArgsFunction = Argument(r.app, argument)
	}
}

func (r *rowCommand) commonFlags() {
	f := r.cmd.Flags()
	if r.isList {
		f.IntVar(&r.listing.Limit, "limit", api.DefaultLimit, "show at most this `number` of items")
		f.BoolVar(&r.listing.All, "all", false, "show all items")
		f.BoolVar(&r.listing.Envelope, "envelope", false, "write {items, count, next} instead of the items alone")
		f.StringVar(&r.listing.Cursor, "cursor", "", "go on from the next.page of an earlier `answer`")
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

// subject names what a command is about, for people: space spc_1.
func (r *rowCommand) subject(args []string) string {
	if r.argument == "" {
		return r.row.Resource()
	}
	return fmt.Sprintf("%s %s", app.FlagWords(app.Kebab(r.argument)), args[0])
}
