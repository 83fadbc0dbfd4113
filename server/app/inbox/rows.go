package inbox

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// row is a change request of a list, with all that is said of it.
type row struct {
	key      string // RequestID
	record   txn.Record
	request  store.ChangeRequestDocument
	state    review.State
	summary  store.Summary
	blocking int
	open     []string // threads, the newest first
	threads  []thread // those that are looked at
	marks    store.ReadingDocument
	rules    review.RuleSet
	caller   *access.Caller // with the role in the space
}

// own reports whether the change request is the caller's.
func (r *row) own() bool { return r.request.Private.Creator == r.caller.User }

// ranged reports whether the first half of the summary is about what the change request is now.
func (r *row) ranged() bool {
	f := r.request.Fields
	base := f.RevisionMergedAncestor
	if base == "" {
		base = f.RevisionInitial
	}
	return r.summary.Revision == r.state.Head.Revision && r.summary.Base == base
}

// weighed reports whether the second half is about the present pair of heads, and about all reviews that there are.
func (r *row) weighed() bool {
	if !r.ranged() || r.summary.Space != r.state.Main {
		return false
	}
	return r.summary.Vast || !slices.ContainsFunc(r.request.Private.Verdicts, func(v store.ReviewVerdict) bool {
		_, known := r.summary.Seen[v.Review]
		return !known
	})
}

// unfinished reports whether it may still be merged.
func (r *row) unfinished() bool {
	return r.request.Fields.Status == api.StatusOpen || r.request.Fields.Status == api.StatusDraft
}

// pending reports whether something is to be computed.
func (r *row) pending() bool { return !r.ranged() || r.unfinished() && !r.weighed() }

// Rows are read so many at a time.
const rowsAtOnce = 500

// Of a change request so many threads are looked at, the newest.
const threadsLookedAt = 100

// wanted is what is to be read of change requests, given by RequestID.
type wanted struct {
	ids     []string
	private bool     // with what the caller has read
	counted []string // spaces whose counts are read with them
}

// rows reads change requests in the order of their ids. Those that are gone are left out.
func (s *Service) rows(ctx context.Context, c *rest.Call, w wanted) (all []*row, counts map[string]string, err error) {
	for rest := w.ids; ; {
		some := w
		some.ids = rest[:min(rowsAtOnce, len(rest))]
		part, of, err := s.someRows(ctx, c, some)
		if err != nil {
			return nil, nil, err
		}
		if all = append(all, part...); counts == nil {
			counts, w.counted = of, nil
		}
		if rest = rest[len(some.ids):]; len(rest) == 0 {
			return all, counts, nil
		}
	}
}

// rowReads are the queued reads of a row.
type rowReads struct {
	key      string
	record   *txn.Future[txn.Record]
	marks    *txn.Future[txn.Record]
	open     *txn.Reply[[]string]
	blocking *txn.Reply[int64]
}

func (s *Service) someRows(ctx context.Context, c *rest.Call, w wanted) (rows []*row, countsOf map[string]string, err error) {
	b := s.Store.Pipeline()
	reads := make([]rowReads, len(w.ids))
	var spaces []string
	for i, id := range w.ids {
		reads[i] = rowReads{
			key: id, record: b.Record(store.ChangeRequestKey(c.Org, id)),
			open:     b.Range(store.CommentsKey(c.Org, id, string(api.CommentOpen)), "", threadsLookedAt, true),
			blocking: b.Card(store.CommentsKey(c.Org, id, store.BlockingFilter)),
		}
		if w.private {
			reads[i].marks = b.Record(store.ReadingKey(c.Org, id, c.Caller.User))
		}
		spaces = append(spaces, store.HeadSpace(id))
	}
	spaces = slices.Compact(slices.Sorted(slices.Values(spaces)))
	heads := b.Fields(store.HeadsKey(c.Org), slices.Concat(w.ids, spaces)...)
	counts := b.Fields(txn.CountsKey(c.Org), slices.Concat(w.ids, w.counted)...)
	summaries := b.Fields(store.SummariesKey(c.Org), w.ids...)
	rulesOf := s.queueRules(b, c.Org, spaces)
	if err := b.Do(ctx); err != nil {
		return nil, nil, fmt.Errorf("read change requests: %w", err)
	}
	rules, err := rulesOf()
	if err != nil {
		return nil, nil, err
	}
	callers := callersIn(c, spaces)
	for _, read := range reads {
		r, err := read.row(heads.Value(), counts.Value(), summaries.Value())
		if err != nil {
			return nil, nil, err
		}
		if r != nil {
			r.rules, r.caller = rules[store.HeadSpace(r.key)], callers[store.HeadSpace(r.key)]
			rows = append(rows, r)
		}
	}
	return rows, counts.Value(), s.readThreads(ctx, c, rows)
}

// row decodes what was read; nil if the change request is gone.
func (read rowReads) row(heads, counts, summaries map[string]string) (*row, error) {
	r := &row{key: read.key, open: read.open.Value(), blocking: int(read.blocking.Value())}
	var ok bool
	var err error
	if r.record, ok, err = read.record.Get(); err != nil || !ok {
		return nil, err
	}
	if err := r.request.Decode(r.record); err != nil {
		return nil, err
	}
	if r.state, err = review.ParseState(heads[r.key], heads[store.HeadSpace(r.key)], counts[r.key]); err != nil {
		return nil, err
	}
	if r.summary, err = store.ParseSummary(summaries[r.key]); err != nil {
		return nil, err
	}
	if read.marks == nil {
		return r, nil
	}
	marks, ok, err := read.marks.Get()
	if err == nil && ok {
		err = r.marks.Decode(marks)
	}
	return r, err
}

// queueRules queues the merge rules of spaces.
func (s *Service) queueRules(b *txn.Batch, org string, spaces []string) func() (map[string]review.RuleSet, error) {
	organization := b.Record(store.OrganizationKey(org))
	records := make([]*txn.Future[txn.Record], len(spaces))
	for i, space := range spaces {
		records[i] = b.Record(store.SpaceKey(org, space))
	}
	return func() (map[string]review.RuleSet, error) {
		found := make(map[string]review.RuleSet, len(spaces))
		for i, space := range spaces {
			rules, err := review.RulesOf(organization, records[i])
			if err != nil {
				return nil, err
			}
			found[space] = rules
		}
		return found, nil
	}
}

// callersIn is the caller with the role in each of some spaces.
func callersIn(c *rest.Call, spaces []string) map[string]*access.Caller {
	callers := make(map[string]*access.Caller, len(spaces))
	c.Access(func(model *access.Model) {
		v := access.NewViewer(model, c.Caller)
		for _, space := range spaces {
			there := *c.Caller
			there.ContentRole = v.Role(space)
			callers[space] = &there
		}
	})
	return callers
}

// commentKey is the record of a comment.
func commentKey(org string) func(id string) redis.Key {
	return func(id string) redis.Key { return store.CommentKey(org, id) }
}

// replyKey is the record of a reply.
func replyKey(org string) func(id string) redis.Key {
	return func(id string) redis.Key { return store.ReplyKey(org, id) }
}
