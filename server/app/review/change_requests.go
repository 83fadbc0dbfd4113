package review

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) changeRequestEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Planned(api.CreateChangeRequest, auth.InSpace(api.RoleEdit), s.planBase, s.createAt).On(rest.Space),
		rest.Read(api.GetChangeRequest, auth.InSpace(api.RoleComment), s.Get),
		rest.Write(api.UpdateChangeRequest, auth.InSpace(api.RoleEdit), s.updateChangeRequest).On(rest.ChangeRequest),
		rest.Planned(api.MergeChangeRequest, auth.InSpace(api.RoleReview), s.planMerge, s.applyMerge).MatchHead().On(rest.ChangeRequest),
		rest.Planned(api.PullChangeRequest, auth.InSpace(api.RoleEdit), s.planPull, s.applyPull).MatchHead().On(rest.ChangeRequest),
		rest.Op(api.GetChangeRequestConflicts, auth.InSpace(api.RoleComment), s.showConflicts),
		rest.Op(api.GetChangeRequestMergeability, auth.InSpace(api.RoleComment).WithTrash(), s.showMergeability),
		rest.Read(api.ListChangeRequestContributors, auth.InSpace(api.RoleComment), s.listContributors),
		rest.Read(api.ListChangeRequestReviewers, auth.InSpace(api.RoleComment), s.listReviewers),
		rest.Write(api.RequestChangeRequestReview, auth.InSpace(api.RoleEdit), s.requestReview).On(rest.ChangeRequest),
		rest.Write(api.RemoveChangeRequestReviewer, auth.InSpace(api.RoleComment),
			s.removeReviewer).On(rest.ChangeRequest).AllowAbsent(auth.InSpace(api.RoleEdit)),
	}
}

// ChangeRequestPrefix is the prefix of change request ids.
const ChangeRequestPrefix = "cr_"

// State holds the parts of a change request that change without its record being written.
type State struct {
	Head          store.Head
	SpaceRevision string // head revision of the space
	Comments      int    // open comments
}

// ParseState parses the stored head of a change request, the head of its space and its comment count. An empty count
// is zero.
func ParseState(head, main, counts string) (state State, err error) {
	if state.Head, err = store.ParseHead(head); err != nil {
		return state, err
	}
	space, err := store.ParseHead(main)
	if err != nil {
		return state, err
	}
	state.SpaceRevision = space.Revision
	if counts != "" {
		if state.Comments, err = strconv.Atoi(counts); err != nil {
			return state, fmt.Errorf("%w: counts %q", redis.ErrCorrupt, counts)
		}
	}
	return state, nil
}

// Object returns the JSON object of a change request. public is the stored public part of its record and d the
// decoded record.
func (s *Service) Object(model *access.Model, public []byte, d store.ChangeRequestDocument, state State) *rest.Object {
	f := d.Fields
	base := cmp.Or(f.RevisionMergedAncestor, f.RevisionInitial)
	o := rest.ExtendObject(public)
	if p := d.Private.Pushing; p != nil {
		o.SetObject("pushing", rest.ExtendObject([]byte(`{}`)).Set("user", s.View.Person(model, p.User)).Set("since", p.Since))
	}
	return o.
		SetIf(f.DescriptionMarkdown != "", "description", descriptionDocument(f.DescriptionMarkdown)).
		Set("createdBy", s.View.Person(model, d.Private.Creator)).
		Set("updatedAt", revision.ChangeTime(f.CreatedAt, state.Head.MovedAt)).
		Set("revision", state.Head.Revision).
		Set("comments", state.Comments).
		Set("outdated", f.Status != api.StatusMerged && base != state.SpaceRevision).
		Set("urls", api.AppURLs{
			Location: s.requestURL(f.Space, f.ID),
			App:      s.View.AppURL("change-requests", f.Space+"~"+strconv.Itoa(f.Number)),
		})
}

func (s *Service) requestURL(space, id string) string {
	return s.View.SpaceURL(space) + "/change-requests/" + id
}

