package specs_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func countSpecVersions(w *servertest.World, slug string) int {
	w.T.Helper()
	return int(servertest.Do(w, "reader", api.ListOpenAPISpecVersions, api.ListOpenAPISpecVersionsInput{
		OpenAPISpecRef: servertest.SpecRef(w, slug),
	}).Count)
}

// TestSpecification checks that a specification is fetched in the background with the documents it refers to and
// returned unchanged and bundled. Another reading creates a version only if a document changed.
func TestSpecification(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const address = "https://example.com/api/openapi.yaml"
		w.Web[address] = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\ncomponents: {schemas: {Pet: {$ref: 'pet.json'}}}\n"
		w.Web["https://example.com/api/pet.json"] = `{"type":"object","description":"A pet."}`
		made := servertest.PutSpec(w, "pets", api.OpenAPISource{URL: address})
		servertest.Equal(t, "state at first", api.ProcessingPending, made.ProcessingState)
		read := servertest.ReadSpec(w, "pets")
		servertest.Equal(t, "state", api.ProcessingComplete, read.ProcessingState)
		servertest.Equal(t, "error", "", read.LastProcessError)
		servertest.Equal(t, "source", address, read.SourceURL)

		content := servertest.Do(w, "reader", api.GetOpenAPISpecLatestContent, servertest.SpecRef(w, "pets"))
		servertest.Equal(t, "files", map[string]api.OpenAPIFile{
			"openapi.yaml": {Content: w.Web[address], Entry: true}, "pet.json": {Content: w.Web["https://example.com/api/pet.json"]},
		}, content.Filesystem)
		bundle := w.Send("", http.MethodGet, strings.TrimPrefix(content.URL, servertest.PublicURL), nil)
		if text := string(bundle.Body); bundle.Status != http.StatusOK || !strings.Contains(text, "A pet.") ||
			strings.Contains(text, "pet.json") {
			t.Errorf("bundle: %d %s", bundle.Status, bundle.Body)
		}

		servertest.PutSpec(w, "pets", api.OpenAPISource{URL: address})
		servertest.ReadSpec(w, "pets")
		servertest.Equal(t, "versions of the same document", 1, countSpecVersions(w, "pets"))
		w.Web["https://example.com/api/pet.json"] = `{"type":"object","description":"Another pet."}`
		servertest.PutSpec(w, "pets", api.OpenAPISource{URL: address})
		second := servertest.ReadSpec(w, "pets")
		servertest.Equal(t, "versions", 2, countSpecVersions(w, "pets"))
		old := servertest.Do(w, "reader", api.GetOpenAPISpecVersionContent, api.OpenAPISpecVersionRef{
			OpenAPISpecRef: servertest.SpecRef(w, "pets"), Version: read.LastVersion,
		})
		servertest.Equal(t, "the old version", `{"type":"object","description":"A pet."}`, old.Filesystem["pet.json"].Content)
		servertest.Equal(t, "the latest", second.LastVersion, servertest.Do(w, "reader", api.GetOpenAPISpecLatestVersion,
			servertest.SpecRef(w, "pets")).ID)
	})
}

// TestFailedSourceReadKeepsVersion checks that a failed reading stores the reason and keeps the last version.
func TestFailedSourceReadKeepsVersion(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	first := servertest.NewSpec(w, "pets", servertest.PetsText)
	for _, c := range []struct {
		source  api.OpenAPISource
		code    api.ProcessErrorCode
		message string
	}{
		{api.OpenAPISource{URL: "https://example.com/none.json"}, api.ProcessFetchError, "no such page"},
		{api.OpenAPISource{Text: "no document"}, api.ProcessParseError, "not an OpenAPI document"},
		{
			api.OpenAPISource{
				Text: strings.Replace(servertest.PetsText, "All.", `All.","$ref":"other.json`, 1),
			}, api.ProcessParseError, "leads nowhere",
		},
	} {
		servertest.PutSpec(w, "pets", c.source)
		read := servertest.ReadSpec(w, "pets")
		servertest.Equal(t, "state", api.ProcessingComplete, read.ProcessingState)
		servertest.Equal(t, "code", c.code, read.LastProcessErrorCode)
		if !strings.Contains(read.LastProcessError, c.message) {
			t.Errorf("%q, want %q", read.LastProcessError, c.message)
		}
		servertest.Equal(t, "version", first.LastVersion, read.LastVersion)
	}
	servertest.PutSpec(w, "pets", api.OpenAPISource{Text: servertest.PetsText})
	servertest.Equal(t, "error when it can be read again", "", servertest.ReadSpec(w, "pets").LastProcessErrorCode)

	servertest.PutSpec(w, "fish", api.OpenAPISource{Text: "no document"})
	for _, says := range []string{"still being read", "not an OpenAPI document"} {
		if e := servertest.Refused(w, "reader", api.GetOpenAPISpecLatestVersion, servertest.SpecRef(w, "fish"), 404,
			api.ReasonNotFound); !strings.Contains(e.Hint, says) {
			t.Errorf("hint %q, want %q", e.Hint, says)
		}
		servertest.ReadSpec(w, "fish")
	}
}

// slowWeb is a web that exceeds every deadline.
type slowWeb struct {
	onRequest func()
	deadline  time.Time
}

// GetUpTo implements server.Fetcher.
func (w *slowWeb) GetUpTo(ctx context.Context, address string, maxBytes int64) (*fetch.Response, error) {
	return w.GetChanged(ctx, address, maxBytes, "")
}

// GetChanged implements server.Fetcher.
func (w *slowWeb) GetChanged(ctx context.Context, address string, _ int64, _ string) (*fetch.Response, error) {
	w.deadline, _ = ctx.Deadline()
	w.onRequest()
	return nil, &fetch.Error{URL: address, Reason: fetch.Timeout, Message: "the server took too long", Err: context.DeadlineExceeded}
}

