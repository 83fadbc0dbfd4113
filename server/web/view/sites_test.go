package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// newCall returns a request of a member without a role in any content.
func newCall() *rest.Call {
	return &rest.Call{Request: rest.Request{Org: org}, Caller: &access.Caller{User: "u_1", Role: api.RoleGuest}}
}

// apply sets the access entry of an object.
func apply(t *testing.T, model *access.Model, id string, entry any) {
	t.Helper()
	data, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	model.Apply(id, data)
}

// siteEntry returns the entry of a site that shows one space.
func siteEntry(visibility api.SiteVisibility, space, path string) store.SiteEntry {
	return store.SiteEntry{Visibility: visibility, Published: true, Spaces: []store.SiteEntrySpace{{Space: space, Path: path}}}
}

func TestSiteAddress(t *testing.T) {
	t.Parallel()
	w, c, model := newWriter(), newCall(), newModel(t)
	for _, test := range []struct {
		entry     store.SiteEntry
		path      string
		want      string
		wantProxy string // target of the proxy
	}{
		{store.SiteEntry{Published: true}, "", publicURL + "/sites/o_1/site_1", ""},
		{store.SiteEntry{Published: true, Basename: "docs"}, "a/b", publicURL + "/sites/o_1/docs/a/b", ""},
		{store.SiteEntry{Published: true, Basename: "a b/c?"}, "", publicURL + "/sites/o_1/a%20b%2Fc%3F", ""},
		{store.SiteEntry{Published: true, Hostname: "docs.example.org", Basename: "docs"}, "a/b", "https://docs.example.org/a/b", ""},
		{
			store.SiteEntry{Published: true, Proxy: "example.net/docs", Basename: "docs"},
			"a",
			"https://example.net/docs/a", publicURL + "/sites/o_1/docs",
		},
		{
			store.SiteEntry{Published: true, Proxy: "example.net/docs", Hostname: "h.example.org"},
			"",
			"https://example.net/docs", "https://h.example.org",
		},
		{store.SiteEntry{Published: true}, "ä b/c?d#e%", publicURL + "/sites/o_1/site_1/%C3%A4%20b/c%3Fd%23e%25", ""},
		{store.SiteEntry{}, "a", "", ""},
	} {
		apply(t, model, "site_1", test.entry)
		wantEqual(t, "address", test.want, w.publishedURL(c, model, "site_1", test.path))
		d := store.SiteDocument{Fields: api.SiteFields{
			ID: "site_1", Published: test.entry.Published, Hostname: test.entry.Hostname, Basename: test.entry.Basename,
		}, Private: store.SitePrivate{Proxy: test.entry.Proxy}}
		data, err := w.NewSite(c, model, d).Object().Bytes()
		if err != nil {
			t.Fatal(err)
		}
		site := decode[api.Site](t, data)
		if site.Proxy != nil {
			wantEqual(t, "target of the proxy", test.wantProxy, site.Proxy.Target)
		} else if test.wantProxy != "" {
			t.Errorf("there is no proxy in %s", data)
		}
		if test.path == "" {
			wantEqual(t, "published address", test.want, site.URLs.Published)
		}
		wantEqual(t, "location", publicURL+"/v1/orgs/o_1/sites/site_1", site.URLs.Location)
		wantEqual(t, "app", publicURL+"/app/sites/site_1", site.URLs.App)
	}
}

// TestPublishedAddressOfSpace checks that the address of a space is on the site with the widest audience, or on the
// site of the caller's share key, which the address repeats there and nowhere else.
func TestPublishedAddressOfSpace(t *testing.T) {
	t.Parallel()
	const key = "k y&z"
	w, model := newWriter(), newModel(t)
	at := func(site, path string) string { return publicURL + "/sites/o_1/" + site + "/" + path }
	apply(t, model, "site_shared", siteEntry(api.SiteShareLink, "s_1", "shared"))
	apply(t, model, "site_unlisted", siteEntry(api.SiteUnlisted, "s_1", "unlisted"))
	apply(t, model, "site_only", siteEntry(api.SiteShareLink, "s_2", "only"))
	apply(t, model, txn.ShareLinkPrefix+"1", store.ShareLinkEntry{
		Site: "site_shared", Digests: store.Digests{Digest: auth.Digest(key)},
	})
	unpublished := siteEntry(api.SitePublic, "s_3", "hidden")
	unpublished.Published = false
	apply(t, model, "site_unpublished", unpublished)
	check := func(what, shareKey, space, wantPublished, wantPublic string) {
		t.Helper()
		c := newCall()
		c.ShareKey = shareKey
		published, public := w.publishedSpaceURLs(c, model, space)
		wantEqual(t, what+": published", wantPublished, published)
		wantEqual(t, what+": public", wantPublic, public)
	}
	check("two sites", "", "s_1", at("site_unlisted", "unlisted"), "")
	check("another key", "other", "s_1", at("site_unlisted", "unlisted"), "")
	check("key of a site", key, "s_1", at("site_shared", "shared")+"?"+rest.ShareKeyParam+"=k+y%26z", "")
	check("key of a site without the space", key, "s_2", at("site_only", "only"), "")
	check("unpublished", "", "s_3", "", "")
	check("no site", "", "s_4", "", "")
	apply(t, model, "site_public", siteEntry(api.SitePublic, "s_1", "public"))
	check("public", "", "s_1", at("site_public", "public"), at("site_public", "public"))
	check("public and a key", key, "s_1", at("site_shared", "shared")+"?"+rest.ShareKeyParam+"=k+y%26z", "")
}

