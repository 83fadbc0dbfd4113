package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// requestQuery is a query for a list of change requests: filters, order and page.
type requestQuery struct {
	space       string // "" for every space in which the caller may comment
	site        string // "" for no restriction
	statuses    []api.ChangeRequestStatus
	indexOwners []string // owners of indexes; a match is in all of them
	reasons     []api.QueueReason
	writeItems  itemWriter
	order       api.ChangeRequestOrder
	pager       rest.Pager
}

// itemWriter returns the JSON objects of the change requests of a page, given by RequestID, and the counts of the
// given spaces.
type itemWriter func(ctx context.Context, c *rest.Call, ids, spaces []string) (items [][]byte, counts map[string]string, err error)

// newRequestQuery returns q with sorted statuses and reasons, the indexes of the people, and the page.
func newRequestQuery(r *rest.Request, o api.ListOptions, p api.ChangeRequestPeople, q requestQuery) requestQuery {
	q.statuses = slices.Compact(slices.Sorted(slices.Values(q.statuses)))
	q.reasons = slices.Compact(slices.Sorted(slices.Values(q.reasons)))
	if p.Creator != "" {
		q.indexOwners = append(q.indexOwners, store.CreatorFilter(p.Creator))
	}
	if p.Contributor != "" {
		q.indexOwners = append(q.indexOwners, store.ContributorFilter(p.Contributor))
	}
	if p.RequestedReviewer != "" {
		q.indexOwners = append(q.indexOwners, store.ReviewerFilter(p.RequestedReviewer))
	}
	filters := []string{q.space, q.site, string(q.order), strings.Join(q.indexOwners, ",")}
	for _, status := range q.statuses {
		filters = append(filters, string(status))
	}
	for _, reason := range q.reasons {
		filters = append(filters, string(reason))
	}
	q.pager = r.NewPager(o, true, filters...)
	return q
}

// requestPage is one page of a list. The number of change requests of each space in the statuses, which is read with the
// records, is multiplied by countFactor and added to count before the page is returned.
type requestPage struct {
	members     []string
	next        string
	count       int
	statuses    []api.ChangeRequestStatus
	spaces      []string
	countFactor int
}

// pageFinder finds the page of a query after the first reads of the query are complete.
type pageFinder func(context.Context, *rest.Call) (requestPage, error)

// ids returns the ids of the change requests on the page, as returned by store.RequestID.
func (p requestPage) ids() []string {
	ids := make([]string, len(p.members))
	for i, member := range p.members {
		ids[i] = store.RequestID(store.SplitRequestMember(member))
	}
	return ids
}

func (s *Service) listChangeRequests(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestsInput,
) rest.Finish[api.Page[api.ChangeRequest]] {
	q := newRequestQuery(r, in.ListOptions, in.ChangeRequestPeople, requestQuery{
		space: in.Space, statuses: []api.ChangeRequestStatus{cmp.Or(in.Status, api.StatusOpen)},
		order: cmp.Or(in.OrderBy, api.ByCreation), writeItems: s.requestItems,
	})
	return findRequests[api.ChangeRequest](s, r, b, q)
}

func (s *Service) listRequestQueue(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListQueueInput,
) rest.Finish[api.Page[api.QueuedChangeRequest]] {
	statuses := in.Status
	if len(statuses) == 0 {
		statuses = []api.ChangeRequestStatus{api.StatusOpen}
	}
	q := newRequestQuery(r, in.ListOptions, in.ChangeRequestPeople, requestQuery{
		space: in.Space, site: in.Site, statuses: statuses, reasons: in.Reason,
		order: cmp.Or(in.OrderBy, api.ByUpdate), writeItems: s.queueItems,
	})
	return findRequests[api.QueuedChangeRequest](s, r, b, q)
}

// findRequests queues the first reads of a query. Queries for users or reasons are evaluated in memory; all others
// read an index in order until the page is full.
func findRequests[T any](s *Service, r *rest.Request, b *txn.Batch, q requestQuery) rest.Finish[api.Page[T]] {
	find := s.findByTime
	if len(q.indexOwners)+len(q.reasons) > 0 {
		find = s.findByPeople
	}
	found := find(r, b, q)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[T]], err error) {
		if q.pager.Err != nil {
			return none, q.pager.Err
		}
		page, err := found(ctx, c)
		if err != nil {
			return none, err
		}
		items, counts, err := q.writeItems(ctx, c, page.ids(), page.spaces)
		if err != nil {
			return none, err
		}
		for _, space := range page.spaces {
			page.count += page.countFactor * countRequests(counts[space], page.statuses)
		}
		return rest.PageOf[T](items, max(page.count, 0), page.next)
	}
}

