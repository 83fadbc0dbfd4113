package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// ListOptions holds the options of a list: how many items are fetched and how they are written.
type ListOptions struct {
	Limit    int // maximum number of items, unless All is set
	All      bool
	Envelope bool   // write {items, count, next} instead of the items alone
	Cursor   string // next.page of an earlier response; "" starts at the beginning
	Empty    string // said at a terminal if there are no items
}

// List fetches the list that starts with req and writes it with the options of w.
func (w *Writer) List(ctx context.Context, c *client.Client, req client.Request) error {
	return w.options.Write(ctx, w.app, c, req, w.printer)
}

// listProgress is the progress of an iteration over a list.
type listProgress struct {
	shown int
	count *int // nil for a log, whose entries are not counted
	next  *api.Next
	items []json.RawMessage // set only for an envelope; so is stats
	stats json.RawMessage
}

// envelope is an api.Page or api.LogPage with the statistics that some lists have.
type envelope struct {
	Next  *api.Next         `json:"next,omitempty"`
	Count *int              `json:"count,omitempty"`
	Items []json.RawMessage `json:"items"`
	Stats json.RawMessage   `json:"stats,omitempty"`
}

// Write fetches a list page by page and writes the items as they arrive. A failure after the first page is an
// app.PartialError.
func (l ListOptions) Write(ctx context.Context, a *app.App, c *client.Client, req client.Request, printer *app.Printer) error {
	if l.Limit < 0 {
		return app.Usagef("--limit must not be negative")
	}
	list := printer.NewList()
	w := listProgress{next: &api.Next{Page: l.Cursor}}
	for w.next != nil && (l.All || w.shown < l.Limit || w.count == nil && w.shown == 0) {
		if err := l.page(ctx, c, req, &w, list); err != nil {
			if w.shown > 0 {
				if printer.IsAligned() {
					err = errors.Join(err, list.Close()) // flush the items so far; a JSON list stays unclosed
				}
				return &app.PartialError{Done: w.shown, Cause: err}
			}
			return err
		}
		if !l.All && w.shown >= l.Limit {
			break
		}
	}
	if l.Envelope {
		return w.writeEnvelope(printer)
	}
	if err := list.Close(); err != nil {
		return err
	}
	if w.next == nil && w.shown == 0 && printer.WritesRows() {
		sayEmpty(a, l.Empty)
		return nil
	}
	w.summarize(a)
	return nil
}

// page fetches one page and writes its items.
func (l ListOptions) page(ctx context.Context, c *client.Client, req client.Request, w *listProgress, list app.ListWriter) error {
	size := api.MaxLimit
	if !l.All {
		size = min(l.Limit-w.shown, api.MaxLimit)
	}
	req.Query.Set("limit", strconv.Itoa(size))
	if w.next.Page != "" {
		req.Query.Set("page", w.next.Page)
	}
	response, err := c.Do(ctx, req)
	if err != nil {
		return err
	}
	var page envelope
	if err := json.Unmarshal(response.Body, &page); err != nil {
		return err
	}
	if page.Next != nil && page.Next.Page == w.next.Page {
		return errors.New("the server answers the same cursor again and again")
	}
	w.count, w.next, w.stats = page.Count, page.Next, page.Stats
	for _, item := range page.Items {
		if l.Envelope {
			w.items = append(w.items, item)
		} else if err := list.Add(item); err != nil {
			return err
		}
		w.shown++
	}
	return nil
}

// writeEnvelope writes the collected items as a single envelope.
func (p *listProgress) writeEnvelope(printer *app.Printer) error {
	data, err := json.Marshal(envelope{
		Items: append([]json.RawMessage{}, p.items...), Count: p.count, Next: p.next, Stats: p.stats,
	})
	if err != nil {
		return err
	}
	return printer.Value(data)
}

// summarize reports on standard error whether more items exist than were written.
func (p *listProgress) summarize(a *app.App) {
	switch {
	case p.next == nil:
	case p.count == nil:
		a.Infof("the latest %d; --all for the rest", p.shown)
	default:
		a.Infof("%d of %d; --all for the rest", p.shown, *p.count)
	}
}

// sayEmpty says at a terminal that a table has no rows.
func sayEmpty(a *app.App, text string) {
	if a.OutTerminal && a.ErrTerminal {
		a.Infof("%s", cmp.Or(text, "There are none."))
	}
}

// emptyText returns what is said in the place of a table without rows, such as "No spaces.".
func emptyText(row api.Row, query map[string]*app.FlagValue) string {
	if row.Verb() == "search" {
		return "Nothing found."
	}
	noun := app.FlagWords(row.Resource())
	if _, of, ok := strings.Cut(row.Verb(), "-"); ok && of != "queue" {
		noun = app.FlagWords(of)
	}
	if status := query["status"]; status != nil && status.Schema.Kind != api.KindArray {
		if state := cmp.Or(status.String(), status.Schema.Default); state != "" && state != "all" {
			noun = state + " " + noun
		}
	}
	return "No " + noun + "."
}
