package view

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/txn"
)

const (
	publicURL = "https://docs.example.com"
	org       = "o_1"
)

var testTime = time.Date(2026, 3, 1, 12, 4, 5, 0, time.UTC)

// newSigner returns a signer at a time.
func newSigner(at time.Time) auth.Signer {
	return auth.NewSigner(nil, []byte("a secret that is used in tests alone"), nil, func() time.Time { return at })
}

// newWriter returns a Writer without a store.
func newWriter() *Writer { return &Writer{PublicURL: publicURL, Signer: newSigner(testTime)} }

// decode decodes a JSON object.
func decode[T any](t *testing.T, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

// wantEqual fails the test if got is not want.
func wantEqual[T comparable](t *testing.T, what string, want, got T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %#v, want %#v", what, got, want)
	}
}

func TestResourceURLs(t *testing.T) {
	t.Parallel()
	w := newWriter()
	request := revision.Target{Space: "s_1", ChangeRequest: "2"}
	for got, want := range map[string]string{
		w.SpaceURL("s_1"):                                    "/v1/spaces/s_1",
		w.TargetURL(revision.Target{Space: "s_2"}):           "/v1/spaces/s_2",
		w.TargetURL(request):                                 "/v1/spaces/s_1/change-requests/2",
		w.SiteURL(org, "site_1"):                             "/v1/orgs/o_1/sites/site_1",
		w.SpecURL(org, "pets"):                               "/v1/orgs/o_1/openapi/pets",
		w.publicSpecURL(org, "pets"):                         "/openapi/o_1/pets",
		w.memberURL(org, "u_1"):                              "/v1/orgs/o_1/members/u_1",
		w.AppURL("spaces", "s_3"):                            "/app/spaces/s_3",
		w.PageURLs(revision.Target{Space: "s_1"}, "p_1").App: "/app/pages/s_1~p_1",
		w.PageURLs(request, "p_2").App:                       "/app/pages/s_1~p_2",
		w.HeadURLs(nil, request).App:                         "/app/spaces/s_1",
	} {
		wantEqual(t, "address", publicURL+want, got)
	}
	if urls := w.HeadURLs(nil, request); urls.Published != "" || urls.Public != "" {
		t.Errorf("a change request is published at %+v", urls)
	}
}

func TestRefURLContainsReferencedSpace(t *testing.T) {
	t.Parallel()
	w := newWriter()
	for want, refs := range map[string][]api.ContentRef{
		"/app/spaces/s_2":                 {{Kind: api.RefSpace, Space: "s_2"}},
		"/app/collections/l_1":            {{Kind: api.RefCollection, Collection: "l_1"}},
		"/app/pages/s_2~p_1":              {{Kind: api.RefPage, Space: "s_2", Page: "p_1"}},
		"/app/pages/s_2~p_1#a%20b%2Fc%23": {{Kind: api.RefAnchor, Space: "s_2", Page: "p_1", Anchor: "a b/c#"}},
		"": {
			{},
			{Kind: api.RefPage, Page: "p_1"},
			{Kind: api.RefAnchor, Page: "p_1", Anchor: "a"},
			{Kind: api.RefFile, File: "f_1"},
			{Kind: api.RefURL, URL: "https://example.com"},
			{Kind: api.RefOpenAPI, Spec: "pets"},
		},
	} {
		for _, ref := range refs {
			if want != "" {
				wantEqual(t, string(ref.Kind), publicURL+want, w.RefURL(ref))
			} else if got := w.RefURL(ref); got != "" {
				t.Errorf("%+v leads to %q", ref, got)
			}
		}
	}
}

// TestFileURLOpensFileOfSpace checks that the signed address of a file opens the manifest in its space for an hour.
func TestFileURLOpensFileOfSpace(t *testing.T) {
	t.Parallel()
	w := newWriter()
	reason := access.Reason{Organization: org}
	f := w.File(reason, "s_1", revision.File{ID: "f_1", Name: "a b.png", ContentType: "image/png", Size: 3, Manifest: "m1"})
	signed, ok := strings.CutPrefix(f.DownloadURL, publicURL+"/raw/")
	if !ok {
		t.Fatalf("the address is %s", f.DownloadURL)
	}
	got, ok, _ := w.Signer.Open(t.Context(), signed)
	if want := (auth.SignedAddress{Space: "s_1", Object: "m1", Reason: reason}); !ok || got != want {
		t.Errorf("%s is of %+v, valid: %t", f.DownloadURL, got, ok)
	}
	if again := w.File(reason, "s_2", revision.File{ID: "f_1", Manifest: "m1"}); again.DownloadURL == f.DownloadURL {
		t.Error("the address of a copy in another space is the same")
	}
	if _, ok, _ := newSigner(testTime.Add(time.Hour+auth.FileRounding)).Open(t.Context(), signed); ok {
		t.Error("the address is valid after its hour")
	}
}

// TestSpecAddressesFollowVisibility checks that a specification has a public address only if it is public.
func TestSpecAddressesFollowVisibility(t *testing.T) {
	t.Parallel()
	for private, want := range map[string]string{`{}`: "", `{"public":true}`: publicURL + "/openapi/o_1/pets"} {
		record := txn.Record{Version: 1, Private: []byte(private), Public: []byte(`{"object":"openapi-spec","slug":"pets"}`)}
		data, err := newWriter().Spec(newCall(), "pets", record).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		spec := decode[api.OpenAPISpec](t, data)
		wantEqual(t, "public address of "+private, want, spec.URLs.Public)
		wantEqual(t, "visibility of "+private, want != "", spec.Visibility == api.SpecPublic)
		wantEqual(t, "location", publicURL+"/v1/orgs/o_1/openapi/pets", spec.URLs.Location)
		wantEqual(t, "app", publicURL+"/app/openapi/o_1~pets", spec.URLs.App)
	}
}
