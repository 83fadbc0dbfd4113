package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestOrganizationSelection(t *testing.T) {
	t.Parallel()
	two := `200 {"count":2,"items":[{"id":"o_1","title":"One"},{"id":"o_2","title":"Two"}]}`
	one := `200 {"count":1,"items":[{"id":"o_1","title":"One"}]}`
	list := `200 {"count":0,"items":[]}`
	for name, test := range map[string]struct {
		orgs, env, flags string
		code             int
		requests         int
	}{
		"only one organization": {one, "", "", app.ExitOK, 2},
		"several organizations": {two, "", "", app.ExitUsage, 1},
		"no organization":       {`200 {"count":0,"items":[]}`, "", "", app.ExitUsage, 1},
		"environment":           {two, "o_1", "", app.ExitOK, 1},
		"flag":                  {two, "o_2", "--org o_1", app.ExitOK, 1},
		"listing is denied":     {`401 {"error":{"code":401,"message":"No."}}`, "", "", app.ExitDenied, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, map[string]string{"GET /v1/orgs": test.orgs, "GET /v1/orgs/o_1/spaces?limit=50": list})
			s.Env["WSCTL_ORG"] = test.env
			got := s.Run("spaces list " + test.flags)
			got.Want(t, test.code)
			if name == "several organizations" {
				got.Want(t, app.ExitUsage, "o_1 (One), o_2 (Two)", "--org")
			}
			if len(s.Requests()) != test.requests {
				t.Errorf("requested %v", s.Requests())
			}
		})
	}
}

// TestSilentServerIsReported checks what is said of a server that does not answer, and the values of --timeout.
func TestSilentServerIsReported(t *testing.T) {
	t.Parallel()
	s := newHarness(t, nil)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.EndTimers()
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	s.Env["WSCTL_URL"] = silent.URL
	got := s.Run("spaces get s_x --max-retries 0 --timeout 90s")
	got.Want(t, app.ExitUnavailable, "no answer from "+silent.URL+" for 2s; waiting up to 1m30s\n",
		"wsctl: "+silent.URL+" does not answer: nothing for 1m30s\n", "is wsd running there?")
	if got := s.Run("spaces get s_x --max-retries 0 -q"); strings.Contains(got.Stderr, "waiting") {
		t.Errorf("quiet: %s", got.Stderr)
	}
	for _, value := range []string{"0", "-1s", "soon", "5"} {
		s.Run("spaces get s_x --timeout "+value).Want(t, app.ExitUsage, "--timeout")
	}
}
