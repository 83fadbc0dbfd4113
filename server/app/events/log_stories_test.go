package events_test

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// listEvents returns the events that a user sees, the latest first.
func listEvents(w *servertest.World, as, query string) []api.Event {
	w.T.Helper()
	var found []api.Event
	path := "/v1/orgs/" + w.Org + "/events?limit=1000" + query
	for next := ""; ; {
		var page api.LogPage[api.Event]
		servertest.Decode(w, w.Call(as, http.MethodGet, path+next, nil, http.StatusOK), &page)
		if found = append(found, page.Items...); page.Next == nil {
			return found
		}
		next = "&page=" + page.Next.Page
	}
}

// TestEventsShowChanges checks who did what to what, in the form of every member and in that of admins.
func TestEventsShowChanges(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	space := w.NewSpace()
	w.Clock.Advance(time.Minute)
	member := "/v1/orgs/" + w.Org + "/members/" + w.Users["reviewer"].ID
	w.Call("admin", http.MethodPatch, member, map[string]string{"role": "edit"}, http.StatusOK)
	w.Call("admin", http.MethodPatch, "/v1/spaces/"+space.ID, map[string]string{"title": "Renamed"}, http.StatusOK)

	got := listEvents(w, "reader", "")
	if len(got) < 3 {
		t.Fatalf("%d events, want at least 3", len(got))
	}
	renamed, role := got[0], got[1]
	servertest.Equal(t, "kind", "spaces.update", renamed.Kind)
	servertest.Equal(t, "changed", []string{"title"}, renamed.Changed)
	servertest.Equal(t, "target", &api.EventTarget{Type: "space", ID: space.ID, Title: "Renamed"}, renamed.Target)
	servertest.Equal(t, "kind", "members.update", role.Kind)
	servertest.Equal(t, "by", w.Users["admin"].ID, role.By.ID)
	servertest.Equal(t, "before", `"review"`, string(role.Before["role"]))
	servertest.Equal(t, "after", `"edit"`, string(role.After["role"]))
	servertest.Equal(t, "target", w.Users["reviewer"].DisplayName, role.Target.Title)

	audit := "/v1/orgs/" + w.Org + "/audit-events"
	w.Call("reader", http.MethodGet, audit, nil, http.StatusForbidden)
	var page api.LogPage[api.AuditEvent]
	servertest.Decode(w, w.Call("admin", http.MethodGet, audit+"?action=spaces.update", nil, http.StatusOK), &page)
	servertest.Equal(t, "audit events", 1, len(page.Items))
	var details api.AuditEventDetails
	servertest.Decode(w, w.Call("admin", http.MethodGet, audit+"/"+page.Items[0].ID, nil, http.StatusOK), &details)
	servertest.Equal(t, "title before", space.Title, details.Payload.TitleBefore)
	servertest.Equal(t, "title after", "Renamed", details.Payload.TitleAfter)
	servertest.Equal(t, "address", "192.0.2.1", details.Payload.Address)
	servertest.Equal(t, "actor", api.AuditEventActor{Type: api.AuditUser, ID: w.Users["admin"].ID, Label: "The admin"}, details.Actor)
	if details.Payload.Token == "" || details.CorrelationID == "" {
		t.Errorf("token %q, request %q", details.Payload.Token, details.CorrelationID)
	}
}

// TestEventsAreFiltered checks each filter, and pages that end within the log.
func TestEventsAreFiltered(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	a, b := w.NewSpace(), w.NewSpace()
	start := w.Clock.Now()
	w.Clock.Advance(3 * time.Hour)
	w.Call("creator", http.MethodPatch, "/v1/spaces/"+a.ID, map[string]string{"title": "A"}, http.StatusOK)
	w.Clock.Advance(3 * time.Hour)
	w.Call("admin", http.MethodPatch, "/v1/spaces/"+b.ID, map[string]string{"title": "B"}, http.StatusOK)
	w.Call("admin", http.MethodDelete, "/v1/spaces/"+b.ID, nil, http.StatusResetContent)
	middle := start.Add(4 * time.Hour).UTC().Format(time.RFC3339)
	for query, want := range map[string]string{
		"&space=" + a.ID: "spaces.update spaces.create",
		"&object=" + b.ID + "&kind=spaces.update": "spaces.update",
		"&kind=spaces&object=" + b.ID:             "spaces.delete spaces.update spaces.create",
		"&actor=" + w.Users["creator"].ID:         "spaces.update",
		"&kind=spaces&since=" + middle:            "spaces.delete spaces.update",
		"&kind=spaces.update&until=" + middle:     "spaces.update",
		"&object=" + b.ID + "&until=" + middle:    "spaces.create",
		"&kind=spaces&actor=u_nobody12":           "",
	} {
		var kinds []string
		for _, e := range listEvents(w, "admin", query) {
			kinds = append(kinds, e.Kind)
		}
		servertest.Equal(t, query, want, strings.Join(kinds, " "))
	}
	all := listEvents(w, "admin", "")
	var paged []api.Event
	path := "/v1/orgs/" + w.Org + "/events?limit=2"
	for next := ""; ; {
		var page api.LogPage[api.Event]
		servertest.Decode(w, w.Call("admin", http.MethodGet, path+next, nil, http.StatusOK), &page)
		if paged = append(paged, page.Items...); page.Next == nil {
			break
		}
		next = "&page=" + page.Next.Page
		w.NewTeam("editor") // adds an event before the next page
	}
	servertest.Equal(t, "events of pages", all, paged)
	for query, name := range map[string]string{"since=yesterday": "since", "until=2026": "until", "page=x": "page", "kind=": ""} {
		want := http.StatusBadRequest
		if name == "" {
			want = http.StatusOK
		}
		w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/events?"+query, nil, want)
	}
}

