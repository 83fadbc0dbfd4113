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

// requestQuery is a list of change requests: what it has, its order, and the part of it that is asked for.
type requestQuery struct {
	space    string // "" = every space in which the caller may comment
	site     string // "" = on a site or not
	statuses []api.ChangeRequestStatus
	people   []string // owners of indexes: what is listed is in all of them
	reasons  []api.QueueReason
	write    writer
	order    api.ChangeRequestOrder
	window   rest.Pager
}

// writer writes out the change requests of a page, given by RequestID, and reads the counts of spaces with them.
type writer func(ctx context.Context, c *rest.Call, ids, spaces []string) (items [][]byte, counts map[string]string, err error)

func newRequestQuery(c *rest.Call, o api.ListOptions, space, site string, statuses []api.ChangeRequestStatus, p api.ChangeRequestPeople, order api.ChangeRequestOrder, reasons ...api.QueueReason) requestQuery {
	q := requestQuery{
		space: space, site: site, statuses: slices.Compact(slices.Sorted(slices.Values(statuses))), order: order,
		reasons: slices.Compact(slices.Sorted(slices.Values(reasons))),
	}
	if p.Creator != "" {
		q.people = append(q.people, store.CreatorFilter(p.Creator))
	}
	if p.Contributor != "" {
		q.people = append(q.people, store.ContributorFilter(p.Contributor))
	}
	if p.RequestedReviewer != "" {
		q.people = append(q.people, store.ReviewerFilter(p.RequestedReviewer))
	}
	filters := []string{space, site, string(order), strings.Join(q.people, ",")}
	for _, status := range q.statuses {
		filters = append(filters, string(status))
	}
	for _, reason := range q.reasons {
		filters = append(filters, string(reason))
	}
	q.window = rest.NewPager(c, o, true, filters...)
	return q
}

// requestPage is the part of a list that was asked for. Of what some spaces have in the states of the list, count
// lacks less times as many: their numbers come with the records.
type requestPage struct {
	members  []string
	next     string
	count    int
	statuses []api.ChangeRequestStatus
	spaces   []string
	factor   int
}

// ids are those of the page by RequestID.
func (p requestPage) ids() []string {
	ids := make([]string, len(p.members))
	for i, member := range p.members {
		ids[i] = store.RequestID(store.SplitRequestMember(member))
	}
	return ids
}

func (s *Service) listChangeRequests(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListChangeRequestsInput) rest.Finish[api.Page[api.ChangeRequest]] {
	statuses := []api.ChangeRequestStatus{cmp.Or(in.Status, api.StatusOpen)}
	order := cmp.Or(in.OrderBy, api.ByCreation)
	q := newRequestQuery(c, in.ListOptions, in.Space, "", statuses, in.ChangeRequestPeople, order)
	q.write = s.requests
	return findRequests[api.ChangeRequest](s, c, b, q)
}

func (s *Service) listRequestQueue(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListQueueInput) rest.Finish[api.Page[api.QueuedChangeRequest]] {
	statuses := in.Status
	if len(statuses) == 0 {
		statuses = []api.ChangeRequestStatus{api.StatusOpen}
	}
	order := cmp.Or(in.OrderBy, api.ByUpdate)
	q := newRequestQuery(c, in.ListOptions, in.Space, in.Site, statuses, in.ChangeRequestPeople, order, in.Reason...)
	q.write = s.queued
	return findRequests[api.QueuedChangeRequest](s, c, b, q)
}

// findRequests queues the first reads of a query. What one person has to do with is read whole and put together in
// memory; everything else is read in the order of its index as far as the page reaches.
func findRequests[T any](s *Service, c *rest.Call, b *txn.Batch, q requestQuery) rest.Finish[api.Page[T]] {
	find := s.requestsByTime
	if len(q.people)+len(q.reasons) > 0 {
		find = s.requestsOfPeople
	}
	found := find(c, b, q)
	return func(ctx context.Context) (none rest.Result[api.Page[T]], err error) {
		if q.window.Err != nil {
			return none, q.window.Err
		}
		page, err := found(ctx)
		if err != nil {
			return none, err
		}
		items, counts, err := q.write(ctx, c, page.ids(), page.spaces)
		if err != nil {
			return none, err
		}
		for _, space := range page.spaces {
			page.count += page.factor * requestCount(counts[space], page.statuses)
		}
		return rest.PageOf[T](items, max(page.count, 0), page.next)
	}
}

