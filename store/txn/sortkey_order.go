package txn

import (
	"errors"
	"strings"

	"docspace.dev/wsd/store/redis"
)

// Sibling order is a ZSET with score 0 whose members are `<order key>!<id>`.
// An order key is an integer with its length in its first character, so that
// appending a thousand times makes no long keys, and a fraction behind it for
// what is put between:
//
//	a0 .. az (one digit), b00 .. bzz (two), ... ; Zz, Zy .. (below a0), Yzz ..
//
// All characters sort above the separator '!', so members sort as their keys.

// digits in the order of their bytes.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Long is the length beyond which a sibling set should be rewritten
// (see Store.RebalanceOrder).
const Long = 64

// errOrder: two keys have nothing between them, or are not order keys.
var errOrder = errors.New("invalid order keys")

// Member joins an order key and an identifier to a member of an order.
func Member(order, id string) string { return order + "!" + id }

// SplitMember is the reverse of Member.
func SplitMember(member string) (order, id string, ok bool) {
	return strings.Cut(member, "!")
}

// Between returns an order key above a and below b; empty means open. It is an
// ErrCorrupt if a is not below b or one of them is no order key.
func Between(a, b string) (string, error) {
	key, err := between(a, b)
	if err != nil {
		return "", redis.Corrupt("no order key between %q and %q", a, b)
	}
	return key, nil
}

func between(a, b string) (string, error) {
	if !Valid(a) || !Valid(b) || (a != "" && b != "" && a >= b) {
		return "", errOrder
	}
	switch {
	case a == "" && b == "":
		return "a0", nil
	case a == "":
		return below(b)
	case b == "":
		return above(a)
	}
	whole, fraction := cutOrder(a)
	if bWhole, bFraction := cutOrder(b); whole == bWhole {
		return whole + middle(fraction, bFraction), nil
	}
	if next, ok := step(whole, 1); ok && next < b {
		return next, nil
	}
	return whole + middle(fraction, ""), nil
}

// above returns a short key above a.
func above(a string) (string, error) {
	whole, fraction := cutOrder(a)
	if next, ok := step(whole, 1); ok {
		return next, nil
	}
	return whole + middle(fraction, ""), nil
}

// below returns a short key below b.
func below(b string) (string, error) {
	whole, fraction := cutOrder(b)
	if fraction != "" {
		return whole, nil
	}
	previous, ok := step(whole, -1)
	if !ok {
		return "", errOrder // below the smallest of all integers
	}
	return previous, nil
}

// Spread returns n short order keys in rising order.
func Spread(n int) []string {
	keys := make([]string, n)
	last := "a0"
	for i := range keys {
		keys[i] = last
		last, _ = step(last, 1) // 62^26 integers: never ends
	}
	return keys
}

// integerSize is the length of the integer that begins with the character, its
// first character included: a=2, b=3 ... z=27, Z=2, Y=3 ... A=27; else 0.
func integerSize(head byte) int {
	switch {
	case head >= 'a' && head <= 'z':
		return int(head-'a') + 2
	case head >= 'A' && head <= 'Z':
		return int('Z'-head) + 2
	}
	return 0
}

// Valid reports whether a text is empty or an order key: a whole integer,
// and a fraction that does not end with the lowest digit.
func Valid(key string) bool {
	if key == "" {
		return true
	}
	size := integerSize(key[0])
	if size == 0 || len(key) < size || strings.Trim(key, digits) != "" {
		return false
	}
	return len(key) == size || key[len(key)-1] != digits[0]
}

// cutOrder separates the integer from the fraction of a valid order key.
func cutOrder(key string) (whole, fraction string) {
	size := integerSize(key[0])
	return key[:size], key[size:]
}

// step returns the integer after (by = 1) or before (by = -1); ok is false at
// the ends.
func step(whole string, by int) (string, bool) {
	text := []byte(whole)
	from, to := byte('z'), byte('0')
	if by < 0 {
		from, to = to, from
	}
	for i := len(text) - 1; i > 0; i-- {
		if text[i] != from {
			text[i] = digits[strings.IndexByte(digits, text[i])+by]
			return string(text), true
		}
		text[i] = to
	}
	return stepHead(text[0], by)
}

// stepHead is step where every digit has turned over: the length changes.
func stepHead(head byte, by int) (string, bool) {
	switch {
	case head == 'Z' && by > 0:
		head = 'a'
	case head == 'a' && by < 0:
		head = 'Z'
	case head == 'z' && by > 0, head == 'A' && by < 0:
		return "", false
	default:
		head += byte(by) //nolint:gosec // -1 wraps around, as it should
	}
	digit := "0"
	if by < 0 {
		digit = "z"
	}
	return string(head) + strings.Repeat(digit, integerSize(head)-1), true
}

// middle returns a fraction above a and below b (empty b = 1), not ending with
// the lowest digit.
func middle(a, b string) string {
	var out []byte
	for i := 0; ; i++ {
		low, high := 0, len(digits)
		if i < len(a) {
			low = strings.IndexByte(digits, a[i])
		}
		if b != "" && i < len(b) {
			high = strings.IndexByte(digits, b[i])
		}
		switch {
		case low == high:
			out = append(out, digits[low])
		case high-low > 1:
			return string(append(out, digits[(low+high)/2]))
		default: // neighbours: stay on a's digit, then b is no bound any more
			out = append(out, digits[low])
			b = ""
		}
	}
}