// TestEventsOfHiddenObjectsAreHidden checks that events and the ids in them follow what a member may read at the time of the request:
// after a role was taken away, a move into a hidden collection, a deletion and a purge.
func TestEventsOfHiddenObjectsAreHidden(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	space, hidden := w.NewSpace(), w.NewCollection("Hidden", "").ID
	w.Call("admin", http.MethodPatch, "/v1/collections/"+hidden, map[string]any{"defaultLevel": nil}, http.StatusOK)
	w.Call("admin", http.MethodPatch, "/v1/spaces/"+space.ID, map[string]string{"title": "Once visible"}, http.StatusOK)
	sees := func(as string) (text string) {
		a := w.Call(as, http.MethodGet, "/v1/orgs/"+w.Org+"/events?limit=1000", nil, http.StatusOK)
		return string(a.Body)
	}
	check := func(when, as, id string, want bool) {
		t.Helper()
		if got := strings.Contains(sees(as), id); got != want {
			t.Errorf("%s: the events of %s contain %s: %t, want %t", when, as, id, got, want)
		}
	}
	check("before", "reader", space.ID, true)
	check("before", "reader", hidden, false)
	check("before", "guest", space.ID, false)
	w.Call("admin", http.MethodPost, "/v1/spaces/"+space.ID+"/move", map[string]any{"parent": hidden}, http.StatusOK)
	check("moved out of sight", "reader", space.ID, false)
	check("moved out of sight", "admin", hidden, true)
	w.Call("admin", http.MethodPost, "/v1/spaces/"+space.ID+"/move", map[string]any{"parent": nil}, http.StatusOK)
	check("moved back", "reader", space.ID, true)
	check("moved back", "reader", hidden, false)
	w.Call("admin", http.MethodDelete, "/v1/spaces/"+space.ID, nil, http.StatusResetContent)
	check("deleted", "reader", space.ID, false)
	check("deleted", "creator", space.ID, true)
	w.Clock.Advance(8 * 24 * time.Hour)
	w.Must(w.Server.RunDueJobs(t.Context()))
	check("purged", "creator", space.ID, false)
	check("purged", "admin", space.ID, true)
}

// TestEventsOfMembersHaveNoTexts checks that the events that members see contain no texts, addresses and tokens.
func TestEventsOfMembersHaveNoTexts(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	space := w.NewSpace()
	for _, title := range []string{"Once visible", "Now visible"} {
		w.Call("admin", http.MethodPatch, "/v1/spaces/"+space.ID, map[string]string{"title": title}, http.StatusOK)
	}
	body := string(w.Call("reader", http.MethodGet, "/v1/orgs/"+w.Org+"/events?kind=spaces.update", nil, http.StatusOK).Body)
	if !strings.Contains(body, "Now visible") || strings.Count(body, `"spaces.update"`) != 2 {
		t.Errorf("events %s", body)
	}
	for _, text := range []string{"192.0.2.1", "Once visible", "t_", "req_"} {
		if strings.Contains(body, `"`+text) {
			t.Errorf("the events of a reader contain %q: %s", text, body)
		}
	}
}

// TestEventsNeedRoleOfObject checks who sees events whose object is read by another row than the others of its resource, or shows a
// space.
func TestEventsNeedRoleOfObject(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	hidden := w.NewCollection("Hidden", "").ID
	w.Call("admin", http.MethodPatch, "/v1/collections/"+hidden, map[string]any{"defaultLevel": nil}, http.StatusOK)
	unread := w.NewSpaceIn("Unread", hidden).ID
	repaired := func() map[string]string {
		return map[string]string{"type": "content.repair", "space": s.Handbook, "id": "r_1"}
	}
	onSite := func(space string) map[string]string {
		return map[string]string{"type": "site-spaces.create", "site": s.Site, "space": space, "id": "ssp_1"}
	}
	for name, test := range map[string]struct {
		event   map[string]string
		as      string
		visible bool
	}{
		"joining, for a guest":             {map[string]string{"type": "organizations.join", "id": w.Org}, "guest", false},
		"joining, for a member":            {map[string]string{"type": "organizations.join", "id": w.Org}, "reader", true},
		"repair of a request, for readers": {repaired(), "reader", false},
		"repair of a request, otherwise":   {repaired(), "commenter", true},
		"a shown space":                    {onSite(s.Handbook), "reader", true},
		"a hidden space":                   {onSite(unread), "reader", false},
		"a space, by an earlier version":   {onSite(""), "reader", false},
		"an unknown kind":                  {map[string]string{"type": "moons.rise", "id": "m_1"}, "creator", false},
		"an unknown kind, for admins":      {map[string]string{"type": "moons.rise", "id": "m_1"}, "admin", true},
	} {
		w.Clock.Advance(time.Hour)
		since := "&since=" + w.Clock.Now().Format(time.RFC3339)
		test.event["at"] = millis(w.Clock.Now())
		maps.DeleteFunc(test.event, func(_, value string) bool { return value == "" })
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.Event(test.event)
			return nil
		}))
		if got := len(listEvents(w, test.as, since)) == 1; got != test.visible {
			t.Errorf("%s: visible %t, want %t", name, got, test.visible)
		}
	}
}

