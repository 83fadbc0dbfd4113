package api

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Optional is a value of a PATCH body in one of three states: absent (leave unchanged), null (remove) and a value
// (set). Fields of this type have the tag `json:",omitzero"`, so that an absent value is not sent. See
// docs/decisions.md#absent-null-value.
type Optional[T any] struct {
	value T
	set   bool
	null  bool
}

// Some returns an Optional with the value v.
func Some[T any](v T) Optional[T] { return Optional[T]{value: v, set: true} }

// Null returns an Optional that is explicitly null.
func Null[T any]() Optional[T] { return Optional[T]{set: true, null: true} }

// Get returns the value and whether there is one: false for absent and null.
func (o Optional[T]) Get() (T, bool) { return o.value, o.set && !o.null }

// IsNull reports whether the field was sent as null.
func (o Optional[T]) IsNull() bool { return o.set && o.null }

// IsZero reports whether the value is absent, for omitzero.
func (o Optional[T]) IsZero() bool { return !o.set }

// Apply overwrites *target with the value, if there is one, and reports whether *target changed.
func (o Optional[T]) Apply(target *T) bool {
	v, ok := o.Get()
	if !ok || reflect.DeepEqual(*target, v) {
		return false
	}
	*target = v
	return true
}

// ApplyNull is like Apply but sets *target to the zero value if o is null.
func (o Optional[T]) ApplyNull(target *T) bool {
	if o.IsNull() {
		var zero T
		changed := !reflect.DeepEqual(*target, zero)
		*target = zero
		return changed
	}
	return o.Apply(target)
}

// MarshalJSON implements json.Marshaler.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.set || o.null {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{set: true}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		o.null = true
		return nil
	}
	return json.Unmarshal(data, &o.value)
}

// element returns the type of the value, for the schema compiler.
func (Optional[T]) element() reflect.Type { return reflect.TypeFor[T]() }

type optional interface{ element() reflect.Type }
