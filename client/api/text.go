package api

import "encoding/json"

// Text is a string of any characters including line breaks, such as a script or a private key.
type Text string

// Base64 is a base64-encoded string of bytes.
type Base64 string

// JSONObject is a JSON object whose members the contract does not define. It is stored unchanged.
type JSONObject []byte

// MarshalJSON implements json.Marshaler.
func (o JSONObject) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (o *JSONObject) UnmarshalJSON(data []byte) error {
	*o = append((*o)[:0], data...)
	return nil
}
