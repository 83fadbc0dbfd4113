package postings_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

const (
	org  = "o_1"
	form = "4"
)

// interruption is a hook that calls act once, before a command or a pipeline that begins with it. If act returns an
// error, the command is not sent and has this error.
type interruption struct {
	storetest.Trips
	command string
	act     func() error
}

func (i *interruption) before(command string) error {
	if i.act == nil || command != i.command {
		return nil
	}
	act := i.act
	i.act = nil
	return act()
}

func (i *interruption) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if err := i.before(command.Name()); err != nil {
			command.SetErr(err)
			return err
		}
		return next(ctx, command)
	}
}

func (i *interruption) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		if err := i.before(commands[0].Name()); err != nil {
			for _, command := range commands {
				command.SetErr(err)
			}
			return err
		}
		return next(ctx, commands)
	}
}

// outOfMemory is the error reply of a Redis whose memory is full.
type outOfMemory struct{}

func (outOfMemory) Error() string { return "OOM command not allowed when used memory > 'maxmemory'." }

// RedisError implements redis.Error.
func (outOfMemory) RedisError() {}

// openInterrupted returns a store with the directory of an organization.
func openInterrupted(t *testing.T) (*store.Store, *interruption) {
	t.Helper()
	i := &interruption{}
	s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, i) })
	fresh := postings.State{Version: form, Organization: org, Root: "r"}
	if err := s.Search.BeginDirectory(t.Context(), org, postings.State{}, fresh); err != nil {
		t.Fatal(err)
	}
	return s, i
}

func addToDirectory(t *testing.T, s *store.Store, space string) {
	t.Helper()
	if err := s.Search.AddToDirectory(t.Context(), org, space, form, []string{"word"}, []string{"word"}); err != nil {
		t.Fatalf("add %s: %v", space, err)
	}
}

// wantInDirectory fails the test unless the directory lists exactly these spaces.
func wantInDirectory(t *testing.T, s *store.Store, spaces ...string) {
	t.Helper()
	b := s.NewBatch()
	reply := postings.ReadView(b, org)
	storetest.Do(t, b)
	view, err := reply.Get()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, space := range spaces {
		want[space] = true
	}
	if got := spacesByWord(t, s, view, []string{"word"})["word"]; !maps.Equal(got, want) {
		t.Errorf("the directory lists %v, want %v", got, spaces)
	}
}

// indexSpace writes the search index of a space with one page and returns its state.
func indexSpace(t *testing.T, s *store.Store, space string) postings.State {
	t.Helper()
	state := postings.State{Version: form, Organization: org, Root: "r", Mark: "m"}
	if err := s.Search.SetState(t.Context(), space, postings.State{}, state); err != nil {
		t.Fatal(err)
	}
	indexer, err := s.Search.Indexer(t.Context(), space, state)
	if err != nil {
		t.Fatal(err)
	}
	indexer.Add([]postings.Change{{
		Page: "p_1", Fingerprint: "12345678", Terms: []postings.Occurrence{{Term: "word", Sections: 1}}, Words: []string{"word"},
	}})
	if err := indexer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return state
}

// wantNoIndex fails the test if a space has keys.
func wantNoIndex(t *testing.T, s *store.Store, space string) {
	t.Helper()
	for name := range storetest.Dump(t, s) {
		if strings.HasPrefix(name, "{"+space+"}") {
			t.Errorf("%s was not removed", name)
		}
	}
}

// Concurrent changes of a directory are all applied.
func TestConcurrentDirectoryChanges(t *testing.T) {
	t.Parallel()
	s, i := openInterrupted(t)
	i.command, i.act = "multi", func() error { addToDirectory(t, s, "s_2"); return nil }
	addToDirectory(t, s, "s_1")
	wantInDirectory(t, s, "s_1", "s_2")
}

// A space leaves the directory although a concurrent change replaces the segment that contains it.
func TestSpaceLeavesDirectoryDuringMerge(t *testing.T) {
	t.Parallel()
	s, i := openInterrupted(t)
	addToDirectory(t, s, "s_1")
	i.command, i.act = "hget", func() error { addToDirectory(t, s, "s_2"); return nil }
	if err := s.Search.RemoveFromDirectory(t.Context(), org, "s_1"); err != nil {
		t.Fatal(err)
	}
	wantInDirectory(t, s, "s_2")
}

// Drop removes an index that is updated concurrently, also if memory is full.
func TestDropDuringUpdate(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]error{"memory is free": nil, "memory is full": outOfMemory{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, i := openInterrupted(t)
			state := indexSpace(t, s, "s_1")
			i.command, i.act = "multi", func() error {
				if err := s.Search.SetState(t.Context(), "s_1", state, state.UpdateTo("r2", "m2")); err != nil {
					t.Error(err)
				}
				return reply
			}
			if err := s.Search.Drop(redis.WithFreeingSpace(t.Context()), org, "s_1"); err != nil {
				t.Fatal(err)
			}
			wantNoIndex(t, s, "s_1")
		})
	}
}

// A space whose index, or whose directory, is damaged can be purged.
func TestDropOfDamagedIndex(t *testing.T) {
	t.Parallel()
	for _, damaged := range []string{"{" + org + "}:segments", "{s_1}:segments"} {
		t.Run(damaged, func(t *testing.T) {
			t.Parallel()
			s, _ := openInterrupted(t)
			addToDirectory(t, s, "s_1")
			state := postings.State{Version: form, Organization: org, Root: "r", Mark: "m"}
			if err := s.Search.SetState(t.Context(), "s_1", postings.State{}, state); err != nil {
				t.Fatal(err)
			}
			if err := s.Client.Set(t.Context(), s.Prefix+damaged, "\xff", 0).Err(); err != nil {
				t.Fatal(err)
			}
			if err := s.Search.Drop(t.Context(), org, "s_1"); err != nil {
				t.Fatal(err)
			}
			wantNoIndex(t, s, "s_1")
		})
	}
}