// shown keeps the change requests of spaces that the list is about and in which the caller may comment.
func (q requestQuery) shown(c *rest.Call, members []string) []string {
	c.Access(func(model *access.Model) {
		v := access.NewViewer(model, c.Caller)
		members = slices.DeleteFunc(members, func(member string) bool {
			space, _ := store.SplitRequestMember(member)
			return q.space != "" && q.space != space || !q.onSite(model, c.Caller, space) || !v.Has(space, api.RoleComment)
		})
	})
	return members
}

// onSite reports whether the list is about a space as far as its site says. A site that the caller does not see has none.
func (q requestQuery) onSite(model *access.Model, caller *access.Caller, space string) bool {
	if q.site == "" {
		return true
	}
	site := model.Site(q.site)
	return site != nil && site.Shows(space) && model.SiteRole(caller, q.site).AtLeast(api.RoleRead)
}

// requestsOfPeople finds what is in the indexes of all people of the query, and concerns the caller as it says.
func (s *Service) requestsOfPeople(c *rest.Call, b *txn.Batch, q requestQuery) func(context.Context) (requestPage, error) {
	var parts []stretch
	for _, person := range q.people {
		var part stretch
		for _, status := range q.statuses {
			part.indexes = append(part.indexes, b.Range(store.RequestsByCreationKey(c.Org, person, status), "", -1, true))
		}
		parts = append(parts, part)
	}
	return func(ctx context.Context) (requestPage, error) {
		var lists [][]string
		for _, part := range parts {
			of, _ := part.merged()
			lists = append(lists, of)
		}
		if len(q.reasons) > 0 {
			of, err := s.concerning(ctx, c, q)
			if err != nil {
				return requestPage{}, err
			}
			lists = append(lists, of)
		}
		members := q.shown(c, inAll(lists))
		if q.order == api.ByUpdate {
			var err error
			if members, err = s.byUpdate(ctx, c.Org, members); err != nil {
				return requestPage{}, err
			}
		}
		page := requestPage{count: len(members)}
		page.members, page.next = q.window.Slice(members, rest.NewestFirst)
		return page, nil
	}
}

// inAll are the members of all lists, which are sorted by creation, the newest first.
func inAll(lists [][]string) []string {
	members := lists[0]
	for _, of := range lists[1:] {
		members = slices.DeleteFunc(members, func(member string) bool {
			_, in := slices.BinarySearchFunc(of, member, rest.NewestFirst)
			return !in
		})
	}
	return members
}

// byUpdate turns members by creation into members by the last change, and sorts them.
func (s *Service) byUpdate(ctx context.Context, org string, members []string) ([]string, error) {
	b := s.Store.Pipeline()
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
		members[i] = store.RequestMember(head.At, space, number)
	}
	slices.SortFunc(members, rest.NewestFirst)
	return members, nil
}

// stretch is what was read of several indexes behind one place.
type stretch struct {
	indexes []*txn.Reply[[]string]
	limit   int // of each, 0 = none
}

// merged returns the members of all indexes, the latest first, down to the place behind which one of them may have
// more.
func (s stretch) merged() (members []string, more bool) {
	floor := ""
	for _, index := range s.indexes {
		part := index.Value()
		members = append(members, part...)
		if s.limit > 0 && len(part) == s.limit {
			floor, more = max(floor, part[len(part)-1]), true
		}
	}
	members = slices.DeleteFunc(members, func(member string) bool { return member < floor })
	slices.SortFunc(members, rest.NewestFirst)
	return slices.Compact(members), more
}

// A page of a list by time looks at so many members at the most: behind that it ends, full or not, and names the next
// one. So its cost is bounded where the caller sees little of what there is.
const (
	walkStretch  = 512 // of each state, after the first
	walkRounds   = 9
	walkBySpaces = 32 // who sees so few spaces walks through the indexes of these
)

