package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// The last comment of a change request goes: that it has none is as it has to be.
func TestLastCommentGoes(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.Seed("A page.\n")
		r := w.Request("editor", space, "Short")
		c := servertest.Do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: servertest.Ref(r), Body: api.CommentCreate{Body: servertest.Says("No.")}})
		servertest.Do(w, "reviewer", api.DeleteChangeRequestComment, api.ChangeRequestCommentRef{ChangeRequestRef: servertest.Ref(r), Comment: c.ID})
		w.Fsck()
	})
}

// Bounds of the everyday work.
const (
	everydaySteps = 100 // between two looks by fsck
	everydayLeast = 20  // how often each row succeeds, in a whole campaign
	everydayNight = 6 * time.Hour
)

// After every hundred random operations, drawn from all rows that write, fsck finds nothing.
//
//wsd:serial
func TestEverydayCampaign(t *testing.T) {
	t.Parallel()
	n, seed := storetest.LongCampaign(t, "everyday", 300, 10_000)
	engine := storetest.Memory()
	if n > everydaySteps*10 { // the emulation takes seconds to list so many keys
		engine = servertest.Suite.Engines()[len(servertest.Suite.Engines())-1]
	}
	e := newEveryday(t, engine, seed)
	for i := range n {
		if i%everydaySteps == 0 && i > 0 {
			e.night()
		}
		e.step()
	}
	e.night()
	e.report(n)
}

// everyday is a world in which people work. What there is, they ask the server.
type everyday struct {
	*servertest.World

	random *rand.Rand
	base   *servertest.Sample // what is there at the beginning, and stays where nothing else is drawn
	rows   []api.Row
	serial int

	done    map[string]int            // successes by row
	refused map[string]map[string]int // reasons by row
}

func newEveryday(t *testing.T, engine storetest.Engine, seed uint64) *everyday {
	t.Helper()
	return everydayIn(servertest.NewWorld(t, engine), seed)
}

func everydayIn(w *servertest.World, seed uint64) *everyday {
	w.T.Helper()
	e := &everyday{
		World: w, random: rand.New(rand.NewPCG(seed, 1)),
		done: map[string]int{}, refused: map[string]map[string]int{},
	}
	e.base = e.Populate()
	for _, row := range api.Rows() {
		if row.Writes() {
			e.rows = append(e.rows, row)
		}
	}
	return e
}

// step makes one request: of any row, or, every second time, of one that was seldom made.
func (e *everyday) step() {
	e.T.Helper()
	row := e.rows[e.random.IntN(len(e.rows))]
	if e.random.IntN(2) == 0 {
		row = slices.MinFunc(e.rows, func(a, b api.Row) int { return cmp.Compare(e.tries(a), e.tries(b)) })
	}
	as, path, body := e.draw(row)
	a := e.Raw(as, row.Method, path, body)
	switch {
	case a.Status >= http.StatusInternalServerError:
		e.T.Fatalf("%s %s: %d %s", row.Method, path, a.Status, a.Body)
	case a.Status < http.StatusBadRequest:
		e.done[row.Name]++
	default:
		if e.refused[row.Name] == nil {
			e.refused[row.Name] = map[string]int{}
		}
		e.refused[row.Name][fmt.Sprint(a.Status, " ", a.Error().Reason)]++
		if e.refused[row.Name][fmt.Sprint(a.Status, " ", a.Error().Reason)] == 1 {
			e.T.Logf("%s as %s: %d %s", path, as, a.Status, a.Body)
		}
	}
}

// tries is how often a row was asked; what was refused counts a third.
func (e *everyday) tries(row api.Row) int {
	n := 3 * e.done[row.Name]
	for _, times := range e.refused[row.Name] {
		n += times
	}
	return n
}

// night does what is due, on some nights after the trash has to be emptied, and looks at everything.
func (e *everyday) night() {
	e.T.Helper()
	e.Clock.Advance(everydayNight)
	servertest.RunJobs(e.World)
	e.Fsck()
	if e.T.Failed() {
		e.T.FailNow()
	}
}

// report prints what was done, and fails the test if some row was not done often enough.
func (e *everyday) report(n int) {
	e.T.Helper()
	least, total, refusals := everydayLeast, 0, 0
	if n < everydayLeast*len(e.rows) { // a sample: what is drawn before a row may leave nothing for it
		least = 0
	}
	for _, row := range e.rows {
		e.T.Logf("%4d %s %v", e.done[row.Name], row.Name, e.refused[row.Name])
		total += e.done[row.Name]
		for _, times := range e.refused[row.Name] {
			refusals += times
		}
		if e.done[row.Name] < least {
			e.T.Errorf("%s succeeded %d times, not %d", row.Name, e.done[row.Name], least)
		}
	}
	if total < 3*n/4 {
		e.T.Errorf("only %d of %d requests were done", total, n)
	}
	e.T.Logf("%d rows, %d requests: %d done, %d refused; fsck every %d", len(e.rows), n, total, refusals, everydaySteps)
}

// new makes a text that is nowhere else.
func (e *everyday) new(kind string) string { e.serial++; return fmt.Sprintf("%s %d", kind, e.serial) }

// items asks for a list.
func (e *everyday) items(path string) []map[string]any {
	e.T.Helper()
	a := e.Raw("admin", http.MethodGet, path, nil)
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if a.Status != http.StatusOK || json.Unmarshal(a.Body, &list) != nil {
		e.T.Fatalf("GET %s: %d %s", path, a.Status, a.Body)
	}
	return list.Items
}

// one draws the id of something in a list; where nothing is that fits, it is made.
func (e *everyday) one(path string, fits func(map[string]any) bool, make func() string) string {
	e.T.Helper()
	found := e.items(path)
	for _, i := range e.random.Perm(len(found)) {
		if fits == nil || fits(found[i]) {
			id, _ := found[i]["id"].(string)
			return id
		}
	}
	return make()
}

// newcomer is a user who is in the organization with a role, and on whom nothing rests.
func (e *everyday) newcomer(role api.Role) string {
	e.T.Helper()
	name := strings.ReplaceAll(e.new("newcomer"), " ", "-")
	user, err := orgs.Accounts{Store: e.Store}.User(e.T.Context(), name+"@example.com", name)
	e.Must(err)
	e.Users[name] = user
	e.Tokens[name] = e.Token(name)
	if role != "" {
		e.Member(name, role)
	}
	return name
}

// somebody draws a newcomer who is a member.
func (e *everyday) somebody() string {
	e.T.Helper()
	var ours []string
	for name, user := range e.Users {
		if servertest.People[name] == "" && name != "guest" && name != "stranger" {
			ours = append(ours, user.ID)
		}
	}
	return e.one("/v1/orgs/"+e.Org+"/members?limit=1000", func(item map[string]any) bool { return slices.Contains(ours, item["id"].(string)) },
		func() string { return e.Users[e.newcomer(api.RoleEdit)].ID })
}