// Result returns a change request as the result of an operation. Its version combines the versions of the record and
// of the head.
func (s *Service) Result(c *rest.Call, r txn.Record, d store.ChangeRequestDocument, state State) (rest.Result[api.ChangeRequest], error) {
	var result rest.Result[api.ChangeRequest]
	var err error
	c.Access(func(model *access.Model) {
		result, err = rest.ObjectResult[api.ChangeRequest](s.Object(model, r.Public, d, state))
	})
	result.ID = d.Fields.ID
	return result.WithVersion(rest.RecordVersion(r) + "." + state.Head.Revision), err
}

// Get queues the reads of a change request in b and returns a function that completes the result. The result is a
// not_found error if the change request does not exist in the space. Get serves its own operation and content
// references.
func (s *Service) Get(ctx context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestRef) rest.Finish[api.ChangeRequest] {
	id := store.RequestIDOf(in.Space, in.ChangeRequest)
	record := b.Record(store.ChangeRequestKey(r.Org, id))
	heads, counts := b.Fields(store.HeadsKey(r.Org), id, in.Space), b.Field(txn.CountsKey(r.Org), id)
	return func(_ context.Context, c *rest.Call) (none rest.Result[api.ChangeRequest], err error) {
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		headOf := heads.Value()
		countsText := counts.Value()
		state, err := ParseState(headOf[id], headOf[in.Space], countsText)
		if err != nil {
			return none, err
		}
		var d store.ChangeRequestDocument
		if err := d.Decode(r); err != nil {
			return none, err
		}
		if !revision.MatchesRequest(in.ChangeRequest, d) {
			return none, api.NotFound()
		}
		return s.Result(c, r, d, state)
	}
}

// LoadedRequest is a change request read inside a transaction, with its current state.
type LoadedRequest struct {
	store.ChangeRequestDocument
	Key   string // id within the organization
	State State
}

// Load reads a change request inside a transaction. It returns a not_found error if the change request does not
// exist.
func Load(c *rest.Call, tx *store.Tx, ref api.ChangeRequestRef) (l LoadedRequest, err error) {
	l.Key = store.RequestIDOf(ref.Space, ref.ChangeRequest)
	heads, counts := store.HeadsKey(c.Org), txn.CountsKey(c.Org)
	err = tx.Prefetch(store.ChangeRequestKey(c.Org, l.Key), heads.Field(l.Key), heads.Field(ref.Space), counts.Field(l.Key))
	if err != nil {
		return l, err
	}
	l.ChangeRequestDocument, err = tx.ChangeRequest(c.Org, l.Key)
	if err != nil || l.Version == 0 || !revision.MatchesRequest(ref.ChangeRequest, l.ChangeRequestDocument) {
		return l, rest.NotFoundIfNil(err)
	}
	head, _, err := tx.Field(heads, l.Key)
	if err != nil {
		return l, err
	}
	main, _, err := tx.Field(heads, ref.Space)
	if err != nil {
		return l, err
	}
	count, _, err := tx.Field(counts, l.Key)
	if err != nil {
		return l, err
	}
	l.State, err = ParseState(head, main, count)
	return l, err
}

// write stores the change request and sets the time of its head to now. old is the status before the change.
func (l *LoadedRequest) write(c *rest.Call, tx *store.Tx, old api.ChangeRequestStatus) (txn.Record, error) {
	l.State.Head.MovedAt = tx.Now()
	if err := tx.SetRequestHead(c.Org, l.Key, l.State.Head); err != nil {
		return txn.Record{}, err
	}
	return tx.PutChangeRequest(c.Org, l.ChangeRequestDocument, old)
}

// putIfChanged writes the change request if changed is set and returns it as a result.
func (s *Service) putIfChanged(c *rest.Call, tx *store.Tx, l LoadedRequest, old api.ChangeRequestStatus,
	changed bool,
) (rest.Result[api.ChangeRequest], error) {
	return rest.PutIfChanged(tx, store.ChangeRequestKey(c.Org, l.Key), changed,
		func() (txn.Record, error) { return l.write(c, tx, old) },
		func(r txn.Record) (rest.Result[api.ChangeRequest], error) {
			return s.Result(c, r, l.ChangeRequestDocument, l.State)
		})
}

