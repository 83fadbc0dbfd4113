package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/fetch"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func specVersions(w *world, slug string) int {
	w.t.Helper()
	return int(do(w, "reader", api.ListOpenAPISpecVersions, api.ListOpenAPISpecVersionsInput{OpenAPISpecRef: specRef(w, slug)}).Count)
}

// A specification is fetched in the background with what it refers to; what was fetched is shown as it was, and as
// one document. Read again, only another document makes another version.
func TestStoryOfASpecification(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		const address = "https://example.com/api/openapi.yaml"
		w.web[address] = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\ncomponents: {schemas: {Pet: {$ref: 'pet.json'}}}\n"
		w.web["https://example.com/api/pet.json"] = `{"type":"object","description":"A pet."}`
		made := putSpec(w, "pets", api.OpenAPISource{URL: address})
		equal(t, "state at first", api.ProcessingPending, made.ProcessingState)
		read := specRead(w, "pets")
		equal(t, "state", api.ProcessingComplete, read.ProcessingState)
		equal(t, "error", "", read.LastProcessError)
		equal(t, "source", address, read.SourceURL)

		content := do(w, "reader", api.GetOpenAPISpecLatestContent, specRef(w, "pets"))
		equal(t, "files", map[string]api.OpenAPIFile{
			"openapi.yaml": {Content: w.web[address], Entry: true}, "pet.json": {Content: w.web["https://example.com/api/pet.json"]},
		}, content.Filesystem)
		bundle := w.raw("", http.MethodGet, strings.TrimPrefix(content.URL, publicURL), nil)
		if text := string(bundle.Body); bundle.Status != http.StatusOK || !strings.Contains(text, "A pet.") || strings.Contains(text, "pet.json") {
			t.Errorf("bundle: %d %s", bundle.Status, bundle.Body)
		}

		putSpec(w, "pets", api.OpenAPISource{URL: address})
		specRead(w, "pets")
		equal(t, "versions of the same document", 1, specVersions(w, "pets"))
		w.web["https://example.com/api/pet.json"] = `{"type":"object","description":"Another pet."}`
		putSpec(w, "pets", api.OpenAPISource{URL: address})
		second := specRead(w, "pets")
		equal(t, "versions", 2, specVersions(w, "pets"))
		old := do(w, "reader", api.GetOpenAPISpecVersionContent, api.OpenAPISpecVersionRef{OpenAPISpecRef: specRef(w, "pets"), Version: read.LastVersion})
		equal(t, "the old version", `{"type":"object","description":"A pet."}`, old.Filesystem["pet.json"].Content)
		equal(t, "the latest", second.LastVersion, do(w, "reader", api.GetOpenAPISpecLatestVersion, specRef(w, "pets")).ID)
	})
}

// What cannot be read says why, and keeps the version that there was.
func TestSpecificationThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	first := newSpec(w, "pets", petsText)
	for _, c := range []struct {
		source api.OpenAPISource
		code   api.ProcessErrorCode
		says   string
	}{
		{api.OpenAPISource{URL: "https://example.com/none.json"}, api.ProcessFetchError, "no such page"},
		{api.OpenAPISource{Text: "no document"}, api.ProcessParseError, "not an OpenAPI document"},
		{api.OpenAPISource{Text: strings.Replace(petsText, "All.", `All.","$ref":"other.json`, 1)}, api.ProcessParseError, "leads nowhere"},
	} {
		putSpec(w, "pets", c.source)
		read := specRead(w, "pets")
		equal(t, "state", api.ProcessingComplete, read.ProcessingState)
		equal(t, "code", c.code, read.LastProcessErrorCode)
		if !strings.Contains(read.LastProcessError, c.says) {
			t.Errorf("%q, want %q", read.LastProcessError, c.says)
		}
		equal(t, "version", first.LastVersion, read.LastVersion)
	}
	putSpec(w, "pets", api.OpenAPISource{Text: petsText})
	equal(t, "error when it can be read again", "", specRead(w, "pets").LastProcessErrorCode)

	putSpec(w, "fish", api.OpenAPISource{Text: "no document"})
	for _, says := range []string{"still being read", "not an OpenAPI document"} {
		if e := refused(w, "reader", api.GetOpenAPISpecLatestVersion, specRef(w, "fish"), 404, api.ReasonNotFound); !strings.Contains(e.Hint, says) {
			t.Errorf("hint %q, want %q", e.Hint, says)
		}
		specRead(w, "fish")
	}
}

