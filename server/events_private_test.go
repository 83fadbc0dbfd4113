package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// userAgent is the user agent of the requests of TestEventsShowNothingPrivate.
const userAgent = "the-browser-of-the-admin"

// TestEventsShowNothingPrivate performs every change and searches the events that members receive, by the list and by the stream, for
// addresses and user agents of clients, names of tokens, secrets, and titles and ids of what is hidden from the receiver. Titles that a
// space had before it became visible are hidden, too.
func TestEventsShowNothingPrivate(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	hidden := w.NewSpaceIn("Hidden plans", "").ID
	w.Hide(hidden)
	request := w.CreateRequest("admin", hidden, "Hidden subject")
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: hidden, Body: api.SpacePatch{Title: api.Some("Hidden plans, changed")},
	})
	servertest.NewToken(w, "editor", "Zebra", api.TokenCreate{Organization: api.Some(w.Org)})
	changeEverything(w, s)

	secrets := []string{"192.0.2.1", userAgent, "Zebra", s.Invite.Secret, s.LinkInvite.Secret}
	for _, text := range w.Tokens {
		secrets = append(secrets, text[strings.LastIndex(text, "_")+1:])
	}
	private := []string{"Hidden plans", "Hidden subject", hidden, request.ID}
	for _, as := range []string{"creator", "editor", "commenter", "reader", "guest"} {
		wantNone(w, as, append(slices.Clone(secrets), private...))
	}
	audit := string(w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/audit-events?limit=1000", nil, http.StatusOK).Body)
	if !strings.Contains(audit, "Hidden plans, changed") {
		t.Error("the audit log lacks the title of the hidden space, so that nothing is hidden from members")
	}
	wantNone(w, "admin", secrets)

	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: hidden, Body: api.SpacePatch{Title: api.Some("Plans for all"), DefaultLevel: api.Some(api.Level(api.RoleRead))},
	})
	for _, as := range []string{"editor", "commenter", "reader"} {
		if !strings.Contains(receivedEvents(w, as), "Plans for all") {
			t.Errorf("%s does not see the space that is visible now", as)
		}
		wantNone(w, as, append(slices.Clone(secrets), "Hidden plans"))
	}
}

// changeEverything performs every operation that changes something as the admin.
func changeEverything(w *servertest.World, s *servertest.Sample) {
	w.T.Helper()
	changed := 0
	for _, last := range []bool{false, true} {
		for _, row := range orderedRows() {
			if !row.Writes() || removes(row) != last {
				continue
			}
			path := w.SamplePathWith(row, s, spareParams(w, row))
			if w.Send("admin", row.Method, path, w.SampleBody(row, s), "User-Agent", userAgent).Status == row.Status {
				changed++
			}
		}
	}
	if changed < 100 {
		w.T.Errorf("only %d operations have changed something", changed)
	}
}

// receivedEvents returns what a user receives of the events of the organization, by the list and by the stream.
func receivedEvents(w *servertest.World, as string) string {
	w.T.Helper()
	var text strings.Builder
	path := "/v1/orgs/" + w.Org + "/events"
	for next := ""; ; {
		answer := w.Call(as, http.MethodGet, path+"?limit=1000"+next, nil, http.StatusOK)
		text.Write(answer.Body)
		var page api.LogPage[api.Event]
		servertest.Decode(w, answer, &page)
		if page.Next == nil {
			break
		}
		next = "&page=" + page.Next.Page
	}
	text.Write(w.Call(as, http.MethodGet, path+"/stream?follow=false&after=0-0", nil, http.StatusOK).Body)
	return text.String()
}

// wantNone fails the test if the events that a user receives contain one of the texts.
func wantNone(w *servertest.World, as string, texts []string) {
	w.T.Helper()
	received := receivedEvents(w, as)
	for _, text := range texts {
		if at := strings.Index(received, text); text != "" && at >= 0 {
			w.T.Errorf("%s receives %q: %s", as, text, fmt.Sprintf("…%s…", received[max(0, at-200):min(len(received), at+200)]))
		}
	}
}
