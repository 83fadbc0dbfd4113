package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// Service implements the timeline of change requests, the list and the stream of events, and the audit log.
type Service struct {
	PublicURL string
	Revisions *revision.Revisions
	Store     *store.Store
	View      *view.Writer
	Streams   *Hub
	Kept      time.Duration // for which events are kept
}

// NewService returns a Service whose links begin with publicURL, of events that are kept for a time.
func NewService(
	revisions *revision.Revisions, s *store.Store, v *view.Writer, streams *Hub, publicURL string, kept time.Duration,
) *Service {
	return &Service{PublicURL: publicURL, Revisions: revisions, Store: s, View: v, Streams: streams, Kept: kept}
}

// Endpoints returns the operations of the service.
func (s *Service) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetChangeRequestTimeline, auth.InSpace(api.RoleComment), s.getTimeline),
		rest.Op(api.ListEvents, auth.Member(), s.listEvents),
		rest.Messages(api.TailEvents, auth.Member(), s.openStream),
		rest.Op(api.ListAudit, auth.InOrganization(api.RoleAdmin), s.listAuditEvents),
		rest.Op(api.GetAudit, auth.InOrganization(api.RoleAdmin), s.getAuditEvent),
		rest.Op(api.OldestAudit, auth.InOrganization(api.RoleAdmin), s.getEventLog),
		rest.Op(api.ListAuditActions, auth.InOrganization(api.RoleAdmin), s.listAuditEventActions),
	}
}

// constantVersion is the version part of an ETag that consists of the content hash only.
const constantVersion = "events"

func (s *Service) getTimeline(_ context.Context, r *rest.Request, b *txn.Batch, in api.GetTimelineInput) rest.Finish[api.Timeline] {
	placed := s.Revisions.ReadTarget(r.Org, b, revision.RequestTarget(in.ChangeRequestRef))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Timeline], err error) {
		head, _, err := placed.Get()
		if err != nil {
			return none, err
		}
		if err := checkCursors(in); err != nil {
			return none, err
		}
		record, _, err := placed.Record.Get()
		var d store.ChangeRequestDocument
		if err := errors.Join(err, d.Decode(record)); err != nil {
			return none, err
		}
		found, look, err := s.readTimeline(ctx, c, in, d)
		if err != nil {
			return none, err
		}
		tree, err := s.eventTree(ctx, in.Space, head, found.events)
		if err != nil {
			return none, err
		}
		sources, err := s.readSources(ctx, in.Space, found.events)
		if err != nil {
			return none, err
		}
		answer := api.Timeline{Cursor: found.cursor, More: found.more, Earlier: found.earlierCursor, Gone: found.truncated, LastLook: look}
		return s.timelineResult(c, answer, found.events, tree, sources)
	}
}

// readTimeline reads the requested range of events. If the request has no cursor, it also returns the cursor of the caller's
// last look at the timeline.
func (s *Service) readTimeline(ctx context.Context, c *rest.Call, in api.GetTimelineInput, d store.ChangeRequestDocument) (found eventRange,
	look string, err error,
) {
	limit, ok := in.Limit.Get()
	if !ok {
		limit = api.DefaultLimit
	}
	r := eventReader{
		store: s.Store, stream: store.EventsKey(c.Org), key: store.RequestIDOf(in.Space, in.ChangeRequest),
		created: d.Fields.CreatedAt.Time, limit: limit, before: in.Before, batch: s.Store.NewBatch(),
	}
	if in.After != "" {
		found, err = r.readAfter(ctx, in.After)
		return found, "", err
	}
	if in.Before != "" {
		found, err = r.readLatest(ctx)
		return found, "", err
	}
	reading := r.batch.Record(store.ReadingKey(c.Org, r.key, c.Caller.User))
	if found, err = r.readLatest(ctx); err != nil {
		return found, "", err
	}
	look, err = lastLook(reading)
	return found, look, err
}

