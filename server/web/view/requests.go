package view

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// ReadRequests reads change requests of a space by id in one trip, in the form used by history and conflicts. The
// map has no entries for ids that are not found, as in a copy of a space.
func (w *Writer) ReadRequests(ctx context.Context, c *rest.Call, space string, ids map[string]bool) (map[string]*api.HistoryRequest,
	error,
) {
	found := map[string]*api.HistoryRequest{}
	if len(ids) == 0 {
		return found, nil
	}
	b := w.Store.NewBatch()
	records := map[string]*txn.Future[txn.Record]{}
	for id := range ids {
		records[id] = b.Record(store.ChangeRequestKey(c.Org, store.RequestIDOf(space, id)))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read change requests: %w", err)
	}
	for id, record := range records {
		r, ok, err := record.Get()
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		var d store.ChangeRequestDocument
		if err := d.Decode(r); err != nil {
			return nil, err
		}
		found[id] = &api.HistoryRequest{ID: d.Fields.ID, Number: d.Fields.Number, Subject: d.Fields.Subject}
	}
	return found, nil
}