// TestEventsNeedScopeOfReaders checks that a token that may only read shows no events of what takes the scope admin to read.
func TestEventsNeedScopeOfReaders(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.CreateInvite("newcomer@elsewhere.example", api.RoleEdit)
	token := servertest.Do(w, "admin", api.CreateToken, api.CreateTokenInput{
		Body: api.TokenCreate{Name: "reads", Scopes: []api.Scope{api.ScopeRead}},
	})
	w.Tokens["reads"] = token.Token
	for as, want := range map[string]int{"admin": 1, "reads": 0, "creator": 0} {
		servertest.Equal(t, "events of invites for "+as, want, len(listEvents(w, as, "&kind=invites")))
	}
}

// TestAcceptedInviteNamesWhoJoined checks that the event of an invite that was accepted without a token has the new member as its
// actor, and the invite as its object.
func TestAcceptedInviteNamesWhoJoined(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	invite := w.CreateInvite("newcomer@elsewhere.example", api.RoleEdit)
	accepted := servertest.Do(w, "", api.AcceptInvite, api.AcceptInviteInput{Body: api.InviteAccept{Secret: invite.Secret}})
	got := listEvents(w, "admin", "&kind=invites.accept")
	if len(got) != 1 || got[0].By == nil || got[0].By.ID != accepted.User.ID || got[0].Target == nil || got[0].Target.ID != invite.ID {
		t.Errorf("%+v", got)
	}
}

// TestEventsAreReadInBoundedSteps checks that a request reads a bounded number of entries and that its cursor continues.
func TestEventsAreReadInBoundedSteps(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	addEvents := func(n int, kind string, at time.Time) {
		for done := 0; done < n; {
			err := w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				for range min(200, n-done) {
					tx.Event(map[string]string{"type": kind, "at": millis(at), "id": w.Org})
					done++
				}
				return nil
			})
			w.Must(err)
		}
	}
	addEvents(1, "organizations.update", w.Clock.Now())
	addEvents(11_000, "teams.update", w.Clock.Now())
	path, pages := "/v1/orgs/"+w.Org+"/events?kind=organizations.update", 0
	for next := ""; ; pages++ {
		var page api.LogPage[api.Event]
		servertest.Decode(w, w.Call("reader", http.MethodGet, path+next, nil, http.StatusOK), &page)
		if len(page.Items) > 0 {
			break
		}
		if page.Next == nil {
			t.Fatal("the log ends before the event")
		}
		next = "&page=" + page.Next.Page
	}
	servertest.Equal(t, "empty pages", 2, pages)
}

// TestEventsAreFoundByTimeAfterClockJumps checks that the events of a range of times are found although the clock of Redis has gone
// back, so that ids stay behind the times of the events, or forward.
func TestEventsAreFoundByTimeAfterClockJumps(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	start := w.Clock.Now().Add(time.Hour)
	add := func(id, at time.Duration, seq string) {
		b := w.Store.NewBatch()
		log := store.EventsKey(w.Org)
		txn.Queue(b, log, redis.StreamKind, func(ctx context.Context, name string) (goredis.Cmder, func() (string, bool)) {
			cmd := b.Pipe.XAdd(ctx, &goredis.XAddArgs{
				Stream: name, ID: millis(start.Add(id)) + seq,
				Values: map[string]any{"type": "teams.update", "at": millis(start.Add(at)), "id": w.Org},
			})
			return cmd, func() (string, bool) { return cmd.Val(), true }
		})
		w.Must(b.Do(t.Context()))
	}
	const day = 24 * time.Hour
	add(0, 0, "-1")
	add(0, 3*time.Hour, "-2")      // the clock of Redis has gone back
	add(40*day, 6*time.Hour, "-1") // and forward
	add(40*day, 9*time.Hour, "-2")
	for _, at := range []time.Duration{0, 3 * time.Hour, 6 * time.Hour, 9 * time.Hour} {
		around := "&since=" + start.Add(at-time.Minute).Format(time.RFC3339) + "&until=" + start.Add(at+time.Minute).Format(time.RFC3339)
		servertest.Equal(t, at.String(), 1, len(listEvents(w, "reader", "&kind=teams"+around)))
	}
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
