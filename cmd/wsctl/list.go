package main

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// walk is what a list command has seen so far.
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

// list writes the items page by page, as they come.
func (r *rowCommand) list(cmd *cobra.Command, c *client.Client, req client.Request, printer *output.Printer) error {
	if r.limit < 0 {
		return exit.Usagef("--limit must not be negative")
	}
	list := printer.List()
	w := walk{next: &api.Next{Page: r.cursor}}
	for w.next != nil && (r.all || w.shown < r.limit || w.count == 0 && w.shown == 0) {
		if err := r.page(cmd, c, req, &w, list); err != nil {
			if w.shown > 0 {
				if printer.Aligned() {
					err = errors.Join(err, list.Close()) // show what there is; a JSON list stays open
				}
				return &exit.PartialError{Done: w.shown, Cause: err}
			}
			return err
		}
		if !r.all && w.shown >= r.limit {
			break
		}
	}
	if r.envelope {
		return printer.Value(mustJSON(envelope{
			Page:  api.Page[json.RawMessage]{Items: append([]json.RawMessage{}, w.items...), Count: w.count, Next: w.next},
			Stats: w.stats,
		}))
	}
	if err := list.Close(); err != nil {
		return err
	}
	r.summary(w)
	return nil
}

// page fetches one page and writes it.
func (r *rowCommand) page(cmd *cobra.Command, c *client.Client, req client.Request, w *walk, list output.List) error {
	size := api.MaxLimit
	if !r.all {
		size = min(r.limit-w.shown, api.MaxLimit)
	}
	req.Query.Set("limit", strconv.Itoa(size))
	if w.next.Page != "" {
		req.Query.Set("page", w.next.Page)
	}
	response, err := c.Do(cmd.Context(), req)
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
		if r.envelope {
			w.items = append(w.items, item)
		} else if err := list.Add(item); err != nil {
			return err
		}
		w.shown++
	}
	return nil
}

// summary says on standard error what standard output does not show.
func (r *rowCommand) summary(w walk) {
	switch {
	case w.next != nil:
		r.app.Say("%d of %d; --all for the rest", w.shown, w.count)
	case w.shown == 0 && r.app.ErrTerminal:
		r.app.Say("there are none")
	}
}
