package access

import (
	"encoding/json"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// setEntry applies an entry to a model.
func setEntry(t *testing.T, m *Model, id string, entry any) {
	t.Helper()
	data, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	m.Apply(id, data)
}

// newReasonModel returns the model of o_1 with the admin u_1 and the space s_1, which the site site_1 shows to the holders of link_1.
func newReasonModel(t *testing.T) (m *Model, site store.SiteEntry) {
	t.Helper()
	m, _ = NewModel("o_1").(*Model)
	inherit := api.LevelInherit
	setEntry(t, m, "s_1", store.Entry{Order: "a0", Level: &inherit})
	setEntry(t, m, "u_1", store.Person{Member: &store.Membership{Role: api.RoleAdmin}})
	site = store.SiteEntry{Published: true, Visibility: api.SiteShareLink, Spaces: []store.SiteEntrySpace{{Space: "s_1"}}}
	setEntry(t, m, "site_1", site)
	setEntry(t, m, "link_1", store.ShareLinkEntry{Site: "site_1", Digests: store.Digests{Digest: "key", Second: "other key"}})
	return m, site
}

// TestEndReason checks which changes end the reason for an address, and that each has a sentence of its own.
func TestEndReason(t *testing.T) {
	t.Parallel()
	member := Reason{Organization: "o_1"}
	admin := Reason{Organization: "o_1", Admin: "u_1"}
	public := Reason{Organization: "o_1", Site: "site_1"}
	link := Reason{Organization: "o_1", Site: "site_1", ShareLink: "link_1"}
	token := Reason{Organization: "o_1", Site: "site_1", Token: true}
	visible := func(to api.SiteVisibility) func(*testing.T, *Model, store.SiteEntry) {
		return func(t *testing.T, m *Model, site store.SiteEntry) {
			t.Helper()
			site.Visibility = to
			setEntry(t, m, "site_1", site)
		}
	}
	const deleted, notAdmin, unpublished = "The space was deleted.",
		"Whoever asked for the address is not an admin of the organization any more.", "The site is not published any more."
	const others = "The site has other visitors now."
	for name, c := range map[string]struct {
		change func(*testing.T, *Model, store.SiteEntry)
		ends   map[Reason]string
	}{
		"nothing":   {nil, map[Reason]string{public: others, token: others}},
		"everybody": {visible(api.SitePublic), nil},
		"unlisted":  {visible(api.SiteUnlisted), nil},
		"visitors":  {visible(api.SiteVisitorAuth), map[Reason]string{public: others, link: others}},
		"no members": {func(_ *testing.T, m *Model, _ store.SiteEntry) { m.Apply("u_1", nil) }, map[Reason]string{
			admin: notAdmin, public: others, token: others,
		}},
		"disabled": {func(t *testing.T, m *Model, _ store.SiteEntry) {
			t.Helper()
			setEntry(t, m, "u_1", store.Person{Member: &store.Membership{Role: api.RoleAdmin, Disabled: true}})
		}, map[Reason]string{admin: notAdmin, public: others, token: others}},
		"demoted": {func(t *testing.T, m *Model, _ store.SiteEntry) {
			t.Helper()
			setEntry(t, m, "u_1", store.Person{Member: &store.Membership{Role: api.RoleCreate}})
		}, map[Reason]string{admin: notAdmin, public: others, token: others}},
		"in the trash": {func(t *testing.T, m *Model, _ store.SiteEntry) {
			t.Helper()
			setEntry(t, m, "s_1", store.Entry{Order: "a0", Deleted: 1})
		}, map[Reason]string{member: deleted, public: deleted, link: deleted, token: deleted}},
		"purged": {func(_ *testing.T, m *Model, _ store.SiteEntry) { m.Apply("s_1", nil) }, map[Reason]string{
			member: deleted, public: deleted, link: deleted, token: deleted,
		}},
		"transferred": {func(t *testing.T, m *Model, _ store.SiteEntry) {
			t.Helper()
			setEntry(t, m, "s_1", store.Entry{Moved: "o_2"})
		}, sameEnd("The space was transferred to another organization.", member, public, link, token)},
		"organization in the trash": {func(t *testing.T, m *Model, _ store.SiteEntry) {
			t.Helper()
			setEntry(t, m, "o_1", struct{}{})
		}, sameEnd("The organization was deleted.", member, admin, public, link, token)},
		"unpublished": {func(t *testing.T, m *Model, site store.SiteEntry) {
			t.Helper()
			site.Published = false
			setEntry(t, m, "site_1", site)
		}, sameEnd(unpublished, public, link, token)},
		"site deleted": {func(_ *testing.T, m *Model, _ store.SiteEntry) {
			m.Apply("site_1", nil)
		}, sameEnd(unpublished, public, link, token)},
		"not shown": {func(t *testing.T, m *Model, site store.SiteEntry) {
			t.Helper()
			site.Spaces = nil
			setEntry(t, m, "site_1", site)
		}, sameEnd("The site does not show the space any more.", public, link, token)},
		"share link off": {func(_ *testing.T, m *Model, _ store.SiteEntry) { m.Apply("link_1", nil) }, map[Reason]string{
			public: others, link: "The share link was switched off.", token: others,
		}},
	} {
		m, site := newReasonModel(t)
		if c.change != nil {
			c.change(t, m, site)
		}
		for _, r := range []Reason{{}, member, admin, public, link, token} {
			if got := m.visibleModel().EndReason(ParseReason(r.String()), "s_1"); got != c.ends[r] {
				t.Errorf("%s: %q ends with %q, want %q", name, r, got, c.ends[r])
			}
		}
	}
}

// sameEnd returns one sentence for all reasons.
func sameEnd(sentence string, reasons ...Reason) map[Reason]string {
	ends := map[Reason]string{}
	for _, r := range reasons {
		ends[r] = sentence
	}
	return ends
}

// TestReasonOfSpecificationIsOrganization checks that an address in something that is not in the model ends with its organization only.
func TestReasonOfSpecificationIsOrganization(t *testing.T) {
	t.Parallel()
	m, _ := newReasonModel(t)
	if got := m.EndReason(Reason{Organization: "o_1"}, "spec_1"); got != "" {
		t.Errorf("it ends with %q", got)
	}
	setEntry(t, m, "o_1", struct{}{})
	if got := m.visibleModel().EndReason(Reason{Organization: "o_1"}, "spec_1"); got == "" {
		t.Error("it does not end with the organization")
	}
}

// TestVisitReason checks that the reason of a visitor names the site and how it admitted them, and that the reason of somebody who is
// not admitted has ended.
func TestVisitReason(t *testing.T) {
	t.Parallel()
	claims := func(string, *Site) (map[string]any, error) { return nil, nil }
	for visibility, want := range map[api.SiteVisibility]Reason{
		api.SitePublic:      {Organization: "o_1", Site: "site_1"},
		api.SiteUnlisted:    {Organization: "o_1", Site: "site_1"},
		api.SiteShareLink:   {Organization: "o_1", Site: "site_1", ShareLink: "link_1"},
		api.SiteVisitorAuth: {Organization: "o_1", Site: "site_1", Token: true},
	} {
		m, site := newReasonModel(t)
		site.Visibility = visibility
		setEntry(t, m, "site_1", site)
		setEntry(t, m, "link_2", store.ShareLinkEntry{Site: "site_1", Digests: store.Digests{Digest: "key of 2"}})
		for _, key := range []string{"key", "other key"} {
			got := m.VisitReason("s_1", Visitor{Digest: key, Claims: claims})
			if got != want || m.EndReason(got, "s_1") != "" {
				t.Errorf("%s with %s: %+v ends with %q", visibility, key, got, m.EndReason(got, "s_1"))
			}
		}
		if got := m.VisitReason("s_2", Visitor{Digest: "key", Claims: claims}); m.EndReason(got, "s_1") == "" {
			t.Errorf("%s: there is a reason for a space that the site does not show: %+v", visibility, got)
		}
	}
}
