package documents

import (
	"regexp"
	"strconv"
)

// lengthText matches a length in Markdown: a number without a sign, with an optional unit of CSS.
var lengthText = regexp.MustCompile(`^([0-9]{1,9}(?:\.[0-9]{1,20})?)(%|px|em|rem|ex|ch|vw|vh|vmin|vmax|cm|mm|in|pt|pc)?$`)

// lengthMembers maps types of blocks to their members that are lengths.
var lengthMembers = map[string][]string{"column": {"width"}, "image": {"width", "height"}}

// ParseLength returns the value of a length such as 200 or 25%: a number, or an object of value and unit. ok is false for other texts.
func ParseLength(text string) (length any, ok bool) {
	m := lengthText.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	number, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return nil, false
	}
	if m[2] == "" {
		return number, true
	}
	return map[string]any{"value": number, "unit": m[2]}, true
}

// FormatLength returns the text of a length: the inverse of ParseLength, which also takes a text. ok is false for other values.
func FormatLength(length any) (text string, ok bool) {
	switch v := length.(type) {
	case string:
		text = v
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any:
		number, hasValue := v["value"].(float64)
		unit, hasUnit := v["unit"].(string)
		if !hasValue || !hasUnit || unit == "" || len(v) != 2 {
			return "", false
		}
		text = strconv.FormatFloat(number, 'f', -1, 64) + unit
	}
	_, ok = ParseLength(text)
	return text, ok
}

// NormalizeLengths replaces the texts of lengths in the data of a block by their values.
func NormalizeLengths(kind string, data map[string]any) {
	for _, name := range lengthMembers[kind] {
		if text, isText := data[name].(string); isText {
			if length, ok := ParseLength(text); ok {
				data[name] = length
			}
		}
	}
}
