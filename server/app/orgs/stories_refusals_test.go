package orgs_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// forge stores a token under the name forged that has the id of another and a wrong secret.
func forge(w *servertest.World, of string) {
	text := w.Tokens[of]
	w.Tokens["forged"] = text[:strings.LastIndex(text, "_")+1] + "forged"
}

// TestRefusedRequestsAreEvents checks that refused requests with a token that exists are events of the organizations that it opens, at
// most one a minute, with their number and the last address.
func TestRefusedRequestsAreEvents(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	token := servertest.NewToken(w, "editor", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
	forge(w, "bound")
	refuse := func(n int) {
		for range n {
			servertest.Equal(t, "status", http.StatusUnauthorized, w.Send("forged", http.MethodGet, "/v1/user", nil).Status)
		}
		w.Server.ReportDueRefusals(context.Background())
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
	w.Server.ReportDueRefusals(context.Background()) // the rest, without another request
	servertest.Equal(t, "events", 2, len(refusals()))
	servertest.Equal(t, "count", 2, refusals()[0].Count)
	audit := string(w.Call("admin", http.MethodGet, organizationPath(w.Org)+"/audit-events/"+refusals()[0].ID, nil, http.StatusOK).Body)
	if !strings.Contains(audit, `"address":"`) {
		t.Errorf("no address in %s", audit)
	}
	for range 200 {
		w.Clock.Advance(time.Minute)
		refuse(1)
	}
	found := len(refusals())
	if found < 15 || found > 20 { // three within minutes, ten in ten minutes each, and one an hour
		t.Errorf("%d events in 200 minutes", found)
	}
	w.Clock.Advance(24 * time.Hour)
	w.Server.ReportDueRefusals(context.Background())
	counted := 0
	for _, e := range refusals() {
		counted += e.Count
	}
	servertest.Equal(t, "requests", 3+2+200, counted)
	servertest.Equal(t, "events that the member sees", len(refusals()), len(servertest.Do(w, "editor", api.ListEvents, api.ListEventsInput{
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
	w.Server.ReportDueRefusals(t.Context())
	servertest.Equal(t, "events", 0, len(allTokenEvents(w)))
}

// TestRefusalsAreFewOfAllEvents checks that the events of refused requests are at most 1 % of those that an organization keeps.
func TestRefusalsAreFewOfAllEvents(t *testing.T) {
	t.Parallel()
	for kept, want := range map[int][]int{1_000: {1, 1, 2, 2}, 36_000: {4, 8, 12, 16}, 1_000_000: {7, 14, 21, 28}} {
		w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.MaxEvents = kept })
		for name := range servertest.People {
			servertest.NewToken(w, name, name+" token", api.TokenCreate{})
		}
		var got []int
		for _, pause := range []int{0, 1, 8, 1} { // days
			w.Clock.Advance(time.Duration(pause) * 24 * time.Hour)
			for name := range servertest.People {
				forge(w, name+" token")
				w.Send("forged", http.MethodGet, "/v1/user", nil)
				w.Server.ReportDueRefusals(t.Context())
			}
			refused := 0
			for _, e := range allTokenEvents(w) {
				if e.Kind == "tokens.refuse" {
					refused++
				}
			}
			got = append(got, refused)
		}
		servertest.Equal(t, fmt.Sprintf("events of refused requests if %d are kept", kept), want, got)
	}
}

// TestRefusalsOfExpiredTokensAndDisabledAccounts checks that all reasons for which a token that exists is refused count, and that
// addresses can be left out.
func TestRefusalsOfExpiredTokensAndDisabledAccounts(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.OmitAddresses = true })
	servertest.NewToken(w, "editor", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Minute)})
	w.Clock.Advance(2 * time.Minute)
	w.Call("short", http.MethodGet, "/v1/user", nil, http.StatusUnauthorized)
	_, err := orgs.Accounts{Store: w.Store}.SetDisabled(t.Context(), w.Users["reader"].ID, true)
	w.Must(err)
	w.Call("reader", http.MethodGet, "/v1/user", nil, http.StatusUnauthorized)
	w.Server.ReportDueRefusals(t.Context())
	kinds := map[string]int{}
	for _, e := range allTokenEvents(w) {
		kinds[e.Kind]++
	}
	servertest.Equal(t, "events of refused requests", 2, kinds["tokens.refuse"])
	if audit := string(w.Call("admin", http.MethodGet, organizationPath(w.Org)+"/audit-events?action=tokens", nil,
		http.StatusOK).Body); strings.Contains(audit, `"address"`) {
		t.Errorf("addresses in %s", audit)
	}
}

// TestDamagedRefusalsBeginAgain checks that damaged numbers of refused requests are replaced.
func TestDamagedRefusalsBeginAgain(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	user := w.Users["editor"].ID
	servertest.NewToken(w, "editor", "any", api.TokenCreate{})
	forge(w, "any")
	w.Must(w.Store.Update(t.Context(), store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.SetField(store.RefusalsKey(user), "all", "{")
		return nil
	}))
	w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.SetField(store.RefusedKey(w.Org), "days", "null")
		return nil
	}))
	w.Send("forged", http.MethodGet, "/v1/user", nil)
	w.Server.ReportDueRefusals(t.Context())
	servertest.Equal(t, "the latest event", "tokens.refuse", allTokenEvents(w)[0].Kind)
}

// TestRefusedRequestsPushNoEventsOutCampaign refuses requests of many addresses with tokens of members for some hours. What an admin did
// before is still in the audit log of an organization that keeps few events, and the refused requests are at most 1 % of what it keeps.
func TestRefusedRequestsPushNoEventsOutCampaign(t *testing.T) {
	t.Parallel()
	requests, _ := storetest.LongCampaign(t, "refusals", 2_000, 100_000)
	const kept = 1_000
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.MaxEvents = kept })
	w.Serve(func(o *server.Options) { o.RateLimit = 0 })
	servertest.Do(w, "admin", api.UpdateMember, api.UpdateMemberInput{
		MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["reader"].ID}, Body: api.MemberPatch{Role: api.Some(api.RoleEdit)},
	})
	storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error { // with all events of refused requests, the oldest would be removed
		for range kept - 60 {
			tx.Event(map[string]string{"type": "command", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "id": w.Org})
		}
		return nil
	})
	names := slices.Sorted(maps.Keys(servertest.People))
	addresses := requests / 10
	for i := range requests {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/user", nil)
		text := w.Tokens[names[i%len(names)]]
		r.Header.Set("Authorization", "Bearer "+text[:strings.LastIndex(text, "_")+1]+"forged")
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", i%addresses>>16, i%addresses>>8&0xff, i%addresses&0xff)
		recorder := httptest.NewRecorder()
		if w.Handler.ServeHTTP(recorder, r); recorder.Code != http.StatusUnauthorized {
			t.Fatalf("request %d: %d %s", i, recorder.Code, recorder.Body)
		}
		if i%100 == 0 {
			w.Clock.Advance(10 * time.Second)
			w.Server.ReportDueRefusals(t.Context())
		}
	}
	changed := servertest.Do(w, "admin", api.ListAudit, api.ListAuditInput{Organization: w.Org, Action: api.UpdateMember.Name}).Items
	servertest.Equal(t, "changes of the role", 1, len(changed))
	refused := 0
	for _, e := range allTokenEvents(w) {
		if e.Kind == "tokens.refuse" {
			refused++
		}
	}
	if refused == 0 || refused > kept/100 {
		t.Errorf("%d events of %d refused requests", refused, requests)
	}
	t.Logf("%d refused requests of %d addresses: %d events", requests, addresses, refused)
}
