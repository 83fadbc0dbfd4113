package access

import (
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// TestOpenedSpaces checks which changes of a site make which of its spaces visible to more visitors.
func TestOpenedSpaces(t *testing.T) {
	t.Parallel()
	const plain, paid = "s_plain", "s_paid"
	base := store.SiteEntry{
		Visibility: api.SiteVisitorAuth, Agents: api.AgentsIncluded, Adaptive: true, Schema: []byte(`{}`), VisitorKey: "old",
		Spaces: []store.SiteEntrySpace{{Space: plain, Path: "plain"}, {Space: paid, Path: "paid", Conditions: []string{"a", "b"}}},
	}
	all := []string{plain, paid}
	visibility := func(was, now api.SiteVisibility) func(before, after *store.SiteEntry) {
		return func(before, after *store.SiteEntry) { before.Visibility, after.Visibility = was, now }
	}
	conditions := func(texts ...string) func(_, after *store.SiteEntry) {
		return func(_, after *store.SiteEntry) { after.Spaces[1].Conditions = texts }
	}
	for name, test := range map[string]struct {
		change func(before, after *store.SiteEntry)
		want   []string
	}{
		"nothing":                    {func(_, _ *store.SiteEntry) {}, nil},
		"new site":                   {func(before, _ *store.SiteEntry) { *before = store.SiteEntry{} }, all},
		"published":                  {func(_, after *store.SiteEntry) { after.Published = true }, all},
		"unpublished":                {func(before, _ *store.SiteEntry) { before.Published = true }, nil},
		"other addresses":            {func(_, after *store.SiteEntry) { after.Hostname, after.Spaces[0].Path = "h", "p" }, nil},
		"visitor-auth to public":     {visibility(api.SiteVisitorAuth, api.SitePublic), all},
		"visitor-auth to unlisted":   {visibility(api.SiteVisitorAuth, api.SiteUnlisted), all},
		"visitor-auth to share-link": {visibility(api.SiteVisitorAuth, api.SiteShareLink), all},
		"share-link to visitor-auth": {visibility(api.SiteShareLink, api.SiteVisitorAuth), all},
		"unlisted to public":         {visibility(api.SiteUnlisted, api.SitePublic), all},
		"unlisted to share-link":     {visibility(api.SiteUnlisted, api.SiteShareLink), nil},
		"public to unlisted":         {visibility(api.SitePublic, api.SiteUnlisted), nil},
		"public to visitor-auth":     {visibility(api.SitePublic, api.SiteVisitorAuth), nil},
		"agents admitted":            {func(before, _ *store.SiteEntry) { before.Agents = api.AgentsExcluded }, all},
		"agents excluded":            {func(_, after *store.SiteEntry) { after.Agents = api.AgentsExcluded }, nil},
		"space added": {func(_, after *store.SiteEntry) {
			after.Spaces = append(after.Spaces, store.SiteEntrySpace{Space: "s_new"})
		}, []string{"s_new"}},
		"space added twice": {func(_, after *store.SiteEntry) {
			after.Spaces = append(after.Spaces, store.SiteEntrySpace{Space: "s_new"}, store.SiteEntrySpace{Space: "s_new"})
		}, []string{"s_new"}},
		"space removed":                   {func(_, after *store.SiteEntry) { after.Spaces = after.Spaces[:1] }, nil},
		"space shown a second time":       {func(_, after *store.SiteEntry) { after.Spaces = append(after.Spaces, after.Spaces[0]) }, nil},
		"second time without a condition": {func(_, after *store.SiteEntry) { after.Spaces[0].Space = paid }, []string{paid}},
		"condition removed":               {conditions("a"), []string{paid}},
		"condition changed":               {conditions("a", "c"), []string{paid}},
		"condition added":                 {conditions("a", "b", "c"), nil},
		"conditions in another order":     {conditions("b", "a"), nil},
		"claims considered":               {func(before, _ *store.SiteEntry) { before.Adaptive = false }, []string{paid}},
		"schema changed":                  {func(_, after *store.SiteEntry) { after.Schema = []byte(`{"x":1}`) }, []string{paid}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := base, base
			before.Spaces = []store.SiteEntrySpace{base.Spaces[0], base.Spaces[1]}
			after.Spaces = []store.SiteEntrySpace{base.Spaces[0], base.Spaces[1]}
			test.change(&before, &after)
			if got := OpenedSpaces(before, after); !slices.Equal(got, test.want) {
				t.Errorf("opened %q, want %q", got, test.want)
			}
		})
	}
}
