package client

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// Request is an encoded call, without the headers that the client adds to every request.
type Request struct {
	Method  string
	Path    string // escaped, starting with /v1
	Query   url.Values
	Body    []byte   // JSON; nil for no body
	Content *Content // sent in the place of Body; nil for most requests
	Slow    bool     // may take minutes: limited by the context only
	Reads   bool     // changes nothing, whatever the method

	Out  reflect.Type // of the body of a success, api.None for no body; nil if it is not known
	Text string       // media type of the alternative to JSON, if there is one
}

// Encode encodes the input of row by its `path` and `query` tags and the field Body as JSON. Absent or zero query
// parameters are omitted, and so is a zero body if the row allows requests without one. Text that is not valid UTF-8
// is an error, because JSON encoding would change it.
func Encode(row api.Row, in any) (Request, error) {
	e := encoder{row: row, path: map[string]string{}, query: url.Values{}}
	v := reflect.ValueOf(in)
	if v.Type() != row.In {
		return Request{}, fmt.Errorf("%s takes %s, not %s", row.Name, row.In, v.Type())
	}
	if err := e.encodeFields(v); err != nil {
		return Request{}, err
	}
	for name, text := range row.Sent() {
		if !e.query.Has(name) {
			e.query.Set(name, text)
		}
	}
	return Build(row, e.path, e.query, e.body)
}

// Build returns the request of row for the given path parameters by name, query and JSON body.
func Build(row api.Row, path map[string]string, query url.Values, body []byte) (Request, error) {
	expanded, err := expandPath(row.Path, path)
	if err != nil {
		return Request{}, fmt.Errorf("%s: %w", row.Name, err)
	}
	req := Request{
		Method: row.Method, Path: expanded, Query: query, Body: body, Slow: row.Slow, Reads: row.Reads, Out: row.Out, Text: row.Text,
	}
	if row.Or != nil {
		req.Out = nil
	}
	return req, nil
}

// expandPath substitutes the parameters of a path pattern. Each value is one segment; a tail parameter {name...} keeps
// its slashes. Segments that are empty or consist of dots are errors, because servers and proxies rewrite such paths.
func expandPath(pattern string, values map[string]string) (string, error) {
	var b strings.Builder
	for segment := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		name, isParam := strings.CutPrefix(segment, "{")
		if !isParam {
			b.WriteString("/" + segment)
			continue
		}
		name, isTail := strings.CutSuffix(strings.TrimSuffix(name, "}"), "...")
		parts := []string{values[name]}
		if isTail {
			parts = strings.Split(strings.Trim(values[name], "/"), "/")
		}
		for _, part := range parts {
			if part == "" || part == "." || part == ".." {
				return "", fmt.Errorf("%s: %q cannot be part of a path", name, part)
			}
			b.WriteString("/" + url.PathEscape(part))
		}
	}
	return b.String(), nil
}

type encoder struct {
	row   api.Row
	path  map[string]string
	query url.Values
	body  []byte
}

func (e *encoder) encodeFields(v reflect.Value) error {
	for i := range v.NumField() {
		if err := e.encodeField(v.Type().Field(i), v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) encodeField(f reflect.StructField, v reflect.Value) error {
	if f.Anonymous {
		return e.encodeFields(v)
	}
	if f.Name == "Body" {
		return e.encodeBody(v)
	}
	texts, err := textValues(v)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", e.row.Name, f.Name, err)
	}
	if name, ok := f.Tag.Lookup("path"); ok {
		e.path[name] = strings.Join(texts, "")
	}
	if name, ok := f.Tag.Lookup("query"); ok && len(texts) > 0 {
		e.query[name] = texts
	}
	return nil
}

func (e *encoder) encodeBody(v reflect.Value) error {
	if e.row.OptionalBody && v.IsZero() {
		return nil
	}
	if err := checkText("body", v); err != nil {
		return fmt.Errorf("%s: %w", e.row.Name, err)
	}
	data, err := json.Marshal(v.Interface())
	e.body = data
	return err
}

// textValues returns the encoding of v in a path or query: none for zero and null, one for a scalar, one per item for a
// list.
func textValues(v reflect.Value) ([]string, error) {
	switch {
	case v.IsZero():
		return nil, nil
	case v.Kind() == reflect.String:
		return []string{v.String()}, nil
	case v.Kind() == reflect.Slice:
		var texts []string
		for i := range v.Len() {
			item, err := textValues(v.Index(i))
			if err != nil {
				return nil, err
			}
			texts = append(texts, item...)
		}
		return texts, nil
	}
	data, err := json.Marshal(v.Interface())
	if err != nil || string(data) == "null" {
		return nil, err
	}
	if data[0] != '"' {
		return []string{string(data)}, nil
	}
	var text string
	err = json.Unmarshal(data, &text)
	return []string{text}, err
}

// checkText returns an error if v contains text that is not valid UTF-8, which encoding/json would silently replace.
func checkText(path string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return fmt.Errorf("%s is not UTF-8", path)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return checkText(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := checkText(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if err := checkText(path+"."+key.String(), v.MapIndex(key)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := checkText(path+"."+v.Type().Field(i).Name, v.Field(i)); err != nil {
				return err
			}
		}
	default: // numbers and booleans contain no text
	}
	return nil
}
