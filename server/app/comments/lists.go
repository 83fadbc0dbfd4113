package comments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) listComments(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestCommentsInput,
) rest.Finish[api.Page[api.Comment]] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	newest := in.Order != api.Ascending
	status := cmp.Or(in.Status, "all")
	w := r.NewPager(in.ListOptions, newest, string(in.Order), status, in.TargetPage, strings.Join(in.Authors, ","))
	p := s.Revisions.ReadTarget(r.Org, b, target)
	filters := newCommentFilter(b, r.Org, target.HeadID(), status, in.CommentFilters)
	others := queueCarriedOver(b, r.Org, target, status, in.CommentFilters)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Comment]], err error) {
		head, _, err := p.Get()
		if err = errors.Join(w.Err, err); err != nil {
			return none, err
		}
		now, err := s.ReadContent(ctx, target.Space, head)
		if err != nil {
			return none, err
		}
		ids := filters.ids()
		joined, err := s.findCarriedOver(ctx, c, target, now, others, ids)
		if err != nil {
			return none, err
		}
		ids = slices.Concat(ids, joined)
		order := rest.OldestFirst
		if newest {
			order = rest.NewestFirst
		}
		slices.SortFunc(ids, order)
		page, next := w.Slice(ids, order)
		items, err := s.ReadComments(ctx, c, target, now, page, in.Format)
		if err != nil {
			return none, err
		}
		return rest.PageOf[api.Comment](items, len(ids), next)
	}
}

// commentFilter selects comments by sets of ids: those in every set of all and, if any is not empty, in at least one
// set of any.
type commentFilter struct {
	all, any []*txn.Reply[[]string]
}

// newCommentFilter queues reads of the indexes for the filters of a list.
func newCommentFilter(b *txn.Batch, org, target, status string, in api.CommentFilters) commentFilter {
	var f commentFilter
	queue := func(filter ...string) *txn.Reply[[]string] {
		return b.Range(store.CommentsKey(org, target, filter...), "", -1, false)
	}
	if status == "all" {
		f.all = append(f.all, queue())
	} else {
		f.all = append(f.all, queue(status))
	}
	if in.TargetPage != "" {
		f.all = append(f.all, queue(store.PageFilter(in.TargetPage)))
	}
	for _, author := range slices.Compact(slices.Sorted(slices.Values(in.Authors))) {
		f.any = append(f.any, queue(store.AuthorFilter(author)))
	}
	return f
}

// ids returns the ids of the selected comments.
func (f commentFilter) ids() []string {
	hits, wanted := map[string]int{}, len(f.all)
	if len(f.any) > 0 {
		wanted++
	}
	for _, set := range slices.Concat(f.all, f.any) {
		for _, id := range set.Value() {
			hits[id]++
		}
	}
	return slices.DeleteFunc(slices.Clone(f.all[0].Value()), func(id string) bool { return hits[id] < wanted })
}

// carriedOverIndexes holds the comments made elsewhere that a list may contain: open threads of merged change
// requests, and open comments on other pages whose text has moved. A nil index does not apply.
type carriedOverIndexes struct {
	filters      api.CommentFilters
	threads      *txn.Reply[[]string] // members of the index of threads
	openComments *txn.Reply[[]string]
}

func queueCarriedOver(b *txn.Batch, org string, target revision.Target, status string, in api.CommentFilters) (o carriedOverIndexes) {
	o.filters = in
	if status == string(api.CommentResolved) {
		return o
	}
	if target.ChangeRequest == "" {
		o.threads = b.Range(store.CommentsKey(org, target.Space, store.ThreadsFilter), "", -1, false)
	}
	if in.TargetPage != "" {
		o.openComments = b.Range(store.CommentsKey(org, target.HeadID(), string(api.CommentOpen)), "", -1, false)
	}
	return o
}

// candidates returns the ids that are not listed yet, and the change requests of those that belong to one.
func (o carriedOverIndexes) candidates(listed []string) (ids []string, requests map[string]string) {
	requests = map[string]string{}
	if o.threads != nil {
		for _, member := range o.threads.Value() {
			id, request := store.SplitThread(member)
			ids, requests[id] = append(ids, id), request
		}
	}
	if o.openComments != nil {
		ids = append(ids, o.openComments.Value()...)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(listed, id) }), requests
}

