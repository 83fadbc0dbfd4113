package app

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// FlagValue is the value of a flag or an argument that comes from the contract: its schema says what is allowed.
type FlagValue struct {
	Name   string // of the flag, in messages
	Schema *api.Schema

	texts []string
	given bool
}

// Default gives the value that holds as long as nobody gives another.
func (v *FlagValue) Default(text string) { v.texts = []string{text} }

// Given reports whether somebody gave the value.
func (v *FlagValue) Given() bool { return v.given }

// HasDefault reports whether the value holds without being given.
func (v *FlagValue) HasDefault() bool { return !v.given && len(v.texts) > 0 }

// Texts are the value as it was typed, or its default; a list has its items.
func (v *FlagValue) Texts() []string { return v.texts }

// Set implements pflag.FlagValue. A list takes its items separated by commas, or one by one.
func (v *FlagValue) Set(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("must be UTF-8")
	}
	parts, schema := []string{text}, v.Schema
	if schema.Kind == api.KindArray {
		parts, schema = strings.Split(text, ","), schema.Items
	}
	for _, part := range parts {
		if wrong := api.CheckText(v.Name, part, schema, api.DefaultLimits()); len(wrong) > 0 {
			return errors.New(wrong[0].Message)
		}
	}
	if !v.given || v.Schema.Kind != api.KindArray {
		v.texts = nil
	}
	v.given = true
	v.texts = append(v.texts, parts...)
	return nil
}

// String implements pflag.FlagValue.
func (v *FlagValue) String() string { return strings.Join(v.texts, ",") }

// Type implements pflag.FlagValue; it is what the help shows.
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

// Choices are the words that the value may be.
func (v *FlagValue) Choices() []string {
	if v.Schema.Kind == api.KindArray {
		return v.Schema.Items.Enum
	}
	return v.Schema.Enum
}

// Usage is the help of the flag: what the contract says about it.
func (v *FlagValue) Usage() string {
	parts := []string{lowerFirst(strings.TrimSuffix(v.Schema.Doc, "."))}
	if parts[0] == "" {
		parts[0] = FlagWords(v.Name)
	}
	if choices := v.Choices(); choices != nil {
		parts = append(parts, "one of "+strings.Join(choices, ", "))
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

// JSON is the value in a body. There must be one.
func (v *FlagValue) JSON() (json.RawMessage, error) {
	if v.Schema.Kind != api.KindArray {
		return json.Marshal(scalar(v.texts[0], v.Schema))
	}
	if len(v.texts) == 1 && slices.Contains(v.Schema.Words, v.texts[0]) {
		return json.Marshal(v.texts[0])
	}
	items := make([]any, len(v.texts))
	for i, text := range v.texts {
		items[i] = scalar(text, v.Schema.Items)
	}
	return json.Marshal(items)
}

// scalar is a text that its schema allows, as JSON has it.
func scalar(text string, schema *api.Schema) any {
	switch schema.Kind {
	case api.KindBoolean:
		return json.RawMessage(text)
	case api.KindInteger:
		n, _ := strconv.ParseInt(text, 10, 64) // checked when it was set
		return n
	case api.KindNumber:
		n, _ := strconv.ParseFloat(text, 64)
		return n
	default:
		return text
	}
}
