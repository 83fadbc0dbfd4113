package operations_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// foundNames is the answer with one resource for each name.
func foundNames(matches string) map[string]string {
	return map[string]string{
		"POST /v1/orgs/o_1/names": `200 {"items":[` + matches + `]}`,
		"GET /v1/spaces/s_7":      `200 {"id":"s_7","title":"Skylark Handbook"}`,
	}
}

const (
	foundSpace  = `{"kind":"space","name":"x","count":1,"found":[{"id":"s_7","title":"Skylark Handbook","name":"skylark-handbook","version":"3"}]}`
	foundMember = `{"kind":"member","name":"x","count":1,"found":[{"id":"u_7","title":"Piet Maas","name":"piet@example.com","version":"1"}]}`
	foundTeam   = `{"kind":"team","name":"x","count":1,"found":[{"id":"tm_7","title":"Hardware","name":"hardware","version":"2"}]}`
	foundSite   = `{"kind":"site","name":"x","count":1,"found":[{"id":"site_7","title":"Docs","name":"docs","version":"5"}]}`
	getRequest  = "GET /v1/spaces/s_7/change-requests/2"
	askSpace    = `POST /v1/orgs/o_1/names {"names":[{"kind":"space","name":"skylark-handbook"}]}`
)

// pageTree is a list of pages with two that have the same title.
const pageTree = `200 {"pages":[
	{"id":"p_1","title":"Power","path":"station/power","git":{"oid":"1","path":"station/power.md"},"pages":[
		{"id":"p_2","title":"Notes","path":"station/power/notes"}]},
	{"id":"p_3","title":"Notes","path":"notes"}, {"id":"p_4","title":"Part 1: intro","path":"intro"}]}`

// sentBy runs a command line with the given answers and returns the requests without their indentation.
func sentBy(t *testing.T, answers map[string]string, args ...string) []string {
	t.Helper()
	s := newHarness(t, answers)
	s.Env["WSCTL_ORG"] = "o_1"
	s.Run(append(args, "--max-retries", "0")...)
	return s.Requests()
}

