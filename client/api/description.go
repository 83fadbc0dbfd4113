package api

import (
	"bytes"
	"encoding/json"
)

// Description is a text given as a string of Markdown or as an object: a Document or a bare JSONDocument.
type Description struct {
	Text   string
	Object JSONObject // nil for a string
}

// Describe returns a Description in Markdown.
func Describe(markdown string) Optional[Description] { return Some(Description{Text: markdown}) }

// MarshalJSON implements json.Marshaler.
func (d Description) MarshalJSON() ([]byte, error) {
	if d.Object != nil {
		return d.Object.MarshalJSON()
	}
	return json.Marshal(d.Text)
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Description) UnmarshalJSON(data []byte) error {
	*d = Description{}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return d.Object.UnmarshalJSON(data)
	}
	return json.Unmarshal(data, &d.Text)
}
