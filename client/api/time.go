package api

import (
	"encoding/json"
	"fmt"
	"time"
)

// timeLayout is ISO 8601 in UTC with milliseconds, so that timestamps sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is a timestamp of the contract in UTC with milliseconds. The zero Time is absent.
type Time struct{ time.Time }

// At returns t as a timestamp of the contract, truncated to milliseconds.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(make([]byte, 0, len(`"`+timeLayout+`"`)), `"`+timeLayout+`"`), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("timestamp %q: %w", text, err)
	}
	*t = At(parsed)
	return nil
}

// String returns the encoding of the timestamp.
func (t Time) String() string { return t.UTC().Format(timeLayout) }
