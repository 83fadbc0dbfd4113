package resolve

import (
	"maps"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
)

// TestIsID checks which texts are taken for ids.
func TestIsID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]bool{
		"space": {
			"s_0aj2dx9w2g0zhc0aj2dxaktdzzy3": true, "s_7": true, "skylark_handbook": false, "l_7": false, "s_": false, "S_7": false,
			"s_7-8": false, "": false,
		},
		"user":          {"u_7": true, "@me": false},
		"changeRequest": {"2": true, "cr_7": true, "cr_0b3zmbakynwysj_2": true, "cr_a_b": false, "2a": false, "-2": false},
		"spec":          {"petstore": true, "spec_7": false, "Pet Store": false},
		Trashed:         {"s_7": true, "l_7": true, "o_7": true, "tm_7": false},
		"comment":       {"c_7": false},
	} {
		for id, want := range want {
			if got := IsID(text, id); got != want {
				t.Errorf("%s: %q is an id: %v, want %v", text, id, got, want)
			}
		}
	}
}

// TestSplit checks how names are split into that of a resource and those of the resources that it is in.
func TestSplit(t *testing.T) {
	t.Parallel()
	const base = "https://wsd.example/docs"
	for _, test := range []struct {
		subject, text, rest string
		in                  map[string]string
	}{
		{"space", "C#", "C#", nil},
		{"space", "title:https://x", "title:https://x", nil},
		{"changeRequest", "handbook#2", "2", map[string]string{"space": "handbook"}},
		{"changeRequest", "C##2", "2", map[string]string{"space": "C#"}},
		{"changeRequest", "title:C##2", "2", map[string]string{"space": "title:C#"}},
		{"changeRequest", "id:cr_1", "id:cr_1", nil},
		{"changeRequest", "#2", "2", nil},
		{"changeRequest", "2", "2", nil},
		{"page", "a:b/c", "b/c", map[string]string{"space": "a"}},
		{"page", "a#2:b/c", "b/c", map[string]string{"space": "a", "changeRequest": "2"}},
		{"page", "#2:b", "b", map[string]string{"changeRequest": "2"}},
		{"page", "title:Part 1: intro", "title:Part 1: intro", nil},
		{"page", "id:p", "id:p", nil},
		{"revision", "a@12", "@12", map[string]string{"space": "a"}},
		{"revision", "title:@me@12", "@12", map[string]string{"space": "title:@me"}},
		{"revision", "@12", "@12", nil},
		{"page", "https://wsd.example/docs/app/pages/s_1~p_1", "p_1", map[string]string{"space": "s_1"}},
		{"changeRequest", "https://WSD.example/docs/app/change-requests/s_1~2/", "2", map[string]string{"space": "s_1"}},
		{"page", "https://wsd.example/docs/v1/spaces/s_1/change-requests/2/content/page/p_1", "p_1", map[string]string{
			"space": "s_1", "changeRequest": "2",
		}},
		{"site", "https://wsd.example/docs/v1/orgs/o_1/sites/site_1", "site_1", map[string]string{"organization": "o_1"}},
		{Trashed, "https://wsd.example/docs/app/collections/l_1", "l_1", nil},
		{"page", "https://docs.example/station", "https://docs.example/station", nil},
		{"page", "https://wsd.example/docs/sites/o_1/x", "https://wsd.example/docs/sites/o_1/x", nil},
	} {
		rest, in, err := Split(test.subject, test.text, base)
		if err != nil || rest != test.rest || !maps.Equal(in, test.in) {
			t.Errorf("%s %q: %q in %v, %v; want %q in %v", test.subject, test.text, rest, in, err, test.rest, test.in)
		}
	}
	if rest, _, err := Split("team", base+"/app/spaces/s_1", base); err == nil {
		t.Errorf("the address of a space is that of the team %q", rest)
	}
}

// TestSubject checks which members of requests take names.
func TestSubject(t *testing.T) {
	t.Parallel()
	id, text := &api.Schema{Kind: api.KindString, Pattern: "id"}, &api.Schema{Kind: api.KindString}
	list := &api.Schema{Kind: api.KindArray, Items: text}
	for _, test := range []struct {
		name string
		s    *api.Schema
		want string
	}{
		{"spaceId", id, "space"},
		{"space", id, "space"},
		{"space", text, ""},
		{"users", list, "user"},
		{"users", &api.Schema{Kind: api.KindArray, Items: &api.Schema{Kind: api.KindObject}}, ""},
		{"commentId", id, ""},
		{"add", list, ""},
		{"add", &api.Schema{Kind: api.KindArray, Items: text, Emails: true}, "user"},
	} {
		if got, ok := Subject(test.name, test.s); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestUniqueName checks the names that stand for one item only.
func TestUniqueName(t *testing.T) {
	t.Parallel()
	items := []item{
		{id: "sec_1", title: "Guides"},
		{id: "sec_2", title: "guides"},
		{id: "sec_3", title: "C++"},
		{id: "sec_4", title: "C#"},
		{id: "sec_5", title: "🚀"},
		{id: "sec_6", title: "sec_9"},
		{id: "sec_7", title: "-o"},
		{id: "sec_8", title: "a, b"},
		{id: "sec_a", title: "Twin"},
		{id: "sec_b", title: "Twin"},
		{id: "sec_c", title: "Notes", forms: []string{"n/o"}},
		{id: "sec_d", title: "Other", forms: []string{"twin"}},
	}
	want := []string{
		"title:Guides", "title:guides", "title:C++", "title:C#", "title:🚀", "sec-9", "o", "a-b", "sec_a", "sec_b", "n/o", "other",
	}
	var got []string
	for _, it := range items {
		got = append(got, uniqueName("siteSection", items, it))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNearNames checks which names are suggested for one that nothing has.
func TestNearNames(t *testing.T) {
	t.Parallel()
	items := []item{
		{id: "s_1", title: "Skylark Handbook"}, {id: "s_2", title: "Hand Books"}, {id: "s_3", title: "Decisions"}, {id: "s_4", title: "🚀"},
	}
	for text, want := range map[string][]string{
		"handbook": {"hand-books", "skylark-handbook"}, "Decision": {"decisions"}, "x": nil, "🛰": nil, "dec": {"decisions"},
	} {
		if got := nearNames("space", items, text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
