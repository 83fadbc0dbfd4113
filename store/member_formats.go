package store

import (
	"math"
	"reflect"
	"strconv"
	"sync"
)

// sinceTag is the tag of a member of a record with the data format that introduced it: `since:"2"`. A program that does not
// support the format does not know the member and removes it when it writes the record. Therefore a record in which such a
// member is set is written only when the data has the format. Members without the tag are as old as the records.
const sinceTag = "since"

// memberFormats determines the formats that documents need. It remembers the newest format of each type.
type memberFormats struct{ types sync.Map } // reflect.Type -> int

// needed returns the newest format among the set members of a document, at any depth; 0 if none has a sinceTag.
func (f *memberFormats) needed(document reflect.Value) int {
	newest, known := f.types.Load(document.Type())
	if !known {
		newest = newestFormat(document.Type(), map[reflect.Type]bool{})
		f.types.Store(document.Type(), newest)
	}
	if newest == 0 {
		return 0
	}
	return formatOf(document)
}

// newestFormat returns the newest format among the members of a type. visited contains the types that enclose it.
func newestFormat(t reflect.Type, visited map[reflect.Type]bool) int {
	if visited[t] {
		return 0
	}
	visited[t] = true
	newest := 0
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		newest = newestFormat(t.Elem(), visited)
	case reflect.Struct:
		for member := range t.Fields() {
			newest = max(newest, since(member), newestFormat(member.Type, visited))
		}
	}
	return newest
}

// formatOf returns the newest format among the members of a value that are set.
func formatOf(v reflect.Value) int {
	newest := 0
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return formatOf(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			newest = max(newest, formatOf(v.Index(i)))
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			newest = max(newest, formatOf(entries.Value()))
		}
	case reflect.Struct:
		for member, value := range v.Fields() {
			if !value.IsZero() {
				newest = max(newest, since(member), formatOf(value))
			}
		}
	}
	return newest
}

// since returns the format in the tag of a member, or 0. A tag that is not a number counts as newer than every format.
func since(member reflect.StructField) int {
	tag, ok := member.Tag.Lookup(sinceTag)
	if !ok {
		return 0
	}
	format, err := strconv.Atoi(tag)
	if err != nil {
		return math.MaxInt
	}
	return format
}