// TestNamesStandForIDs checks that arguments, flags, settings and members of bodies take names, all found with one request, and
// that ids need none.
func TestNamesStandForIDs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args    []string
		answers string
		sent    []string
	}{
		"argument": {
			[]string{"spaces", "get", "Skylark Handbook"},
			foundSpace,
			[]string{`POST /v1/orgs/o_1/names {"names":[{"kind":"space","name":"Skylark Handbook"}]}`, "GET /v1/spaces/s_7"},
		},
		"id":              {[]string{"spaces", "get", "s_7"}, "", []string{"GET /v1/spaces/s_7"}},
		"id with prefix":  {[]string{"spaces", "get", "id:odd"}, "", []string{"GET /v1/spaces/odd"}},
		"app URL":         {[]string{"spaces", "get", "URL/app/spaces/s_7"}, "", []string{"GET /v1/spaces/s_7"}},
		"API URL":         {[]string{"cr", "get", "URL/v1/spaces/s_7/change-requests/2"}, "", []string{getRequest}},
		"URL of a page":   {[]string{"content", "get-page", "URL/app/pages/s_7~p_1"}, "", []string{"GET /v1/spaces/s_7/content/page/p_1"}},
		"URL of a site":   {[]string{"sites", "get", "URL/app/sites/site_7"}, "", []string{"GET /v1/orgs/o_1/sites/site_7"}},
		"another address": {[]string{"spaces", "get", "URL/app/teams/tm_1"}, "", nil},
		"flag and body": {
			[]string{
				"space-permissions", "create", "--space", "skylark-handbook", "--users", "Piet Maas,u_1",
				"--teams", "hardware", "--role", "read",
			},
			foundSpace + "," + foundMember + "," + foundTeam,
			[]string{
				`POST /v1/orgs/o_1/names {"names":[{"kind":"space","name":"skylark-handbook"},{"kind":"member","name":"Piet Maas"},` +
					`{"kind":"team","name":"hardware"}]}`,
				`POST /v1/spaces/s_7/permissions {"role":"read","teams":["tm_7"],"users":["u_7","u_1"]}`,
			},
		},
		"addresses where the server takes them": {
			[]string{"teams", "create", "--title", "Hardware", "--members", "piet@example.com,u_1"},
			"",
			[]string{`PUT /v1/orgs/o_1/teams {"members":["piet@example.com","u_1"],"title":"Hardware"}`},
		},
		"a name among addresses": {
			[]string{"teams", "update-members", "tm_1", "--add", "ann@example.com,Piet Maas"},
			foundMember,
			[]string{
				`POST /v1/orgs/o_1/names {"names":[{"kind":"member","name":"Piet Maas"}]}`,
				`PUT /v1/orgs/o_1/teams/tm_1/members {"add":["ann@example.com","u_7"]}`,
			},
		},
		"oneself, who has no address": {
			[]string{"teams", "create", "--title", "Hardware", "--members", "@me"},
			foundMember,
			[]string{
				`POST /v1/orgs/o_1/names {"names":[{"kind":"member","name":"@me"}]}`,
				`PUT /v1/orgs/o_1/teams {"members":["u_7"],"title":"Hardware"}`,
			},
		},
		"address where ids are needed": {
			[]string{"space-permissions", "create", "--space", "s_7", "--users", "piet@example.com", "--role", "read"},
			foundMember,
			[]string{
				`POST /v1/orgs/o_1/names {"names":[{"kind":"member","name":"piet@example.com"}]}`,
				`POST /v1/spaces/s_7/permissions {"role":"read","users":["u_7"]}`,
			},
		},
		"object in the body": {
			[]string{"organizations", "update", "--default-content", "docs"},
			foundSite,
			[]string{
				`POST /v1/orgs/o_1/names {"names":[{"kind":"site","name":"docs"}]}`,
				`PATCH /v1/orgs/o_1 {"defaultContent":{"site":"site_7","type":"site"}}`,
			},
		},
		"request": {[]string{"cr", "get", "skylark-handbook#2"}, foundSpace, []string{askSpace, getRequest}},
		"request in a known space": {
			[]string{"cr", "get", "#2", "--space", "skylark-handbook"}, foundSpace, []string{askSpace, getRequest},
		},
		"request of a flag": {
			[]string{"comments", "list", "--change-request", "s_7#2"},
			"",
			[]string{"GET /v1/spaces/s_7/change-requests/2/comments?limit=50"},
		},
		"request of a command without":     {[]string{"pages", "blame", "s_7#2:station"}, "", nil},
		"space of a page with an argument": {[]string{"spaces", "get-pdf", "s_7", "--page", "s_8:station"}, "", nil},
		"other space than the flag":        {[]string{"cr", "get", "s_7#2", "--space", "s_8"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, foundNames(test.answers))
			s.Env["WSCTL_ORG"] = "o_1"
			for i, arg := range test.args {
				test.args[i] = strings.Replace(arg, "URL", s.URL, 1)
			}
			got := s.Run(append(test.args, "--max-retries", "0")...)
			if sent := s.Requests(); !slices.Equal(sent, test.sent) {
				t.Errorf("sent %q, want %q", sent, test.sent)
			}
			if test.sent == nil {
				got.Want(t, app.ExitUsage)
			}
		})
	}
}