// newSiteDocument returns a published site with two sections in a group and one outside of it. The default space of
// the first section is in the trash.
func newSiteDocument(visibility api.SiteVisibility) store.SiteDocument {
	section := func(id, path, group string, root bool) store.SiteSection {
		return store.SiteSection{
			Fields: api.SiteSectionFields{ID: id, Path: path, SectionGroup: group, Default: id == "sec_1"}, Order: id, Root: root,
		}
	}
	space := func(id, section, space string, isDefault bool) store.SiteSpace {
		return store.SiteSpace{ID: id, Section: section, Space: space, Path: space[2:], Default: isDefault, Order: id}
	}
	return store.SiteDocument{
		Fields: api.SiteFields{ID: "site_1", Visibility: visibility, Published: true},
		Private: store.SitePrivate{
			Groups: []store.SiteGroup{{Fields: api.SiteSectionGroupFields{ID: "grp_1"}, Order: "sec_2"}},
			Sections: []store.SiteSection{
				section("sec_1", "one", "", true), section("sec_2", "two", "grp_1", false), section("sec_3", "three", "grp_1", false),
			},
			Spaces: []store.SiteSpace{
				space("ss_1", "sec_1", "s_gone", true), space("ss_2", "sec_1", "s_there", false),
				space("ss_3", "sec_2", "s_other", true), space("ss_4", "sec_3", "s_gone", true),
			},
		},
	}
}

// TestSiteShowsVisibleParts checks that spaces in the trash and those that a caller may not see are left out, that
// another space of the section becomes the default, and that visitors see no empty sections.
func TestSiteShowsVisibleParts(t *testing.T) {
	t.Parallel()
	w, model := newWriter(), newModel(t)
	none := (*api.Level)(nil)
	for _, space := range []string{"s_there", "s_other"} {
		apply(t, model, space, store.Entry{Order: "a0", Level: none})
	}
	visit := newCall()
	visit.Caller.IsVisitor = true
	admin := newCall()
	admin.Caller.Role = api.RoleAdmin
	for _, test := range []struct {
		name             string
		c                *rest.Call
		visibility       api.SiteVisibility
		spaces, sections string
		groups           int
	}{
		{"public site, visitor", visit, api.SitePublic, "ss_2* ss_3*", "sec_1 sec_2", 1},
		{"public site, admin", admin, api.SitePublic, "ss_2* ss_3*", "sec_1 sec_2 sec_3", 1},
		{"site with a key, admin", admin, api.SiteShareLink, "ss_2* ss_3*", "sec_1 sec_2 sec_3", 1},
		{"site with a key, visitor without it", visit, api.SiteShareLink, "", "", 0},
		{"site with a key, guest", newCall(), api.SiteShareLink, "", "sec_1 sec_2 sec_3", 1},
	} {
		st := w.NewSite(test.c, model, newSiteDocument(test.visibility))
		var spaces, sections []string
		for _, s := range st.AllSpaces() {
			spaces = append(spaces, s.ID+map[bool]string{true: "*"}[s.Default])
		}
		for _, s := range st.Sections {
			sections = append(sections, s.Fields.ID)
		}
		wantEqual(t, test.name+": spaces", test.spaces, strings.Join(spaces, " "))
		wantEqual(t, test.name+": sections", test.sections, strings.Join(sections, " "))
		wantEqual(t, test.name+": groups", test.groups, len(st.Groups()))
	}
}

// TestSiteStructureHasAddresses checks the nesting of sections and groups and the published addresses of all parts.
func TestSiteStructureHasAddresses(t *testing.T) {
	t.Parallel()
	w, model, c := newWriter(), newModel(t), newCall()
	c.Caller.Role = api.RoleAdmin
	st := func() *Site {
		st := w.NewSite(c, model, newSiteDocument(api.SitePublic))
		st.Stored = map[string]StoredSpace{}
		for _, space := range []string{"s_there", "s_other"} {
			public := []byte(`{"object":"space","id":"` + space + `","title":"<Title>"}`)
			st.Stored[space] = StoredSpace{Record: txn.Record{Version: 1, Private: []byte("{}"), Public: public}}
		}
		return st
	}
	for _, space := range []string{"s_there", "s_other"} {
		apply(t, model, space, store.Entry{Order: "a0"})
	}
	apply(t, model, "site_1", siteEntry(api.SitePublic, "s_other", "two/other"))
	data, err := st().Structure().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var collect func(v any)
	collect = func(v any) {
		o, _ := v.(map[string]any)
		urls, _ := o["urls"].(map[string]any)
		published, _ := urls["published"].(string)
		got = append(got, strings.TrimSpace(o["id"].(string)+" "+strings.TrimPrefix(published, publicURL+"/sites/o_1/site_1")))
		for _, member := range []string{"sections", "siteSpaces"} {
			parts, _ := o[member].([]any)
			for _, part := range parts {
				collect(part)
			}
		}
	}
	structure := decode[struct{ Structure []any }](t, data).Structure
	for _, top := range structure {
		collect(top)
	}
	want := []string{"sec_1", "ss_2 /there", "grp_1", "sec_2 /two", "ss_3 /two/other", "sec_3 /three"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, data)
	}
	damaged := st()
	damaged.Stored["s_other"] = StoredSpace{Record: txn.Record{Public: []byte("{"), Private: []byte("{}")}}
	if _, err := damaged.Structure().Bytes(); err == nil && damaged.Err == nil {
		t.Error("a damaged space is left out without an error")
	}
}