// findCarriedOver returns the ids of comments made elsewhere whose text is now in the listed page or space.
func (s *Service) findCarriedOver(
	ctx context.Context, c *rest.Call, target revision.Target, now Content, sets carriedOverIndexes, listed []string,
) ([]string, error) {
	ids, requests := sets.candidates(listed)
	if len(ids) == 0 {
		return nil, nil
	}
	docs, err := s.readCarriedOver(ctx, c, ids, requests)
	if err != nil {
		return nil, err
	}
	private := make([]store.CommentPrivate, len(docs))
	for i, d := range docs {
		private[i] = d.Private
	}
	found, err := s.locate(ctx, target.Space, now, private)
	if err != nil {
		return nil, err
	}
	filters := sets.filters
	var joined []string
	for i, d := range docs {
		onPage := filters.TargetPage == "" || found[i].Page == filters.TargetPage
		here := found[i].State != "" && found[i].State != content.Orphaned
		if here && onPage && (len(filters.Authors) == 0 || slices.Contains(filters.Authors, d.Private.Author)) {
			joined = append(joined, d.Fields.ID)
		}
	}
	return joined, nil
}

// readCarriedOver reads the candidate comments. Comments of change requests are included only if these are merged.
func (s *Service) readCarriedOver(ctx context.Context, c *rest.Call, ids []string, requests map[string]string) ([]store.CommentDocument,
	error,
) {
	b := s.Store.NewBatch()
	comments, merged := map[string]*txn.Future[txn.Record]{}, map[string]*txn.Future[txn.Record]{}
	for _, id := range ids {
		comments[id] = b.Record(store.CommentKey(c.Org, id))
		if request := requests[id]; request != "" && merged[request] == nil {
			merged[request] = b.Record(store.ChangeRequestKey(c.Org, request))
		}
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read comments: %w", err)
	}
	var docs []store.CommentDocument
	for _, id := range ids {
		if request := requests[id]; request != "" {
			if is, err := isMerged(merged[request]); err != nil || !is {
				if err != nil {
					return nil, err
				}
				continue
			}
		}
		r, ok, err := comments[id].Get()
		if err != nil {
			return nil, err
		}
		var d store.CommentDocument
		if !ok {
			continue
		}
		if err := d.Decode(r); err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func isMerged(record *txn.Future[txn.Record]) (bool, error) {
	r, ok, err := record.Get()
	if err != nil || !ok {
		return false, err
	}
	var d store.ChangeRequestDocument
	err = d.Decode(r)
	return d.Fields.Status == api.StatusMerged, err
}

// ReadComments returns the JSON objects of comments with their reply counts, read in one pipeline. Deleted comments
// are omitted.
func (s *Service) ReadComments(ctx context.Context, c *rest.Call, target revision.Target, now Content, ids []string,
	format api.Format,
) ([][]byte, error) {
	b := s.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(ids))
	for i, id := range ids {
		records[i] = b.Record(store.CommentKey(c.Org, id))
	}
	counts := b.Fields(txn.CountsKey(c.Org), ids...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read comments: %w", err)
	}
	countOf := counts.Value()
	var docs []store.CommentDocument
	var public [][]byte
	var private []store.CommentPrivate
	for _, record := range records {
		r, ok, err := record.Get()
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		var d store.CommentDocument
		if err := d.Decode(r); err != nil {
			return nil, err
		}
		docs, public, private = append(docs, d), append(public, r.Public), append(private, d.Private)
	}
	found, err := s.locate(ctx, target.Space, now, private)
	if err != nil {
		return nil, err
	}
	items := make([][]byte, 0, len(docs))
	c.Access(func(model *access.Model) {
		for i, d := range docs {
			v := commentView{model: model, call: c, tree: now.Tree, target: originalTarget(target, d), format: format, location: found[i]}
			item, e := s.commentObject(v, public[i], d, countOf[d.Fields.ID]).Bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, err
}

// originalTarget returns the target that a comment was made on: the given one or a merged change request.
func originalTarget(target revision.Target, d store.CommentDocument) revision.Target {
	if target.ChangeRequest == "" && d.Private.Request != "" {
		return revision.Target{Space: target.Space, ChangeRequest: d.Private.Request}
	}
	return target
}
