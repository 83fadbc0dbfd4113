package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// listEvents lists the events whose objects the caller may read.
func (s *Service) listEvents(ctx context.Context, c *rest.Call, in api.ListEventsInput) (
	none rest.Result[api.LogPage[api.Event]], err error,
) {
	f, err := newFilter(in.EventFilter)
	if err != nil {
		return none, err
	}
	pager, err := newLogPager(&c.Request, in.Page, in.Size(), f)
	if err != nil {
		return none, err
	}
	page, err := s.readLog(ctx, c, f, pager)
	if err != nil {
		return none, err
	}
	items := make([]api.Event, len(page.events))
	c.Access(func(model *access.Model) {
		r := newReader(model, c)
		for i, e := range page.events {
			var e2 error
			items[i], e2 = s.apiEvent(r, e)
			err = errors.Join(err, e2)
		}
	})
	if err != nil {
		return none, err
	}
	return logPageOf(items, pager, page)
}

// logPageOf returns the result of a list of events.
func logPageOf[T any](items []T, pager rest.Pager, page logPage) (rest.Result[api.LogPage[T]], error) {
	answer := api.LogPage[T]{Items: items}
	if page.last != "" {
		answer.Next = &api.Next{Page: pager.Cursor(page.last)}
	}
	return rest.Value(answer)
}

// readLog reads a page of the events that the filter selects and the caller may see.
func (s *Service) readLog(ctx context.Context, c *rest.Call, f filter, pager rest.Pager) (page logPage, err error) {
	lr := logReader{store: s.Store, stream: store.EventsKey(c.Org), filter: f, limit: pager.Size, before: pager.After}
	return lr.read(ctx, func(found []event) []bool {
		shown := make([]bool, len(found))
		c.Access(func(model *access.Model) {
			r := newReader(model, c)
			if r.isHidden(f.object) || r.isHidden(f.space) {
				return
			}
			for i, e := range found {
				shown[i] = f.matches(e) && r.maySee(e.fields)
			}
		})
		return shown
	})
}

// apiEvent returns an event as the caller may see it, with the names that people and objects have today.
func (s *Service) apiEvent(r reader, e event) (o api.Event, err error) {
	f := e.fields
	o = api.Event{
		Object: "event", ID: e.id, At: api.At(e.at()), Kind: f[eventlog.Type], Installation: f[eventlog.Installation],
		Space: r.visible(f["space"]), Site: r.visible(f["site"]), Collection: r.visible(f["collection"]),
		ChangeRequest: f["changeRequest"], Page: f[eventlog.Page], Comment: f["comment"],
		Changed: strings.Fields(f[eventlog.Changed]), Revision: f[eventlog.Revision], RevisionBefore: f[eventlog.RevisionBefore],
		PageIDs: strings.Fields(f[eventlog.PageIDs]), Teams: teamsOf(f),
		Target: r.target(f),
	}
	o.Version, _ = strconv.Atoi(f[eventlog.Version]) // 0 in entries without a version
	o.Pages, _ = strconv.Atoi(f[eventlog.Pages])
	o.Count, _ = strconv.Atoi(f[eventlog.Count])
	if actor := f[eventlog.Actor]; actor != "" && actor != systemActor {
		if o.By, err = s.person(r, actor); err != nil {
			return o, err
		}
	}
	for _, user := range peopleOf(f) {
		p, err := s.person(r, user)
		if err != nil {
			return o, err
		}
		o.Users = append(o.Users, *p)
	}
	before, err := r.visibleValues(f[eventlog.Before])
	if err != nil {
		return o, damagedEntry(e, err)
	}
	after, err := r.visibleValues(f[eventlog.After])
	if err != nil {
		return o, damagedEntry(e, err)
	}
	o.Before, o.After = before, after
	return o, nil
}

// peopleOf returns the ids of the users that an event is about, besides its object.
func peopleOf(fields map[string]string) []string {
	return idsBesideObject(fields, "user", fields[eventlog.Users])
}

// teamsOf returns the ids of the teams that an event is about, besides its object.
func teamsOf(fields map[string]string) []string {
	return idsBesideObject(fields, "team", fields[eventlog.Teams])
}

// idsBesideObject returns several ids and that of a field, without that of the event's object.
func idsBesideObject(fields map[string]string, field, several string) []string {
	ids, object := strings.Fields(several), ""
	if o, _ := objectOf(fields[eventlog.Type]); o.field == field {
		object = o.id(fields)
	}
	if id := fields[field]; id != "" && !slices.Contains(ids, id) {
		ids = append(ids, id)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == object })
}

// person returns a user as other resources show them.
func (s *Service) person(r reader, id string) (*api.User, error) {
	if known := r.people[id]; known != nil {
		return known, nil
	}
	u := &api.User{}
	if err := json.Unmarshal(s.View.Person(r.model, id), u); err != nil {
		return nil, fmt.Errorf("user %s: %w", id, err)
	}
	r.people[id] = u
	return u, nil
}

// target returns the object of an event with its present title, or nil if it is hidden from the caller.
func (r reader) target(fields map[string]string) *api.EventTarget {
	o, _ := objectOf(fields[eventlog.Type])
	id := o.id(fields)
	if id == "" || r.isHidden(id) {
		return nil
	}
	return &api.EventTarget{Type: o.typ, ID: id, Title: r.title(o, id)}
}

// title returns the present title of an object, or the name of a person, as far as the access model has it.
func (r reader) title(o object, id string) string {
	if o.typ == "member" || o.typ == "user" || o.typ == "service-account" {
		return r.name(id)
	}
	return r.model.Title(id)
}

// name returns the name of a current or former member, or "".
func (r reader) name(user string) string {
	if p := r.model.Person(user); p != nil {
		return p.User.DisplayName
	}
	return ""
}
