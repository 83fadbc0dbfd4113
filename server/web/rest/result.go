package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"docspace.dev/wsd/client/api"
)

// Result is what a handler answers: a T, already written out as JSON, and what the headers need to know of it.
// The type parameter ties a handler to the row that it is mounted on.
type Result[T any] struct {
	JSON     []byte // or a text, of the type media
	Media    string // "" is JSON
	Version  string // of the ETag: see EntityTag; empty for lists
	location string // of what was created
	ID       string // of what was created or changed: kept where the answer itself is too large to keep

	// Unchanged says that the request asked for what is already so: no event, no new version.
	Unchanged bool
	// Quiet says that what changed moves by itself: no event.
	Quiet   bool
	removal *api.Removal // of a delete
	// without are the spaces that the answer does not speak of because they cannot be read.
	without []string
}

func (r Result[T]) untyped() Result[any] {
	return Result[any](r)
}

// Value is the Result of an answer that is built fresh.
func Value[T any](v T) (Result[T], error) {
	data, err := json.Marshal(v)
	if err != nil {
		return Result[T]{}, fmt.Errorf("encode %T: %w", v, err)
	}
	return Result[T]{JSON: data}, nil
}

// None is the Result of an operation that answers without a body. A delete that answers so takes nothing with it.
func None(id string) Result[api.None] { return Result[api.None]{ID: id} }

// Removed is the Result of a delete: its answer counts what went with the thing, that of a dry run says it.
func Removed(r api.Removal) Result[api.None] {
	result := None(r.ID)
	result.removal = &r
	return result
}

// removed completes the answer of a delete.
func (r Result[T]) removed(c *Call) Result[T] {
	if c.Endpoint.Row.Method != http.MethodDelete {
		return r
	}
	if r.removal == nil {
		r.removal = &api.Removal{ID: r.ID}
	}
	r.removal.Object, r.removal.With = "removal", api.Counts(r.removal.With...)
	if c.DryRun {
		r.JSON, _ = json.Marshal(r.removal) // of texts and numbers
	}
	return r
}

// Versioned adds the version of the ETag.
func (r Result[T]) Versioned(version string) Result[T] { r.Version = version; return r }

// Created adds the address of what was created.
func (r Result[T]) Created(id, location string) Result[T] {
	r.ID, r.location = id, location
	return r
}

// Object writes a JSON object that begins with stored members and goes on with fresh ones. Stored bytes are not
// decoded, which is what makes lists cheap (docs/decisions.md#records-have-two-halves).
type Object struct {
	buffer []byte
	Err    error
}

// Extend starts an object with the members of a stored one, which may be empty.
func Extend(stored []byte) *Object {
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
	return Extend(data)
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

// appendValue appends a value as json.Marshal writes it. A list of fifty has hundreds of numbers and short strings:
// those are written without it.
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

// isPlain reports whether a text needs no escape in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// SetObject appends a member that is an object written likewise.
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

// Bytes is the whole object. The error is of the first member that could not be written.
func (o *Object) Bytes() ([]byte, error) {
	return append(o.buffer, '}'), o.Err
}

// Stored is the Result of an extended object. The caller vouches that the bytes are a T: tests validate every
// answer against the document.
func Stored[T any](o *Object) (Result[T], error) {
	data, err := o.Bytes()
	return Result[T]{JSON: data}, err
}

// PageOf is the Result of a list whose items are written out already.
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
