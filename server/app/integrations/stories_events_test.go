package integrations_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func eventsOf(name string) api.ListIntegrationEventsInput {
	return api.ListIntegrationEventsInput{IntegrationRef: integrationRef(name)}
}

// linterEvents returns the events of acme.linter, the latest first.
func linterEvents(w *servertest.World) []api.IntegrationEvent {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListIntegrationEvents, eventsOf("acme.linter")).Items
}

// summaries returns type, status and previous status of events in a line each.
func summaries(events []api.IntegrationEvent) (lines []string) {
	for _, e := range events {
		words := []string{string(e.Payload.Type), string(e.Payload.Status), "no previous"}
		if e.Payload.Previous != nil {
			words[2] = "previous " + string(e.Payload.Previous.Status)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// addEntry adds an entry to the log of the integrations.
func addEntry(w *servertest.World, fields map[string]string) {
	w.T.Helper()
	w.Must(w.Store.Update(w.T.Context(), store.Integrations(), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Event(fields)
		return nil
	}))
}

// TestOwnerSeesEventsOfInstallations checks that admins of the owner see what has happened to installations, with their status before
// and after, and nothing of other integrations and other changes.
func TestOwnerSeesEventsOfInstallations(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Publish("acme.other", w.LinterIntegration("Other"))
		w.Install("acme.other")
		ref, space := installLinter(w), w.NewSpace().ID
		configured := api.UpdateInstallationSpaceInput{InstallationSpaceRef: spaceRef(ref, space)}
		w.Must(configured.Body.Configuration.UnmarshalJSON([]byte(`{"level":"low"}`)))
		installOnSpace(w, "creator", ref, space)
		servertest.Do(w, "creator", api.UpdateInstallationSpace, configured)
		servertest.Do(w, "creator", api.UpdateInstallationSpace, configured) // changes nothing
		selectSpaces(w, ref, api.SelectSelected)
		servertest.Do(w, "creator", api.DeleteInstallationSpace, spaceRef(ref, space))
		again := installOnSpace(w, "creator", ref, space)
		servertest.Do(w, "creator", api.DeleteIntegrationInstallation, ref)
		servertest.Equal(t, "status", api.InstallationPending, again.Status)

		got := linterEvents(w)
		servertest.Equal(t, "events", []string{
			"installation_deleted  previous ",
			"space_installation_setup pending no previous",
			"space_installation_deleted  previous ",
			"installation_setup active previous active",
			"space_installation_setup active previous pending",
			"space_installation_setup pending previous pending",
			"installation_setup active no previous",
		}, summaries(got))
		for _, e := range got {
			onSpace := strings.HasPrefix(string(e.Payload.Type), "space_")
			if e.InstallationID != ref.Installation || e.Payload.InstallationID != ref.Installation || e.Payload.EventID != e.ID ||
				e.IntegrationID != "acme.linter" || e.Status != "success" || e.CreatedAt.IsZero() ||
				onSpace != (e.Payload.SpaceID == space) {
				t.Errorf("%+v", e)
			}
			shown := servertest.Do(w, "admin", api.GetIntegrationEvent, api.IntegrationEventRef{
				IntegrationRef: ref.IntegrationRef, Event: e.ID,
			})
			servertest.Equal(t, "event", e, shown.Event)
			servertest.Equal(t, "lines", 1, len(shown.Trace.Logs))
			line := shown.Trace.Logs[0]
			operation, request, _ := strings.Cut(line.Message, " ")
			if !strings.HasPrefix(operation, "installation-spaces.") == onSpace || request == "" || line.Level != "info" ||
				line.Timestamp != e.CreatedAt {
				t.Errorf("line %+v", line)
			}
		}
		servertest.Refused(w, "admin", api.GetIntegrationEvent, api.IntegrationEventRef{
			IntegrationRef: integrationRef("acme.other"), Event: got[0].ID,
		}, http.StatusNotFound, api.ReasonNotFound)
		for _, absent := range []string{"1-1", "latest"} {
			servertest.Refused(w, "admin", api.GetIntegrationEvent, api.IntegrationEventRef{
				IntegrationRef: ref.IntegrationRef, Event: absent,
			}, http.StatusNotFound, api.ReasonNotFound)
		}
	})
}

// TestEventsOfIntegrationArePaged checks that pages have each event once, also if changes are made in the meantime.
func TestEventsOfIntegrationArePaged(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w)
		for _, selection := range []api.InstallationSelection{api.SelectSelected, api.SelectAll, api.SelectSelected, api.SelectAll} {
			selectSpaces(w, ref, selection)
		}
		all := linterEvents(w)
		servertest.Equal(t, "events", 5, len(all))
		var paged []api.IntegrationEvent
		in := eventsOf("acme.linter")
		in.Limit = api.Some(2)
		for {
			page := servertest.Do(w, "admin", api.ListIntegrationEvents, in)
			if paged = append(paged, page.Items...); page.Next == nil {
				break
			}
			in.Page = page.Next.Page
			installOnSpace(w, "admin", ref, w.NewSpace().ID)
		}
		servertest.Equal(t, "events of pages", all, paged)
		in.Limit, in.Page = api.Some(0), ""
		servertest.Equal(t, "events of an empty page", 0, len(servertest.Do(w, "admin", api.ListIntegrationEvents, in).Items))
		in.Page = "x"
		servertest.Refused(w, "admin", api.ListIntegrationEvents, in, http.StatusBadRequest, api.ReasonInvalidCursor)
	})
}

