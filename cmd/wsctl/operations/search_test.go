package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestSearchTakesWords checks that the words of a search and names to find are arguments.
func TestSearchTakesWords(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"GET /v1/orgs/o_1/search?limit=50&query=radio+margin": `200 {"count":1,"items":[{"id":"s_1","title":"Handbook","pages":[]}]}`,
		"POST /v1/orgs/o_1/names":                             `200 {"items":[{"kind":"space","name":"x","count":0,"found":[]}]}`,
	})
	s.Env["WSCTL_ORG"] = "o_1"
	s.Run("search radio margin").Want(t, app.ExitOK, "s_1\tHandbook")
	s.Run("search").Want(t, app.ExitUsage, "WORD is missing")
	s.Run("names find a b --kind space,member").Want(t, app.ExitOK, "space\tx\t0")
	want := `POST /v1/orgs/o_1/names {"names":[{"kind":"space","name":"a"},{"kind":"member","name":"a"},` +
		`{"kind":"space","name":"b"},{"kind":"member","name":"b"}]}`
	requests := s.Requests()
	if got := requests[len(requests)-1]; got != want {
		t.Errorf("sent %s", got)
	}
	s.Run("names find a").Want(t, app.ExitOK)
	requests = s.Requests()
	if got := strings.Count(requests[len(requests)-1], `"kind"`); got != 5 {
		t.Errorf("%d kinds", got)
	}
	s.Run("names find a --kind page").Want(t, app.ExitUsage, "--kind must be one of space, collection")
	s.Run("names", "find", "a", "--data", "{}").Want(t, app.ExitUsage, "NAME and --data exclude each other")
	s.Run("names find").Want(t, app.ExitUsage, "required")
}

// TestFormatMarkdownWritesText checks that --format markdown writes the text of a page as it is, unless an output flag asks for more.
func TestFormatMarkdownWritesText(t *testing.T) {
	t.Parallel()
	const page = `200 {"id":"p_1","title":"A","markdown":"# A\n\nText.\n"}`
	s := newHarness(t, map[string]string{
		"GET /v1/spaces/s_1/content/page/p_1?format=markdown":       page,
		"GET /v1/spaces/s_1/content/path/a/b?format=markdown":       page,
		"GET /v1/spaces/s_1/content/page/p_2?format=markdown":       `200 {"id":"p_2","title":"Group"}`,
		"GET /v1/spaces/s_1/revisions/r_1/page/p_1?format=markdown": page,
	})
	for _, line := range []string{
		"content get-page p_1 --space s_1 --format markdown", "content get-page-by-path a/b --space s_1 --format markdown",
		"revisions get-page p_1 --revision r_1 --space s_1 --format markdown",
	} {
		for _, s.Terminal = range []bool{false, true} {
			if got := s.Run(line); got.Stdout != "# A\n\nText.\n" || got.Code != app.ExitOK {
				t.Errorf("%s: %+v", line, got)
			}
		}
	}
	s.Run("content get-page p_1 --space s_1 --format markdown --columns title").Want(t, app.ExitOK, "A\n")
	s.Run("content get-page p_1 --space s_1 --format markdown -o table").Want(t, app.ExitOK, "markdown\n  # A\n  \n  Text.\n")
	s.Run("content get-page p_2 --space s_1 --format markdown").Want(t, app.ExitOK, "Group")
}
