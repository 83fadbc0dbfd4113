package api

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Optional is a value of a PATCH body in its three states: absent (leave as it is), null (remove) and a value
// (set). Fields of this type carry `json:",omitzero"`, so that an absent one is not sent at all.
// See docs/decisions.md#absent-null-value.
type Optional[T any] struct {
	value T
	set   bool
	null  bool
}

// Some returns an Optional that holds v.
func Some[T any](v T) Optional[T] { return Optional[T]{value: v, set: true} }

// Null returns an Optional that is explicitly null.
func Null[T any]() Optional[T] { return Optional[T]{set: true, null: true} }

// Get returns the value and whether there is one: false for absent and for null.
func (o Optional[T]) Get() (T, bool) { return o.value, o.set && !o.null }

// IsNull reports whether the field was sent as null.
func (o Optional[T]) IsNull() bool { return o.set && o.null }

// IsZero reports whether the field is absent. It makes `omitzero` leave the field out.
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

// ApplyNull is Apply for a target that may be absent: null clears it to the zero value.
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

// element is how the schema learns what an Optional holds.
func (Optional[T]) element() reflect.Type { return reflect.TypeFor[T]() }

type optional interface{ element() reflect.Type }
