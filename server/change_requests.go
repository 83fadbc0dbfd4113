package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

var changeRequestEndpoints = []Endpoint{
	read(api.ListChangeRequests, inSpace(api.RoleComment), (*Server).listChangeRequests),
	write(api.CreateChangeRequest, inSpace(api.RoleEdit), (*Server).createChangeRequest),
	read(api.GetChangeRequest, inSpace(api.RoleComment), (*Server).getChangeRequest),
	write(api.UpdateChangeRequest, inSpace(api.RoleEdit), (*Server).updateChangeRequest),
	planned(api.MergeChangeRequest, inSpace(api.RoleReview), (*Server).planMerge, (*Server).applyMerge).matchingHead(),
	planned(api.PullChangeRequest, inSpace(api.RoleEdit), (*Server).planPull, (*Server).applyPull).matchingHead(),
	read(api.ListChangeRequestReviewers, inSpace(api.RoleComment), (*Server).listReviewers),
	write(api.RequestChangeRequestReview, inSpace(api.RoleEdit), (*Server).requestReview),
	write(api.RemoveChangeRequestReviewer, inSpace(api.RoleComment), (*Server).removeReviewer),
}

const requestPrefix = "cr_"

// names reports whether an id or number from a path names the change request that it led to.
func names(idOrNumber string, request store.ChangeRequestDocument) bool {
	return idOrNumber == request.Fields.ID || idOrNumber == strconv.Itoa(request.Fields.Number)
}

// requestState is what moves by itself beside a change request's record.
type requestState struct {
	head     store.Head
	main     string // revision of the space
	comments int
}

func parseRequestState(head, main, counts string) (state requestState, err error) {
	if state.head, err = store.ParseHead(head); err != nil {
		return state, err
	}
	space, err := store.ParseHead(main)
	if err != nil {
		return state, err
	}
	state.main = space.Revision
	if counts != "" {
		if state.comments, err = strconv.Atoi(counts); err != nil {
			return state, fmt.Errorf("%w: counts %q", store.ErrCorrupt, counts)
		}
	}
	return state, nil
}

// requestObject writes out a change request. public is its stored half, d the same decoded.
func (s *Server) requestObject(sh *shape, public []byte, d store.ChangeRequestDocument, state requestState) *object {
	f := d.Fields
	base := orDefault(f.RevisionMergedAncestor, f.RevisionInitial)
	return extend(public).
		set("createdBy", s.person(sh, d.Private.Creator)).
		set("updatedAt", api.At(state.head.At)).
		set("revision", state.head.Revision).
		set("comments", state.comments).
		set("outdated", f.Status != api.StatusMerged && base != state.main).
		set("urls", api.AppURLs{
			Location: s.requestURL(f.Space, f.ID),
			App:      s.appURL("change-requests", f.Space+"~"+strconv.Itoa(f.Number)),
		})
}

func (s *Server) requestURL(space, id string) string {
	return s.spaceURL(space) + "/change-requests/" + id
}

func (s *Server) requestResult(c *call, r store.Record, d store.ChangeRequestDocument, state requestState) (Result[api.ChangeRequest], error) {
	var result Result[api.ChangeRequest]
	var err error
	c.withShape(func(sh *shape) { result, err = stored[api.ChangeRequest](s.requestObject(sh, r.Public, d, state)) })
	result.id = d.Fields.ID
	return result.versioned(recordVersion(r) + "." + state.head.Revision), err
}

func (s *Server) listChangeRequests(ctx context.Context, b *store.Batch, in api.ListChangeRequestsInput) finish[api.Page[api.ChangeRequest]] {
	c := callFrom(ctx)
	status := orDefault(in.Status, api.StatusOpen)
	w := newWindow(c, in.ListOptions, true, string(status), in.Contributor)
	index := store.RequestsKey(c.org, in.Space, string(status))
	limit := w.size + 1
	if in.Contributor != "" {
		limit = -1 // the filter is on the records: all are looked at
	}
	after := w.after
	if in.Contributor != "" {
		after = ""
	}
	members, total := b.Range(index, after, limit, true), b.Card(index)
	return func(ctx context.Context) (Result[api.Page[api.ChangeRequest]], error) {
		var none Result[api.Page[api.ChangeRequest]]
		if w.err != nil {
			return none, w.err
		}
		found, _, err := members.Get()
		if err != nil {
			return none, err
		}
		count, _, _ := total.Get()
		page, next := w.cut(found)
		if in.Contributor != "" {
			mine, err := s.contributedBy(ctx, in.Space, found, in.Contributor)
			if err != nil {
				return none, err
			}
			page, next = w.of(mine, newestFirst)
			count = int64(len(mine))
		}
		items, err := s.requests(ctx, in.Space, page)
		if err != nil {
			return none, err
		}
		return list[api.ChangeRequest](items, int(count), next)
	}
}

