package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// eachWrite runs test for every row that writes, on every engine, each with a sample organization of its own.
func eachWrite(t *testing.T, test func(t *testing.T, w *servertest.World, s *servertest.Sample, row api.Row)) {
	t.Helper()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		servertest.EachRow(t, api.Row.Writes, func(t *testing.T, row api.Row) {
			t.Parallel()
			w, s := servertest.NewSampleWorld(t, engine)
			test(t, w, s, row)
		})
	})
}

// sendSample sends the sample request of a row as the admin.
func sendSample(w *servertest.World, row api.Row, s *servertest.Sample, headers ...string) servertest.Response {
	w.T.Helper()
	return w.Send("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s), headers...)
}

// TestRepeatedRequestTakesEffectOnce checks that two requests with the same Idempotency-Key have one effect and the same response,
// and that the key is refused for a different request.
func TestRepeatedRequestTakesEffectOnce(t *testing.T) {
	t.Parallel()
	eachWrite(t, func(t *testing.T, w *servertest.World, s *servertest.Sample, row api.Row) {
		start := w.Dump()
		first := sendSample(w, row, s, "Idempotency-Key", "once")
		if first.Status != row.Status {
			t.Fatalf("first: %d %s", first.Status, first.Body)
		}
		done := w.Dump()
		if reflect.DeepEqual(start, done) {
			t.Error("the sample request changes nothing: it proves nothing")
		}
		second := sendSample(w, row, s, "Idempotency-Key", "once")
		servertest.WantUnchanged(w, done, "after the repeat")
		if row.Secret {
			if second.Status != http.StatusConflict || second.Error().Reason != api.ReasonAnswerSecret {
				t.Errorf("repeat of a secret: %d %s", second.Status, second.Body)
			}
			if row.Name == api.CreateInstallationToken.Name {
				if !strings.Contains(second.Error().Message, " t_") { // its response consists of the secret only
					t.Errorf("the repeat does not name the token: %s", second.Body)
				}
				return
			}
			if id := firstID(first.Body); id == "" || !strings.Contains(second.Error().Message, id) {
				t.Errorf("the repeat of a secret does not name %s: %s", id, second.Body)
			}
			return
		}
		if second.Status != first.Status || string(second.Body) != string(first.Body) {
			t.Errorf("repeat: %d %s, want %d %s", second.Status, second.Body, first.Status, first.Body)
		}
		for _, name := range []string{"Etag", "Location", "Content-Type"} {
			if got, want := second.Header.Get(name), first.Header.Get(name); got != want {
				t.Errorf("repeat: %s %q, want %q", name, got, want)
			}
		}
		if second.Header.Get("Idempotency-Replayed") != "true" {
			t.Error("the repeat is not marked as one")
		}
		other := w.Send("admin", row.Method, servertest.WithQuery(w.SamplePath(row, s), "dryRun=false"), w.SampleBody(row, s),
			"Idempotency-Key", "once")
		if other.Status != http.StatusUnprocessableEntity || other.Error().Reason != api.ReasonKeyReused {
			t.Errorf("the same key with another request: %d %s", other.Status, other.Body)
		}
		servertest.WantUnchanged(w, done, "after another request with the same key")
	})
}

// firstID returns the first id in a response.
func firstID(body []byte) string {
	found := regexp.MustCompile(`"id":"([^"]*)"`).FindSubmatch(body)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// TestIdempotencyKeysAreScopedToCaller checks that the same key of another caller is a different key.
func TestIdempotencyKeysAreScopedToCaller(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		in := api.CreateCommentInput{Space: s.Handbook, Body: api.CommentCreate{Body: servertest.CommentBody("Mine.")}}
		mine := servertest.Do(w, "commenter", api.CreateComment, in, "Idempotency-Key", "k")
		in.Body.Body = servertest.CommentBody("Another's.")
		theirs := servertest.Do(w, "editor", api.CreateComment, in, "Idempotency-Key", "k")
		if mine.ID == theirs.ID || theirs.Body.Markdown != "Another's." {
			t.Errorf("the editor got %+v", theirs)
		}
		in.Body.Body = servertest.CommentBody("Mine, changed.")
		response := servertest.Try(w, "commenter", api.CreateComment, in, "Idempotency-Key", "k")
		servertest.Refusal(w, response, http.StatusUnprocessableEntity, api.ReasonKeyReused)
	})
}

