package operations

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// rowCommand is the command of a row of the contract. Its arguments and flags are the input of the row; its output is
// the response.
type rowCommand struct {
	builder

	cmd              *cobra.Command
	row              api.Row
	changeRequestRow *api.Row // the same operation in a change request, used with --change-request
	input            api.Input
	answer           *api.Schema
	rowOptions       rowOptions
	isList           bool

	argument string // path parameter given as argument
	title    string // title of its subject, if that is known
	path     map[string]*app.FlagValue
	query    map[string]*app.FlagValue
	body     []*bodyField

	listOptions                     ListOptions
	data, ifMatch, key, titles      string
	document                        document // what --data named
	upload                          *upload  // what an import sends; nil for an address
	from                            string   // what is imported into a new space
	resolve, mergeRules             []string
	dryRun, yes, openWeb, rawOutput bool
}

// rowOptions holds the properties of a command that the row does not define.
type rowOptions struct {
	bodyArgument    string            // member of the body given as argument
	bodyPlaceholder string            // word for that argument, if not its name
	defaults        map[string]string // defaults of body members
	docs            map[string]string // help of body members, if not that of the contract
	exampleMember   string            // member of a body object that examples must include, as object.member

	argument  string                        // path parameter given as argument, if not the default one
	selectRow func(argument string) api.Row // selects the row by the argument
	verb      string                        // name of the command, if not the verb of the row
	operation api.ContentOperation          // the only operation in the body
	members   []string                      // members of the operation that have flags
}

// defaultTokenLife is how long tokens are valid that wsctl makes, unless the command says otherwise.
const defaultTokenLife = "90d"

func rowOptionsOf(row api.Row) rowOptions {
	switch row.Name {
	case api.ImportContent.Name, api.ImportChangeRequestContent.Name:
		return rowOptions{
			bodyArgument: "url", bodyPlaceholder: "PATH|URL", defaults: map[string]string{"source": string(api.ImportWebsite)},
			docs: map[string]string{"source": "what is at the URL: a website, whose links are followed, or one document or archive. " +
				"For a PATH it is found by the name"},
		}
	case api.CreateToken.Name:
		return rowOptions{
			defaults: map[string]string{"scopes": string(api.ScopeRead), "expiresAt": defaultTokenLife},
			docs: map[string]string{
				"scopes":    "What the token may do, at most what the token that makes it may",
				"expiresAt": "When the token stops working; never: when the one that makes it does",
			},
		}
	case api.UpdateOrganization.Name:
		return rowOptions{docs: map[string]string{
			"sso": "Members sign in by an identity provider; takes a login by one, and --dry-run lists whose tokens stop",
		}}
	case api.CreateImportRun.Name:
		return rowOptions{exampleMember: "source.url"}
	default:
		return rowOptions{}
	}
}

// builder creates the commands of rows, which share a compiler of schemas.
type builder struct {
	app      *app.App
	compiler *api.Compiler
}

func newBuilder(a *app.App) builder { return builder{a, api.NewCompiler()} }

// commandOf returns the command of a row.
func (b builder) commandOf(row api.Row) *cobra.Command { return b.command(row, rowOptionsOf(row)) }

// command returns the command of a row with the given extra properties.
func (b builder) command(row api.Row, more rowOptions) *cobra.Command {
	return b.rowCommand(row, more).cmd
}

// rowCommand returns what command returns the cobra command of.
func (b builder) rowCommand(row api.Row, more rowOptions) *rowCommand {
	r := &rowCommand{
		builder: b, row: row, rowOptions: more, isList: row.IsList(), argument: cmp.Or(more.argument, app.ArgumentName(row)),
		input: b.compiler.Input(row), answer: b.compiler.Compile(row.Out),
		path: map[string]*app.FlagValue{}, query: map[string]*app.FlagValue{},
	}
	if twin, ok := row.Twin(); ok {
		r.changeRequestRow = &twin
	}
	if more.operation != "" {
		r.input.Body = more.narrowSchema(b.compiler.Compile(reflect.TypeFor[api.ContentChange]()))
	}
	r.cmd = &cobra.Command{
		Short: strings.TrimSuffix(row.Summary, "."), Aliases: verbAliases(row),
		Long: row.Summary + "\n\n" + row.Method + " " + row.Path,
		RunE: r.run,
	}
	r.setArguments()
	if r.takesLines() {
		r.cmd.Long += "\n\n" + placeholder(r.namedArgument()) + " may be - to do it for each line of standard input."
	}
	r.addPathFlags()
	r.addQueryFlags()
	r.addBodyFlags()
	r.addResolveFlag()
	r.addCommonFlags()
	r.addTitlesFlag()
	r.addFromFlag()
	app.AcceptEarlierNames(r.cmd.Flags())
	r.cmd.Example = example(r)
	r.describeArgument()
	switch row.Name {
	case api.ImportContent.Name, api.ImportChangeRequestContent.Name:
		r.cmd.Long = strings.Replace(r.cmd.Long, "\n\n", "\n\n"+importHelp+"\n\n", 1)
	case api.FindName.Name:
		r.takeNames()
	case api.ListTokens.Name:
		r.takeMembers()
	case api.ListAudit.Name:
		r.followAudit()
	case api.TailEvents.Name:
		r.followStream()
	}
	return r
}

