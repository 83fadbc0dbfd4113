package operations

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// apiCall is the command that sends a request to an arbitrary path.
type apiCall struct {
	app      *app.App
	fields   []string
	data     string
	key      string
	paginate bool
}

// API returns the command that sends a request to an arbitrary path.
func API(a *app.App) *cobra.Command {
	call := &apiCall{app: a}
	cmd := &cobra.Command{
		Use: "api METHOD PATH", Short: "Call any operation of the HTTP interface",
		Long: "Call any operation of the HTTP interface. {org} and {space} in the path stand for the organization and the space in\n" +
			"use; /v1 may be left out. Fields go into the query of a GET and into the body of anything else.",
		Example: "  wsctl api GET /user\n  wsctl api GET '/orgs/{org}/spaces' -f limit=5\n" +
			"  wsctl api PATCH /spaces/$SPACE -f title=Handbook\n" +
			"  wsctl api POST '/orgs/{org}/spaces' --data space.json",
		Args: app.ExactArgs("METHOD", "PATH"), ValidArgsFunction: completeMethod,
		RunE: call.run,
	}
	f := cmd.Flags()
	f.StringArrayVarP(&call.fields, "field", "f", nil, "`name=value` for the query or the body, as text")
	f.StringVarP(&call.data, "data", "F", "", dataUsage)
	f.StringVar(&call.key, "idempotency-key", "", "repeating a command with the same `key` does it once")
	f.BoolVar(&call.paginate, "paginate", false, "go through all pages and write all items as one list")
	f.String("org", "", organizationUsage())
	f.String("space", "", spaceUsage())
	app.AcceptNames(cmd)
	return cmd
}

func completeMethod(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"GET", "POST", "PUT", "PATCH", "DELETE"}, cobra.ShellCompDirectiveNoFileComp
}

func (c *apiCall) run(cmd *cobra.Command, args []string) error {
	printer, err := c.app.Printer(nil)
	if err != nil {
		return err
	}
	req, err := c.request(cmd, strings.ToUpper(args[0]), args[1])
	if err != nil {
		return err
	}
	if row, ok := rowOfPath(req.Method, req.Path); ok && row.Stream {
		return app.Usagef("this answers a stream of messages").WithHint("wsctl events tail writes them as they arrive")
	}
	cl, err := c.app.Client(cmd)
	if err != nil {
		return err
	}
	if c.paginate {
		if req.Method != http.MethodGet {
			return app.Usagef("--paginate goes with GET")
		}
		return ListOptions{All: true}.Write(cmd.Context(), c.app, cl, req, printer)
	}
	response, err := cl.Do(cmd.Context(), req, idempotencyOptions(c.key)...)
	if err != nil || len(response.Body) == 0 {
		return err
	}
	err = c.print(printer, response.Body)
	if req.Method != http.MethodGet && !req.Reads {
		row, _ := rowOfPath(req.Method, req.Path) // an unknown row has no secret
		err = unprinted(c.app, row, response, "the answer of "+req.Method, err)
	}
	return err
}

func (c *apiCall) print(printer *app.Printer, body []byte) error {
	if !json.Valid(body) {
		return printer.Text(string(body))
	}
	if c.app.Format() == app.FormatAuto {
		printer.Format = app.FormatJSON
	}
	return printer.Value(body)
}

func (c *apiCall) request(cmd *cobra.Command, method, path string) (none client.Request, err error) {
	if method != http.MethodGet && method != http.MethodHead {
		if err := checkWritable(c.app, cmd); err != nil {
			return none, err
		}
	}
	path, query, err := c.address(cmd, path)
	if err != nil {
		return none, err
	}
	req := client.Request{Method: method, Path: path, Query: query, Slow: true}
	if row, known := rowOfPath(method, path); known {
		req.Slow, req.Reads, req.Out, req.Text = row.Slow, row.Reads, row.Out, row.Text
		if row.Or != nil {
			req.Out = nil
		}
	}
	body := map[string]string{}
	for _, field := range c.fields {
		name, text, ok := strings.Cut(field, "=")
		if !ok {
			return none, app.Usagef("--field is name=value, not %q", field)
		}
		if method == http.MethodGet {
			query.Add(name, text)
			continue
		}
		body[name] = text
	}
	if len(body) > 0 && c.data != "" {
		return none, app.Usagef("--field and --data exclude each other")
	}
	switch {
	case len(body) > 0:
		req.Body, err = json.Marshal(body)
	case c.data != "":
		var data document
		data, err = readData(c.app, c.data)
		req.Body = data.json
	}
	return req, err
}

// rowOfPath returns the row that a method and an escaped path belong to. Of several it is the one with the fewest
// parameters, as on the server.
func rowOfPath(method, path string) (found api.Row, ok bool) {
	fewest := 0
	for _, row := range api.Rows() {
		if parameters, matches := matchPath(row.Path, path); matches && row.Method == method && (!ok || parameters < fewest) {
			found, ok, fewest = row, true, parameters
		}
	}
	return found, ok
}

// matchPath reports whether an escaped path matches a pattern, and how many of its segments are parameters. A parameter
// {name...} stands for one or more segments.
func matchPath(pattern, path string) (parameters int, matches bool) {
	segments := strings.Split(path, "/")
	for i, part := range strings.Split(pattern, "/") {
		isParameter := strings.HasPrefix(part, "{")
		switch {
		case i >= len(segments):
			return 0, false
		case isParameter:
			parameters++
			if strings.HasSuffix(part, "...}") {
				return parameters, true
			}
		case part != segments[i]:
			return 0, false
		}
	}
	return parameters, len(segments) == strings.Count(pattern, "/")+1
}

// address substitutes the placeholders of a path and splits off its query.
func (c *apiCall) address(cmd *cobra.Command, path string) (string, url.Values, error) {
	path, rawQuery, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "", nil, app.Usagef("the query of the path: %v", err)
	}
	path = "/" + strings.TrimPrefix(path, "/")
	if path != "/v1" && !strings.HasPrefix(path, "/v1/") {
		path = "/v1" + path
	}
	if strings.Contains(path, "{org}") {
		org, err := resolve.New(c.app, cmd).Organization()
		if err != nil {
			return "", nil, err
		}
		path = strings.ReplaceAll(path, "{org}", url.PathEscape(org))
	}
	if strings.Contains(path, "{space}") {
		space, err := c.app.Space(cmd)
		if err == nil {
			space, err = resolve.New(c.app, cmd).Find("space", space)
		}
		if err != nil {
			return "", nil, err
		}
		path = strings.ReplaceAll(path, "{space}", url.PathEscape(space))
	}
	if strings.ContainsAny(path, " {}#") {
		return "", nil, app.Usagef("%q is not a path", path)
	}
	return path, query, nil
}
