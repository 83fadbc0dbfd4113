package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// FlagValue is the value of a flag or argument that is validated by a schema of the contract.
type FlagValue struct {
	Name   string // name of the flag, for messages
	Schema *api.Schema
	Now    func() time.Time // for times, in the location of times without a zone

	// Past is set for a time in the past: a duration is the time that has passed since.
	Past bool
	// InSeconds is set for a number of seconds that may also be given as a duration.
	InSeconds bool

	texts []string
	isSet bool
}

// SetDefault sets the value that is used if the flag is not set.
func (v *FlagValue) SetDefault(text string) { v.texts = []string{text} }

// IsSet reports whether the flag was set.
func (v *FlagValue) IsSet() bool { return v.isSet }

// HasDefault reports whether the flag was not set and has a default.
func (v *FlagValue) HasDefault() bool { return !v.isSet && len(v.texts) > 0 }

// Texts returns the value, or its default, as typed: one text per item for a list.
func (v *FlagValue) Texts() []string { return v.texts }

// Set implements pflag.Value. A list accepts items separated by commas and repeated flags.
func (v *FlagValue) Set(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("must be UTF-8")
	}
	parts, schema := []string{text}, v.Schema
	if schema.Kind == api.KindArray {
		parts, schema = strings.Split(text, ","), schema.Items
	}
	for i, part := range parts {
		part, err := v.normalize(part)
		if err != nil {
			return err
		}
		if parts[i] = part; part == Never && v.allowsNever() {
			continue
		}
		if violations := api.CheckText(v.Name, part, schema, api.DefaultLimits()); len(violations) > 0 {
			return errors.New(violationMessage(violations[0], schema, part))
		}
	}
	if !v.isSet || v.Schema.Kind != api.KindArray {
		v.texts = nil
	}
	v.isSet = true
	v.texts = append(v.texts, parts...)
	return nil
}

// isTime reports whether the value is a time.
func (v *FlagValue) isTime() bool { return v.Schema.Format == "date-time" }

// normalize returns a time or duration as the contract has it, and other values unchanged. Never stays.
func (v *FlagValue) normalize(text string) (string, error) {
	switch {
	case v.isTime() && v.Past:
		parsed, err := ParsePastTime(text, v.Now())
		return parsed.UTC().Format(time.RFC3339), err
	case v.isTime() && (text != Never || !v.allowsNever()):
		parsed, err := ParseTime(text, v.Now())
		return parsed.UTC().Format(time.RFC3339), err
	case v.InSeconds:
		n, err := ParseSeconds(text)
		return strconv.FormatInt(n, 10), err
	}
	return text, nil
}

// String implements pflag.Value.
func (v *FlagValue) String() string { return strings.Join(v.texts, ",") }

// Type implements pflag.Value. The result is the placeholder in the help.
func (v *FlagValue) Type() string {
	switch {
	case v.Schema.Kind == api.KindArray:
		return "list"
	case v.Schema.Kind == api.KindInteger:
		return "int"
	case v.Schema.Kind == api.KindNumber:
		return "number"
	case v.Schema.Kind == api.KindBoolean:
		return "bool"
	case v.Schema.Format == "date-time":
		return "time"
	default:
		return "string"
	}
}

// Choices returns the allowed words, or nil if the value is not an enumeration.
func (v *FlagValue) Choices() []string {
	if v.Schema.Kind == api.KindArray {
		return v.Schema.Items.Enum
	}
	return v.Schema.Enum
}

// Usage returns the help text of the flag, based on the description in the contract.
func (v *FlagValue) Usage() string {
	parts := []string{lowerFirst(strings.TrimSuffix(v.Schema.Doc, "."))}
	if parts[0] == "" {
		parts[0] = cmp.Or(flagDoc(v.Name), FlagWords(v.Name))
	}
	if choices := v.Choices(); choices != nil {
		parts = append(parts, "one of "+strings.Join(choices, ", "))
	}
	if v.isTime() && v.Past {
		parts = append(parts, "as in 2h (ago), 2026-11-30 or 2026-11-30T14:00:00Z")
	} else if v.allowsNever() {
		parts = append(parts, "as in 90d, 2027-01-01, 2027-01-01T14:00:00Z or never")
	} else if v.isTime() {
		parts = append(parts, "as in 90d, 2027-01-01 or 2027-01-01T14:00:00Z")
	}
	if v.InSeconds {
		parts = append(parts, "or a duration as in 2h")
	}
	if v.Schema.Default != "" {
		parts = append(parts, "default "+v.Schema.Default)
	}
	return strings.Join(parts, "; ")
}

func lowerFirst(text string) string {
	if len(text) < 2 || text[1] >= 'A' && text[1] <= 'Z' {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// JSON encodes the value as a member of a request body. The flag must be set or have a default. It returns no JSON for the time
// never if the member is to be left out.
func (v *FlagValue) JSON() (json.RawMessage, error) {
	if v.allowsNever() && v.texts[0] == Never {
		return NeverJSON(v.Schema), nil
	}
	if v.Schema.Kind != api.KindArray {
		text, err := v.normalize(v.texts[0]) // a default is as people write it
		if err != nil {
			return nil, err
		}
		return json.Marshal(parseScalar(text, v.Schema))
	}
	if len(v.texts) == 1 && slices.Contains(v.Schema.Words, v.texts[0]) {
		return json.Marshal(v.texts[0])
	}
	items := make([]any, len(v.texts))
	for i, text := range v.texts {
		items[i] = parseScalar(text, v.Schema.Items)
	}
	return json.Marshal(items)
}

// allowsNever reports whether the flag takes the word never for a time.
func (v *FlagValue) allowsNever() bool { return v.isTime() && !v.Past && !v.Schema.Ends }

// NeverJSON returns the member that stands for the time never: null, or none if s does not allow null.
func NeverJSON(s *api.Schema) json.RawMessage {
	if s.Nullable {
		return json.RawMessage("null")
	}
	return nil
}

// parseScalar converts text to the Go value that encodes as schema requires. The text must be valid for the schema.
func parseScalar(text string, schema *api.Schema) any {
	switch schema.Kind {
	case api.KindBoolean:
		return json.RawMessage(text)
	case api.KindInteger:
		n, _ := api.ParseWhole(text) // validated by Set
		return n
	case api.KindNumber:
		n, _ := strconv.ParseFloat(text, 64)
		return n
	default:
		return text
	}
}
