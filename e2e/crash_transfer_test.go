package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// TestTransferSurvivesKillAtEveryWriteCampaign kills wsd before and after the writes of a transfer, and once at each
// kind of read; the sample covers the commits of one kind of transfer. At no time do two organizations show the space,
// and the old owner cannot write to it after it has left. Another wsd completes the transfer, after which one
// organization shows the whole space.
func TestTransferSurvivesKillAtEveryWriteCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	percent, seed := storetest.LongCampaign(t, "transfer-kills", 4, 100)
	l := newCrashTester(t)
	nodes := map[string]string{"space": "/v1/spaces/" + l.fixture.guide, "collection": "/v1/collections/" + l.fixture.firstCollection}
	if percent < 100 {
		delete(nodes, []string{"space", "collection"}[seed%2])
	}
	for name, node := range nodes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTransfer(t, l, node+"/transfer")
			r.sampler = newSampler(percent, seed)
			r.killAtSelectedFailpoints(t)
		})
	}
}

// transfer moves a space or its collection to another organization.
type transfer struct {
	*crashTester

	op      operation
	content string   // content of the space
	sampler *sampler // selects the failpoints
}

// sampler selects each new name, and a percentage of the repeated ones.
type sampler struct {
	seen    map[string]bool
	percent int
	random  *rand.Rand
}

func newSampler(percent int, seed uint64) *sampler {
	return &sampler{seen: map[string]bool{}, percent: percent, random: rand.New(rand.NewPCG(seed, 0))}
}

func (c *sampler) selects(what string) bool {
	first := !c.seen[what]
	c.seen[what] = true
	return c.random.IntN(100) < c.percent || first
}

func newTransfer(t *testing.T, l *crashTester, path string) *transfer {
	t.Helper()
	r := &transfer{crashTester: l}
	r.op.request = request{method: "POST", path: path, body: map[string]any{"organization": l.fixture.otherOrganization}}
	n := l.host(l.copy(t)).mustServe(t)
	r.content = r.readContent(t, n.newPerson(l.fixture.token))
	n.stop(t)
	return r
}

// killAtSelectedFailpoints runs the transfer once to record its failpoints, and then kills it at the selected ones.
func (r *transfer) killAtSelectedFailpoints(t *testing.T) {
	recorded := r.record(t, r.op)
	killed, steps := map[string]bool{}, map[string]int{}
	for i, place := range recorded.hits {
		if kind := strings.TrimSuffix(strings.TrimSuffix(place, ".before"), ".after"); killed[place] &&
			!slices.Contains([]string{"commit", "elsewhere", "sweep.remove"}, kind) {
			continue
		}
		if slices.Contains(unreachedFailpoints, failpointOf(place)) {
			continue // of a concurrent job
		}
		if after := strings.HasPrefix(place, "commit.after"); !after && killed[place] && !r.sampler.selects(place) {
			continue
		}
		killed[place] = true
		n := 1
		for _, hit := range append(slices.Clone(recorded.earlier), recorded.hits[:i]...) {
			if hit == place {
				n++
			}
		}
		steps[r.kill(t, fmt.Sprintf("%s:%d", place, n))]++
	}
	t.Logf("how far the transfer was when wsd was killed: %v", steps)
	for _, step := range []string{"", "closing", "copying", "left", "arrived", "done"} {
		if steps[step] == 0 {
			t.Errorf("never killed where the transfer is at %q", step)
		}
	}
}

// kill kills wsd at a failpoint, checks the data that remains, and lets another wsd complete the transfer. It returns
// the step at which the transfer was interrupted.
func (r *transfer) kill(t *testing.T, place string) (step string) {
	t.Helper()
	x := r.newExperiment(t, r.op)
	x.crash(t, x.host.withEnvironment("WSD_FAILPOINT="+place))
	n := x.host.mustServe(t)
	defer n.stop(t)
	p, want := n.newPerson(r.fixture.token), r.content
	step = x.step(t)
	if shown := r.owners(t, p); len(shown) > 1 {
		t.Errorf("%s: shown by %q", place, shown)
	}
	switch status := r.commentAsOldOwner(t, n); {
	case step == "" && status == http.StatusOK:
		want = r.readContent(t, p)
	case step == "" || status < http.StatusBadRequest:
		t.Errorf("%s: %q, but the old owner's comment is answered %d", place, step, status)
	}
	x.host.fsck(t)

	x.resume(t)
	shown := r.owners(t, p)
	if len(shown) != 1 || (shown[0] == r.fixture.otherOrganization) != (step != "") {
		t.Errorf("%s: %q, and then shown by %q", place, step, shown)
	}
	if got := r.readContent(t, p); got != want {
		t.Errorf("%s: %q, and then (-want +got):\n%s", place, step, cmp.Diff(want, got))
	}
	if status, answer, err := p.send(t.Context(), x.op.request); err != nil || status >= http.StatusBadRequest {
		t.Errorf("%s: again: %d %v %v", place, status, answer, err)
	}
	if shown := r.owners(t, p); !slices.Equal(shown, []string{r.fixture.otherOrganization}) {
		t.Errorf("%s: after the same request again shown by %q", place, shown)
	}
	if status := r.commentAsOldOwner(t, n); status != http.StatusNotFound {
		t.Errorf("%s: in the end the old owner's comment is answered %d", place, status)
	}
	if got := r.readContent(t, p); got != want {
		t.Errorf("%s: in the end (-want +got):\n%s", place, cmp.Diff(want, got))
	}
	x.host.fsck(t)
	return step
}

