package store_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func TestBetweenIsBetween(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := []string{}
		for range rapid.IntRange(1, 60).Draw(t, "inserts") {
			at := rapid.IntRange(0, len(keys)).Draw(t, "at")
			low, high := "", ""
			if at > 0 {
				low = keys[at-1]
			}
			if at < len(keys) {
				high = keys[at]
			}
			key, err := txn.Between(low, high)
			if err != nil || (low != "" && key <= low) || (high != "" && key >= high) {
				t.Fatalf("Between(%q, %q) = %q, %v", low, high, key, err)
			}
			// The members have to sort as the keys do, whatever the identifiers are.
			if low != "" && txn.Member(low, "z") >= txn.Member(key, "0") || high != "" && txn.Member(key, "z") >= txn.Member(high, "0") {
				t.Fatalf("members of %q, %q, %q do not sort", low, key, high)
			}
			keys = slices.Insert(keys, at, key)
		}
	})
}

func TestOrderKeysStayShort(t *testing.T) {
	t.Parallel()
	ends := map[string]func(last string) (string, error){
		"append":  func(last string) (string, error) { return txn.Between(last, "") },
		"prepend": func(last string) (string, error) { return txn.Between("", last) },
	}
	for name, next := range ends {
		key, err := "", error(nil)
		for i := range 10_000 {
			if key, err = next(key); err != nil {
				t.Fatalf("%s %d: %v", name, i, err)
			}
		}
		if len(key) > 4 {
			t.Errorf("after 10,000 times %s the key is %q", name, key)
		}
	}
	low, high := "a0", "a1"
	for i := range 300 {
		key, err := txn.Between(low, high)
		if err != nil {
			t.Fatal(err)
		}
		if low = key; i < 60 && len(key) > txn.LongOrderKey {
			t.Fatalf("%d characters after %d inserts at one place", len(key), i)
		}
	}
}

func TestBetweenRefuses(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"a1", "a0"}, {"a0", "a0"}, {"!", ""}, {"a", ""}, {"", "a00"}, {"b1", ""}, {"a0-", "a1"}, {"", "A" + strings.Repeat("0", 26)}} {
		if key, err := txn.Between(pair[0], pair[1]); err == nil {
			t.Errorf("Between(%q, %q) = %q", pair[0], pair[1], key)
		}
	}
}

func TestSpreadRises(t *testing.T) {
	t.Parallel()
	keys := txn.Spread(5000)
	if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != 5000 {
		t.Error("the keys do not rise")
	}
	if len(keys[4999]) > 4 {
		t.Errorf("the last key is %q", keys[4999])
	}
}

// TestPlace moves items about in an order and compares with a list.
func TestPlace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		kids, list := store.KidsKey("o_1", store.Root), []string{} // members
		place := func(id string, at txn.Position) error {
			return s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
				order, err := tx.Place(kids, at)
				if err != nil {
					return err
				}
				if at.Self != "" {
					tx.Remove(kids, at.Self)
				}
				tx.Add(kids, txn.Member(order, id))
				return nil
			})
		}
		want := func(ids string) {
			t.Helper()
			batch := s.Pipeline()
			members := batch.Range(kids, "", 100, false)
			do(t, batch)
			list = get(t, members)
			got := ""
			for _, member := range list {
				_, id, _ := txn.SplitMember(member)
				got += id
			}
			if got != ids {
				t.Fatalf("order %q, want %q (%q)", got, ids, list)
			}
		}
		steps := []struct {
			id   string
			at   func() txn.Position
			want string
		}{
			{"a", func() txn.Position { return txn.Position{} }, "a"},
			{"b", func() txn.Position { return txn.Position{} }, "ab"},
			{"c", func() txn.Position { return txn.Position{Before: list[0]} }, "cab"},
			{"d", func() txn.Position { return txn.Position{After: list[0]} }, "cdab"},
			{"e", func() txn.Position { return txn.Position{After: list[1], Before: list[2]} }, "cdeab"},
			{"b", func() txn.Position { return txn.Position{Before: list[0], Self: list[4]} }, "bcdea"},
			{"b", func() txn.Position { return txn.Position{Self: list[0]} }, "cdeab"},
			{"e", func() txn.Position { return txn.Position{After: list[1], Before: list[3], Self: list[2]} }, "cdeab"},
			{"d", func() txn.Position { return txn.Position{After: list[2], Self: list[1]} }, "cedab"},
		}
		for i, step := range steps {
			if err := place(step.id, step.at()); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			want(step.want)
		}
		err := place("x", txn.Position{After: list[0], Before: list[2]})
		wantError(t, err, txn.ErrNotAdjacent)
		err = place("x", txn.Position{After: "a0!gone"})
		wantError(t, err, txn.ErrNoSibling)
		err = place("x", txn.Position{Before: list[0], Self: list[0]})
		wantError(t, err, txn.ErrNoSibling)
		want("cedab")
	})
}

