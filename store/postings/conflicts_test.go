package postings_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

const (
	org     = "o_1"
	version = "4"
)

// interruption is a hook that calls act once, before a command or a pipeline that begins with it. If act returns an
// error, the command is not sent and has this error.
type interruption struct {
	storetest.Trips
	command string
	act     func() error
}

func (i *interruption) interrupt(command string) error {
	if i.act == nil || command != i.command {
		return nil
	}
	act := i.act
	i.act = nil
	return act()
}

func (i *interruption) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if err := i.interrupt(command.Name()); err != nil {
			command.SetErr(err)
			return err
		}
		return next(ctx, command)
	}
}

func (i *interruption) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		if err := i.interrupt(commands[0].Name()); err != nil {
			for _, command := range commands {
				command.SetErr(err)
			}
			return err
		}
		return next(ctx, commands)
	}
}

// outOfMemoryError is the error reply of a Redis whose memory is full.
type outOfMemoryError struct{}

func (outOfMemoryError) Error() string {
	return "OOM command not allowed when used memory > 'maxmemory'."
}

// RedisError implements redis.Error.
func (outOfMemoryError) RedisError() {}

// openInterrupted returns a store with the directory of an organization.
func openInterrupted(t *testing.T) (*store.Store, *interruption) {
	t.Helper()
	i := &interruption{}
	s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, i) })
	fresh := postings.State{Version: version, Organization: org, Root: "r"}
	if err := s.Search.BeginDirectory(t.Context(), org, postings.State{}, fresh); err != nil {
		t.Fatal(err)
	}
	return s, i
}

func addToDirectory(t *testing.T, s *store.Store, space string) {
	t.Helper()
	if err := s.Search.AddToDirectory(t.Context(), org, space, version, []string{"word"}, []string{"word"}); err != nil {
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

// indexSpace writes the search index of the space s_1 with one page and returns its state.
func indexSpace(t *testing.T, s *store.Store) postings.State {
	t.Helper()
	state := postings.State{Version: version, Organization: org, Root: "r", Mark: "m"}
	if err := s.Search.SetState(t.Context(), "s_1", postings.State{}, state); err != nil {
		t.Fatal(err)
	}
	indexer, err := s.Search.Indexer(t.Context(), "s_1", state)
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

// TestConcurrentDirectoryChanges checks that concurrent changes of a directory are all applied.
func TestConcurrentDirectoryChanges(t *testing.T) {
	t.Parallel()
	s, i := openInterrupted(t)
	i.command, i.act = "multi", func() error { addToDirectory(t, s, "s_2"); return nil }
	addToDirectory(t, s, "s_1")
	wantInDirectory(t, s, "s_1", "s_2")
}

// TestSpaceLeavesDirectoryDuringMerge checks that a space leaves the directory although a concurrent change replaces the
// segment that contains it.
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

// TestUpdateOfRemovedIndexIsStale checks that an update that began before the index was removed, by a purge or a transfer, does
// not write segments or a state of it.
func TestUpdateOfRemovedIndexIsStale(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(s *store.Store, state postings.State) error{
		"purged": func(s *store.Store, _ postings.State) error { return s.Search.Drop(t.Context(), org, "s_1") },
		"rebuilt": func(s *store.Store, state postings.State) error {
			return s.Search.Clear(t.Context(), org, "s_1", state)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := openInterrupted(t)
			state := indexSpace(t, s)
			indexer, err := s.Search.Indexer(t.Context(), "s_1", state)
			if err != nil {
				t.Fatal(err)
			}
			indexer.Add([]postings.Change{{Page: "p_2", Fingerprint: "87654321"}})
			if err := remove(s, state); err != nil {
				t.Fatal(err)
			}
			storetest.WantError(t, indexer.Flush(t.Context()), redis.ErrStale)
			storetest.WantError(t, s.Search.SetState(t.Context(), "s_1", state, state.UpdateTo("r2", "m2")), redis.ErrStale)
			wantNoIndex(t, s, "s_1")
		})
	}
}

// TestUpdateOfIndexWithLostManifestIsStale checks that an update of an index whose manifest was lost does not write a manifest
// without the other pages.
func TestUpdateOfIndexWithLostManifestIsStale(t *testing.T) {
	t.Parallel()
	s, _ := openInterrupted(t)
	state := indexSpace(t, s)
	indexer, err := s.Search.Indexer(t.Context(), "s_1", state)
	if err != nil {
		t.Fatal(err)
	}
	indexer.Add([]postings.Change{{Page: "p_2", Fingerprint: "87654321"}})
	if n := s.Client.Del(t.Context(), s.Prefix+"{s_1}:segments").Val(); n != 1 {
		t.Fatalf("%d manifests were removed", n)
	}
	storetest.WantError(t, indexer.Flush(t.Context()), redis.ErrStale)
}

// TestDropDuringUpdate checks that Drop removes an index that is updated concurrently, also if memory is full.
func TestDropDuringUpdate(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]error{"memory is free": nil, "memory is full": outOfMemoryError{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, i := openInterrupted(t)
			state := indexSpace(t, s)
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

// TestDropDamagedIndex checks that a space whose index, or whose directory, is damaged can be purged.
func TestDropDamagedIndex(t *testing.T) {
	t.Parallel()
	for _, damaged := range []string{"{" + org + "}:segments", "{s_1}:segments"} {
		t.Run(damaged, func(t *testing.T) {
			t.Parallel()
			s, _ := openInterrupted(t)
			addToDirectory(t, s, "s_1")
			state := postings.State{Version: version, Organization: org, Root: "r", Mark: "m"}
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

// TestStateReflects checks that an index is up to date only if it is complete and has the requested version, organization and
// pages.
func TestStateReflects(t *testing.T) {
	t.Parallel()
	state := postings.State{Version: version, Organization: org, Root: "r", Mark: "m"}
	for _, check := range []struct {
		state              postings.State
		version, org, root string
		want               bool
	}{
		{state, version, org, "r", true},
		{state, "5", org, "r", false},
		{state, version, "o_2", "r", false},
		{state, version, org, "r2", false},
		{state.UpdateTo("r2", "m2"), version, org, "r2", false},
		{state.UpdateTo("r2", "m2").Complete(), version, org, "r2", true},
		{postings.State{}, version, org, "", false},
	} {
		if got := check.state.Reflects(check.version, check.org, check.root); got != check.want {
			t.Errorf("%q reflects version %s of %s at %q: %t", check.state, check.version, check.org, check.root, got)
		}
	}
}

// TestMergeOfSegmentWithLostBlock checks that a merge does not treat a lost block of a segment as empty: it fails, and the
// caller rebuilds the index.
func TestMergeOfSegmentWithLostBlock(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]string{"terms": "t0", "words": "w0", "sections": "i0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := openInterrupted(t)
			state := indexSpace(t, s)
			if n := s.Client.HDel(t.Context(), s.Prefix+"{s_1}:segment:0", block).Val(); n != 1 {
				t.Fatalf("%d blocks %s were removed", n, block)
			}
			indexer, err := s.Search.Indexer(t.Context(), "s_1", state)
			if err != nil {
				t.Fatal(err)
			}
			before := storetest.Dump(t, s)
			indexer.Add([]postings.Change{{Page: "p_2", Fingerprint: "87654321", Words: []string{"other"}}})
			if err := indexer.Flush(t.Context()); !errors.Is(err, redis.ErrCorrupt) {
				t.Errorf("flush: %v", err)
			}
			if diff := cmp.Diff(before, storetest.Dump(t, s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
