package events

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// auditSchema is the version of the form of api.AuditPayload.
const auditSchema = 1

// defaultAuditLimit is the number of audit events of a page without the parameter limit, as in the public API.
const defaultAuditLimit = 20

// systemActor is the id of the actor of changes by wsd itself and by commands of the operator.
const systemActor = view.SystemUser

func (s *Service) listAuditEvents(ctx context.Context, c *rest.Call, in api.ListAuditInput) (
	none rest.Result[api.LogPage[api.AuditEvent]], err error,
) {
	f, err := filter{actor: in.Actor, kind: in.Action, object: in.Target}.between("from", in.From, "to", in.To)
	if err != nil {
		return none, err
	}
	limit, ok := in.Limit.Get()
	if !ok {
		limit = defaultAuditLimit
	}
	pager, err := newLogPager(&c.Request, in.Page, limit, f)
	if err != nil {
		return none, err
	}
	page, err := s.readLog(ctx, c, f, pager)
	if err != nil {
		return none, err
	}
	items := make([]api.AuditEvent, len(page.events))
	c.Access(func(model *access.Model) {
		for i, e := range page.events {
			audit, e2 := eventlog.AuditOf(e.fields)
			if e2 != nil {
				err = damagedEntry(e, e2)
				return
			}
			items[i] = s.auditEvent(newReader(model, c), e, audit)
		}
	})
	if err != nil {
		return none, err
	}
	return logPageOf(items, pager, page)
}

func damagedEntry(e event, err error) error {
	return fmt.Errorf("%w: event %s: %w", redis.ErrCorrupt, e.id, err)
}

// auditEvent returns an event in the form of the public API.
func (s *Service) auditEvent(r reader, e event, audit eventlog.Audit) api.AuditEvent {
	o, _ := objectOf(e.fields[eventlog.Type])
	a := api.AuditEvent{
		Object: "audit-event", ID: e.id, OccurredAt: api.At(e.at()), Action: e.fields[eventlog.Type], Source: api.AuditFromAPI,
		Actor:  api.AuditEventActor{Type: api.AuditUser, ID: actorOf(e.fields), Label: s.View.DisplayName(r.model, actorOf(e.fields))},
		Target: api.AuditEventTarget{Type: o.typ, ID: o.id(e.fields), Label: cmp.Or(audit.Target, r.title(o, o.id(e.fields)))},
		URLs:   api.LocationURLs{Location: s.PublicURL + "/v1/orgs/" + r.model.Org + "/audit-events/" + e.id},
	}
	switch installation := e.fields[eventlog.Installation]; {
	case a.Action == refusedRequests: // the sender is not known
		a.Actor.Type = api.AuditSystem
	case a.Actor.ID == systemActor:
		a.Actor.Type, a.Actor.Label, a.Source = api.AuditSystem, cmp.Or(e.fields[eventlog.Operator], a.Actor.Label), api.AuditFromScript
	case installation != "":
		a.Source = api.AuditFromIntegration
		if a.Actor.ID == installation {
			a.Actor.Type, a.Actor.Label = api.AuditInstallation, installation
		}
	}
	return a
}

func (s *Service) getAuditEvent(ctx context.Context, c *rest.Call, in api.AuditEventRef) (
	none rest.Result[api.AuditEventDetails], err error,
) {
	e, err := readEntry(ctx, s.Store, store.EventsKey(c.Org), in.Event)
	if err != nil {
		return none, err
	}
	audit, err := eventlog.AuditOf(e.fields)
	if err != nil {
		return none, damagedEntry(e, err)
	}
	details := api.AuditEventDetails{
		CorrelationID: e.fields[eventlog.Request], SchemaVersion: auditSchema,
		Payload: api.AuditPayload{
			Token: e.fields[eventlog.Token], Command: e.fields[eventlog.Command], Operator: e.fields[eventlog.Operator],
			Address: audit.Address, UserAgent: audit.UserAgent, TitleBefore: audit.Before["title"], TitleAfter: audit.After["title"],
		},
	}
	c.Access(func(model *access.Model) {
		r := newReader(model, c)
		details.AuditEvent = s.auditEvent(r, e, audit)
		details.Payload.Event, err = s.apiEvent(r, e)
	})
	if err != nil {
		return none, err
	}
	r, err := rest.Value(details)
	return r.WithVersion(constantVersion), err
}

func (s *Service) getEventLog(ctx context.Context, c *rest.Call, _ api.OrganizationRef) (none rest.Result[api.EventLog], err error) {
	logs, err := store.EventLogs(ctx, s.Store, []string{c.Org})
	if err != nil {
		return none, err
	}
	if err := store.MeasureEventLogs(ctx, s.Store, logs, false); err != nil {
		return none, err
	}
	log := logs[c.Org]
	answer := api.EventLog{
		Object: "event-log", Entries: log.Entries, Bytes: log.Bytes, MaxBytes: log.MaxBytes,
		KeptDays: int64(log.KeptAge(s.Kept) / (24 * time.Hour)), KeptEntries: log.KeptEntries(int64(s.Store.MaxEvents())),
	}
	if log.Entries > 0 {
		answer.Oldest = &api.OldestEvent{ID: log.OldestID, At: api.At(log.Oldest)}
	}
	r, err := rest.Value(answer)
	return r.WithVersion(constantVersion), err
}

func (s *Service) listAuditEventActions(context.Context, *rest.Call, api.OrganizationRef) (rest.Result[api.AuditEventActions], error) {
	kinds, descriptions := Kinds()
	actions := api.AuditEventActions{Items: make([]api.AuditEventAction, len(kinds))}
	for i, kind := range kinds {
		actions.Items[i] = api.AuditEventAction{Object: "audit-event-action", ID: kind, Label: descriptions[kind]}
	}
	r, err := rest.Value(actions)
	return r.WithVersion(constantVersion), err
}
