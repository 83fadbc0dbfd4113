package integrations

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/events"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) integrationEventEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListIntegrationEvents, auth.Self(), s.listIntegrationEvents).WithScopeAdmin(),
		rest.Read(api.GetIntegrationEvent, auth.Self(), s.getIntegrationEvent).WithScopeAdmin(),
	}
}

// integrationEventVersion is the version part of an ETag that consists of the content hash only.
const integrationEventVersion = "event"

// eventTypes maps the rows whose changes are events of an integration to the types of the events. Other changes in the log of the
// integrations, such as a new version, are none.
var eventTypes = map[string]api.IntegrationEventType{
	api.CreateIntegrationInstallation.Name: api.InstallationSetup,
	api.UpdateIntegrationInstallation.Name: api.InstallationSetup,
	api.DeleteIntegrationInstallation.Name: api.InstallationDeleted,
	api.CreateInstallationSpace.Name:       api.SpaceInstallationSetup,
	api.UpdateInstallationSpace.Name:       api.SpaceInstallationSetup,
	api.DeleteInstallationSpace.Name:       api.SpaceInstallationDeleted,
	api.CreateInstallationSite.Name:        api.SiteInstallationSetup,
	api.UpdateInstallationSite.Name:        api.SiteInstallationSetup,
	api.DeleteInstallationSite.Name:        api.SiteInstallationDeleted,
}

// isEventOf reports whether an entry is an event of an integration.
func isEventOf(name string, e events.Entry) bool {
	_, ok := eventTypes[e.Fields[eventlog.Type]]
	return ok && e.Fields["integration"] == name
}

// log returns the log of all integrations.
func (s *Service) log() events.Log {
	return events.Log{Store: s.Store, Stream: txn.EventsKey(store.Integrations())}
}

func (s *Service) listIntegrationEvents(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListIntegrationEventsInput,
) rest.Finish[api.LogPage[api.IntegrationEvent]] {
	find := s.findEventReader(r, b, in.Integration)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.LogPage[api.IntegrationEvent]], err error) {
		reader, err := find(ctx, c)
		if err != nil {
			return none, err
		}
		selects := func(e events.Entry) bool { return isEventOf(in.Integration, e) }
		return events.ListLog(ctx, c, s.log(), in.ListOptions, selects, reader.event)
	}
}

func (s *Service) getIntegrationEvent(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.IntegrationEventRef,
) rest.Finish[api.IntegrationEventDetails] {
	find := s.findEventReader(r, b, in.Integration)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.IntegrationEventDetails], err error) {
		reader, err := find(ctx, c)
		if err != nil {
			return none, err
		}
		e, err := s.log().Entry(ctx, in.Event)
		if err != nil {
			return none, err
		}
		if !isEventOf(in.Integration, e) {
			return none, api.NotFound()
		}
		details := api.IntegrationEventDetails{}
		if details.Event, err = reader.event(e); err != nil {
			return none, err
		}
		details.Trace.Logs = []api.IntegrationEventLog{reader.line(e)}
		result, err := rest.Value(details)
		return result.WithVersion(integrationEventVersion), err
	}
}

// eventReader shows events to an admin of the owner of an integration, with the memberships of the admin by organization.
type eventReader map[string]orgs.Membership

// findEventReader returns the eventReader of an integration. It adds its reads to b; the returned function evaluates them. It returns
// a not_found error if the caller is not a member of the owner of the integration.
func (s *Service) findEventReader(r *rest.Request, b *txn.Batch, name string) func(context.Context, *rest.Call) (eventReader, error) {
	record := b.Record(store.IntegrationKey(name))
	mine := b.Range(store.UserOrganizationsKey(r.Principal), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (eventReader, error) {
		i, err := decodeIntegration(record.Get())
		if err != nil {
			return nil, err
		}
		known, err := s.Orgs.LoadMemberships(ctx, c.Caller, append([]string{i.Private.Organization}, mine.Value()...), nil)
		if err != nil {
			return nil, err
		}
		i.owner = known[i.Private.Organization]
		switch {
		case i.owner.Role.AtLeast(api.RoleAdmin):
			return known, nil
		case i.visible() && i.ownedByCaller():
			return nil, rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "the organization that owns the integration", i.owner.Role)
		}
		return nil, api.NotFound()
	}
}

// administers reports whether the caller is an admin of the organization of an entry's installation. Others, such as the publisher of
// the integration, do not learn its spaces, sites and requests. Entries of earlier versions do not contain the organization.
func (r eventReader) administers(e events.Entry) bool {
	return r[e.Fields[eventlog.Organization]].Role.AtLeast(api.RoleAdmin)
}

// event returns the event of an entry as the caller may see it.
func (r eventReader) event(e events.Entry) (o api.IntegrationEvent, err error) {
	f, kind := e.Fields, eventTypes[e.Fields[eventlog.Type]]
	installation := f[eventlog.Installation]
	if f[eventlog.Type] == api.CreateIntegrationInstallation.Name {
		installation = f[eventlog.ID] // the path does not contain it
	}
	status, before := api.InstallationStatus(f[eventlog.Status]), api.InstallationStatus(f[eventlog.StatusBefore])
	switch {
	case installation == "" || e.At.IsZero():
		return o, e.Damaged(errors.New("an installation and a time are required"))
	case !isStatus(status) || !isStatus(before):
		return o, e.Damaged(errors.New("a status is not known"))
	}
	o = api.IntegrationEvent{
		ID: e.ID, IntegrationID: f["integration"], InstallationID: installation, CreatedAt: api.At(e.At), Status: "success",
		Payload: api.IntegrationEventPayload{EventID: e.ID, Type: kind, InstallationID: installation, Status: status},
	}
	if r.administers(e) {
		switch kind {
		case api.SpaceInstallationSetup, api.SpaceInstallationDeleted:
			o.Payload.SpaceID = cmp.Or(f["space"], f[eventlog.ID])
		case api.SiteInstallationSetup, api.SiteInstallationDeleted:
			o.Payload.SiteID = cmp.Or(f["site"], f[eventlog.ID])
		case api.InstallationSetup, api.InstallationDeleted:
		}
	}
	switch kind {
	case api.InstallationDeleted, api.SpaceInstallationDeleted, api.SiteInstallationDeleted:
		o.Payload.Previous = &api.IntegrationEventPrevious{}
	case api.InstallationSetup, api.SpaceInstallationSetup, api.SiteInstallationSetup:
		if before != "" {
			o.Payload.Previous = &api.IntegrationEventPrevious{Status: before}
		}
	}
	return o, nil
}

// isStatus reports whether an entry may contain a status. Entries of earlier versions contain none.
func isStatus(status api.InstallationStatus) bool {
	return status == "" || slices.Contains(status.Values(), status)
}

// line returns the line of an entry in the trace of its event.
func (r eventReader) line(e events.Entry) api.IntegrationEventLog {
	message := e.Fields[eventlog.Type]
	if request := e.Fields[eventlog.Request]; request != "" && r.administers(e) {
		message += " " + request
	}
	return api.IntegrationEventLog{Message: message, Timestamp: api.At(e.At), Level: "info"}
}

// noteInstallation adds the organization of an installation and its status to the event of the call's transaction. status is "" for
// deletions, before for new installations.
func noteInstallation(c *rest.Call, d store.InstallationDocument, status, before api.InstallationStatus) {
	c.Note(eventlog.Organization, d.Fields.Target.Organization)
	c.Note(eventlog.Status, string(status))
	c.Note(eventlog.StatusBefore, string(before))
}
