package inbox

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// savedQueriesKey returns the key of the saved queries of the caller.
func savedQueriesKey(c *rest.Call) redis.Key { return store.SavedQueriesKey(c.Org, c.Caller.User) }

func (rm *ReadMarks) getSavedQueries(ctx context.Context, c *rest.Call, _ api.OrganizationRef) (none rest.Result[api.SavedQueries],
	err error,
) {
	b := rm.Store.NewBatch()
	stored := b.Record(savedQueriesKey(c))
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read saved queries: %w", err)
	}
	record, ok, err := stored.Get()
	if err != nil {
		return none, err
	}
	var d store.SavedQueriesDocument
	if ok {
		if err := d.Decode(record); err != nil {
			return none, err
		}
	}
	return queriesResult(d)
}

func queriesResult(d store.SavedQueriesDocument) (rest.Result[api.SavedQueries], error) {
	d.Fields.Queries = view.OrEmpty(d.Fields.Queries)
	r, err := rest.Value(d.Fields)
	return r.WithVersion(fmt.Sprint(d.Version)), err
}

// putSavedQueries replaces the saved queries of the caller. It records no event, since the queries are private.
func (rm *ReadMarks) putSavedQueries(_ context.Context, c *rest.Call, tx *store.Tx,
	in api.PutSavedQueriesInput,
) (none rest.Result[api.SavedQueries], err error) {
	d, err := tx.SavedQueries(c.Org, c.Caller.User)
	if err != nil {
		return none, err
	}
	d.Fields = in.Body
	record, err := store.PutDocument(tx, savedQueriesKey(c), d)
	if err != nil {
		return none, err
	}
	d.Version = record.Version
	r, err := queriesResult(d)
	r.Quiet = true
	return r, err
}