// contributedBy keeps the change requests that a user created or edited.
func (s *Server) contributedBy(ctx context.Context, space string, members []string, user string) ([]string, error) {
	org := callFrom(ctx).org
	records, err := s.records(ctx, members, func(member string) store.Key { return store.ChangeRequestKey(org, memberID(space, member)) })
	if err != nil {
		return nil, err
	}
	var mine []string
	for _, member := range members {
		var d store.ChangeRequestDocument
		if err := d.Decode(records[member]); err != nil {
			return nil, err
		}
		if d.Private.Creator == user || slices.Contains(d.Private.Contributors, user) {
			mine = append(mine, member)
		}
	}
	return mine, nil
}

// memberID turns a member of the index of change requests into the id inside the organization.
func memberID(space, member string) string {
	number, _ := strconv.Atoi(member)
	return store.RequestID(space, number)
}

// requests reads change requests with their state in one pipeline and writes them out.
func (s *Server) requests(ctx context.Context, space string, members []string) ([][]byte, error) {
	c := callFrom(ctx)
	b := s.store.Pipeline()
	ids := make([]string, len(members))
	records := make([]*store.Future[store.Record], len(members))
	for i, member := range members {
		ids[i] = memberID(space, member)
		records[i] = b.Record(store.ChangeRequestKey(c.org, ids[i]))
	}
	heads, counts := b.Fields(store.HeadsKey(c.org), append(ids, space)...), b.Fields(store.CountsKey(c.org), ids...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read change requests: %w", err)
	}
	headOf, _, _ := heads.Get()
	countsOf, _, _ := counts.Get()
	items := make([][]byte, 0, len(ids))
	var err error
	c.withShape(func(sh *shape) {
		for i, id := range ids {
			record, ok, e := records[i].Get()
			if err = errors.Join(err, e); e != nil || !ok {
				continue
			}
			var d store.ChangeRequestDocument
			state, e2 := parseRequestState(headOf[id], headOf[space], countsOf[id])
			if e = errors.Join(d.Decode(record), e2); e != nil {
				err = errors.Join(err, e)
				continue
			}
			item, e := s.requestObject(sh, record.Public, d, state).bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, err
}

func (s *Server) getChangeRequest(ctx context.Context, b *store.Batch, in api.ChangeRequestRef) finish[api.ChangeRequest] {
	c := callFrom(ctx)
	id := requestKey(in.Space, in.ChangeRequest)
	record := b.Record(store.ChangeRequestKey(c.org, id))
	heads, counts := b.Fields(store.HeadsKey(c.org), id, in.Space), b.Field(store.CountsKey(c.org), id)
	return func(context.Context) (Result[api.ChangeRequest], error) {
		var none Result[api.ChangeRequest]
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, missing(err)
		}
		headOf, _, _ := heads.Get()
		countsText, _, _ := counts.Get()
		state, err := parseRequestState(headOf[id], headOf[in.Space], countsText)
		if err != nil {
			return none, err
		}
		var d store.ChangeRequestDocument
		if err := d.Decode(r); err != nil {
			return none, err
		}
		if !names(in.ChangeRequest, d) {
			return none, api.NotFound()
		}
		return s.requestResult(c, r, d, state)
	}
}

// loadedRequest is a change request inside a transaction, with what is beside it.
type loadedRequest struct {
	store.ChangeRequestDocument
	key   string // id inside the organization
	state requestState
}

// loadRequest reads a change request inside a transaction.
func loadRequest(c *call, tx *store.Tx, ref api.ChangeRequestRef) (l loadedRequest, err error) {
	l.key = requestKey(ref.Space, ref.ChangeRequest)
	heads, counts := store.HeadsKey(c.org), store.CountsKey(c.org)
	err = tx.Prefetch(store.ChangeRequestKey(c.org, l.key), heads.Field(l.key), heads.Field(ref.Space), counts.Field(l.key))
	if err != nil {
		return l, err
	}
	l.ChangeRequestDocument, err = tx.ChangeRequest(c.org, l.key)
	if err != nil || l.Version == 0 || !names(ref.ChangeRequest, l.ChangeRequestDocument) {
		return l, missing(err)
	}
	head, _, err1 := tx.Field(heads, l.key)
	main, _, err2 := tx.Field(heads, ref.Space)
	count, _, err3 := tx.Field(counts, l.key)
	if err := errors.Join(err1, err2, err3); err != nil {
		return l, err
	}
	l.state, err = parseRequestState(head, main, count)
	return l, err
}

// touch sets when the change request was last changed.
func (l *loadedRequest) touch(c *call, tx *store.Tx) {
	l.state.head.At = tx.Now()
	tx.MoveHead(c.org, l.key, l.state.head)
}

// putRequest writes a change request if it changed, and answers it.
func (s *Server) putRequest(c *call, tx *store.Tx, l loadedRequest, was api.ChangeRequestStatus, changed bool) (Result[api.ChangeRequest], error) {
	record, _, err := tx.Record(store.ChangeRequestKey(c.org, l.key))
	if changed && err == nil {
		l.touch(c, tx)
		record, err = tx.PutChangeRequest(c.org, l.ChangeRequestDocument, was)
	}
	if err != nil {
		return Result[api.ChangeRequest]{}, err
	}
	r, err := s.requestResult(c, record, l.ChangeRequestDocument, l.state)
	r.unchanged = !changed
	return r, err
}

func (s *Server) createChangeRequest(ctx context.Context, tx *store.Tx, in api.CreateChangeRequestInput) (Result[api.ChangeRequest], error) {
	var none Result[api.ChangeRequest]
	c := callFrom(ctx)
	main, ok, err := tx.Head(c.org, in.Space)
	if err != nil || !ok {
		return none, missing(err)
	}
	made, err := tx.Card(store.RequestsKey(c.org, in.Space))
	if err != nil {
		return none, err
	}
	number := int(made) + 1 // change requests are never deleted, so the count is the last number
	l := loadedRequest{key: store.RequestID(in.Space, number)}
	if l.ChangeRequestDocument, err = tx.ChangeRequest(c.org, l.key); err != nil {
		return none, err
	}
	l.Fields = api.ChangeRequestFields{
		Object: "change-request", ID: fmt.Sprintf("%s_%d", tx.NewID(requestPrefix), number), Number: number,
		Status: api.StatusDraft, Subject: in.Body.Subject, Space: in.Space, AgentTaskID: in.Body.AgentTaskID,
		CreatedAt: api.At(tx.Now()), RevisionInitial: main.Revision,
	}
	l.Private.Creator = c.caller.User
	head := main
	head.At = l.Fields.CreatedAt.Time
	tx.MoveHead(c.org, l.key, head)
	l.state = requestState{head: head, main: main.Revision}
	r, err := s.putRequest(c, tx, l, "", true)
	return r.created(l.Fields.ID, s.requestURL(in.Space, l.Fields.ID)), err
}

// transitions are the states that a PATCH may lead to; merged is reached by merging only.
var transitions = map[api.ChangeRequestStatus][]api.ChangeRequestStatus{
	api.StatusDraft:    {api.StatusOpen, api.StatusArchived},
	api.StatusOpen:     {api.StatusArchived},
	api.StatusArchived: {api.StatusOpen},
}

func (s *Server) updateChangeRequest(ctx context.Context, tx *store.Tx, in api.UpdateChangeRequestInput) (Result[api.ChangeRequest], error) {
	var none Result[api.ChangeRequest]
	c := callFrom(ctx)
	l, err := loadRequest(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	was := l.Fields.Status
	changed := in.Body.Subject.Apply(&l.Fields.Subject)
	if in.Body.Status.Apply(&l.Fields.Status) {
		changed = true
		if !slices.Contains(transitions[was], l.Fields.Status) {
			return none, api.WrongState("The change request is %s; it cannot become %s.", was, l.Fields.Status)
		}
		if err := mayArchive(c, l); err != nil {
			return none, err
		}
	}
	return s.putRequest(c, tx, l, was, changed)
}

// mayArchive lets the creator and reviewers archive; other editors edit.
func mayArchive(c *call, l loadedRequest) error {
	if l.Fields.Status != api.StatusArchived || l.Private.Creator == c.caller.User || c.caller.contentRole.AtLeast(api.RoleReview) {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Only its creator, or the role review, may archive this change request.")
}

// unfinished refuses what is only possible with a draft or an open change request.
func unfinished(d store.ChangeRequestDocument, what string) error {
	if d.Fields.Status == api.StatusDraft || d.Fields.Status == api.StatusOpen {
		return nil
	}
	return api.WrongState("The change request is %s and cannot be %s.", d.Fields.Status, what)
}
