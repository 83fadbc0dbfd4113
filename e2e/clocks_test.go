package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// clockScenario is something that happens to the clocks of a world.
type clockScenario struct {
	name   string
	steps  []func(t *testing.T, w *clockWorld) // one after the other; the nodes compare their clocks after each
	warn   [2]bool                             // whether each node warns after a step
	ends   bool                                // the clocks become right again; otherwise time has passed, and an operator says so
	passed time.Duration                       // time that has passed
}

// clockMoves are scenarios whose clocks jump and come back.
func clockMoves() (all []clockScenario) {
	both := func(d time.Duration) [2]time.Duration { return [2]time.Duration{d, d} }
	for name, offsets := range map[string][]clockOffsets{
		"Redis forward":             {{redis: farAhead}},
		"Redis back":                {{redis: -farAhead}},
		"Redis in steps of an hour": {{redis: time.Hour}, {redis: 2 * time.Hour}, {redis: 3 * time.Hour}},
		"both nodes forward":        {{nodes: both(farAhead)}},
		"both nodes back":           {{nodes: both(-farAhead)}},
		"all forward":               {{farAhead, both(farAhead)}},
		"all back":                  {{-farAhead, both(-farAhead)}},
		"all forward and back":      {{farAhead, both(farAhead)}, {-farAhead, both(-farAhead)}},
		"all in steps of hours":     {{2 * time.Hour, both(2 * time.Hour)}, {4 * time.Hour, both(4 * time.Hour)}},
		"one node forward":          {{nodes: [2]time.Duration{0, farAhead}}},
		"one node back":             {{nodes: [2]time.Duration{0, -farAhead}}},
	} {
		s := clockScenario{name: name, warn: [2]bool{true, true}, ends: true}
		for _, ahead := range offsets {
			s.warn[0] = ahead.redis != 0 || ahead.nodes[0] != 0
			s.steps = append(s.steps, func(t *testing.T, w *clockWorld) {
				t.Helper()
				w.set(t, ahead)
			})
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b clockScenario) int { return strings.Compare(a.name, b.name) })
	return all
}

// clockStops are scenarios in which days pass without service. What was deleted less than seven days before has to stay.
func clockStops() []clockScenario {
	pass := func(days time.Duration, while func(w *clockWorld, t *testing.T, pass func())) []func(t *testing.T, w *clockWorld) {
		return []func(t *testing.T, w *clockWorld){func(t *testing.T, w *clockWorld) {
			t.Helper()
			while(w, t, func() {
				w.base += days
				w.set(t, clockOffsets{})
			})
		}}
	}
	return []clockScenario{
		{"a stop of three days", pass(3*day, (*clockWorld).stopAll), [2]bool{true, true}, false, 3 * day},
		{"a suspension of three days", pass(3*day, (*clockWorld).suspend), [2]bool{true, true}, false, 3 * day},
		{"a suspension of eight days", pass(8*day, (*clockWorld).suspend), [2]bool{true, true}, false, 8 * day},
	}
}

// checkDoctor checks whether wsd doctor says that nothing is removed.
func (w *clockWorld) checkDoctor(t *testing.T, want bool) {
	t.Helper()
	out, err := w.nodes[0].run(t, "doctor")
	if got := strings.Contains(out+fmt.Sprint(err), "nothing is removed because of its age"); got != want {
		t.Errorf("%s: wsd doctor says that nothing is removed: %t, want %t\n%s%v", w.scenario.name, got, want, out, err)
	}
}

// stopAll stops everything for a while.
func (w *clockWorld) stopAll(t *testing.T, pass func()) {
	t.Helper()
	for _, n := range w.nodes {
		n.stop(t)
	}
	w.redis.Kill()
	pass()
	if err := w.redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.serve(t)
}

// suspend stops all processes for a while, as a suspended machine does.
func (w *clockWorld) suspend(t *testing.T, pass func()) {
	t.Helper()
	id, err := strconv.Atoi(w.client.InfoMap(t.Context(), "server").Val()["Server"]["process_id"])
	if err != nil {
		t.Fatal(err)
	}
	signal := func(s syscall.Signal) {
		if err := syscall.Kill(id, s); err != nil {
			t.Fatal(err)
		}
		for _, n := range w.nodes {
			n.signal(t, s)
		}
	}
	signal(syscall.SIGSTOP)
	pass()
	signal(syscall.SIGCONT)
}