func lastLook(reading *txn.Future[txn.Record]) (string, error) {
	record, ok, err := reading.Get()
	if err != nil || !ok {
		return "", err
	}
	var d store.ReadingDocument
	err = d.Decode(record)
	return d.Private.LastLook, err
}

// eventTree returns the tree for the titles of the pages in events, or nil if no event refers to a page.
func (s *Service) eventTree(ctx context.Context, space string, head store.Head, events []event) (*revision.Tree, error) {
	for _, e := range events {
		if e.fields["page"] != "" {
			return s.Revisions.Tree(ctx, s.Store.Content(space), head.Pages)
		}
	}
	return nil, nil //nolint:nilnil // absent
}

// readSources returns the sources of the revisions that edits in events made, by revision. A revision that cannot be read has
// none.
func (s *Service) readSources(ctx context.Context, space string, events []event) (map[string]*api.RevisionSource, error) {
	content := s.Store.Content(space)
	var ids, hashes []string
	for _, e := range events {
		if id := e.fields["revision"]; id != "" && e.fields["type"] == api.EditChangeRequestContent.Name {
			ids, hashes = append(ids, id), append(hashes, revision.ObjectHash(id))
		}
	}
	if _, err := content.Objects(ctx, hashes); err != nil && !isUnreadable(err) { // one round trip for all of them
		return nil, fmt.Errorf("revisions of the timeline: %w", err)
	}
	found := map[string]*api.RevisionSource{}
	for _, id := range ids {
		r, err := s.Revisions.Revision(ctx, content, id)
		if err != nil && !isUnreadable(err) {
			return nil, err
		}
		found[id] = r.Source
	}
	return found, nil
}

func isUnreadable(err error) bool {
	_, unreadable := objects.AsUnreadable(err)
	return unreadable
}

// timelineResult returns a range of events with the current names of users and pages.
func (s *Service) timelineResult(c *rest.Call, a api.Timeline, events []event, tree *revision.Tree,
	sources map[string]*api.RevisionSource,
) (rest.Result[api.Timeline], error) {
	items := make([]json.RawMessage, len(events))
	var err error
	c.Access(func(model *access.Model) {
		for i, e := range events {
			o := s.eventObject(model, e, tree)
			if source := sources[e.fields["revision"]]; source != nil {
				o.Set("source", source)
			}
			item, e := o.Bytes()
			items[i], err = item, errors.Join(err, e)
		}
	})
	if err != nil {
		return rest.Result[api.Timeline]{}, err
	}
	r, err := rest.ObjectResult[api.Timeline](rest.ExtendObject([]byte("{}")).
		Set("events", items).Set("cursor", a.Cursor).
		SetIf(a.More, "more", a.More).SetIf(a.Earlier != "", "earlier", a.Earlier).
		SetIf(a.Gone, "gone", a.Gone).SetIf(a.LastLook != "", "lastLook", a.LastLook))
	return r.WithVersion(constantVersion), err
}

// eventObject returns the JSON object of an event.
func (s *Service) eventObject(model *access.Model, e event, tree *revision.Tree) *rest.Object {
	f := e.details()
	ms, _ := strconv.ParseInt(e.fields["at"], 10, 64)
	o := rest.ExtendObject([]byte("{}")).Set("cursor", e.id).Set("kind", eventKind(e.fields)).Set("at", api.At(time.UnixMilli(ms)))
	if actor := e.fields["actor"]; actor != "" {
		o.Set("by", s.View.Person(model, actor))
	}
	for _, name := range []string{"revision", "page", "comment", "reply", "review"} {
		o.SetIf(f[name] != "", name, f[name])
	}
	if tree != nil && f["page"] != "" {
		if p := tree.Page(f["page"]); p != nil {
			o.Set("pageTitle", p.Name())
		}
	}
	if pages, err := strconv.Atoi(f["pages"]); err == nil {
		o.Set("pages", pages)
	}
	if users := strings.Fields(f["users"]); len(users) > 0 {
		people := make([]json.RawMessage, len(users))
		for i, user := range users {
			people[i] = s.View.Person(model, user)
		}
		o.Set("users", people)
	}
	return o
}