// TestPagesAreFoundByPath checks that pages are found by path, path in the source, and unique title, also in a change request.
func TestPagesAreFoundByPath(t *testing.T) {
	t.Parallel()
	const inSpace, inRequest = "GET /v1/spaces/s_7/content/pages", "GET /v1/spaces/s_7/change-requests/2/content/pages"
	const getInSpace, getInRequest = "GET /v1/spaces/s_7/content/page/p_1", "GET /v1/spaces/s_7/change-requests/2/content/page/p_1"
	answers := foundNames(foundSpace)
	maps.Copy(answers, map[string]string{inSpace: pageTree, inRequest: pageTree})
	for line, want := range map[string][]string{
		"content get-page station/power --space s_7":                    {inSpace, getInSpace},
		"content get-page /station/power/notes/ --space s_7":            {inSpace, "GET /v1/spaces/s_7/content/page/p_2"},
		"content get-page s_7:station/power.md":                         {inSpace, getInSpace},
		"content get-page s_7:POWER":                                    {inSpace, getInSpace},
		"content get-page /notes --space s_7":                           {inSpace, "GET /v1/spaces/s_7/content/page/p_3"},
		"content get-page title:Power --space s_7":                      {inSpace, getInSpace},
		"content get-page p_9 --space s_7":                              {"GET /v1/spaces/s_7/content/page/p_9"},
		"content get-page skylark-handbook:notes":                       {askSpace, inSpace},
		"content get-page s_7#2:station/power":                          {inRequest, getInRequest},
		"content get-page station/power --space s_7 --change-request 2": {inRequest, getInRequest},
		"cr-content delete-page s_7#2:station/power": {
			inRequest, `POST /v1/spaces/s_7/change-requests/2/content?compat=false {"changes":[{"operation":"delete_page","page":"p_1"}]}`,
		},
		"comments list --space s_7 --target-page station/power": {inSpace, "GET /v1/spaces/s_7/comments?limit=50&targetPage=p_1"},
		"comments create --space s_7 --page station/power --body x": {
			inSpace, `POST /v1/spaces/s_7/comments {"body":{"markdown":"x"},"page":"p_1"}`,
		},
	} {
		if diff := cmp.Diff(want, sentBy(t, answers, strings.Fields(line)...)); diff != "" {
			t.Errorf("%s\n%s", line, diff)
		}
	}
	s := newHarness(t, answers)
	s.Run("content get-page s_7:notes").Want(t, app.ExitUsage, `2 pages are called "notes"; say which`, "station/power/notes  Notes  p_2\n",
		"/notes               Notes  p_3\n")
	s.Run("content get-page s_7:station/powr").Want(t, app.ExitNotFound, `no page is called "station/powr"`, "did you mean station/power?")
}

// TestThingsAreFoundInLists checks that resources that names.find does not know are found in their lists, with one request.
func TestThingsAreFoundInLists(t *testing.T) {
	t.Parallel()
	const site, org = "/v1/orgs/o_1/sites/site_1", "/v1/orgs/o_1"
	for line, test := range map[string]struct{ list, answer, want string }{
		"site-sections delete Guides --site site_1 --yes": {
			"GET " + site + "/sections?limit=1000", `{"id":"sec_7","title":"Guides","path":"g"}`, "DELETE " + site + "/sections/sec_7",
		},
		"site-sections delete g --site site_1 --yes": {
			"GET " + site + "/sections?limit=1000", `{"id":"sec_7","title":"Guides","path":"g"}`, "DELETE " + site + "/sections/sec_7",
		},
		"site-spaces create --site site_1 --space s_1 --site-section guides": {
			"GET " + site + "/sections?limit=1000", `{"id":"sec_7","title":"Guides","path":"g"}`,
			"POST " + site + `/site-spaces {"sectionId":"sec_7","spaceId":"s_1"}`,
		},
		"tokens delete ci --yes": {"GET /v1/user/tokens?limit=1000", `{"id":"t_7","name":"CI"}`, "DELETE /v1/user/tokens/t_7"},
		"share-links delete press --site site_1 --yes": {
			"GET " + site + "/share-links?limit=1000", `{"id":"link_7","name":"Press"}`, "DELETE " + site + "/share-links/link_7",
		},
		"translations get french":                   {"GET " + org + "/translations?limit=1000", `{"id":"tr_7","title":"French"}`, "GET " + org + "/translations/tr_7"},
		"invites delete a@b.example --yes":          {"GET " + org + "/invites?limit=1000", `{"id":"i_7","email":"a@b.example"}`, "DELETE " + org + "/invites/i_7"},
		"openapi-specs get spec_7":                  {"GET " + org + "/openapi?limit=1000", `{"id":"spec_7","slug":"petstore"}`, "GET " + org + "/openapi/petstore"},
		"openapi-specs get petstore":                {"", "", "GET " + org + "/openapi/petstore"},
		"spaces restore field-tests":                {"GET " + org + "/trash?limit=1000", trashed, "POST /v1/spaces/s_7/restore"},
		"collections restore field-tests":           {"GET " + org + "/trash?limit=1000", trashed, "POST /v1/collections/l_7/restore"},
		"trash restore old":                         {"GET " + org + "/trash?limit=1000", trashed, "POST /v1/collections/l_8/restore"},
		"organizations get Tidemark --org Tidemark": {"GET /v1/orgs?limit=1000", `{"id":"o_7","title":"Tidemark"}`, "GET /v1/orgs/o_7"},
		"revisions get 12 --space s_7":              {listRevisions, revisionItems, getRevision},
		"revisions get s_7@12":                      {listRevisions, revisionItems, getRevision},
		"revisions get @-1 --space s_7":             {listRevisions, revisionItems, getRevision},
	} {
		var want []string
		if test.list != "" {
			want = append(want, test.list)
		}
		want = append(want, test.want)
		if diff := cmp.Diff(want, sentBy(t, map[string]string{test.list: `200 {"items":[` + test.answer + `]}`}, strings.Fields(line)...)); diff != "" {
			t.Errorf("%s\n%s", line, diff)
		}
	}
}