// stretch queues what is behind a place in the indexes that the owners have, for each state.
func (q requestQuery) stretch(org string, b *txn.Batch, owners []string, after string, limit int) stretch {
	key := store.RequestsByUpdateKey
	if q.order == api.ByCreation {
		key = store.RequestsByCreationKey
	}
	part := stretch{limit: limit}
	for _, owner := range owners {
		for _, status := range q.statuses {
			part.indexes = append(part.indexes, b.Range(key(org, owner, status), after, limit, true))
		}
	}
	return part
}

// requestsByTime finds the page in the indexes of a space or of the whole organization.
func (s *Service) requestsByTime(c *rest.Call, b *txn.Batch, q requestQuery) func(context.Context) (requestPage, error) {
	owners := []string{cmp.Or(q.space, store.AllRequests)}
	first := q.stretch(c.Org, b, owners, q.window.After, q.window.Size+1)
	var cards []*txn.Reply[int64]
	for _, status := range q.statuses {
		cards = append(cards, b.Card(store.RequestsByCreationKey(c.Org, owners[0], status)))
	}
	return func(ctx context.Context) (requestPage, error) {
		page := requestPage{statuses: q.statuses}
		for _, card := range cards {
			n := card.Value()
			page.count += int(n)
		}
		with, without := q.spaces(c)
		if len(with) == 0 {
			return requestPage{}, nil
		}
		if page.spaces, page.factor = without, -1; len(with) < len(without) {
			page.spaces, page.factor, page.count = with, 1, 0
		}
		if q.space == "" && len(with) <= walkBySpaces {
			owners = with
		}
		var err error
		page.members, page.next, err = s.walkRequests(ctx, c, q, owners, first)
		return page, err
	}
}

// spaces are those whose change requests the list has, and the others that its index may name.
func (q requestQuery) spaces(c *rest.Call) (with, without []string) {
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
			if q.onSite(model, c.Caller, space) {
				with = append(with, space)
			} else {
				without = append(without, space)
			}
		}
	})
	return with, without
}

// walkRequests goes through indexes by time until the page is full.
func (s *Service) walkRequests(ctx context.Context, c *rest.Call, q requestQuery, owners []string, part stretch) (page []string, next string, err error) {
	if q.window.Size == 0 {
		return nil, "", nil
	}
	for round := 1; ; round++ {
		members, more := part.merged()
		last := ""
		if more {
			last = members[len(members)-1]
		}
		if page = append(page, q.shown(c, members)...); !more || len(page) > q.window.Size {
			page, next = q.window.Cut(page)
			return page, next, nil
		}
		if round == walkRounds {
			return page, q.window.Cursor(last), nil
		}
		limit := walkStretch
		if len(owners) > 1 { // the caller sees all of it
			limit = q.window.Size + 1
		}
		b := s.Store.Pipeline()
		part = q.stretch(c.Org, b, owners, last, limit)
		if err := b.Do(ctx); err != nil {
			return nil, "", fmt.Errorf("read change requests: %w", err)
		}
	}
}

// requests reads change requests with their state in one pipeline, and writes them out without summaries.
func (s *Service) requests(ctx context.Context, c *rest.Call, ids, counted []string) (items [][]byte, counts map[string]string, err error) {
	b := s.Store.Pipeline()
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

// statusCounts are the places of the states among the counts of a space: see Tx.CountSpace.
var statusCounts = map[api.ChangeRequestStatus]int{
	api.StatusOpen: 2, api.StatusDraft: 3, api.StatusArchived: 4, api.StatusMerged: 5,
}

// requestCount is how many change requests in some states the counts of a space tell of.
func requestCount(counts string, statuses []api.ChangeRequestStatus) (n int) {
	numbers := strings.Fields(counts)
	for _, status := range statuses {
		if at := statusCounts[status]; at < len(numbers) {
			some, _ := strconv.Atoi(numbers[at])
			n += some
		}
	}
	return n
}