// TestSourceReadTimesOut checks that a specification is in progress while it is fetched, and that the total time is
// limited.
func TestSourceReadTimesOut(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	var during api.ProcessingState
	slow := &slowWeb{onRequest: func() {
		during = servertest.Do(w, "reader", api.GetOpenAPISpec, servertest.SpecRef(w, "slow")).ProcessingState
	}}
	w.Serve(func(o *server.Options) { o.Fetcher = slow })
	servertest.PutSpec(w, "slow", api.OpenAPISource{URL: "https://example.com/openapi.yaml"})
	read := servertest.ReadSpec(w, "slow")
	servertest.Equal(t, "state while it is fetched", api.ProcessingProgress, during)
	servertest.Equal(t, "time for all documents", true, !slow.deadline.IsZero() && time.Until(slow.deadline) < 5*time.Minute)
	servertest.Equal(t, "state", api.ProcessingComplete, read.ProcessingState)
	servertest.Equal(t, "code", api.ProcessFetchTimeout, read.LastProcessErrorCode)
	servertest.Equal(t, "error", "https://example.com/openapi.yaml: the server took too long", read.LastProcessError)
}

// TestDeleteSpecification checks that a deleted specification leaves nothing and that its slug can be used again.
func TestDeleteSpecification(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	before := w.Dump()
	made := servertest.NewSpec(w, "pets", servertest.PetsText)
	version := servertest.Do(w, "reader", api.GetOpenAPISpecLatestVersion, servertest.SpecRef(w, "pets"))
	servertest.Do(w, "creator", api.DeleteOpenAPISpec, api.DeleteOpenAPISpecInput{
		OpenAPISpecRef: servertest.SpecRef(w, "pets"), Force: api.Some(true),
	})
	w.Must(w.Server.RunDueJobs(t.Context()))
	for key := range w.Dump() {
		if _, was := before[key]; !was && (strings.Contains(key, ":oas") || strings.Contains(key, made.ID)) {
			t.Errorf("%s is left", key)
		}
	}
	servertest.Equal(t, "the bytes", http.StatusNotFound, w.Send("", http.MethodGet, strings.TrimPrefix(version.URL, servertest.PublicURL),
		nil).Status)
	servertest.NewSpec(w, "pets", servertest.PetsText)
}

func TestCreateSpecificationRejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	servertest.NewSpec(w, "pets", servertest.PetsText)
	path := "/v1/orgs/" + w.Org + "/openapi"
	for body, want := range map[string]struct {
		status int
		field  string
	}{
		`{"slug":"Pets","source":{"text":"x"}}`:                                    {422, "slug"},
		`{"slug":"a--b","source":{"text":"x"}}`:                                    {422, "slug"},
		`{"slug":"a","source":{}}`:                                                 {422, "source"},
		`{"slug":"a","source":{"text":"x","url":"https://example.com"}}`:           {422, "source"},
		`{"slug":"a","source":{"url":"ftp"}}`:                                      {422, "source.url"},
		`{"slug":"a"}`:                                                             {422, "source"},
		`{"slug":"pets","source":{"text":"x"}}`:                                    {409, ""},
		fmt.Sprintf(`{"slug":%q,"source":{"text":"x"}}`, strings.Repeat("a", 101)): {422, "slug"},
	} {
		a := w.Send("admin", http.MethodPost, path, []byte(body))
		servertest.Equal(t, body, want.status, a.Status)
		if fields := a.Error().Fields; want.field != "" && (len(fields) == 0 || fields[0].Path != want.field) {
			t.Errorf("%s: %s", body, a.Body)
		}
	}
}

// TestSourceReadIsTakenOver checks that a node that takes over a job completes it, and that the late result of the
// other node is dropped.
func TestSourceReadIsTakenOver(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	servertest.PutSpec(w, "pets", api.OpenAPISource{Text: servertest.PetsText})
	due, err := w.Store.Jobs.Lease(t.Context(), w.Org, []store.LeaseRequest{{Kind: store.OpenAPIReadKind, Limit: 1}}, 0)
	w.Must(err)
	servertest.Equal(t, "leases", 1, len(due.Leases))
	servertest.Equal(t, "state", api.ProcessingComplete, servertest.ReadSpec(w, "pets").ProcessingState)
	err = w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return due.Leases[0].Finish(tx.Tx)
	})
	if err == nil {
		t.Error("a job is finished twice")
	}
	servertest.Equal(t, "versions", 1, countSpecVersions(w, "pets"))
}

// TestSourceIsNotReadAfterTwoLostLeases checks that a specification is given up after two nodes ended while they read it,
// and is read again when it is set again.
func TestSourceIsNotReadAfterTwoLostLeases(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	lose := func() {
		t.Helper()
		due, err := w.Store.Jobs.Lease(t.Context(), w.Org, []store.LeaseRequest{{Kind: store.OpenAPIReadKind, Limit: 1}}, 0)
		w.Must(err)
		servertest.Equal(t, "leases", 1, len(due.Leases))
	}
	put := func() { servertest.PutSpec(w, "pets", api.OpenAPISource{Text: servertest.PetsText}) }
	put()
	lose()
	lose()
	given := servertest.ReadSpec(w, "pets")
	servertest.Equal(t, "state", api.ProcessingComplete, given.ProcessingState)
	servertest.Equal(t, "error", api.ProcessParseError, given.LastProcessErrorCode)
	servertest.Equal(t, "version", "", given.LastVersion)
	put()
	lose()
	if again := servertest.ReadSpec(w, "pets"); again.LastVersion == "" || again.LastProcessErrorCode != "" {
		t.Errorf("set again, with one lost lease: %+v", again)
	}
}
