package content

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// blockOrigins returns for each block of next the number of the block of previous with the same id, or "new".
func blockOrigins(previous, next Text) string {
	var out []string
	for _, block := range next.Blocks {
		at := slices.IndexFunc(previous.Blocks, func(b Block) bool { return b.ID == block.ID })
		if at < 0 {
			out = append(out, "new")
		} else {
			out = append(out, fmt.Sprint(at))
		}
	}
	return strings.Join(out, " ")
}

func TestParseKeepsBlockIDs(t *testing.T) {
	t.Parallel()
	const intro = "This page says how the pump is started.\n\n"
	const body = "Open the valve first. Wait for the pressure to rise. Then press the green button.\n\n"
	const last = "Call the service if nothing moves within a minute.\n\n"
	tests := map[string]struct{ before, after, want string }{
		"unchanged":                    {intro + body + last, intro + body + last, "0 1 2"},
		"insert before the block":      {intro + body + last, "# New\n\n" + intro + body + last, "new 0 1 2"},
		"insert between two blocks":    {intro + body, intro + last + body, "0 new 1"},
		"append without final newline": {intro + "x", intro + "x\n\ny", "0 1 new"},
		"delete":                       {intro + body + last, intro + last, "0 2"},
		"edit a sentence":              {intro + body + last, intro + strings.Replace(body, "rise", "drop", 1) + last, "0 1 2"},
		"rewrite in place":             {intro + "foo\n\n" + last, intro + "bar baz\n\n" + last, "0 1 2"},
		"rewrite the only block":       {"foo\n", "bar\n", "0"},
		"change the kind of a block":   {intro + "foo\n\n" + last, intro + "# foo\n\n" + last, "0 new 2"},
		"split": {
			intro + body, intro + "Open the valve first.\n\nWait for the pressure to rise. Then press the green button.\n\n", "0 new 1",
		},
		"join":                         {intro + body + last, intro + strings.TrimSpace(body) + " " + last, "0 1"},
		"move down":                    {intro + body + last, body + last + intro, "1 2 0"},
		"swap":                         {intro + body, body + intro, "1 0"},
		"move one block, edit another": {intro + body + last, last + intro + strings.Replace(body, "green", "red", 1), "2 0 1"},
		"duplicates keep their order":  {"a\n\nb\n\na\n\n", "new\n\na\n\nb\n\na\n\n", "new 0 1 2"},
		"insert a duplicate above":     {"x\n\na\n\na\n", "a\n\nx\n\na\n\na\n", "new 0 1 2"},
		"delete one duplicate":         {"x\n\na\n\na\n\ny\n", "x\n\na\n\ny\n", "0 1 3"},
		"moved duplicates":             {"a\n\na\n\nx\n", "x\n\na\n\na\n", "2 0 1"},
		"alternating duplicates":       {"a\n\nb\n\na\n\nb\n", "a\n\na\n\nb\n\na\n\nb\n", "0 new 1 2 3"},
		"insert an item in the middle": {"- one\n- two\n- three\n", "- one\n- new\n- two\n- three\n", "0 new 1 2"},
		"case changed":                 {intro + body, strings.ToUpper(intro) + body, "0 1"},
		"equally similar blocks":       {"one two three four\n\n", "one two three five\n\none two three six\n\n", "0 new"},
		"text without spaces":          {intro + "今日は良い天気です。\n\n" + body, intro + last + "今日は悪い天気です。\n\n" + body, "0 new 1 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := parse(t, test.before, Text{})
			after := parse(t, test.after, before)
			if got := blockOrigins(before, after); got != test.want {
				t.Errorf("blocks come from %s, want %s", got, test.want)
			}
			checkTable(t, after)
		})
	}
}

func TestNewIDsAreDeterministic(t *testing.T) {
	t.Parallel()
	base := parse(t, "a\n\nb\n", Text{})
	first := parse(t, "a\n\nnew\n\nnew\n\nb\n", base)
	second := parse(t, "a\n\nnew\n\nnew\n\nb\n", base)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same edit of the same base differs:\n%s", diff)
	}
	elsewhere, err := Parse("other", []byte("a"), Text{})
	if err != nil {
		t.Fatal(err)
	}
	if elsewhere.Blocks[0].ID == base.Blocks[0].ID {
		t.Error("two pages share a block id")
	}
}

// TestLargeGapPairsBlocksByPosition checks that blocks of gaps too large to compare are paired by position.
func TestLargeGapPairsBlocksByPosition(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	for i := range maxSimilarityGap + 1 {
		fmt.Fprintf(&before, "old words %d\n\n", i)
		fmt.Fprintf(&after, "fresh text %d\n\n", i)
	}
	base := parse(t, before.String(), Text{})
	next := parse(t, after.String(), base)
	for i := range next.Blocks {
		if next.Blocks[i].ID != base.Blocks[i].ID {
			t.Fatalf("block %d lost its id", i)
		}
	}
}

// TestInsertionKeepsOtherIDs checks that inserting a block changes no other id, which comments and merges depend on.
func TestInsertionKeepsOtherIDs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{6,9}`), 1, 60).Draw(t, "blocks")
		slices.Sort(words)
		words = slices.Compact(words)
		words = rapid.Permutation(words).Draw(t, "order")
		base, err := Parse("page", []byte(strings.Join(words, "\n\n")), Text{})
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(words)).Draw(t, "at")
		next, err := Parse("page", []byte(strings.Join(slices.Insert(slices.Clone(words), at, "INSERTED"), "\n\n")), base)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range base.Blocks {
			moved := i
			if i >= at {
				moved++
			}
			if next.Blocks[moved].ID != block.ID {
				t.Fatalf("block %d changed its id", i)
			}
		}
	})
}
