package operations

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Listing is how much of a list is asked for, and how it is written.
type Listing struct {
	Limit    int // items to show, unless All
	All      bool
	Envelope bool   // {items, count, next} instead of the items alone
	Cursor   string // where to go on: the next.page of an earlier answer
}

// List asks c for the list that a request begins, and writes it as the options say.
func (w *Writer) List(ctx context.Context, c *client.Client, req client.Request) error {
	return w.options.Write(ctx, w.app, c, req, w.printer)
}

// walk is what has been seen of a list so far.
type walk struct {
	shown int
	count int
	next  *api.Next
	items []json.RawMessage // for the envelope, like the statistics that some lists have
	stats json.RawMessage
}

// envelope is a Page with what stands beside it in some lists.
type envelope struct {
	api.Page[json.RawMessage]
	Stats json.RawMessage `json:"stats,omitempty"`
}

// Write asks c for a list page by page and writes the items as they come. A failure after the first page is an
// exit.PartialError.
func (l Listing) Write(ctx context.Context, a *app.App, c *client.Client, req client.Request, printer *app.Printer) error {
	if l.Limit < 0 {
		return app.Usagef("--limit must not be negative")
	}
	list := printer.List()
	w := walk{next: &api.Next{Page: l.Cursor}}
	for w.next != nil && (l.All || w.shown < l.Limit || w.count == 0 && w.shown == 0) {
		if err := l.page(ctx, c, req, &w, list); err != nil {
			if w.shown > 0 {
				if printer.Aligned() {
					err = errors.Join(err, list.Close()) // show what there is; a JSON list stays open
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
		return w.print(printer)
	}
	if err := list.Close(); err != nil {
		return err
	}
	w.summarize(a)
	return nil
}

// page fetches one page and writes it.
func (l Listing) page(ctx context.Context, c *client.Client, req client.Request, w *walk, list app.List) error {
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

// print writes all that was seen as one page.
func (w *walk) print(printer *app.Printer) error {
	data, err := json.Marshal(envelope{
		Page:  api.Page[json.RawMessage]{Items: append([]json.RawMessage{}, w.items...), Count: w.count, Next: w.next},
		Stats: w.stats,
	})
	if err != nil {
		return err
	}
	return printer.Value(data)
}

// summarize says on standard error what standard output does not show.
func (w *walk) summarize(a *app.App) {
	switch {
	case w.next != nil:
		a.Say("%d of %d; --all for the rest", w.shown, w.count)
	case w.shown == 0 && a.ErrTerminal:
		a.Say("there are none")
	}
}