// TestConcurrentRepeatsTakeEffectOnce checks that many concurrent requests with one key have one effect.
func TestConcurrentRepeatsTakeEffectOnce(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		responses := make([]servertest.Response, 8)
		servertest.Concurrently(len(responses), func(i int) {
			responses[i] = servertest.Try(w, "creator", api.CreateChangeRequest, api.CreateChangeRequestInput{
				Space: s.Notes, Body: api.ChangeRequestCreate{Subject: "Once"},
			}, "Idempotency-Key", "race")
		})
		for _, a := range responses {
			if string(a.Body) != string(responses[0].Body) || a.Status != http.StatusCreated {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if got := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Notes}).ChangeRequests; got != 1 {
			t.Errorf("%d change requests were made", got)
		}
	})
}

// TestDryRunWritesNothing checks that a dry run responds with the status and shape of the real request and writes
// nothing.
func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	eachWrite(t, func(t *testing.T, w *servertest.World, s *servertest.Sample, row api.Row) {
		before := w.Dump()
		path := servertest.WithQuery(w.SamplePath(row, s), "dryRun=true")
		dry := w.Send("admin", row.Method, path, w.SampleBody(row, s))
		servertest.WantUnchanged(w, before, "after the dry run")
		again := w.Send("admin", row.Method, path, w.SampleBody(row, s), "Idempotency-Key", "dry")
		servertest.WantUnchanged(w, before, "after a dry run with a key")
		if again.Status != dry.Status || dry.Header.Get("X-Dry-Run") != "true" {
			t.Errorf("dry run: %d, with a key %d, X-Dry-Run %q", dry.Status, again.Status, dry.Header.Get("X-Dry-Run"))
		}
		real := sendSample(w, row, s)
		// the dry run lists what the delete removes; the delete itself counts it in a header
		if row.Method == http.MethodDelete && len(real.Body) == 0 {
			var removal api.Removal
			w.Must(json.Unmarshal(dry.Body, &removal))
			if dry.Status != http.StatusOK || removal.Object != "removal" || real.Status != row.Status ||
				real.Header.Get("X-Removed-With") == "" {
				t.Errorf("dry run: %d %s, in earnest %d %v", dry.Status, dry.Body, real.Status, real.Header)
			}
			return
		}
		if dry.Status != real.Status || dry.Status != row.Status {
			t.Errorf("dry run: %d %s, in earnest %d %s", dry.Status, dry.Body, real.Status, real.Body)
		}
		if diff := cmp.Diff(jsonShape(real.Body), jsonShape(dry.Body)); diff != "" {
			t.Errorf("the dry run has another shape (-earnest +dry):\n%s", diff)
		}
		if (dry.Header.Get("Location") == "") != (real.Header.Get("Location") == "") {
			t.Errorf("Location %q, in earnest %q", dry.Header.Get("Location"), real.Header.Get("Location"))
		}
	})
}

// TestDryRunFailsLikeRequest checks that a dry run returns the error that the real request would return.
func TestDryRunFailsLikeRequest(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		before := w.Dump()
		refusedDry := func(as, method, path string, body any, status int) {
			t.Helper()
			w.Call(as, method, servertest.WithQuery(path, "dryRun=true"), body, status)
		}
		refusedDry("reader", http.MethodDelete, "/v1/spaces/"+s.Handbook, nil, http.StatusForbidden)
		refusedDry("admin", http.MethodPost, "/v1/spaces/"+s.Notes+"/restore", nil, http.StatusConflict)
		refusedDry("admin", http.MethodDelete, "/v1/spaces/"+s.Trash, nil, http.StatusNoContent) // the space is in the trash
		refusedDry("admin", http.MethodPost, "/v1/spaces/"+s.Handbook+"/change-requests/1/merge", nil, http.StatusConflict)
		for _, v := range []string{"", "1", "yes", "TRUE", "true&dryRun=true"} {
			w.Call("admin", http.MethodDelete, "/v1/spaces/"+s.Handbook+"?dryRun="+v, nil, http.StatusBadRequest)
		}
		w.Call("admin", http.MethodGet, "/v1/spaces/"+s.Handbook+"?dryRun=true", nil, http.StatusBadRequest)
		servertest.WantUnchanged(w, before, "after what failed")
	})
}