// begin trashes a space, a collection with a space, and an organization, and writes comments until stop is called if the world has
// clocks that come back.
func (w *clockWorld) begin(t *testing.T) {
	t.Helper()
	admin := w.person(1)
	w.trash = trash{space: w.newSpace(t, "Trashed"), stop: func() {}}
	admin.do(t, "DELETE", "/v1/spaces/"+w.trash.space, nil)
	w.trash.collection = member(admin.do(t, "POST", "/v1/orgs/"+w.organization+"/collections", map[string]any{"title": "Outer"}), "id")
	admin.do(t, "POST", "/v1/orgs/"+w.organization+"/spaces", map[string]any{"title": "Inner", "parent": w.trash.collection})
	admin.do(t, "DELETE", "/v1/collections/"+w.trash.collection, nil)
	w.trash.organization = member(admin.do(t, "POST", "/v1/orgs", map[string]any{"title": "Other"}), "id")
	admin.do(t, "DELETE", "/v1/orgs/"+w.trash.organization+"?title=Other", nil)
	if w.scenario.ends {
		w.trash.stop = w.write(t)
	}
}

// trash names the objects that were deleted before the clocks jump.
type trash struct {
	space, collection, organization string
	stop                            func() // ends the clients that write
}

// end makes the clocks right again, or says that they are.
func (w *clockWorld) end(t *testing.T) {
	t.Helper()
	if w.scenario.ends {
		w.set(t, clockOffsets{})
		return
	}
	if _, err := w.nodes[0].run(t, "trash", "resume"); err != nil {
		t.Error(err)
	}
}

// checkTrash restores what was deleted if it has to be there; otherwise it waits for its removal.
func (w *clockWorld) checkTrash(t *testing.T) {
	t.Helper()
	kept := w.scenario.passed < 7*day
	paths := map[string]string{
		w.trash.space: "/v1/spaces/", w.trash.collection: "/v1/collections/", w.trash.organization: "/v1/orgs/",
	}
	for id, path := range paths {
		status, answer, err := w.person(0).send(t.Context(), request{method: "POST", path: path + id + "/restore"})
		if err != nil || kept && status != http.StatusOK || !kept && status != http.StatusNotFound {
			t.Errorf("%s: restore %s%s: %d %v %v", w.scenario.name, path, id, status, answer, err)
		}
		if !kept {
			eventually(t, "the removal of "+path+id, func() bool { return len(w.client.Keys(t.Context(), "wsd:{"+id+"}*").Val()) == 0 })
		}
	}
}

// checkComments checks that each acknowledged comment is there once, and the data of the world.
func (w *clockWorld) checkComments(t *testing.T) {
	t.Helper()
	written := (&workload{space: w.space}).comments(t, w.person(0))
	for _, text := range w.acknowledged {
		if n := len(slices.DeleteFunc(slices.Clone(written), func(s string) bool { return s != text })); n != 1 {
			t.Errorf("the acknowledged comment %s is there %d times", text, n)
		}
	}
	t.Logf("%s: %d comments acknowledged, %d refused with 503", w.scenario.name, len(w.acknowledged), w.refused.Load())
	for _, n := range w.nodes {
		n.stop(t)
	}
	w.nodes[0].fsck(t)
	w.redis.Kill()
}

// runClockScenarios plays scenarios at the same time, each in a world of its own, since most of the time is spent waiting for
// comparisons of clocks.
func runClockScenarios(t *testing.T, program, library string, scenarios []clockScenario) {
	t.Helper()
	var worlds []*clockWorld
	steps := 0
	for _, s := range scenarios {
		w := newClockWorld(t, program, library)
		w.scenario = s
		worlds, steps = append(worlds, w), max(steps, len(s.steps))
	}
	none := func(*clockWorld) [2]bool { return [2]bool{} }
	for _, w := range worlds {
		w.begin(t)
	}
	awaitWarnings(t, worlds, "at the start", none)
	for i := range steps {
		for _, w := range worlds {
			if i < len(w.scenario.steps) {
				w.scenario.steps[i](t, w)
			}
		}
		awaitWarnings(t, worlds, "after it", func(w *clockWorld) [2]bool { return w.scenario.warn })
	}
	awaitComparisons(t, worlds)
	for _, w := range worlds {
		w.checkDoctor(t, true)
		w.end(t)
	}
	awaitWarnings(t, worlds, "afterwards", none)
	for _, w := range worlds {
		w.trash.stop()
		w.checkDoctor(t, false)
		w.checkTrash(t)
		w.checkComments(t)
	}
}

// clockBatch is the number of scenarios that are played at the same time.
const clockBatch = 5

// TestClockJumpsOfServersCampaign sets the clocks of a real Redis and of two nodes under load, with libfaketime. Nothing may be
// removed that should stay, wsd says why, and goes on by itself when the clocks are right again, or when an operator says so.
func TestClockJumpsOfServersCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	moves := clockMoves()
	rounds, seed := storetest.LongCampaign(t, "clocks", 2, 2*len(moves))
	random, scenarios := rand.New(rand.NewPCG(seed, 0)), clockStops()
	library, program := clockLibrary(t), wsdWithClock(t)
	for round := range rounds {
		if round%len(moves) == 0 {
			random.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		}
		scenarios = append(scenarios, moves[round%len(moves)])
	}
	for some := range slices.Chunk(scenarios, clockBatch) {
		runClockScenarios(t, program, library, some)
	}
}
