package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// value is the value of a flag or an argument that comes from the contract: its schema says what is allowed.
type value struct {
	name   string // in messages
	schema *api.Schema
	texts  []string
	given  bool
}

// Set implements pflag.Value. A list takes its items separated by commas, or one by one.
func (v *value) Set(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("must be UTF-8")
	}
	parts, schema := []string{text}, v.schema
	if schema.Kind == api.KindArray {
		parts, schema = strings.Split(text, ","), schema.Items
	}
	for _, part := range parts {
		if wrong := api.CheckText(v.name, part, schema, api.DefaultLimits()); len(wrong) > 0 {
			return errors.New(wrong[0].Message)
		}
	}
	if !v.given || v.schema.Kind != api.KindArray {
		v.texts = nil
	}
	v.given = true
	v.texts = append(v.texts, parts...)
	return nil
}

// String implements pflag.Value.
func (v *value) String() string { return strings.Join(v.texts, ",") }

// Type implements pflag.Value; it is what the help shows.
func (v *value) Type() string {
	switch {
	case v.schema.Kind == api.KindArray:
		return "list"
	case v.schema.Kind == api.KindInteger:
		return "int"
	case v.schema.Kind == api.KindNumber:
		return "number"
	case v.schema.Kind == api.KindBoolean:
		return "bool"
	case v.schema.Format == "date-time":
		return "time"
	default:
		return "string"
	}
}

// choices are the words that the value may be.
func (v *value) choices() []string {
	if v.schema.Kind == api.KindArray {
		return v.schema.Items.Enum
	}
	return v.schema.Enum
}

// json is the value in a body.
func (v *value) json() json.RawMessage {
	if v.schema.Kind == api.KindArray {
		if len(v.texts) == 1 && slices.Contains(v.schema.Words, v.texts[0]) {
			return mustJSON(v.texts[0])
		}
		items := make([]json.RawMessage, len(v.texts))
		for i, text := range v.texts {
			items[i] = scalar(text, v.schema.Items)
		}
		return mustJSON(items)
	}
	return scalar(v.texts[0], v.schema)
}

// scalar writes a text that its schema allows.
func scalar(text string, schema *api.Schema) json.RawMessage {
	switch schema.Kind {
	case api.KindBoolean:
		return json.RawMessage(text)
	case api.KindInteger:
		n, _ := strconv.ParseInt(text, 10, 64) // checked when it was set
		return mustJSON(n)
	case api.KindNumber:
		n, _ := strconv.ParseFloat(text, 64)
		return mustJSON(n)
	default:
		return mustJSON(text)
	}
}

// mustJSON encodes what cannot fail: texts, numbers and JSON.
func mustJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return data
}

// kebab writes a name of the contract as a flag: targetPage is target-page.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "-i-d", "-id"), "-u-r-l", "-url")
}