// jsonShape returns the sorted paths and types of a JSON value.
func jsonShape(body []byte) []string {
	var v any
	_ = json.Unmarshal(body, &v)
	paths := map[string]bool{}
	var visit func(path string, v any)
	visit = func(path string, v any) {
		paths[fmt.Sprintf("%s %T", path, v)] = true
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				visit(path+"."+name, member)
			}
		case []any:
			for _, item := range v {
				visit(path+"[]", item)
			}
		}
	}
	visit("", v)
	var list []string
	for path := range paths {
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}

// resourceOf returns the row that reads the object to which If-Match of a writing row refers; ok is false if the row
// does not support If-Match.
func resourceOf(row api.Row) (shown api.Row, ok bool) {
	switch row.Name {
	case "tokens.create", "tokens.rotate", "organizations.create", "tokens.delete", "invites.accept", "invites.join", "invites.delete",
		"organizations.join":
		return api.Row{}, false
	case "content.import", "revisions.rollback":
		return api.GetContent.Row, true
	case "spaces.restore":
		return api.GetSpace.Row, true
	case "collections.restore", "organizations.restore": // objects in the trash are shown by its list only
		return api.Row{}, false
	case "change-requests.update-reading":
		return api.GetChangeRequestReading.Row, true
	case "change-requests.put-saved-queries":
		return api.GetChangeRequestSavedQueries.Row, true
	case "change-request-reviews.submit":
		return api.GetChangeRequest.Row, true
	case api.CreateImportRun.Name: // its path is not below an organization
		return api.GetOrganization.Row, true
	case api.CreateInstallationToken.Name, api.DeleteMemberToken.Name, api.CreateServiceAccountToken.Name: // the tokens belong to users
		return api.Row{}, false
	}
	names := servertest.Subjects(row)
	switch names[len(names)-1] {
	case "siteSection", "siteSectionGroup", "siteSpace": // parts of the site
		return api.GetSite.Row, true
	case "shareLink":
		return api.Row{}, false
	case "language":
		return api.GetTranslation.Row, true
	case "emailDomain":
		return api.GetOrganization.Row, true
	}
	switch {
	case strings.HasPrefix(row.Name, "space-permissions."):
		return api.GetSpace.Row, true
	case strings.HasPrefix(row.Name, "site-permissions."):
		return api.GetSite.Row, true
	case strings.HasPrefix(row.Name, "collection-permissions."):
		return api.GetCollection.Row, true
	case names[len(names)-1] == "user" && names[0] == "organization":
		return api.GetMember.Row, true
	case row.Name == api.UpdateUser.Name:
		return api.ShowUser.Row, true
	case names[len(names)-1] == "user":
		return api.GetChangeRequest.Row, true
	}
	path := row.Path[:strings.LastIndexByte(row.Path, '}')+1]
	for _, candidate := range api.Rows() {
		if candidate.Method == http.MethodGet && candidate.Path == path {
			return candidate, true
		}
	}
	return api.Row{}, false
}

// TestIfMatchRejectsStaleETag checks that a stale If-Match is refused and changes nothing, and the current one is
// accepted.
func TestIfMatchRejectsStaleETag(t *testing.T) {
	t.Parallel()
	eachWrite(t, func(t *testing.T, w *servertest.World, s *servertest.Sample, row api.Row) {
		const stale = `"999999.r_0-0123456789abcdef"`
		before := w.Dump()
		a := sendSample(w, row, s, "If-Match", stale)
		servertest.WantUnchanged(w, before, "after a stale If-Match")
		shown, ok := resourceOf(row)
		// no operation reads an object of these rows
		hidden := strings.HasSuffix(row.Name, ".restore") || row.Name == "tokens.delete" || row.Name == "tokens.rotate" ||
			row.Name == "invites.delete" || row.Name == "invites.join" || row.Name == "organizations.join" ||
			slices.Contains(servertest.Subjects(row), "shareLink")
		if !ok && !hidden {
			if a.Status != http.StatusBadRequest {
				t.Errorf("If-Match where it means nothing: %d %s", a.Status, a.Body)
			}
			return
		}
		if a.Status != http.StatusPreconditionFailed || a.Error().Reason != api.ReasonPrecondition {
			t.Errorf("stale If-Match: %d %s", a.Status, a.Body)
		}
		if dry := w.Send("admin", row.Method, servertest.WithQuery(w.SamplePath(row, s), "dryRun=true"), w.SampleBody(row, s), "If-Match",
			stale); dry.Status != http.StatusPreconditionFailed {
			t.Errorf("stale If-Match in a dry run: %d", dry.Status)
		}
		if !ok {
			return
		}
		path := w.SamplePathWith(shown, s, w.SampleInput(row, s).Params)
		current := w.Call("admin", shown.Method, path, nil, http.StatusOK).Header.Get("Etag")
		if a := sendSample(w, row, s, "If-Match", stale+", "+current); a.Status != row.Status {
			t.Errorf("current If-Match %s: %d %s", current, a.Status, a.Body)
		}
	})
}

