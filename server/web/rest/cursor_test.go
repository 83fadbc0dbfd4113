package rest_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/redis"
)

// newCodec returns a codec with a server secret.
func newCodec(secret string) rest.Codec {
	return rest.NewCodec(auth.NewRing(nil, redis.Secret{Name: auth.SecretVariable, Value: []byte(secret)}))
}

var codec = newCodec("a secret of tests")

func FuzzCursor(f *testing.F) {
	f.Add("", "f")
	f.Add(codec.Encode(rest.Cursor{After: "a0!s_1"}, "spaces", "o_1"), "o_1")
	f.Add("AQAAAAAAAAA\n", "")
	f.Add("////", "x")
	f.Fuzz(func(t *testing.T, text, filter string) {
		cursor, err := codec.Decode(text, "spaces", filter)
		if err != nil {
			if !errors.Is(err, rest.ErrInvalidCursor) {
				t.Fatalf("error %v, want %v", err, rest.ErrInvalidCursor)
			}
			return
		}
		if again := codec.Encode(cursor, "spaces", filter); again != text {
			t.Errorf("%q decodes and encodes to %q", text, again)
		}
	})
}

func TestDecodeReversesEncode(t *testing.T) {
	t.Parallel()
	for _, want := range []rest.Cursor{{After: "a"}, {After: "a0!s_1", Reverse: true}, {After: strings.Repeat("x", 500)}} {
		text := codec.Encode(want, "spaces", "o_1", "")
		got, err := codec.Decode(text, "spaces", "o_1", "")
		if err != nil || got != want {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
		for _, filters := range [][]string{{"spaces", "o_1"}, {"spaces", "o_2", ""}, {"spaceso_1", ""}, nil} {
			_, err := codec.Decode(text, filters...)
			if !errors.Is(err, rest.ErrInvalidCursor) {
				t.Fatalf("error %v, want %v", err, rest.ErrInvalidCursor)
			}
		}
	}
	for _, text := range []string{"", "x", "AQ", strings.Repeat("A", 1025), "AgAAAAAAAAAA"} {
		_, err := codec.Decode(text)
		if !errors.Is(err, rest.ErrInvalidCursor) {
			t.Fatalf("error %v, want %v", err, rest.ErrInvalidCursor)
		}
	}
}

// TestModifiedCursorIsInvalid checks that a cursor is invalid with any bit changed, truncated, doubled, or made with another
// key.
func TestModifiedCursorIsInvalid(t *testing.T) {
	t.Parallel()
	text := codec.Encode(rest.Cursor{After: "a0!s_0123456789"}, "spaces", "o_1")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	changed := []string{
		text + text, text + "A", newCodec("another secret").Encode(rest.Cursor{After: "a0!s_0123456789"}, "spaces", "o_1"),
	}
	for bit := range 8 * len(raw) {
		other := slices.Clone(raw)
		other[bit/8] ^= 1 << (bit % 8)
		changed = append(changed, base64.RawURLEncoding.EncodeToString(other))
	}
	for n := range len(text) {
		changed = append(changed, text[:n], text[n+1:])
	}
	for _, other := range changed {
		if _, err := codec.Decode(other, "spaces", "o_1"); !errors.Is(err, rest.ErrInvalidCursor) {
			t.Errorf("%q: %v", other, err)
		}
	}
}

// TestDecodeRecognizesOldCursor checks that cursors of version 1 return ErrOldCursor.
func TestDecodeRecognizesOldCursor(t *testing.T) {
	t.Parallel()
	const old = "AQDPF6PuzFVhMCFzXzAx" // position after member a0!s_01 in the list of spaces of organization o_1
	_, err := codec.Decode(old, "spaces", "o_1")
	if !errors.Is(err, rest.ErrOldCursor) {
		t.Fatalf("error %v, want %v", err, rest.ErrOldCursor)
	}
	_, err = codec.Decode(old, "spaces", "o_2")
	if errors.Is(err, rest.ErrOldCursor) {
		t.Error("a cursor of another list is called old")
	}
	if !errors.Is(err, rest.ErrInvalidCursor) {
		t.Fatalf("error %v, want %v", err, rest.ErrInvalidCursor)
	}
}
