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

// markServer is a remote.Client that implements read marks only.
type markServer struct {
	remote.Client
	mu   sync.Mutex
	read map[string]bool
	err  error
}

func (m *markServer) Reading(context.Context, remote.Target) (api.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var r api.Reading
	for _, id := range []string{"a", "b", "c"} {
		r.Items = append(r.Items, api.ReadingItem{ID: id, Read: m.read[id]})
		if r.Total++; m.read[id] {
			r.Read++
		}
	}
	return r, m.err
}

func (m *markServer) Mark(ctx context.Context, at remote.Target, body api.ReadingUpdate, _ string) (api.Reading, error) {
	m.mu.Lock()
	if m.err == nil {
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

// markScreen is a screen that sets marks. The test decides when its commands run.
type markScreen struct {
	server   *markServer
	dir      Dir
	conn     *remote.Connection
	readings *ReadStates
	target   remote.Target
	queue    []tea.Cmd
}

func newMarkScreen(t *rapid.T) *markScreen {
	keys, now := 0, time.Unix(0, 0)
	m := &markScreen{
		server: &markServer{read: map[string]bool{}}, dir: Dir(tempDir(t)),
		target: remote.Target{Space: "s", ChangeRequest: "c"},
	}
	m.conn = &remote.Connection{
		Ctx: context.Background(), Client: m.server,
		NewKey: func() string { keys++; return fmt.Sprint("k", keys) }, Now: func() time.Time { now = now.Add(time.Second); return now },
	}
	m.restart()
	return m
}

// restart runs the pending commands and creates new ReadStates, which load their state and send the marks on disk.
func (m *markScreen) restart() {
	m.drain()
	m.readings = New(m.conn, m.dir)
	m.enqueue(m.readings.Load(m.target), m.readings.Resume())
	m.drain()
}

func (m *markScreen) enqueue(cmds ...tea.Cmd) {
	m.queue = slices.DeleteFunc(append(m.queue, cmds...), func(c tea.Cmd) bool { return c == nil })
}

func (m *markScreen) run(i int) {
	cmd := m.queue[i]
	m.queue = slices.Delete(m.queue, i, i+1)
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		m.enqueue(msg...)
	case nil, remote.ErrorMsg:
	default:
		next, _ := m.readings.Take(msg)
		m.enqueue(next)
	}
}

func (m *markScreen) drain() {
	for len(m.queue) > 0 {
		m.run(0)
	}
}

// TestLastMarkWins checks that the server and the screen finally have the last mark of each item, and that none is pending:
// marks are set while the server is unreachable or slow and screens restart.
func TestLastMarkWins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMarkScreen(t)
		last := map[string]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				m.server.err = rapid.SampledFrom([]error{nil, errors.New("refused")}).Draw(t, "away")
			case 1:
				m.drain()
			case 2:
				m.restart()
			default:
				id, read := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "item"), rapid.Bool().Draw(t, "read")
				last[id] = read
				m.enqueue(m.readings.Mark(m.target, "r", read, id))
				if rapid.Bool().Draw(t, "at once") {
					m.run(len(m.queue) - 1)
				}
			}
		}
		m.server.err = nil
		m.drain()
		m.enqueue(m.readings.Load(m.target), m.readings.Flush())
		m.drain()
		m.checkMarks(t, last)
	})
}

// checkMarks checks that the server and the screen have the last marks.
func (m *markScreen) checkMarks(t *rapid.T, last map[string]bool) {
	maps.DeleteFunc(last, func(_ string, read bool) bool { return !read })
	if diff := cmp.Diff(last, m.server.read); diff != "" {
		t.Fatalf("the server has (-last made +got):\n%s", diff)
	}
	shown, known := m.readings.State(m.target)
	for _, item := range shown.Items {
		if !known || item.Read != m.server.read[item.ID] {
			t.Fatalf("the screen shows %+v, the server has %v", shown, m.server.read)
		}
	}
	if left, err := m.dir.Marks(); err != nil || len(left) > 0 {
		t.Fatalf("left %v, %v", left, err)
	}
}

// tempDir creates a directory that is removed at the end of the example. It fails the example if the directory cannot be
// created.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "marks-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
