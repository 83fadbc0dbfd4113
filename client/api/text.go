package api

import "encoding/json"

// Text is a string of any characters, line breaks included: a script, or a secret such as a private key.
type Text string

// Base64 is a string of bytes in base64.
type Base64 string

// JSONObject is a JSON object of which the contract says no members: it is kept as it was given.
type JSONObject []byte

// MarshalJSON implements json.Marshaler.
func (o JSONObject) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (o *JSONObject) UnmarshalJSON(data []byte) error {
	*o = append((*o)[:0], data...)
	return nil
}
