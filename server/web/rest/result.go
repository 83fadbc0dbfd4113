package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
)

// Result is the response of a handler: a T encoded as JSON and the data of its headers. The type parameter ties a
// handler to the row that it is mounted on.
type Result[T any] struct {
	// JSON is the encoded response: JSON, or a text of type Media. JSON is hashed and stored as it is, and sent as api.PlainJSON.
	JSON  []byte
	Media string // "" = JSON
	// Stream, if set, writes the response of type Media instead of JSON. An error ends the connection, so that the client
	// notices that the response is incomplete.
	Stream func(ctx context.Context, w io.Writer) error
	// messages, if set, sends the messages of a row with api.Row.Stream.
	messages func(ctx context.Context, s *MessageStream) error
	Version  string // version part of the ETag, see EntityTag; empty for lists
	location string // address of the created object
	ID       string // created or changed object; stored instead of a response that is too large or secret

	// Unchanged is set if the request changed nothing: there is no event and no new version.
	Unchanged bool
	// Quiet suppresses the event, for changes that nobody has to be notified of.
	Quiet   bool
	removal *api.Removal // what a delete removed
	// omittedSpaces lists the spaces that the response omits because they cannot be read.
	omittedSpaces []string
}

func (r Result[T]) untyped() Result[any] {
	return Result[any](r)
}

// Value returns the Result with v encoded as JSON.
func Value[T any](v T) (Result[T], error) {
	data, err := json.Marshal(v)
	if err != nil {
		return Result[T]{}, fmt.Errorf("encode %T: %w", v, err)
	}
	return Result[T]{JSON: data}, nil
}

// None returns the Result of an operation without a response body. As the response of a delete, it means that only the
// object itself was removed.
func None(id string) Result[api.None] { return Result[api.None]{ID: id} }

// Removed returns the Result of a delete: a header counts what was removed, and a dry run returns r as its body.
func Removed(r api.Removal) Result[api.None] {
	result := None(r.ID)
	result.removal = &r
	return result
}

// withRemoval completes the removal in the result of a delete; it is the body of a dry run. The results of other operations are
// unchanged.
func (r Result[T]) withRemoval(c *Call) Result[T] {
	if c.Endpoint.Row.Method != http.MethodDelete {
		return r
	}
	if r.removal == nil {
		r.removal = &api.Removal{ID: r.ID}
	}
	r.removal.Object, r.removal.With = "removal", api.Counts(r.removal.With...)
	r.removal.Stays = slices.DeleteFunc(r.removal.Stays, func(t api.Taken) bool { return t.Count == 0 })
	if c.DryRun {
		r.JSON, _ = json.Marshal(r.removal) // cannot fail: strings and numbers only
	}
	return r
}

// WithVersion returns r with the version of the ETag.
func (r Result[T]) WithVersion(version string) Result[T] { r.Version = version; return r }

// WithLocation returns r with the id and the address of the created object.
func (r Result[T]) WithLocation(id, location string) Result[T] {
	r.ID, r.location = id, location
	return r
}

// Object builds a JSON object from stored members followed by computed ones. The stored bytes are not decoded, which
// makes lists cheap (docs/decisions.md#records-have-two-halves).
type Object struct {
	buffer []byte
	Err    error
}

// ExtendObject starts an object with the members of a stored JSON object, which may be empty.
func ExtendObject(stored []byte) *Object {
	o := &Object{buffer: make([]byte, 0, len(stored)+512)}
	o.buffer = append(o.buffer, stored[:len(stored)-1]...)
	return o
}

// ObjectOf starts an object with the members of a struct.
func ObjectOf(v any) *Object {
	data, err := json.Marshal(v)
	if err != nil {
		return &Object{Err: fmt.Errorf("encode %T: %w", v, err)}
	}
	return ExtendObject(data)
}

// Set appends a member. The name must not be among the stored ones.
func (o *Object) Set(name string, v any) *Object {
	if len(o.buffer) > 1 {
		o.buffer = append(o.buffer, ',')
	}
	o.buffer = append(o.buffer, '"')
	o.buffer = append(o.buffer, name...)
	o.buffer = append(o.buffer, '"', ':')
	var err error
	if o.buffer, err = appendValue(o.buffer, v); err != nil {
		o.Err = fmt.Errorf("encode member %s: %w", name, err)
	}
	return o
}

// appendValue appends v as json.Marshal encodes it. Numbers and short strings, hundreds of them in a list of fifty,
// take a fast path.
func appendValue(buffer []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case json.RawMessage:
		return append(buffer, v...), nil
	case int:
		return strconv.AppendInt(buffer, int64(v), 10), nil
	case bool:
		return strconv.AppendBool(buffer, v), nil
	case string:
		if isPlain(v) {
			return append(append(append(buffer, '"'), v...), '"'), nil
		}
	}
	data, err := json.Marshal(v)
	return append(buffer, data...), err
}

// isPlain reports whether text needs no escaping in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// SetObject appends a member whose value is another object.
func (o *Object) SetObject(name string, member *Object) *Object {
	data, err := member.Bytes()
	o.Err = errors.Join(o.Err, err)
	return o.Set(name, json.RawMessage(data))
}

// SetIf appends a member if ok.
func (o *Object) SetIf(ok bool, name string, v any) *Object {
	if !ok {
		return o
	}
	return o.Set(name, v)
}

// Bytes returns the complete object, or the error of a member that could not be encoded.
func (o *Object) Bytes() ([]byte, error) {
	return append(o.buffer, '}'), o.Err
}

// ObjectResult returns the Result of an object. The caller guarantees that it encodes a T; tests validate every
// response against the OpenAPI document.
func ObjectResult[T any](o *Object) (Result[T], error) {
	data, err := o.Bytes()
	return Result[T]{JSON: data}, err
}

// PageOf returns the Result of a list whose items are already encoded.
func PageOf[T any](items [][]byte, count int, next string) (Result[api.Page[T]], error) {
	size := 64 + len(next)
	for _, item := range items {
		size += len(item) + 1
	}
	buffer := make([]byte, 0, size)
	buffer = append(buffer, '{')
	if next != "" {
		cursor, err := json.Marshal(api.Next{Page: next})
		if err != nil {
			return Result[api.Page[T]]{}, fmt.Errorf("encode cursor: %w", err)
		}
		buffer = append(buffer, `"next":`...)
		buffer = append(append(buffer, cursor...), ',')
	}
	buffer = fmt.Appendf(buffer, `"count":%d,"items":[`, count)
	for i, item := range items {
		if i > 0 {
			buffer = append(buffer, ',')
		}
		buffer = append(buffer, item...)
	}
	return Result[api.Page[T]]{JSON: append(buffer, ']', '}')}, nil
}
