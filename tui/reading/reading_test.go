package reading

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
	"docspace.dev/wsd/tui/drafts"
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

// Whatever is marked, and however often the server is away, answers late or the screen begins anew: in the end the server
// has what was marked last, the screen shows the same, and nothing waits.
func TestMarksArriveAsTheyWereMadeLast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		server, dir := &marker{read: map[string]bool{}}, drafts.Dir(tempDir(t))
		at, keys, now := remote.Target{Space: "s", ChangeRequest: "c"}, 0, time.Unix(0, 0)
		c := &remote.Connection{Ctx: context.Background(), Client: server, NewKey: func() string { keys++; return fmt.Sprint("k", keys) }, Now: func() time.Time {
			now = now.Add(time.Second)
			return now
		}}
		r := New(c, dir)
		var waiting []tea.Cmd
		run := func(i int) {
			cmd := waiting[i]
			waiting = slices.Delete(waiting, i, i+1)
			switch msg := cmd().(type) {
			case tea.BatchMsg:
				waiting = append(waiting, msg...)
			case nil, remote.FailMsg:
			default:
				next, _ := r.Take(msg)
				waiting = append(waiting, next)
			}
			waiting = slices.DeleteFunc(waiting, func(c tea.Cmd) bool { return c == nil })
		}
		settle := func() {
			for len(waiting) > 0 {
				run(0)
			}
		}
		waiting = append(waiting, r.Load(at))
		settle()
		last := map[string]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				server.away = rapid.SampledFrom([]error{nil, errors.New("refused")}).Draw(t, "away")
			case 1:
				settle()
			case 2: // the screen ends, with its marks on disk, and begins anew
				settle()
				r = New(c, dir)
				waiting = append(waiting, r.Load(at), r.Resume())
				settle()
			default:
				id, read := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "item"), rapid.Bool().Draw(t, "read")
				last[id] = read
				waiting = append(waiting, r.Mark(at, "r", read, id))
				if rapid.Bool().Draw(t, "at once") {
					run(len(waiting) - 1)
				}
			}
		}
		server.away = nil
		settle()
		waiting = append(waiting, r.Load(at), r.Flush())
		waiting = slices.DeleteFunc(waiting, func(c tea.Cmd) bool { return c == nil })
		settle()
		maps.DeleteFunc(last, func(_ string, read bool) bool { return !read })
		if diff := cmp.Diff(last, server.read); diff != "" {
			t.Fatalf("the server has (-last made +got):\n%s", diff)
		}
		shown, known := r.Of(at)
		for _, item := range shown.Items {
			if !known || item.Read != server.read[item.ID] {
				t.Fatalf("the screen shows %+v, the server has %v", shown, server.read)
			}
		}
		if left, err := dir.Marks(); err != nil || len(left) > 0 {
			t.Fatalf("left %v, %v", left, err)
		}
	})
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
