package drafts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// marker is a server that keeps marks; everything else it does not know.
type marker struct {
	remote.Client
	mu   sync.Mutex
	read map[string]bool
	away error
}

func (m *marker) Reading(context.Context, remote.Target) (api.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var r api.Reading
	for _, id := range []string{"a", "b", "c"} {
		r.Items = append(r.Items, api.ReadingItem{ID: id, Read: m.read[id]})
		if r.Total++; m.read[id] {
			r.Read++
		}
	}
	return r, m.away
}

func (m *marker) Mark(ctx context.Context, at remote.Target, body api.ReadingUpdate, _ string) (api.Reading, error) {
	m.mu.Lock()
	if m.away == nil {
		for _, id := range body.Read {
			m.read[id] = true
		}
		for _, id := range body.Unread {
			delete(m.read, id)
		}
	}
	m.mu.Unlock()
	return m.Reading(ctx, at)
}

// marking is a screen that marks: what it waits for is run when the test says so.
type marking struct {
	server  *marker
	dir     Dir
	c       *remote.Connection
	r       *Readings
	at      remote.Target
	waiting []tea.Cmd
}

func newMarking(t *rapid.T) *marking {
	keys, now := 0, time.Unix(0, 0)
	m := &marking{server: &marker{read: map[string]bool{}}, dir: Dir(tempDir(t)), at: remote.Target{Space: "s", ChangeRequest: "c"}}
	m.c = &remote.Connection{
		Ctx: context.Background(), Client: m.server,
		NewKey: func() string { keys++; return fmt.Sprint("k", keys) }, Now: func() time.Time { now = now.Add(time.Second); return now },
	}
	m.begin()
	return m
}

// begin begins anew, with what is on disk.
func (m *marking) begin() {
	m.settle()
	m.r = New(m.c, m.dir)
	m.do(m.r.Load(m.at), m.r.Resume())
	m.settle()
}

func (m *marking) do(cmds ...tea.Cmd) {
	m.waiting = slices.DeleteFunc(append(m.waiting, cmds...), func(c tea.Cmd) bool { return c == nil })
}

func (m *marking) run(i int) {
	cmd := m.waiting[i]
	m.waiting = slices.Delete(m.waiting, i, i+1)
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		m.do(msg...)
	case nil, remote.FailMsg:
	default:
		next, _ := m.r.Take(msg)
		m.do(next)
	}
}

func (m *marking) settle() {
	for len(m.waiting) > 0 {
		m.run(0)
	}
}

// Whatever is marked, and however often the server is away, answers late or the screen begins anew: in the end the server
// has what was marked last, the screen shows the same, and nothing waits.
func TestMarksArriveAsTheyWereMadeLast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMarking(t)
		last := map[string]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				m.server.away = rapid.SampledFrom([]error{nil, errors.New("refused")}).Draw(t, "away")
			case 1:
				m.settle()
			case 2:
				m.begin()
			default:
				id, read := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "item"), rapid.Bool().Draw(t, "read")
				last[id] = read
				m.do(m.r.Mark(m.at, "r", read, id))
				if rapid.Bool().Draw(t, "at once") {
					m.run(len(m.waiting) - 1)
				}
			}
		}
		m.server.away = nil
		m.settle()
		m.do(m.r.Load(m.at), m.r.Flush())
		m.settle()
		m.holds(t, last)
	})
}

// holds checks that all arrived.
func (m *marking) holds(t *rapid.T, last map[string]bool) {
	maps.DeleteFunc(last, func(_ string, read bool) bool { return !read })
	if diff := cmp.Diff(last, m.server.read); diff != "" {
		t.Fatalf("the server has (-last made +got):\n%s", diff)
	}
	shown, known := m.r.Of(m.at)
	for _, item := range shown.Items {
		if !known || item.Read != m.server.read[item.ID] {
			t.Fatalf("the screen shows %+v, the server has %v", shown, m.server.read)
		}
	}
	if left, err := m.dir.Marks(); err != nil || len(left) > 0 {
		t.Fatalf("left %v, %v", left, err)
	}
}

// tempDir is a directory for one example.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "marks-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
