package orgs_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// forge stores a token under name that has the id of another and a wrong secret.
func forge(w *servertest.World, name, of string) {
	text := w.Tokens[of]
	w.Tokens[name] = text[:strings.LastIndex(text, "_")+1] + "forged"
}

// TestRefusedRequestsAreEvents checks that refused requests with a token that exists are events of the organizations that it opens, at
// most one a minute and ten a day, with their number and the last address.
func TestRefusedRequestsAreEvents(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	token := servertest.NewToken(w, "editor", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
	forge(w, "forged", "bound")
	refuse := func(n int) {
		for range n {
			servertest.Equal(t, "status", http.StatusUnauthorized, w.Send("forged", http.MethodGet, "/v1/user", nil).Status)
		}
		w.Server.ReportPendingRefusals(context.Background())
	}
	refusals := func() (found []api.Event) {
		for _, e := range tokenEvents(w, w.Org) {
			if e.Kind == "tokens.refuse" {
				found = append(found, e)
			}
		}
		return found
	}
	refuse(3)
	refuse(2) // within the minute
	servertest.Equal(t, "events", 1, len(refusals()))
	servertest.Equal(t, "count", 3, refusals()[0].Count)
	servertest.Equal(t, "target", token.ID, refusals()[0].Target.ID)
	w.Clock.Advance(time.Minute)
	w.Server.ReportPendingRefusals(context.Background()) // the rest, without another request
	servertest.Equal(t, "events", 2, len(refusals()))
	servertest.Equal(t, "count", 2, refusals()[0].Count)
	audit := string(w.Call("admin", http.MethodGet, organizationPath(w.Org)+"/audit-events/"+refusals()[0].ID, nil, http.StatusOK).Body)
	if !strings.Contains(audit, `"address":"`) {
		t.Errorf("no address in %s", audit)
	}
	for range 20 {
		w.Clock.Advance(time.Minute)
		refuse(1)
	}
	servertest.Equal(t, "events of a day", 10, len(refusals()))
	w.Clock.Advance(24 * time.Hour)
	w.Server.ReportPendingRefusals(context.Background())
	servertest.Equal(t, "events of the next day", 11, len(refusals()))
	servertest.Equal(t, "requests without an event before", 12, refusals()[0].Count)
	servertest.Equal(t, "events that the member sees", 11, len(servertest.Do(w, "editor", api.ListEvents, api.ListEventsInput{
		Organization: w.Org, EventFilter: api.EventFilter{Kind: "tokens.refuse"},
	}).Items))
	servertest.Equal(t, "events that others see", 0, len(servertest.Do(w, "reader", api.ListEvents, api.ListEventsInput{
		Organization: w.Org, EventFilter: api.EventFilter{Kind: "tokens.refuse"},
	}).Items))
}

// TestRefusalsOfUnknownTokensAreNoEvents checks that requests with tokens that do not exist leave no event, and those that are refused
// for other reasons none either.
func TestRefusalsOfUnknownTokensAreNoEvents(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Tokens["unknown"] = "wsd_nobody_none_secret"
	w.Call("unknown", http.MethodGet, "/v1/user", nil, http.StatusUnauthorized)
	w.Call("reader", http.MethodDelete, organizationPath(w.Org)+"/members/"+w.Users["editor"].ID, nil, http.StatusForbidden)
	w.Server.ReportPendingRefusals(t.Context())
	servertest.Equal(t, "events", 0, len(allTokenEvents(w)))
}

// TestRefusalsAreFewOfAllEvents checks the number of events of refused requests that an organization gets on a day.
func TestRefusalsAreFewOfAllEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		events int64
		days   int
		want   int64
	}{{1_000_000, 90, 111}, {1_000_000, 0, 10_000}, {100_000, 90, 11}, {1_000, 90, 4}} {
		got := orgs.MaxRefusals(test.events, time.Duration(test.days)*24*time.Hour)
		servertest.Equal(t, "refusals", test.want, got)
	}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.MaxEvents = 1_000 })
	for i, name := range []string{"editor", "reader", "reviewer", "admin", "guest"} {
		servertest.NewToken(w, name, name+" token", api.TokenCreate{})
		forge(w, "forged", name+" token")
		w.Send("forged", http.MethodGet, "/v1/user", nil)
		w.Server.ReportPendingRefusals(t.Context())
		refused := 0
		for _, e := range allTokenEvents(w) {
			if e.Kind == "tokens.refuse" {
				refused++
			}
		}
		servertest.Equal(t, "events of refused requests", min(i+1, 4), refused)
	}
}
