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

// row is a change request in a list with all data shown for it.
type row struct {
	key         string // RequestID
	record      txn.Record
	request     store.ChangeRequestDocument
	state       review.State
	summary     store.Summary
	blocking    int
	openThreads []string // ids of open threads, newest first
	threads     []thread // threads that were read
	marks       store.ReadingDocument
	rules       review.RuleSet
	caller      *access.Caller // with the role in the space
}

// isOwn reports whether the caller created the change request.
func (r *row) isOwn() bool { return r.request.Private.Creator == r.caller.User }

// rangeIsCurrent reports whether the range part of the summary matches the current range of the change request.
func (r *row) rangeIsCurrent() bool {
	f := r.request.Fields
	base := f.RevisionMergedAncestor
	if base == "" {
		base = f.RevisionInitial
	}
	return r.summary.Revision == r.state.Head.Revision && r.summary.Base == base
}

// mergeIsCurrent reports whether the merge part of the summary matches the current heads and includes all reviews.
func (r *row) mergeIsCurrent() bool {
	if !r.rangeIsCurrent() || r.summary.Space != r.state.SpaceRevision {
		return false
	}
	return r.summary.IsSecondPartUnknown || !slices.ContainsFunc(r.request.Private.Verdicts, func(v store.ReviewVerdict) bool {
		_, known := r.summary.Seen[v.Review]
		return !known
	})
}

// isUnfinished reports whether the change request can still be merged.
func (r *row) isUnfinished() bool {
	return r.request.Fields.Status == api.StatusOpen || r.request.Fields.Status == api.StatusDraft
}

// isPending reports whether a part of the summary must be computed.
func (r *row) isPending() bool { return !r.rangeIsCurrent() || r.isUnfinished() && !r.mergeIsCurrent() }

// rowBatch is the number of rows read at a time.
const rowBatch = 500

// maxThreads is the maximum number of threads read per change request, newest first.
const maxThreads = 100

// rowQuery selects the change requests to read, by RequestID, and the data read with them.
type rowQuery struct {
	ids           []string
	private       bool     // include the read marks of the caller
	countedSpaces []string // spaces whose counts are read
}

// loadRows reads change requests in the order of their ids. Deleted ones are omitted.
func (s *Service) loadRows(ctx context.Context, c *rest.Call, w rowQuery) (all []*row, counts map[string]string, err error) {
	for rest := w.ids; ; {
		batch := w
		batch.ids = rest[:min(rowBatch, len(rest))]
		part, of, err := s.loadRowBatch(ctx, c, batch)
		if err != nil {
			return nil, nil, err
		}
		if all = append(all, part...); counts == nil {
			counts, w.countedSpaces = of, nil
		}
		if rest = rest[len(batch.ids):]; len(rest) == 0 {
			return all, counts, nil
		}
	}
}

// rowReads holds the queued reads of a row.
type rowReads struct {
	key         string
	record      *txn.Future[txn.Record]
	marks       *txn.Future[txn.Record]
	openThreads *txn.Reply[[]string]
	blocking    *txn.Reply[int64]
}

func (s *Service) loadRowBatch(ctx context.Context, c *rest.Call, w rowQuery) (rows []*row, countsOf map[string]string, err error) {
	b := s.Store.NewBatch()
	reads := make([]rowReads, len(w.ids))
	var spaces []string
	for i, id := range w.ids {
		reads[i] = rowReads{
			key: id, record: b.Record(store.ChangeRequestKey(c.Org, id)),
			openThreads: b.Range(store.CommentsKey(c.Org, id, string(api.CommentOpen)), "", maxThreads, true),
			blocking:    b.Cardinality(store.CommentsKey(c.Org, id, store.BlockingFilter)),
		}
		if w.private {
			reads[i].marks = b.Record(store.ReadingKey(c.Org, id, c.Caller.User))
		}
		spaces = append(spaces, store.HeadSpace(id))
	}
	spaces = slices.Compact(slices.Sorted(slices.Values(spaces)))
	heads := b.Fields(store.HeadsKey(c.Org), slices.Concat(w.ids, spaces)...)
	counts := b.Fields(txn.CountsKey(c.Org), slices.Concat(w.ids, w.countedSpaces)...)
	summaries := b.Fields(store.SummariesKey(c.Org), w.ids...)
	rulesOf := s.queueRules(b, c.Org, spaces)
	if err := b.Do(ctx); err != nil {
		return nil, nil, fmt.Errorf("read change requests: %w", err)
	}
	rules, err := rulesOf()
	if err != nil {
		return nil, nil, err
	}
	callers := callersBySpace(c, spaces)
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

// row decodes the reads of a row. It returns nil if the change request was deleted.
func (rr rowReads) row(heads, counts, summaries map[string]string) (*row, error) {
	r := &row{key: rr.key, openThreads: rr.openThreads.Value(), blocking: int(rr.blocking.Value())}
	var ok bool
	var err error
	if r.record, ok, err = rr.record.Get(); err != nil || !ok {
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
	if rr.marks == nil {
		return r, nil
	}
	marks, ok, err := rr.marks.Get()
	if err == nil && ok {
		err = r.marks.Decode(marks)
	}
	return r, err
}

// queueRules queues reads of the merge rules of spaces and returns a function that decodes them.
func (s *Service) queueRules(b *txn.Batch, org string, spaces []string) func() (map[string]review.RuleSet, error) {
	organization := b.Record(store.OrganizationKey(org))
	records := make([]*txn.Future[txn.Record], len(spaces))
	for i, space := range spaces {
		records[i] = b.Record(store.SpaceKey(org, space))
	}
	return func() (map[string]review.RuleSet, error) {
		found := make(map[string]review.RuleSet, len(spaces))
		for i, space := range spaces {
			rules, err := review.EffectiveRules(organization, records[i])
			if err != nil {
				return nil, err
			}
			found[space] = rules
		}
		return found, nil
	}
}

// callersBySpace returns the caller with the role in each of the spaces.
func callersBySpace(c *rest.Call, spaces []string) map[string]*access.Caller {
	callers := make(map[string]*access.Caller, len(spaces))
	c.Access(func(model *access.Model) {
		v := access.NewViewer(model, c.Caller)
		for _, space := range spaces {
			caller := *c.Caller
			caller.ContentRole = v.Role(space)
			callers[space] = &caller
		}
	})
	return callers
}

// commentKey returns a function that maps the id of a comment to its key.
func commentKey(org string) func(id string) redis.Key {
	return func(id string) redis.Key { return store.CommentKey(org, id) }
}

// replyKey returns a function that maps the id of a reply to its key.
func replyKey(org string) func(id string) redis.Key {
	return func(id string) redis.Key { return store.ReplyKey(org, id) }
}
