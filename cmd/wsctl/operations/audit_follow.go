package operations

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

const followHelp = "With --follow, entries are written as they arrive, the oldest first and with all members of audit get; with " +
	"-o ndjson each is a line of JSON. If the connection breaks, it is made again, and no entry is left out; a message says if entries " +
	"are no longer kept. It begins after the position in the file of --state, else at --since, else with the next entry. " +
	"--follow=false ends at the newest entry, and begins at the oldest one without a position or a time. A command that was killed and " +
	"is started again with --state may write the entries of the last seconds again, but leaves none out."

// followAudit lets the command that lists the audit log follow it.
func (r *rowCommand) followAudit() {
	options, follow := &tailOptions{}, false
	f := r.cmd.Flags()
	f.BoolVar(&follow, "follow", false, "write entries as they arrive, the oldest first; =false ends at the newest one")
	f.StringVar(&options.state, "state", "", stateUsage)
	r.cmd.Long = strings.Replace(r.cmd.Long, "\n\n", "\n\n"+followHelp+"\n\n", 1)
	r.cmd.Example += "\n  wsctl audit list --follow -o ndjson --state position.txt"
	list := r.cmd.RunE
	r.cmd.RunE = func(cmd *cobra.Command, args []string) error {
		isChanged := cmd.Flags().Changed
		if !isChanged("follow") {
			if isChanged("state") {
				return app.Usagef("--state goes with --follow").WithHint("--follow=false ends at the newest entry")
			}
			return list(cmd, args)
		}
		for _, other := range []string{"all", "cursor", "envelope", "limit"} {
			if isChanged(other) {
				return app.Usagef("--%s does not go with --follow, which writes all entries after its position", other)
			}
		}
		if follow && isChanged("until") {
			return app.Usagef("--until goes with --follow=false: with --follow there is no end")
		}
		return r.tailAudit(cmd, *options, follow)
	}
}

// tailAudit writes the entries of the audit log whose events the stream has.
func (r *rowCommand) tailAudit(cmd *cobra.Command, options tailOptions, follow bool) error {
	row := api.GetAudit.Row
	writer, err := NewWriter(r.app, row, r.compiler.Compile(row.Out), Options{Several: true, Columns: r.row.Columns()})
	if err != nil {
		return err
	}
	list, err := r.request(cmd, nil)
	if err != nil {
		return err
	}
	org := organizationOf(list)
	req, err := client.Build(api.TailEvents.Row, map[string]string{"organizationId": org}, tailQuery(list.Query, follow), nil)
	if err != nil {
		return err
	}
	t := &tail{tailOptions: options, app: r.app, list: writer.printer.NewStream(), ctx: cmd.Context()}
	if err := t.begin(req); err != nil {
		return err
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	log := auditLog{tail: t, client: c, org: org}
	t.item, t.checkAccess = log.item, log.checkAccess
	if _, err := log.readNothing(cmd.Context()); err != nil {
		return err
	}
	return t.run(c, req)
}

// tailQuery returns the query of the stream with the filters of the list of audit events.
func tailQuery(list url.Values, follow bool) url.Values {
	query := url.Values{}
	for name, value := range list {
		switch name {
		case "from":
			name = "since"
		case "to":
			name = "until"
		case "action":
			name = "kind"
		case "target":
			name = "object"
		}
		query[name] = value
	}
	if !follow {
		query.Set("follow", "false")
	}
	return query
}

// auditLog reads the entries of the audit log of an organization.
type auditLog struct {
	tail   *tail
	client *client.Client
	org    string
}

// item returns the entry of an event. If it is no longer kept, that is reported as a gap.
func (l auditLog) item(ctx context.Context, m api.EventMessage) (*tailItem, error) {
	entry, err := persist(ctx, func(ctx context.Context) (api.AuditEventDetails, error) {
		return l.client.Audit.Get(ctx, api.AuditEventRef{Organization: l.org, Event: m.Event.ID})
	})
	if api.IsReason(err, api.ReasonNotFound) {
		if err := l.checkAccess(ctx); err != nil {
			return nil, err
		}
		l.tail.app.Warnf("events are missing: %s is no longer kept", m.Event.ID)
		return nil, l.tail.writeGap(api.EventMessage{Type: api.EventMessageGap, ID: m.ID, Gap: &api.EventGap{Newest: m.Event.ID}})
	}
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(entry)
	return &tailItem{line: line}, err
}

// checkAccess returns an error if the caller may not read the audit log. The stream would leave out what is for admins only.
func (l auditLog) checkAccess(ctx context.Context) error {
	_, err := persist(ctx, l.readNothing)
	return err
}

// readNothing requests a page without entries.
func (l auditLog) readNothing(ctx context.Context) (api.LogPage[api.AuditEvent], error) {
	return l.client.Audit.List(ctx, api.ListAuditInput{Organization: l.org, Limit: api.Some(0)})
}