// Create creates a draft change request at the head of the space. Imports use it for the change request that they write to.
func (s *Service) Create(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateChangeRequestInput,
) (rest.Result[api.ChangeRequest], error) {
	return s.createAt(ctx, c, tx, in, store.Head{})
}

// createAt creates a draft change request at the base that planBase returned, or at the head of the space if that has no
// revision.
func (s *Service) createAt(_ context.Context, c *rest.Call, tx *store.Tx, in api.CreateChangeRequestInput, base store.Head,
) (none rest.Result[api.ChangeRequest], err error) {
	description, err := parseDescription(in.Body.Description)
	if err != nil {
		return none, err
	}
	main, ok, err := tx.Head(c.Org, in.Space)
	if err != nil || !ok {
		return none, rest.NotFoundIfNil(err)
	}
	if base.Revision == "" {
		base = main
	}
	count, err := tx.Cardinality(store.RequestsKey(c.Org, in.Space))
	if err != nil {
		return none, err
	}
	number := int(count) + 1 // change requests are never deleted, so the count is the last number
	l := LoadedRequest{Key: store.RequestID(in.Space, number)}
	if l.ChangeRequestDocument, err = tx.ChangeRequest(c.Org, l.Key); err != nil {
		return none, err
	}
	l.Fields = api.ChangeRequestFields{
		Object: "change-request", ID: fmt.Sprintf("%s_%d", tx.NewID(ChangeRequestPrefix), number), Number: number,
		Status: api.StatusDraft, Subject: in.Body.Subject, Space: in.Space, AgentTaskID: in.Body.AgentTaskID,
		CreatedAt: api.At(tx.Now()), RevisionInitial: base.Revision,
	}
	description.ApplyNull(&l.Fields.DescriptionMarkdown)
	l.Private.Creator = c.Caller.User
	if in.Body.Pushing {
		l.Private.Pushing = &store.Push{User: c.Caller.User, Since: l.Fields.CreatedAt}
	}
	base.MovedAt = l.Fields.CreatedAt.Time
	tx.SetHead(c.Org, l.Key, base)
	l.State = State{Head: base, SpaceRevision: main.Revision}
	r, err := s.putIfChanged(c, tx, l, "", true)
	return r.WithLocation(l.Fields.ID, s.requestURL(in.Space, l.Fields.ID)), err
}

