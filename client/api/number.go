package api

import (
	"regexp"
	"strconv"
	"strings"
)

const (
	// maxNumberText is the maximum length of a number literal.
	maxNumberText = 64
	// maxWhole is the largest whole number of the contract: all whole numbers up to it are exact in every JSON implementation.
	maxWhole = 1 << 53
)

// numberPattern matches the numbers of JSON. Its groups are sign, whole digits, fraction and exponent.
var numberPattern = regexp.MustCompile(`^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// ParseWhole parses a whole number in any notation of JSON, such as 1, 1.0 or 10e-1. ok is false if text is no such number, or one
// beyond 2^53. The result is exact.
func ParseWhole(text string) (n int64, ok bool) {
	parts := numberPattern.FindStringSubmatch(text)
	if parts == nil || len(text) > maxNumberText {
		return 0, false
	}
	sign, fraction := parts[1], parts[3]
	digits := strings.TrimLeft(parts[2]+fraction, "0")
	if digits == "" {
		return 0, true
	}
	exponent, _ := strconv.ParseInt(parts[4], 10, 32) // the nearest int32 if it is none; 0 without an exponent
	significant := strings.TrimRight(digits, "0")
	zeros := int(exponent) - len(fraction) + len(digits) - len(significant)
	if zeros < 0 || len(significant)+zeros > len(strconv.Itoa(maxWhole)) {
		return 0, false
	}
	n, err := strconv.ParseInt(sign+significant+strings.Repeat("0", zeros), 10, 64)
	return n, err == nil && -maxWhole <= n && n <= maxWhole
}

// wholeNumber is the literal of a whole number in a body that is not in the notation of encoding/json for integers.
type wholeNumber struct {
	literal rawValue
	value   int64
}

// normalizeNumbers returns body with the notation of encoding/json for whole numbers. The literals are slices of body in the
// order of their occurrence. body is not changed.
func normalizeNumbers(body []byte, numbers []wholeNumber) []byte {
	if len(numbers) == 0 {
		return body
	}
	normal, done := make([]byte, 0, len(body)), 0
	for _, n := range numbers {
		start := cap(body) - cap(n.literal) // a slice of body has the rest of its capacity
		normal = append(normal, body[done:start]...)
		normal = strconv.AppendInt(normal, n.value, 10)
		done = start + len(n.literal)
	}
	return append(normal, body[done:]...)
}