const (
	listRevisions = "GET /v1/spaces/s_7/revisions?limit=1000"
	getRevision   = "GET /v1/spaces/s_7/revisions/r_2"

	trashed = `{"id":"s_7","kind":"space","title":"Field Tests"},{"id":"l_7","kind":"collection","title":"Field Tests"},` +
		`{"id":"l_8","kind":"collection","title":"Old"}`
	revisionItems = `{"id":"r_3","number":13},{"id":"r_2","number":12}`
)

// TestRemovalByNameSendsVersion checks that a command that removes, moves, transfers, takes access away or stops an address sends
// the version that it found by name.
func TestRemovalByNameSendsVersion(t *testing.T) {
	t.Parallel()
	for line, test := range map[string]struct{ found, want string }{
		"spaces delete skylark-handbook --yes":                                                {foundSpace, `"3"`},
		"spaces delete skylark-handbook --yes --if-match x":                                   {foundSpace, "x"},
		"spaces delete s_7 --yes":                                                             {foundSpace, ""},
		"spaces update skylark-handbook --title New":                                          {foundSpace, ""},
		"spaces transfer skylark-handbook --to-org o_2 --yes":                                 {foundSpace, `"3"`},
		"space-permissions delete-user piet@x.example --space s_7 --yes":                      {foundMember, ""},
		"space-permissions delete-user u_1 --space skylark-handbook --yes":                    {foundSpace, `"3"`},
		"sites unpublish docs --yes":                                                          {foundSite, `"5"`},
		"teams remove-member piet@x.example --team tm_1 --yes":                                {foundMember, `"1"`},
		"members delete piet@x.example --yes":                                                 {foundMember, `"1"`},
		"change-requests remove-reviewer piet@x.example --space s_7 --change-request 1 --yes": {foundMember, ""},
	} {
		s := newHarness(t, foundNames(test.found))
		s.Env["WSCTL_ORG"] = "o_1"
		s.Run(line)
		if got := s.LastHeader().Get("If-Match"); got != test.want || len(s.Requests()) == 0 {
			t.Errorf("%s: If-Match %q, want %q; %q", line, got, test.want, s.Requests())
		}
	}
}

// TestUnknownNames checks the exit code and message for a name that nothing has: it names the organization and similar names.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	answers := foundNames(`{"kind":"space","name":"handbook","count":0,"found":[]}`)
	maps.Copy(answers, map[string]string{
		"GET /v1/orgs/o_1": `200 {"id":"o_1","title":"Tidemark Instruments"}`,
		"GET /v1/orgs/o_1/spaces?limit=1000": `200 {"items":[{"id":"s_1","title":"Skylark Handbook"},{"id":"s_2","title":"Decisions"},` +
			`{"id":"s_3","title":"Hand Books"}],"next":{"page":"2"}}`,
	})
	s := newHarness(t, answers)
	s.Env["WSCTL_ORG"] = "o_1"
	s.Run("spaces", "get", "handbook").Want(t, app.ExitNotFound,
		"wsctl: no space is called \"handbook\" in Tidemark Instruments, or you may not see it\n"+
			"hint: did you mean hand-books, skylark-handbook? All: wsctl spaces list\n")
	if sent := s.Requests(); len(sent) != 3 {
		t.Errorf("sent %q, want the query, the organization and one page of spaces", sent)
	}
	alone := newHarness(t, foundNames(`{"kind":"space","name":"handbook","count":0,"found":[]}`))
	alone.Env["WSCTL_ORG"] = "o_1"
	alone.Run("spaces", "get", "handbook").Want(t, app.ExitNotFound,
		"wsctl: no space is called \"handbook\", or you may not see it\nhint: all: wsctl spaces list\n")
	alone.Run("cr", "get", "x", "--space", "s_1").Want(t, app.ExitNotFound, `no change request is called "x"`, "SPACE#NUMBER")
}