// slowWeb is a web that never answers in time.
type slowWeb struct {
	asked    func()
	deadline time.Time
}

// GetUpTo implements server.Fetcher.
func (w *slowWeb) GetUpTo(ctx context.Context, address string, _ int64) (*fetch.Response, error) {
	w.deadline, _ = ctx.Deadline()
	w.asked()
	return nil, &fetch.Error{URL: address, Reason: fetch.Timeout, Message: "the server took too long", Err: context.DeadlineExceeded}
}

// While it is fetched, a specification is in progress; fetching is bounded as a whole, and says that it took too long.
func TestSpecificationThatTakesTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	var during api.ProcessingState
	slow := &slowWeb{asked: func() { during = do(w, "reader", api.GetOpenAPISpec, specRef(w, "slow")).ProcessingState }}
	w.serve(func(o *server.Options) { o.Fetcher = slow })
	putSpec(w, "slow", api.OpenAPISource{URL: "https://example.com/openapi.yaml"})
	read := specRead(w, "slow")
	equal(t, "state while it is fetched", api.ProcessingProgress, during)
	equal(t, "time for all documents", true, !slow.deadline.IsZero() && time.Until(slow.deadline) < 5*time.Minute)
	equal(t, "state", api.ProcessingComplete, read.ProcessingState)
	equal(t, "code", api.ProcessFetchTimeout, read.LastProcessErrorCode)
	equal(t, "error", "https://example.com/openapi.yaml: the server took too long", read.LastProcessError)
}

// Nothing is left of a specification that was deleted, and its slug is free.
func TestSpecificationIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	before := w.dump()
	made := newSpec(w, "pets", petsText)
	version := do(w, "reader", api.GetOpenAPISpecLatestVersion, specRef(w, "pets"))
	do(w, "creator", api.DeleteOpenAPISpec, specRef(w, "pets"))
	w.must(w.server.RunDueJobs(t.Context()))
	for key := range w.dump() {
		if _, was := before[key]; !was && (strings.Contains(key, ":oas") || strings.Contains(key, made.ID)) {
			t.Errorf("%s is left", key)
		}
	}
	equal(t, "the bytes", http.StatusNotFound, w.raw("", http.MethodGet, strings.TrimPrefix(version.URL, publicURL), nil).Status)
	newSpec(w, "pets", petsText)
}

func TestSpecificationRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	newSpec(w, "pets", petsText)
	path := "/v1/orgs/" + w.org + "/openapi"
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
		a := w.raw("admin", http.MethodPost, path, []byte(body))
		equal(t, body, want.status, a.Status)
		if fields := a.Error().Fields; want.field != "" && (len(fields) == 0 || fields[0].Path != want.field) {
			t.Errorf("%s: %s", body, a.Body)
		}
	}
}

// Whoever takes over the job of a node that died finishes it; the dead node's late answer counts for nothing.
func TestSpecificationIsReadOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	putSpec(w, "pets", api.OpenAPISource{Text: petsText})
	due, err := w.store.Jobs.Lease(t.Context(), w.org, 1, 0)
	w.must(err)
	equal(t, "leases", 1, len(due.Leases))
	equal(t, "state", api.ProcessingComplete, specRead(w, "pets").ProcessingState)
	err = w.store.Update(t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error { return due.Leases[0].Finish(tx.Tx) })
	if err == nil {
		t.Error("a job is finished twice")
	}
	equal(t, "versions", 1, specVersions(w, "pets"))
}