// TestChangeReturnsCurrentETag checks that after a change the previous ETag is stale and that of the response is
// current.
func TestChangeReturnsCurrentETag(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		path := "/v1/spaces/" + s.Handbook
		old := w.Call("admin", http.MethodGet, path, nil, http.StatusOK).Header.Get("Etag")
		changed := w.Call("admin", http.MethodPatch, path, api.SpacePatch{Title: api.Some("A")}, http.StatusOK, "If-Match", old)
		w.Call("admin", http.MethodPatch, path, api.SpacePatch{Title: api.Some("B")}, http.StatusPreconditionFailed, "If-Match", old)
		shown := w.Call("admin", http.MethodGet, path, nil, http.StatusOK)
		if string(shown.Body) != string(changed.Body) || shown.Header.Get("Etag") != changed.Header.Get("Etag") {
			t.Errorf("the change answered\n%s %s\nand is shown as\n%s %s", changed.Header.Get("Etag"), changed.Body,
				shown.Header.Get("Etag"), shown.Body)
		}
		w.Call("admin", http.MethodPatch, path, api.SpacePatch{Title: api.Some("B")}, http.StatusOK, "If-Match", changed.Header.Get("Etag"))
		w.Call("admin", http.MethodPatch, path, api.SpacePatch{Title: api.Some("C")}, http.StatusOK, "If-Match", "*")
	})
}

// TestIfNoneMatchReturnsNotModified checks that all responses with a single object, and no others, have an ETag and support
// If-None-Match.
func TestIfNoneMatchReturnsNotModified(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		servertest.EachRow(t, func(r api.Row) bool { return r.Method == http.MethodGet }, func(t *testing.T, row api.Row) {
			path := w.SamplePath(row, s)
			first := w.Call("admin", row.Method, path, w.SampleBody(row, s), row.Status)
			tag := first.Header.Get("Etag")
			if row.IsList() || row.Stream {
				if tag != "" {
					t.Errorf("a list or stream with the ETag %s", tag)
				}
				return
			}
			if tag == "" {
				t.Fatal("no ETag")
			}
			for _, have := range []string{tag, `"other", W/` + tag, "*"} {
				if a := w.Call("admin", row.Method, path, nil, http.StatusNotModified, "If-None-Match", have); len(a.Body) > 0 ||
					a.Header.Get("Etag") != tag {
					t.Errorf("304 with ETag %s and body %s", a.Header.Get("Etag"), a.Body)
				}
			}
			w.Call("admin", row.Method, path, nil, row.Status, "If-None-Match", `"other"`)
		})
	})
}

// TestOnlyGetIsNotModified checks that reads by POST ignore If-None-Match (RFC 9110, section 13.1.2).
func TestOnlyGetIsNotModified(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	rows := 0
	servertest.EachRow(t, func(r api.Row) bool { return r.Method != http.MethodGet && !r.Writes() }, func(t *testing.T, row api.Row) {
		rows++
		a := w.Call("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s), row.Status, "If-None-Match", "*")
		if len(a.Body) == 0 {
			t.Error("the answer has no body")
		}
	})
	if rows == 0 {
		t.Error("no operation reads by POST")
	}
}

// TestETagDependsOnCaller checks that the hash in an ETag covers the caller's permissions, so that caches do not mix
// them.
func TestETagDependsOnCaller(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	path := "/v1/spaces/" + s.Handbook
	admin := w.Call("admin", http.MethodGet, path, nil, http.StatusOK).Header.Get("Etag")
	w.Call("reader", http.MethodGet, path, nil, http.StatusOK, "If-None-Match", admin)
}
