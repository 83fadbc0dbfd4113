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

// Limits of the random operations.
const (
	checkInterval = 100 // operations between two runs of fsck
	minSuccesses  = 20  // minimum number of successes per row in a campaign
	nightInterval = 6 * time.Hour
)

// TestFsckPassesAfterRandomOperationsCampaign checks that fsck finds no errors after every hundred random operations of
// all rows that write.
//
//wsd:serial
func TestFsckPassesAfterRandomOperationsCampaign(t *testing.T) {
	t.Parallel()
	n, seed := storetest.LongCampaign(t, "everyday", 300, 10_000)
	engine := storetest.Memory()
	if n > checkInterval*10 { // the emulation takes seconds to list that many keys
		engine = servertest.Suite.Engines()[len(servertest.Suite.Engines())-1]
	}
	e := newRandomWorld(t, engine, seed)
	for i := range n {
		if i%checkInterval == 0 && i > 0 {
			e.runNightlyJobs()
		}
		e.step()
	}
	e.runNightlyJobs()
	e.report(n)
}

// randomWorld is a world of random operations. Existing objects are looked up through the API.
type randomWorld struct {
	*servertest.World

	random *rand.Rand
	sample *servertest.Sample // initial objects, used where nothing else is drawn
	rows   []api.Row
	serial int

	successes map[string]int            // successes by row
	refused   map[string]map[string]int // reasons of refusals by row
}

func newRandomWorld(t *testing.T, engine storetest.Engine, seed uint64) *randomWorld {
	t.Helper()
	return newRandomWorldIn(servertest.NewWorld(t, engine), seed)
}

func newRandomWorldIn(w *servertest.World, seed uint64) *randomWorld {
	w.T.Helper()
	e := &randomWorld{
		World: w, random: rand.New(rand.NewPCG(seed, 1)),
		successes: map[string]int{}, refused: map[string]map[string]int{},
	}
	e.sample = e.Populate()
	for _, row := range api.Rows() {
		if row.Writes() {
			e.rows = append(e.rows, row)
		}
	}
	return e
}

// step sends one request, with equal probability to a random operation or to the one with the fewest attempts.
func (w *randomWorld) step() {
	w.T.Helper()
	row := w.rows[w.random.IntN(len(w.rows))]
	if w.random.IntN(2) == 0 {
		row = slices.MinFunc(w.rows, func(a, b api.Row) int { return cmp.Compare(w.attempts(a), w.attempts(b)) })
	}
	as, path, body := w.draw(row)
	a := w.Send(as, row.Method, path, body)
	switch {
	case a.Status >= http.StatusInternalServerError:
		w.T.Fatalf("%s %s: %d %s", row.Method, path, a.Status, a.Body)
	case a.Status < http.StatusBadRequest:
		w.successes[row.Name]++
	default:
		if w.refused[row.Name] == nil {
			w.refused[row.Name] = map[string]int{}
		}
		w.refused[row.Name][fmt.Sprint(a.Status, " ", a.Error().Reason)]++
		if w.refused[row.Name][fmt.Sprint(a.Status, " ", a.Error().Reason)] == 1 {
			w.T.Logf("%s as %s: %d %s", path, as, a.Status, a.Body)
		}
	}
}

// attempts returns the number of requests of a row; refused ones count a third.
func (w *randomWorld) attempts(row api.Row) int {
	n := 3 * w.successes[row.Name]
	for _, times := range w.refused[row.Name] {
		n += times
	}
	return n
}

// runNightlyJobs advances the clock by nightInterval, runs due jobs, and fails the test if fsck finds an error.
func (w *randomWorld) runNightlyJobs() {
	w.T.Helper()
	w.Clock.Advance(nightInterval)
	servertest.RunJobs(w.World)
	w.Fsck()
	if w.T.Failed() {
		w.T.FailNow()
	}
}

// report prints the successes per row, and fails the test if a row has too few of them.
func (w *randomWorld) report(n int) {
	w.T.Helper()
	least, total, refusals := minSuccesses, 0, 0
	if n < minSuccesses*len(w.rows) { // in a sample, earlier operations may leave no objects for a row
		least = 0
	}
	for _, row := range w.rows {
		w.T.Logf("%4d %s %v", w.successes[row.Name], row.Name, w.refused[row.Name])
		total += w.successes[row.Name]
		for _, times := range w.refused[row.Name] {
			refusals += times
		}
		if w.successes[row.Name] < least {
			w.T.Errorf("%s succeeded %d times, not %d", row.Name, w.successes[row.Name], least)
		}
	}
	if total < 3*n/4 {
		w.T.Errorf("only %d of %d requests were done", total, n)
	}
	w.T.Logf("%d rows, %d requests: %d done, %d refused; fsck every %d", len(w.rows), n, total, refusals, checkInterval)
}

// uniqueText returns a unique text.
func (w *randomWorld) uniqueText(kind string) string {
	w.serial++
	return fmt.Sprintf("%s %d", kind, w.serial)
}

// items returns the items of a list.
func (w *randomWorld) items(path string) []map[string]any {
	w.T.Helper()
	a := w.Send("admin", http.MethodGet, path, nil)
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if a.Status != http.StatusOK || json.Unmarshal(a.Body, &list) != nil {
		w.T.Fatalf("GET %s: %d %s", path, a.Status, a.Body)
	}
	return list.Items
}

// drawItem draws the id of a list item accepted by fits, or of a new one if there is none.
func (w *randomWorld) drawItem(path string, fits func(map[string]any) bool, make func() string) string {
	w.T.Helper()
	found := w.items(path)
	for _, i := range w.random.Perm(len(found)) {
		if fits == nil || fits(found[i]) {
			id, _ := found[i]["id"].(string)
			return id
		}
	}
	return make()
}

// createMember returns a new member with a role, whom no other object refers to.
func (w *randomWorld) createMember(role api.Role) string {
	w.T.Helper()
	name := strings.ReplaceAll(w.uniqueText("newcomer"), " ", "-")
	user, err := orgs.Accounts{Store: w.Store}.EnsureUser(w.T.Context(), name+"@example.com", name)
	w.Must(err)
	w.Users[name] = user
	w.Tokens[name] = w.CreateToken(name)
	if role != "" {
		w.SetMember(name, role)
	}
	return name
}

// drawMember draws a member that the random operations created.
func (w *randomWorld) drawMember() string {
	w.T.Helper()
	var ours []string
	for name, user := range w.Users {
		if servertest.People[name] == "" && name != "guest" && name != "stranger" {
			ours = append(ours, user.ID)
		}
	}
	return w.drawItem("/v1/orgs/"+w.Org+"/members?limit=1000", func(item map[string]any) bool {
		return slices.Contains(ours, item["id"].(string))
	},
		func() string { return w.Users[w.createMember(api.RoleEdit)].ID })
}
