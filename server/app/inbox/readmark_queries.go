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

// savedQueries is the record of what the caller has saved.
func savedQueries(c *rest.Call) redis.Key { return store.SavedQueriesKey(c.Org, c.Caller.User) }

func (s *ReadMarks) getSavedQueries(ctx context.Context, c *rest.Call, _ api.OrganizationRef) (none rest.Result[api.SavedQueries], err error) {
	b := s.Store.Pipeline()
	stored := b.Record(savedQueries(c))
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
	return r.Versioned(fmt.Sprint(d.Version)), err
}

// putSavedQueries is quiet: what somebody looks for is nobody else's business.
func (s *ReadMarks) putSavedQueries(_ context.Context, c *rest.Call, tx *store.Tx, in api.PutSavedQueriesInput) (none rest.Result[api.SavedQueries], err error) {
	d, err := tx.SavedQueries(c.Org, c.Caller.User)
	if err != nil {
		return none, err
	}
	d.Fields = in.Body
	record, err := store.PutDocument(tx, savedQueries(c), d)
	if err != nil {
		return none, err
	}
	d.Version = record.Version
	r, err := queriesResult(d)
	r.Quiet = true
	return r, err
}