// TestEventsOfIntegrationsAreForOwner checks that only admins of the owner see the events, also of an integration that is not published
// any more.
func TestEventsOfIntegrationsAreForOwner(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w)
		event := api.IntegrationEventRef{IntegrationRef: ref.IntegrationRef, Event: servertest.InstallationEvent(w, "acme.linter")}
		refused := func(as string, status int, reason api.Reason) {
			t.Helper()
			servertest.Refused(w, as, api.ListIntegrationEvents, eventsOf("acme.linter"), status, reason)
			servertest.Refused(w, as, api.GetIntegrationEvent, event, status, reason)
		}
		refused("creator", http.StatusForbidden, api.ReasonForbidden)
		refused("guest", http.StatusNotFound, api.ReasonNotFound)
		refused("stranger", http.StatusNotFound, api.ReasonNotFound)
		refused(servertest.AdminWriting, http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "admin", api.ListIntegrationEvents, eventsOf("acme.none"), http.StatusNotFound, api.ReasonNotFound)

		servertest.Do(w, "admin", api.UnpublishIntegration, ref.IntegrationRef)
		refused("creator", http.StatusNotFound, api.ReasonNotFound)
		selectSpaces(w, ref, api.SelectSelected)
		servertest.Equal(t, "events after the end", []string{
			"installation_setup paused previous paused", "installation_setup active no previous",
		}, summaries(linterEvents(w)))
	})
}

// TestOwnerDoesNotLearnSpacesOfOthers checks that the events of an installation in another organization have neither its spaces nor the
// requests of its members.
func TestOwnerDoesNotLearnSpacesOfOthers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		own := installLinter(w)
		theirs := api.InstallationRef{IntegrationRef: own.IntegrationRef, Installation: servertest.Do(w, "stranger",
			api.CreateIntegrationInstallation, api.CreateInstallationInput{
				IntegrationRef: own.IntegrationRef, Body: api.InstallationCreate{Organization: w.OtherOrg},
			}).ID}
		space := servertest.Do(w, "stranger", api.CreateSpace, api.CreateSpaceInput{Organization: w.OtherOrg}).ID
		installOnSpace(w, "stranger", theirs, space)
		got := linterEvents(w)
		servertest.Equal(t, "events", []string{
			"space_installation_setup pending previous pending",
			"installation_setup active no previous",
			"installation_setup active no previous",
		}, summaries(got))
		servertest.Equal(t, "installation", theirs.Installation, got[0].InstallationID)
		servertest.Equal(t, "space", "", got[0].Payload.SpaceID)
		for at, want := range map[int]string{0: api.CreateInstallationSpace.Name, 1: api.CreateIntegrationInstallation.Name} {
			shown := servertest.Try(w, "admin", api.GetIntegrationEvent, api.IntegrationEventRef{
				IntegrationRef: own.IntegrationRef, Event: got[at].ID,
			})
			var details api.IntegrationEventDetails
			servertest.Decode(w, shown, &details)
			servertest.Equal(t, "line", want, details.Trace.Logs[0].Message)
			for _, hidden := range []string{space, w.OtherOrg, w.Users["stranger"].ID} {
				if strings.Contains(string(shown.Body), hidden) {
					t.Errorf("%s is shown: %s", hidden, shown.Body)
				}
			}
		}
	})
}

// TestEventsOfEarlierVersions checks that entries without organization and status are shown without them, and that damaged entries are
// reported.
func TestEventsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Publish("acme.linter", w.LinterIntegration("Linter"))
	const at = "1750000000000"
	addEntry(w, map[string]string{
		"type": api.CreateInstallationSpace.Name, "at": at, "integration": "acme.linter", "installation": "in_1", "id": "s_1",
		"request": "req_1",
	})
	got := linterEvents(w)
	servertest.Equal(t, "events", []string{"space_installation_setup  no previous"}, summaries(got))
	servertest.Equal(t, "space", "", got[0].Payload.SpaceID)
	ref := api.IntegrationEventRef{IntegrationRef: integrationRef("acme.linter"), Event: got[0].ID}
	servertest.Equal(t, "line", api.CreateInstallationSpace.Name,
		servertest.Do(w, "admin", api.GetIntegrationEvent, ref).Trace.Logs[0].Message)
	for name, damage := range map[string]map[string]string{
		"no installation": {"installation": ""},
		"no time":         {"at": "yesterday"},
		"unknown status":  {"status": "on fire"},
		"unknown before":  {"status": "active", "statusBefore": "on fire"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := servertest.NewWorld(t, storetest.Memory())
			w.Publish("acme.linter", w.LinterIntegration("Linter"))
			fields := map[string]string{
				"type": api.UpdateIntegrationInstallation.Name, "at": at, "integration": "acme.linter", "installation": "in_1",
			}
			maps.Copy(fields, damage)
			addEntry(w, fields)
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/integrations/acme.linter/events", nil)
			request.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
			a := httptest.NewRecorder()
			w.Handler.ServeHTTP(a, request)
			servertest.Equal(t, "status", http.StatusInternalServerError, a.Code)
		})
	}
}
