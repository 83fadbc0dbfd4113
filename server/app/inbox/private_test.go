package inbox_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestReadStateIsNotVisibleToOthers checks that reading marks, visits and saved queries of a user change no response to anybody
// else, not even by ETag, add no event, and are stored in records of the user only.
//
//wsd:serial
func TestReadStateIsNotVisibleToOthers(t *testing.T) {
	t.Parallel()
	const look = "1234567890123456-1234567890" // no part of a version or a hash
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	others := []string{"admin", "creator", "editor", "commenter"}
	responses := func() map[string]string {
		found := map[string]string{}
		for _, as := range others {
			for _, row := range api.Rows() {
				if row.Writes() || row.Name == api.ListTokens.Name { // the list of tokens shows the last use of a token
					continue
				}
				a := w.Send(as, row.Method, w.SamplePath(row, s), w.SampleBody(row, s))
				if as == "admin" && a.Status >= http.StatusBadRequest {
					t.Errorf("%s answers the admin %d: there is nothing to learn from", row.Name, a.Status)
				}
				if text := string(a.Body); strings.Contains(text, look) || strings.Contains(text, "Nobody's business") {
					t.Errorf("%s %s tells what the reviewer keeps: %s", as, row.Name, text)
				}
				found[as+" "+row.Name] = a.Header.Get("Etag") + " " + servertest.MaskRandom(a.Body)
			}
		}
		return found
	}
	responses()
	w.Clock.Advance(time.Minute)
	w.Call("reviewer", http.MethodGet, "/v1/orgs/"+w.Org, nil, http.StatusOK) // updates lastSeenAt
	servertest.RunJobs(w)                                                     // summaries contain the reading progress
	w.UpdateIndex()
	responses()
	before, stored := responses(), w.Dump()
	servertest.Do(w, "reviewer", api.UpdateChangeRequestReading, api.UpdateReadingInput{
		ChangeRequestRef: servertest.Ref(s.Request), Body: api.ReadingUpdate{
			Read: []string{s.RequestPage, s.Pages["Usage"]}, LastLook: api.Some(look),
		},
	})
	servertest.Do(w, "reviewer", api.PutChangeRequestSavedQueries, api.PutSavedQueriesInput{
		OrganizationRef: api.OrganizationRef{Organization: w.Org}, Body: api.SavedQueries{
			Queries: []api.SavedQuery{{Name: "Nobody's business"}},
		},
	})
	for name, response := range responses() {
		if response != before[name] {
			t.Errorf("%s answers\n%s\nand before\n%s", name, response, before[name])
		}
	}
	read := map[string]int{}
	for _, as := range append(others, "reviewer") {
		page := servertest.Do(w, as, api.ListChangeRequestQueue, api.ListQueueInput{Organization: w.Org, Status: api.StatusOpen.Values()})
		for _, q := range page.Items {
			if q.ID == s.Request.ID && q.Summary.Read != nil {
				read[as] = q.Summary.Read.Read
			}
		}
	}
	servertest.Equal(t, "what the queue says was read", map[string]int{
		"admin": 0, "creator": 0, "editor": 0, "commenter": 0, "reviewer": 2,
	}, read)
	now, reviewer := w.Dump(), w.Users["reviewer"].ID
	for key, value := range now {
		if stored[key] != value && !isReaderKey(key, reviewer) {
			t.Errorf("%s has changed from\n%s\nto\n%s", key, stored[key], value)
		}
	}
	if mine := slices.Collect(maps.Keys(now)); !slices.ContainsFunc(mine, func(key string) bool {
		return strings.Contains(key, "}:read:")
	}) {
		t.Error("nothing was marked")
	}
}

// isReaderKey reports whether reading may change a key: the user's own records, idempotency records, and storage counts.
func isReaderKey(key, user string) bool {
	_, name, _ := strings.Cut(key, "}:")
	for _, kind := range []string{"op:", "idem:", "answers", "use", "used:"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	own := strings.HasPrefix(name, "read:") || strings.HasPrefix(name, "saved:") || strings.HasPrefix(name, "ix:reader:") ||
		strings.HasPrefix(name, "ix:readings:")
	return own && (strings.HasSuffix(name, user) || strings.HasPrefix(name, "ix:readings:"))
}
