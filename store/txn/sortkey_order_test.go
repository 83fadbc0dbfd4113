package txn_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/store/txn"
)

func TestKeyBetween(t *testing.T) {
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
			key, err := txn.KeyBetween(low, high)
			if err != nil || (low != "" && key <= low) || (high != "" && key >= high) {
				t.Fatalf("Between(%q, %q) = %q, %v", low, high, key, err)
			}
			// Members must sort like their keys for any identifiers.
			if low != "" && txn.OrderMember(low, "z") >= txn.OrderMember(key, "0") || high != "" &&
				txn.OrderMember(key, "z") >= txn.OrderMember(high, "0") {
				t.Fatalf("members of %q, %q, %q do not sort", low, key, high)
			}
			keys = slices.Insert(keys, at, key)
		}
	})
}

func TestOrderKeysStayShort(t *testing.T) {
	t.Parallel()
	ends := map[string]func(last string) (string, error){
		"append":  func(last string) (string, error) { return txn.KeyBetween(last, "") },
		"prepend": func(last string) (string, error) { return txn.KeyBetween("", last) },
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
		key, err := txn.KeyBetween(low, high)
		if err != nil {
			t.Fatal(err)
		}
		if low = key; i < 60 && len(key) > txn.LongOrderKey {
			t.Fatalf("%d characters after %d inserts at one place", len(key), i)
		}
	}
}

func TestKeyBetweenRejectsInvalidKeys(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"a1", "a0"}, {"a0", "a0"}, {"!", ""}, {"a", ""}, {"", "a00"}, {"b1", ""}, {"a0-", "a1"}, {"", "A" + strings.Repeat("0", 26)},
	} {
		if key, err := txn.KeyBetween(pair[0], pair[1]); err == nil {
			t.Errorf("Between(%q, %q) = %q", pair[0], pair[1], key)
		}
	}
}

func TestSpreadReturnsAscendingKeys(t *testing.T) {
	t.Parallel()
	keys := txn.SpreadKeys(5000)
	if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != 5000 {
		t.Error("the keys do not rise")
	}
	if len(keys[4999]) > 4 {
		t.Errorf("the last key is %q", keys[4999])
	}
}