// filterVisible keeps the members in spaces that match the query and in which the caller may comment.
func (q requestQuery) filterVisible(c *rest.Call, members []string) []string {
	c.Access(func(model *access.Model) {
		v := access.NewViewer(model, c.Caller)
		members = slices.DeleteFunc(members, func(member string) bool {
			space, _ := store.SplitRequestMember(member)
			return q.space != "" && q.space != space || !q.includesSpace(model, c.Caller, space) || !v.HasRole(space, api.RoleComment)
		})
	})
	return members
}

// includesSpace reports whether the space is on the site of the query. A site that the caller may not see has no
// spaces.
func (q requestQuery) includesSpace(model *access.Model, caller *access.Caller, space string) bool {
	if q.site == "" {
		return true
	}
	site := model.Site(q.site)
	return site != nil && site.Shows(space) && model.SiteRole(caller, q.site).AtLeast(api.RoleRead)
}

// findByPeople finds the change requests that are in the indexes of all users of the query and have one of its
// reasons.
func (s *Service) findByPeople(r *rest.Request, b *txn.Batch, q requestQuery) pageFinder {
	var parts []indexRanges
	for _, person := range q.indexOwners {
		var part indexRanges
		for _, status := range q.statuses {
			part.indexes = append(part.indexes, b.Range(store.RequestsByCreationKey(r.Org, person, status), "", -1, true))
		}
		parts = append(parts, part)
	}
	return func(ctx context.Context, c *rest.Call) (requestPage, error) {
		var lists [][]string
		for _, part := range parts {
			of, _ := part.merge()
			lists = append(lists, of)
		}
		if len(q.reasons) > 0 {
			of, err := s.requestsByReason(ctx, c, q)
			if err != nil {
				return requestPage{}, err
			}
			lists = append(lists, of)
		}
		members := q.filterVisible(c, intersect(lists))
		if q.order == api.ByUpdate {
			var err error
			if members, err = s.sortByUpdate(ctx, c.Org, members); err != nil {
				return requestPage{}, err
			}
		}
		page := requestPage{count: len(members)}
		page.members, page.next = q.pager.Slice(members, rest.NewestFirst)
		return page, nil
	}
}

// intersect returns the members that are in all lists. The lists are sorted by creation, newest first.
func intersect(lists [][]string) []string {
	members := lists[0]
	for _, of := range lists[1:] {
		members = slices.DeleteFunc(members, func(member string) bool {
			_, in := slices.BinarySearchFunc(of, member, rest.NewestFirst)
			return !in
		})
	}
	return members
}

// sortByUpdate converts members by creation to members by last change, and sorts them newest first.
func (s *Service) sortByUpdate(ctx context.Context, org string, members []string) ([]string, error) {
	b := s.Store.NewBatch()
	ids := make([]string, len(members))
	for i, member := range members {
		ids[i] = store.RequestID(store.SplitRequestMember(member))
	}
	heads := b.Fields(store.HeadsKey(org), ids...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read heads: %w", err)
	}
	headOf := heads.Value()
	for i, id := range ids {
		head, err := store.ParseHead(headOf[id])
		if err != nil {
			return nil, err
		}
		space, number := store.SplitRequestMember(members[i])
		members[i] = store.RequestMember(head.MovedAt, space, number)
	}
	slices.SortFunc(members, rest.NewestFirst)
	return members, nil
}

// indexRanges holds ranges of several indexes that start after the same member.
type indexRanges struct {
	indexes []*txn.Reply[[]string]
	limit   int // per index, 0 for no limit
}

// merge returns the members of all indexes, newest first. If a range was truncated, members older than its last one are
// dropped, because others may be missing among them, and more is true.
func (ir indexRanges) merge() (members []string, more bool) {
	floor := ""
	for _, index := range ir.indexes {
		part := index.Value()
		members = append(members, part...)
		if ir.limit > 0 && len(part) == ir.limit {
			floor, more = max(floor, part[len(part)-1]), true
		}
	}
	members = slices.DeleteFunc(members, func(member string) bool { return member < floor })
	slices.SortFunc(members, rest.NewestFirst)
	return slices.Compact(members), more
}

// Limits for a page of a list by time. After these limits the page ends, even if it is not full, with a cursor, so
// that its cost is bounded for callers who may see few of the change requests.
const (
	scanSize        = 512 // members per status and round, after the first round
	maxScanRounds   = 9
	maxSpaceIndexes = 32 // callers with at most this many spaces scan the indexes of those spaces
)

// queueRanges queues ranges of the indexes of the owners, one per status, starting after the given member.
func (q requestQuery) queueRanges(org string, b *txn.Batch, owners []string, after string, limit int) indexRanges {
	key := store.RequestsByUpdateKey
	if q.order == api.ByCreation {
		key = store.RequestsByCreationKey
	}
	part := indexRanges{limit: limit}
	for _, owner := range owners {
		for _, status := range q.statuses {
			part.indexes = append(part.indexes, b.Range(key(org, owner, status), after, limit, true))
		}
	}
	return part
}