// describeArgument adds the forms of the names that the argument takes to the help.
func (r *rowCommand) describeArgument() {
	for _, argument := range []string{r.argument, r.rowOptions.bodyArgument} {
		subject := argument
		if trashed := trashedSubject(r.row); trashed != "" && argument == r.argument {
			subject = trashed
		}
		if words := resolve.Forms(subject); words != "" && !createsSubject(r.row, argument) {
			app.AcceptNames(r.cmd)
			r.cmd.Long = strings.Replace(r.cmd.Long, "\n\n", "\n\n"+placeholder(argument)+": "+words+"\n\n", 1)
		}
	}
}

// verbAliases returns the short names of a command.
func verbAliases(row api.Row) []string {
	if row.Verb() == "get" {
		return []string{"show"}
	}
	if name, ok := strings.CutPrefix(row.Verb(), "get-"); ok && row.Out == api.GetRevisionChanges.Out {
		return []string{name}
	}
	return nil
}

// setArguments sets the positional arguments and the usage line of the command.
func (r *rowCommand) setArguments() {
	names := []string{cmp.Or(r.rowOptions.verb, r.row.Verb())}
	for _, argument := range []string{r.argument, r.rowOptions.bodyArgument} {
		if argument != "" {
			names = append(names, r.placeholder(argument))
		}
	}
	r.cmd.Use = strings.Join(names, " ")
	if r.row.Verb() == api.ListSpaceRevisions.Verb() {
		r.cmd.Aliases = []string{"history"}
	}
	r.cmd.Args = app.ExactArgs(names[1:]...)
	if r.isArgumentOptional() {
		r.cmd.Use = names[0] + " [" + names[1] + "]"
		r.cmd.Args = app.OptionalArg
	}
	r.cmd.ValidArgsFunction = cobra.NoFileCompletions
	if r.rowOptions.bodyArgument == "url" {
		r.cmd.ValidArgsFunction = nil // files
		return
	}
	if argument := cmp.Or(r.argument, r.rowOptions.bodyArgument); argument != "" {
		if trashed := trashedSubject(r.row); trashed != "" {
			argument = trashed
		}
		r.cmd.ValidArgsFunction = CompleteArgument(r.app, argument)
	}
}

// placeholder returns the word that stands for an argument in the usage line.
func (r *rowCommand) placeholder(argument string) string {
	if argument == r.rowOptions.bodyArgument && r.rowOptions.bodyPlaceholder != "" {
		return r.rowOptions.bodyPlaceholder
	}
	return placeholder(argument)
}

// isArgumentOptional reports whether the argument is an organization that --org, WSCTL_ORG, the profile or the only one of the
// caller may stand for. Commands that delete an organization, or that are for organizations that one is not a member of, need it.
func (r *rowCommand) isArgumentOptional() bool {
	switch r.row.Name {
	case api.DeleteOrganization.Name, api.RestoreOrganization.Name, api.JoinOrganization.Name:
		return false
	}
	return r.argument == "organization" && r.rowOptions.selectRow == nil
}

// completeArguments returns the arguments, with the organization in use if it is left out. It returns a usage error if the
// argument and --org differ.
func (r *rowCommand) completeArguments(cmd *cobra.Command, args []string) ([]string, error) {
	if !r.isArgumentOptional() {
		return args, nil
	}
	if len(args) == 0 {
		organization, err := r.app.Organization(cmd)
		return []string{organization}, err
	}
	if f := cmd.Flag("org"); f.Changed && f.Value.String() != args[0] {
		return nil, app.Usagef("ORGANIZATION is %s, --org is %s: give one of them", args[0], f.Value)
	}
	return args, nil
}

func (r *rowCommand) addCommonFlags() {
	f := r.cmd.Flags()
	if r.isList {
		f.IntVar(&r.listOptions.Limit, "limit", api.DefaultLimit, "show at most this `number` of items")
		f.BoolVar(&r.listOptions.All, "all", false, "show all items")
		f.BoolVar(&r.listOptions.Envelope, "envelope", false, "write {items, count, next} instead of the items alone")
		f.StringVar(&r.listOptions.Cursor, "cursor", "", "go on from the next.page of an earlier `answer`")
		r.cmd.MarkFlagsMutuallyExclusive("all", "limit")
	}
	if r.row.Writes() {
		f.BoolVar(&r.dryRun, "dry-run", false, "check everything and show what would be, but change nothing")
		f.StringVar(&r.ifMatch, "if-match", "", "only when the resource still has this `etag`")
		f.StringVar(&r.key, "idempotency-key", "", "repeating a command with the same `key` does it once")
	}
	if hasYes(r.row) {
		f.BoolVarP(&r.yes, "yes", "y", false, "do not ask")
	}
	if hasMember(r.answer, "urls", "app") {
		f.BoolVar(&r.openWeb, "web", false, "open it in the browser")
	}
	if hasMember(r.answer, "markdown") || hasMember(r.answer, "downloadURL") {
		f.BoolVar(&r.rawOutput, "raw", false, "write the Markdown or the file alone, byte for byte")
	}
}

// hasMember reports whether s has a member at the given path.
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

// subject names the subject of the command for people, such as space "Guides", or space s_1 if its title is not known.
func (r *rowCommand) subject(args []string) string {
	if r.argument == "" {
		return r.row.Resource()
	}
	noun := app.FlagWords(app.Kebab(r.argument))
	if r.title != "" {
		return fmt.Sprintf("%s %q", noun, r.title)
	}
	return fmt.Sprintf("%s %s", noun, args[0])
}