func (s *Service) updateChangeRequest(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateChangeRequestInput,
) (none rest.Result[api.ChangeRequest], err error) {
	description, err := parseDescription(in.Body.Description)
	if err != nil {
		return none, err
	}
	l, err := Load(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	old := l.Fields.Status
	changed := in.Body.Subject.Apply(&l.Fields.Subject)
	changed = description.ApplyNull(&l.Fields.DescriptionMarkdown) || changed
	changed = applyLinks(tx, in.Body.Links, &l.Fields.Links) || changed
	state, err := s.applyState(c, tx, in.Body, &l)
	if err != nil {
		return none, err
	}
	changed = state || changed
	if old != l.Fields.Status {
		c.Note("did", string(l.Fields.Status))
	}
	return s.putIfChanged(c, tx, l, old, changed)
}

// applyState applies the status and the push of a patch and reports whether one of them changes. A push that ends ends before
// the status changes, and one that starts starts afterwards.
func (s *Service) applyState(c *rest.Call, tx *store.Tx, patch api.ChangeRequestPatch, l *LoadedRequest) (changed bool, err error) {
	pushing, given := patch.Pushing.Get()
	if given && !pushing {
		if changed, err = s.endPush(c, l); err != nil {
			return false, err
		}
	}
	old := l.Fields.Status
	if patch.Status.Apply(&l.Fields.Status) {
		changed = true
		if err := s.checkStatus(c, *l, old); err != nil {
			return false, err
		}
		if l.Fields.Status == api.StatusArchived {
			l.Private.Pushing = nil
		}
	}
	if pushing {
		started, err := s.startPush(c, tx, l)
		return started || changed, err
	}
	return changed, nil
}

// checkStatus returns an error if the status of the change request may not become the one that it has.
func (s *Service) checkStatus(c *rest.Call, l LoadedRequest, old api.ChangeRequestStatus) error {
	if old == api.StatusMerged { // only a merge sets this status, and it is final
		return api.WrongState("The change request is %s; it cannot become %s.", old, l.Fields.Status)
	}
	if l.Fields.Status == api.StatusOpen {
		return s.checkNoPush(c, l.ChangeRequestDocument, "opened")
	}
	return checkMayArchive(c, l)
}

// checkMayArchive returns a forbidden error if the change request would become archived and the caller is neither its
// creator nor a reviewer.
func checkMayArchive(c *rest.Call, l LoadedRequest) error {
	if l.Fields.Status != api.StatusArchived || l.Private.Creator == c.Caller.User || c.Caller.ContentRole.AtLeast(api.RoleReview) {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Only its creator, or the role review, may archive this change request.")
}

// CheckUnfinished returns a wrong_state error unless the change request is a draft or open. what completes the message:
// "cannot be {what}".
func CheckUnfinished(d store.ChangeRequestDocument, what string) error {
	if d.Fields.Status == api.StatusDraft || d.Fields.Status == api.StatusOpen {
		return nil
	}
	return api.WrongState("The change request is %s and cannot be %s.", d.Fields.Status, what)
}

// CheckEditable reads a change request and returns an error if it is finished. Operations call it before slow work.
func (s *Service) CheckEditable(ctx context.Context, c *rest.Call, ref api.ChangeRequestRef) error {
	plan, err := s.LoadMergePlan(ctx, c, ref)
	if err != nil {
		return err
	}
	return CheckUnfinished(plan.Request.ChangeRequestDocument, "edited")
}

// LoadEditable loads a change request whose content is about to change. It returns an error if it is finished.
func LoadEditable(c *rest.Call, tx *store.Tx, ref api.ChangeRequestRef) (LoadedRequest, error) {
	l, err := Load(c, tx, ref)
	if err != nil {
		return l, err
	}
	return l, CheckUnfinished(l.ChangeRequestDocument, "edited")
}

// MergedRequest returns the change request whose merge created the revision r. It returns nil if there is none, as in a
// copy of the space, or if the caller may not read it.
func (s *Service) MergedRequest(ctx context.Context, c *rest.Call, target revision.Target, r revision.Revision) (*api.ChangeRequest,
	error,
) {
	if r.MergedFrom == "" || !c.Caller.ContentRole.AtLeast(api.RoleComment) {
		return nil, nil //nolint:nilnil // absent
	}
	b := s.Store.NewBatch()
	read := s.Get(ctx, &c.Request, b, api.ChangeRequestRef{Space: target.Space, ChangeRequest: r.MergedFrom})
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read what was merged: %w", err)
	}
	found, err := read(ctx, c)
	if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonNotFound {
		return nil, nil //nolint:nilnil // absent
	}
	if err != nil {
		return nil, err
	}
	request := &api.ChangeRequest{}
	if err := json.Unmarshal(found.JSON, request); err != nil {
		return nil, fmt.Errorf("change request %s: %w", r.MergedFrom, err)
	}
	return request, nil
}

// addContributor adds a user to the contributors and reports whether the user is new.
func (l *LoadedRequest) addContributor(user string) bool {
	if l.Private.Creator == user || slices.Contains(l.Private.Contributors, user) {
		return false
	}
	l.Private.Contributors = append(l.Private.Contributors, user)
	return true
}

// AddContributor adds the caller to the contributors of the change request and stores the change request if the caller is new.
func (l *LoadedRequest) AddContributor(c *rest.Call, tx *store.Tx) error {
	if !l.addContributor(c.Caller.User) {
		return nil
	}
	_, err := tx.PutChangeRequest(c.Org, l.ChangeRequestDocument, l.Fields.Status)
	return err
}