// findByTime finds a page in the indexes of a space or of the whole organization.
func (s *Service) findByTime(r *rest.Request, b *txn.Batch, q requestQuery) pageFinder {
	owners := []string{cmp.Or(q.space, store.AllRequests)}
	first := q.queueRanges(r.Org, b, owners, q.pager.After, q.pager.Size+1)
	var cards []*txn.Reply[int64]
	for _, status := range q.statuses {
		cards = append(cards, b.Cardinality(store.RequestsByCreationKey(r.Org, owners[0], status)))
	}
	return func(ctx context.Context, c *rest.Call) (requestPage, error) {
		page := requestPage{statuses: q.statuses}
		for _, card := range cards {
			n := card.Value()
			page.count += int(n)
		}
		with, without := q.partitionSpaces(c)
		if len(with) == 0 {
			return requestPage{}, nil
		}
		if page.spaces, page.countFactor = without, -1; len(with) < len(without) {
			page.spaces, page.countFactor, page.count = with, 1, 0
		}
		if q.space == "" && len(with) <= maxSpaceIndexes {
			owners = with
		}
		var err error
		page.members, page.next, err = s.scanRequests(ctx, c, q, owners, first)
		return page, err
	}
}

// partitionSpaces divides the spaces of the index into those that match the query and the others.
func (q requestQuery) partitionSpaces(c *rest.Call) (with, without []string) {
	c.Access(func(model *access.Model) {
		about := []string{q.space}
		if q.space == "" {
			about = model.SpaceIDs()
		}
		with, without = access.NewViewer(model, c.Caller).Split(about, api.RoleComment)
		if q.site == "" {
			return
		}
		seen := with
		with = nil
		for _, space := range seen {
			if q.includesSpace(model, c.Caller, space) {
				with = append(with, space)
			} else {
				without = append(without, space)
			}
		}
	})
	return with, without
}

// scanRequests scans indexes by time until the page is full.
func (s *Service) scanRequests(ctx context.Context, c *rest.Call, q requestQuery, owners []string, part indexRanges) (page []string,
	next string, err error,
) {
	if q.pager.Size == 0 {
		return nil, "", nil
	}
	for round := 1; ; round++ {
		members, more := part.merge()
		last := ""
		if more {
			last = members[len(members)-1]
		}
		if page = append(page, q.filterVisible(c, members)...); !more || len(page) > q.pager.Size {
			page, next = q.pager.Cut(page)
			return page, next, nil
		}
		if round == maxScanRounds {
			return page, q.pager.Cursor(last), nil
		}
		limit := scanSize
		if len(owners) > 1 { // all members are visible to the caller
			limit = q.pager.Size + 1
		}
		b := s.Store.NewBatch()
		part = q.queueRanges(c.Org, b, owners, last, limit)
		if err := b.Do(ctx); err != nil {
			return nil, "", fmt.Errorf("read change requests: %w", err)
		}
	}
}

// requestItems reads change requests with their state in one pipeline and returns their JSON objects without
// summaries.
func (s *Service) requestItems(ctx context.Context, c *rest.Call, ids, counted []string) (items [][]byte, counts map[string]string,
	err error,
) {
	b := s.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(ids))
	var spaces []string
	for i, id := range ids {
		records[i], spaces = b.Record(store.ChangeRequestKey(c.Org, id)), append(spaces, store.HeadSpace(id))
	}
	heads := b.Fields(store.HeadsKey(c.Org), slices.Concat(ids, slices.Compact(slices.Sorted(slices.Values(spaces))))...)
	all := b.Fields(txn.CountsKey(c.Org), slices.Concat(ids, counted)...)
	if err := b.Do(ctx); err != nil {
		return nil, nil, fmt.Errorf("read change requests: %w", err)
	}
	headOf, countsOf := heads.Value(), all.Value()
	items = make([][]byte, 0, len(ids))
	c.Access(func(model *access.Model) {
		for i, id := range ids {
			record, ok, e := records[i].Get()
			if err = errors.Join(err, e); e != nil || !ok {
				continue
			}
			var d store.ChangeRequestDocument
			state, e2 := review.ParseState(headOf[id], headOf[spaces[i]], countsOf[id])
			if e = errors.Join(d.Decode(record), e2); e != nil {
				err = errors.Join(err, e)
				continue
			}
			item, e := s.Reviews.Object(model, record.Public, d, state).Bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, countsOf, err
}

// statusCountIndex maps statuses to their index in the counts of a space: see Tx.CountSpace.
var statusCountIndex = map[api.ChangeRequestStatus]int{
	api.StatusOpen: 2, api.StatusDraft: 3, api.StatusArchived: 4, api.StatusMerged: 5,
}

// countRequests returns the number of change requests in the statuses, from the counts of a space.
func countRequests(counts string, statuses []api.ChangeRequestStatus) (n int) {
	numbers := strings.Fields(counts)
	for _, status := range statuses {
		if at := statusCountIndex[status]; at < len(numbers) {
			count, _ := strconv.Atoi(numbers[at])
			n += count
		}
	}
	return n
}