// owners returns the organizations that show the space to their members and in their lists.
func (r *transfer) owners(t *testing.T, p person) (organizations []string) {
	t.Helper()
	e := r.fixture
	for organization, token := range map[string]string{e.organization: e.memberToken, e.otherOrganization: e.otherMemberToken} {
		asMember := person{p.url, token, p.client}
		status, _, err := asMember.send(t.Context(), request{method: "GET", path: "/v1/spaces/" + e.guide})
		// While neither organization shows the space, the response to an admin reports that it is being transferred.
		if err != nil || !slices.Contains([]int{http.StatusOK, http.StatusNotFound, http.StatusServiceUnavailable}, status) {
			t.Fatalf("read as one of %s: %d %v", organization, status, err)
		}
		v := &viewer{t: t, person: p, names: map[string]string{}}
		listed := slices.ContainsFunc(v.items("/v1/orgs/"+organization+"/spaces"), func(s map[string]any) bool {
			return member(s, "id") == e.guide
		})
		if listed != (status == http.StatusOK) {
			t.Errorf("%s lists the space: %t, and answers its people %d", organization, listed, status)
		}
		if listed {
			organizations = append(organizations, organization)
		}
	}
	return organizations
}

// commentAsOldOwner comments on the space as a member of the old organization and returns the status.
func (r *transfer) commentAsOldOwner(t *testing.T, n *node) (status int) {
	t.Helper()
	status, _, err := n.newPerson(r.fixture.memberToken).send(t.Context(), request{
		method: "POST", path: "/v1/spaces/" + r.fixture.guide + "/comments", body: map[string]any{"body": markdown("Mine?")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// readContent returns everything in the space with ids and numbers, but without signed addresses.
func (r *transfer) readContent(t *testing.T, p person) string {
	t.Helper()
	v, path := &viewer{t: t, person: p, names: map[string]string{}}, "/v1/spaces/"+r.fixture.guide
	content := map[string]any{
		"content": v.pages(path), "files": v.items(path + "/content/files"), "discussion": v.comments(path), "requests": v.requests(path),
		"revision": v.get(path)["revision"],
	}
	text, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, `"http://`) }), "\n")
}

// step returns the step that the transfer has reached, "done" if it is complete, or "" if it has not begun.
func (x experiment) step(t *testing.T) string {
	t.Helper()
	for _, id := range []string{x.fixture.guide, x.fixture.firstCollection} {
		record, err := x.client.Get(t.Context(), "wsd:{"+x.fixture.organization+"}:out:"+id).Result()
		if _, step, found := strings.Cut(record, `"step":"`); err == nil && found {
			step, _, _ = strings.Cut(step, `"`)
			return step
		}
	}
	if x.client.Exists(t.Context(), "wsd:{"+x.fixture.organization+"}:mv:"+x.fixture.guide).Val() > 0 {
		return "done"
	}
	return ""
}

// resume makes the transfer job due and waits for its completion. It fails the test after a minute.
func (x experiment) resume(t *testing.T) {
	t.Helper()
	tick, limit := time.NewTicker(10*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for _, id := range []string{x.fixture.guide, x.fixture.firstCollection} {
		must(t, x.client.ZAddXX(t.Context(), "wsd:{"+x.fixture.organization+"}:due", redis.Z{Member: "transfer:" + id}))
	}
	for step := x.step(t); step != "" && step != "done"; step = x.step(t) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("nobody ends the transfer, which is at %q", step)
		}
	}
}
