package operations

import (
	"net/url"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// request returns the request for the command line. It sends nothing, except to find what has a name, and
// the organization if none is set.
func (r *rowCommand) request(cmd *cobra.Command, args []string) (client.Request, error) {
	if err := r.checkWritable(cmd); err != nil {
		return client.Request{}, err
	}
	names := resolve.New(r.app, cmd)
	if err := r.splitFlags(names); err != nil {
		return client.Request{}, err
	}
	build, err := r.prepare(cmd, names, args)
	if err != nil {
		return client.Request{}, err
	}
	if err := names.Resolve(); err != nil {
		return client.Request{}, err
	}
	return build()
}

// prepare adds the names in the request for the arguments to names. build returns the request after names.Resolve.
func (r *rowCommand) prepare(cmd *cobra.Command, names *resolve.Resolver, args []string) (build func() (client.Request, error), err error) {
	if args, err = r.splitArguments(names, args); err != nil {
		return nil, err
	}
	if err := r.findPointers(names, args); err != nil {
		return nil, err
	}
	body, err := r.bodyJSON(args)
	if err != nil {
		return nil, err
	}
	path, err := r.pathValues(cmd, args)
	if err != nil {
		return nil, err
	}
	if err := r.checkQuery(); err != nil {
		return nil, err
	}
	row := r.row
	if v, ok := r.path["changeRequest"]; ok && v.IsSet() && r.changeRequestRow != nil {
		row = *r.changeRequestRow
		path["changeRequestId"] = v.String()
	}
	query := r.queryValues()
	if r.rawOutput && r.query["format"] != nil {
		query.Set("format", string(api.FormatMarkdown))
	}
	encode := r.addNames(names, row, path, query, body)
	return func() (client.Request, error) {
		body, err := encode()
		if err != nil {
			return client.Request{}, err
		}
		req, err := client.Build(row, path, query, body)
		if err != nil {
			return client.Request{}, app.Usagef("%v", err)
		}
		return req, nil
	}, nil
}

// checkQuery returns a usage error if a required parameter of the query is not set.
func (r *rowCommand) checkQuery() error {
	for _, p := range r.input.Params {
		if v := r.query[p.Name]; p.In == api.InQuery && p.Required && v != nil && !v.IsSet() {
			return app.Usagef("--%s is required", v.Name).WithHint("%s --help", r.cmd.CommandPath())
		}
	}
	return nil
}

// checkWritable returns a usage error if the row writes and the profile is read-only.
func (r *rowCommand) checkWritable(cmd *cobra.Command) error {
	if !r.row.Writes() {
		return nil
	}
	return checkWritable(r.app, cmd)
}

func checkWritable(a *app.App, cmd *cobra.Command) error {
	settings, err := a.Settings(cmd)
	if err != nil {
		return err
	}
	if settings.IsReadOnly() {
		return app.Usagef("profile %s is read-only; nothing was sent", settings.Profile.Value).
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
	return append(options, idempotencyOptions(r.key)...)
}

// idempotencyOptions returns the option that sends the given idempotency key, or none if key is empty.
func idempotencyOptions(key string) []client.CallOption {
	if key == "" {
		return nil
	}
	return []client.CallOption{client.IdempotencyKey(key)}
}

// pathValues returns the path parameters from the argument, flags, and the configured organization and space.
func (r *rowCommand) pathValues(cmd *cobra.Command, args []string) (map[string]string, error) {
	values := map[string]string{}
	for _, p := range r.input.Params {
		switch {
		case p.In != api.InPath:
		case p.Subject == r.argument:
			values[p.Name] = args[0]
		default:
			text, err := r.pathValue(cmd, p.Subject)
			if err != nil {
				return nil, err
			}
			values[p.Name] = text
		}
	}
	return values, nil
}

func (r *rowCommand) pathValue(cmd *cobra.Command, name string) (string, error) {
	if v := r.path[name]; v.IsSet() {
		return v.String(), nil
	}
	switch name {
	case "organization":
		return r.app.Organization(cmd)
	case "space":
		return r.app.Space(cmd)
	default:
		err := app.Usagef("--%s is required", app.FlagName(r.row, api.InPath, name))
		if list := resolve.ListCommand(name); list != "" {
			return "", err.WithHint("all: %s", list)
		}
		return "", err.WithHint("%s --help", r.cmd.CommandPath())
	}
}

func (r *rowCommand) queryValues() url.Values {
	query := url.Values{}
	for name, v := range r.query {
		if v.IsSet() {
			query[name] = v.Texts()
		}
	}
	for name, text := range r.row.Sent() {
		query.Set(name, text)
	}
	return query
}
