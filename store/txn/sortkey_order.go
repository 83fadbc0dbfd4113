package txn

import (
	"errors"
	"strings"

	"docspace.dev/wsd/store/redis"
)

// Sibling order is a ZSET with score 0 whose members are `<order key>!<id>`. An order key is an integer with its
// length encoded in its first character, so that a thousand appends do not make long keys, followed by a fraction for
// items inserted between two others:
//
// 	a0 .. az (one digit), b00 .. bzz (two), ... ; Zz, Zy .. (below a0), Yzz ..
//
// All characters sort above the separator '!', so members sort like their keys.

// digits are sorted by their byte values.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// LongOrderKey is the length of an order key beyond which its order should be rewritten (see Store.RebalanceOrder).
const LongOrderKey = 64

// errOrder is returned for invalid order keys and for two keys without a key between them.
var errOrder = errors.New("invalid order keys")

// OrderMember returns the member of an order for an order key and an identifier.
func OrderMember(order, id string) string { return order + "!" + id }

// SplitOrderMember returns the order key and the identifier of a member that OrderMember returned.
func SplitOrderMember(member string) (order, id string, ok bool) {
	return strings.Cut(member, "!")
}

// KeyBetween returns an order key above a and below b; an empty string is no bound. It returns an ErrCorrupt if a is not
// below b, or if a or b is not an order key.
func KeyBetween(a, b string) (string, error) {
	key, err := keyBetween(a, b)
	if err != nil {
		return "", redis.Corrupt("no order key between %q and %q", a, b)
	}
	return key, nil
}

func keyBetween(a, b string) (string, error) {
	if !ValidOrderKey(a) || !ValidOrderKey(b) || (a != "" && b != "" && a >= b) {
		return "", errOrder
	}
	switch {
	case a == "" && b == "":
		return "a0", nil
	case a == "":
		return keyBelow(b)
	case b == "":
		return keyAbove(a)
	}
	whole, fraction := splitOrderKey(a)
	if bWhole, bFraction := splitOrderKey(b); whole == bWhole {
		return whole + fractionBetween(fraction, bFraction), nil
	}
	if next, ok := stepInteger(whole, 1); ok && next < b {
		return next, nil
	}
	return whole + fractionBetween(fraction, ""), nil
}

// keyAbove returns a short key above a.
func keyAbove(a string) (string, error) {
	whole, fraction := splitOrderKey(a)
	if next, ok := stepInteger(whole, 1); ok {
		return next, nil
	}
	return whole + fractionBetween(fraction, ""), nil
}

// keyBelow returns a short key below b.
func keyBelow(b string) (string, error) {
	whole, fraction := splitOrderKey(b)
	if fraction != "" {
		return whole, nil
	}
	previous, ok := stepInteger(whole, -1)
	if !ok {
		return "", errOrder // below the smallest integer
	}
	return previous, nil
}

// SpreadKeys returns n short order keys in ascending order.
func SpreadKeys(n int) []string {
	keys := make([]string, n)
	last := "a0"
	for i := range keys {
		keys[i] = last
		last, _ = stepInteger(last, 1) // there are 62^26 integers
	}
	return keys
}

// integerSize returns the length of the integer that begins with the character head, including head: a=2, b=3 ...
// z=27, Z=2, Y=3 ... A=27; otherwise 0.
func integerSize(head byte) int {
	switch {
	case head >= 'a' && head <= 'z':
		return int(head-'a') + 2
	case head >= 'A' && head <= 'Z':
		return int('Z'-head) + 2
	}
	return 0
}

// ValidOrderKey reports whether key is empty or an order key: a complete integer and a fraction that does not end with the
// lowest digit.
func ValidOrderKey(key string) bool {
	if key == "" {
		return true
	}
	size := integerSize(key[0])
	if size == 0 || len(key) < size || strings.Trim(key, digits) != "" {
		return false
	}
	return len(key) == size || key[len(key)-1] != digits[0]
}

// splitOrderKey splits a valid order key into its integer and fraction.
func splitOrderKey(key string) (whole, fraction string) {
	size := integerSize(key[0])
	return key[:size], key[size:]
}

// stepInteger returns the next (by = 1) or previous (by = -1) integer; ok is false at the ends.
func stepInteger(whole string, by int) (string, bool) {
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

// stepHead is stepInteger after every digit has wrapped around: the length changes.
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

// fractionBetween returns a fraction above a and below b (empty b = 1) that does not end with the lowest digit.
func fractionBetween(a, b string) string {
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
		default: // adjacent digits: keep a's digit; b is no longer a bound
			out = append(out, digits[low])
			b = ""
		}
	}
}
