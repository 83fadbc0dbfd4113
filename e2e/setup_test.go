package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// setup is an organization that wsctl sets up by names alone: no id and no JSON is passed from one command to another. The numbers
// are those of an organization of 200 people, or a part of them.
type setup struct {
	t        *testing.T
	admin    client
	requests *atomic.Int64 // that wsctl has sent
	commands int
}

// TestSetupByNamesCampaign sets up an organization of 200 people with wsctl and names alone, and checks the number of requests: at
// most one more a command than it needs to do its work, and in full at most 900.
func TestSetupByNamesCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	percent, _ := storetest.LongCampaign(t, "setup", 10, 100)
	share := func(whole int) int { return max(whole*percent/100, 1) }
	s := newSetup(t)
	people, teams, collections, spaces := share(200), share(40), share(30), share(300)
	tops := max(collections/3, 1)

	s.invite(people)
	for i := range teams {
		members := make([]string, min(10, people))
		for j := range members {
			members[j] = address((i*5 + j) % people)
		}
		s.run(1, "", "teams", "create", "--title", fmt.Sprintf("Team %d", i), "--members", strings.Join(members, ","))
	}
	s.run(tops, titles("Division", 0, tops), "collections", "create", "--titles", "-")
	for i := range tops {
		s.run(2, titles(fmt.Sprintf("Area %d", i), 0, 2), "collections", "create", "--titles", "-",
			"--parent", fmt.Sprintf("division-%d", i))
	}
	areas := 2 * tops
	for i := range areas {
		per := max(spaces/areas, 1)
		s.run(per, titles("Handbook", i*per, per), "spaces", "create", "--titles", "-", "--parent", area(i))
		s.run(1, "", "collection-permissions", "create", "--collection", area(i), "--role", "edit",
			"--teams", fmt.Sprintf("team-%d,team-%d", i%teams, (i+1)%teams))
	}
	for i := range share(50) {
		s.run(1, "", "space-permissions", "create", "--space", fmt.Sprintf("handbook-%d", i), "--role", "review",
			"--users", address(i%people))
	}
	closed := share(50)
	s.run(closed, titles("handbook", 0, closed), "spaces", "update", "-", "--no-default-level")
	ruled := share(20)
	s.run(ruled, titles("handbook", 0, ruled), "spaces", "update", "-", "--merge-rule", "require-at-least-one-approved-review")
	for i := range 3 {
		site := fmt.Sprintf("Site %d", i)
		shown := strings.Split(strings.TrimSpace(titles("handbook", i*3, 3)), "\n")
		s.run(1, "", "sites", "create", "--title", site, "--spaces", strings.Join(shown, ","), "--visibility", "share-link")
		s.run(1, "", "sites", "publish", site)
		for j := range 2 {
			s.run(1, "", "share-links", "create", "--site", site, "--name", fmt.Sprintf("Link %d", j))
		}
	}
	t.Logf("%d commands, %d requests", s.commands, s.requests.Load())
	if n := s.requests.Load(); percent == 100 && n > 900 {
		t.Errorf("%d requests, want at most 900", n)
	}
	s.check(people, spaces/areas*areas)
}

// newSetup returns the setup of a new organization, whose admin is logged in.
func newSetup(t *testing.T) *setup {
	t.Helper()
	h := newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0")
	token, _ := h.createOrganization(t)
	n := h.mustServe(t)
	target, err := url.Parse(n.url)
	if err != nil {
		t.Fatal(err)
	}
	requests, proxy := &atomic.Int64{}, httputil.NewSingleHostReverseProxy(target)
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(counting.Close)
	s := &setup{t: t, admin: client{path: binary(t, "wsctl"), url: counting.URL, home: t.TempDir()}, requests: requests}
	s.admin.run(t.Context(), t, token, "auth", "login", "--with-token")
	s.admin.run(t.Context(), t, "", "spaces", "list") // from now on the profile has the organization
	requests.Store(0)
	return s
}

// run runs wsctl as the admin, and checks that it sends at most one request more than it needs.
func (s *setup) run(needed int, stdin string, args ...string) string {
	s.t.Helper()
	before := s.requests.Load()
	out := s.admin.run(s.t.Context(), s.t, stdin, append(args, "--max-retries", "0")...)
	s.commands++
	if sent := int(s.requests.Load() - before); sent > needed+1 {
		s.t.Errorf("wsctl %s sent %d requests, want at most %d", strings.Join(args, " "), sent, needed+1)
	}
	return out
}

// invite invites people, and lets each of them accept.
func (s *setup) invite(people int) {
	s.t.Helper()
	const atOnce = 100
	for first := 0; first < people; first += atOnce {
		var addresses []string
		for i := first; i < min(first+atOnce, people); i++ {
			addresses = append(addresses, address(i))
		}
		out := s.run(1, "", "invites", "create", "--role", "comment", "--emails", strings.Join(addresses, ","), "-o", "json")
		var made struct {
			Invites []struct {
				Secret string `json:"secret"`
			} `json:"invites"`
		}
		if err := json.Unmarshal([]byte(out), &made); err != nil || len(made.Invites) != len(addresses) {
			s.t.Fatalf("%d invites of %d, %v", len(made.Invites), len(addresses), err)
		}
		guest := s.admin
		for i, invite := range made.Invites {
			guest.home = s.t.TempDir()
			guest.run(s.t.Context(), s.t, invite.Secret+"\n", "invites", "accept", "--secret-file", "-",
				"--display-name", fmt.Sprintf("Person %d", first+i), "-o", "json")
			s.commands++
		}
	}
}

// check checks that the people and spaces are there.
func (s *setup) check(people, spaces int) {
	s.t.Helper()
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"members", "list"}, people + 1},
		{[]string{"spaces", "list"}, spaces},
	} {
		out := s.admin.run(s.t.Context(), s.t, "", append(c.args, "--all", "--jq", "length")...)
		if strings.TrimSpace(out) != fmt.Sprint(c.want) {
			s.t.Errorf("%s: %s, want %d", strings.Join(c.args, " "), strings.TrimSpace(out), c.want)
		}
	}
}

// address returns the e-mail address of a person.
func address(i int) string { return fmt.Sprintf("person%d@example.com", i) }

// area returns the name of a collection in a collection.
func area(i int) string { return fmt.Sprintf("area-%d-%d", i/2, i%2) }

// titles returns lines with a text and numbers.
func titles(text string, first, count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "%s %d\n", text, first+i)
	}
	return b.String()
}