// TestPagesSeeEveryStayingItemOnce walks an index in pages while other members
// come and go.
func TestPagesSeeEveryStayingItemOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(r *rapid.T) {
			index := store.IndexKey("o_1", "cm", s.NewID("x"))
			change := func(add bool, members ...string) {
				update(t, s, "o_1", func(tx *store.Tx) error {
					for _, member := range members {
						if add {
							tx.Add(index, member)
						} else {
							tx.Remove(index, member)
						}
					}
					return nil
				})
			}
			staying := []string{"b", "d", "f", "h", "j", "l", "n"}
			change(true, staying...)
			reverse, after, seen := rapid.Bool().Draw(r, "reverse"), "", []string{}
			for {
				if others := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "c", "e", "g", "i", "k", "m", "o"}), 0, 3).Draw(r, "others"); len(others) > 0 {
					change(rapid.Bool().Draw(r, "add"), others...)
				}
				batch := s.Pipeline()
				page := batch.Range(index, after, rapid.IntRange(1, 4).Draw(r, "limit"), reverse)
				do(t, batch)
				members := get(t, page)
				if len(members) == 0 {
					break
				}
				seen = append(seen, members...)
				after = members[len(members)-1]
			}
			seen = slices.DeleteFunc(seen, func(member string) bool { return !slices.Contains(staying, member) })
			if reverse {
				slices.Reverse(seen)
			}
			if !slices.Equal(seen, staying) {
				r.Fatalf("saw %q", seen)
			}
		})
	})
}

var cursors = txn.NewCursors([]byte("a secret of tests"))

func FuzzCursor(f *testing.F) {
	f.Add("", "f")
	f.Add(cursors.Encode(txn.Cursor{After: "a0!s_1"}, "spaces", "o_1"), "o_1")
	f.Add("AQAAAAAAAAA\n", "")
	f.Add("////", "x")
	f.Fuzz(func(t *testing.T, text, filter string) {
		cursor, err := cursors.Decode(text, "spaces", filter)
		if err != nil {
			wantError(t, err, txn.ErrCursor)
			return
		}
		if again := cursors.Encode(cursor, "spaces", filter); again != text {
			t.Errorf("%q decodes and encodes to %q", text, again)
		}
	})
}

func TestCursor(t *testing.T) {
	t.Parallel()
	for _, want := range []txn.Cursor{{After: "a"}, {After: "a0!s_1", Reverse: true}, {After: strings.Repeat("x", 500)}} {
		text := cursors.Encode(want, "spaces", "o_1", "")
		got, err := cursors.Decode(text, "spaces", "o_1", "")
		if err != nil || got != want {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
		for _, filters := range [][]string{{"spaces", "o_1"}, {"spaces", "o_2", ""}, {"spaceso_1", ""}, nil} {
			_, err := cursors.Decode(text, filters...)
			wantError(t, err, txn.ErrCursor)
		}
	}
	for _, text := range []string{"", "x", "AQ", strings.Repeat("A", 1025), "AgAAAAAAAAAA"} {
		_, err := cursors.Decode(text)
		wantError(t, err, txn.ErrCursor)
	}
}

// Whatever happens to a cursor on its way, it is no longer one: every bit, every cut, doubled, or made with another key.
func TestChangedCursor(t *testing.T) {
	t.Parallel()
	text := cursors.Encode(txn.Cursor{After: "a0!s_0123456789"}, "spaces", "o_1")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	changed := []string{text + text, text + "A", txn.NewCursors([]byte("another secret")).Encode(txn.Cursor{After: "a0!s_0123456789"}, "spaces", "o_1")}
	for bit := range 8 * len(raw) {
		other := slices.Clone(raw)
		other[bit/8] ^= 1 << (bit % 8)
		changed = append(changed, base64.RawURLEncoding.EncodeToString(other))
	}
	for n := range len(text) {
		changed = append(changed, text[:n], text[n+1:])
	}
	for _, other := range changed {
		if _, err := cursors.Decode(other, "spaces", "o_1"); !errors.Is(err, txn.ErrCursor) {
			t.Errorf("%q: %v", other, err)
		}
	}
}

// What the version before gave out is known for what it is.
func TestOldCursor(t *testing.T) {
	t.Parallel()
	const old = "AQDPF6PuzFVhMCFzXzAx" // behind a0!s_01 of spaces, o_1
	_, err := cursors.Decode(old, "spaces", "o_1")
	wantError(t, err, txn.ErrOldCursor)
	_, err = cursors.Decode(old, "spaces", "o_2")
	if errors.Is(err, txn.ErrOldCursor) {
		t.Error("a cursor of another list is called old")
	}
	wantError(t, err, txn.ErrCursor)
}