// TestAmbiguousNames checks the exit code and message for a name that several resources have, and the candidates in JSON.
func TestAmbiguousNames(t *testing.T) {
	t.Parallel()
	s := newHarness(t, foundNames(`{"kind":"space","name":"decisions","count":7,"found":[`+
		`{"id":"s_1","title":"Decisions","name":"inside/decisions","version":"1"},`+
		`{"id":"s_2","title":"Decisions\u001b[2J","name":"customers/decisions","version":"1"}]}`))
	s.Env["WSCTL_ORG"] = "o_1"
	s.Run("spaces", "get", "decisions").Want(t, app.ExitUsage,
		"wsctl: 7 spaces are called \"decisions\"; say which\n"+
			"  inside/decisions     Decisions  s_1\n"+
			"  customers/decisions  Decisions  s_2\n"+
			"hint: and 5 more: wsctl spaces list\n")
	got := s.Run("spaces", "get", "decisions", "-o", "json")
	var body struct {
		Error struct {
			Message    string          `json:"message"`
			Candidates []app.Candidate `json:"candidates"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(got.Stderr), &body); err != nil {
		t.Fatalf("%v: %s", err, got.Stderr)
	}
	want := []app.Candidate{
		{Name: "inside/decisions", ID: "s_1", Title: "Decisions"}, {Name: "customers/decisions", ID: "s_2", Title: "Decisions\x1b[2J"},
	}
	if diff := cmp.Diff(want, body.Error.Candidates); diff != "" || !strings.Contains(body.Error.Message, "7 spaces") {
		t.Errorf("%s\n%s", diff, got.Stderr)
	}
}

// TestPlaceholdersOfPathsTakeNames checks that {space} and {org} stand for ids if the settings are names.
func TestPlaceholdersOfPathsTakeNames(t *testing.T) {
	t.Parallel()
	answers := foundNames(foundSpace)
	answers["GET /v1/orgs?limit=1000"] = `200 {"items":[{"id":"o_1","title":"Tidemark Instruments"}]}`
	s := newHarness(t, answers)
	s.Env["WSCTL_ORG"], s.Env["WSCTL_SPACE"] = "tidemark-instruments", "skylark-handbook"
	s.Run("api GET /spaces/{space}").Want(t, app.ExitOK)
	s.Run("api GET /orgs/{org} --max-retries 0")
	want := []string{"GET /v1/orgs?limit=1000", askSpace, "GET /v1/spaces/s_7", "GET /v1/orgs?limit=1000", "GET /v1/orgs/o_1"}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Error(diff)
	}
}

// TestPointersTakeNames checks that flags of pointers to resources of several kinds take names.
func TestPointersTakeNames(t *testing.T) {
	t.Parallel()
	const site = "/v1/orgs/o_1/sites/site_1"
	sections := map[string]string{
		"GET " + site + "/sections?limit=1000":       `200 {"items":[{"id":"sec_7","title":"Guides","path":"g"},{"id":"sec_8","title":"Both"}]}`,
		"GET " + site + "/section-groups?limit=1000": `200 {"items":[{"id":"grp_7","title":"Both"}]}`,
		"GET " + site + "/site-spaces?limit=1000":    `200 {"items":[]}`,
	}
	s := newHarness(t, sections)
	s.Env["WSCTL_ORG"] = "o_1"
	s.Run("sites sort-structure site_1 --item guides --after grp_1 --max-retries 0")
	want := "PATCH " + site + `/structure/sort {"item":{"id":"sec_7","type":"site-section"},"position":{"after":{"id":"grp_1",` +
		`"type":"site-section-group"}}}`
	if sent := s.Requests(); sent[len(sent)-1] != want {
		t.Errorf("sent %q, want %q", sent, want)
	}
	s.Run("sites sort-structure site_1 --item both --after grp_1").Want(t, app.ExitUsage, `2 resources are called "both"`, "sec_8", "grp_7")
	s.Run("sites sort-structure site_1 --item none --after grp_1").Want(t, app.ExitNotFound, `is called "none"`)
}
