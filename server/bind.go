package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
)

// binder fills a row's input from a request. Which field comes from where is said by explicit tags only.
type binder struct {
	row   api.Row
	input api.Input
}

// bindParams fills the fields that travel in path and query. Every violation is reported at once, as 400.
func (b *binder) bindParams(path func(name string) string, query url.Values, target reflect.Value) error {
	wrong := b.unknownParams(query)
	for _, p := range b.input.Params {
		var texts []string
		if p.Place == api.InPath {
			texts = []string{path(p.Name)}
		} else {
			// The text null counts as absent: the public client sends it for unset values.
			texts = slices.DeleteFunc(slices.Clone(query[p.Name]), func(s string) bool { return s == "null" })
		}
		switch {
		case len(texts) > 0:
			wrong = append(wrong, setParam(target.FieldByIndex(p.Index), p, texts)...)
		case p.Required:
			wrong = append(wrong, api.FieldError{Path: p.Name, Message: "is required"})
		}
	}
	if len(wrong) > 0 {
		return api.InvalidParam(wrong...)
	}
	return nil
}

func (b *binder) unknownParams(query url.Values) []api.FieldError {
	var wrong []api.FieldError
	for _, name := range slices.Sorted(maps.Keys(query)) {
		known := func(p api.Param) bool { return p.Place == api.InQuery && p.Name == name }
		if name == dryRunParam && b.row.Writes() || slices.ContainsFunc(b.input.Params, known) {
			continue
		}
		wrong = append(wrong, api.FieldError{Path: name, Message: "is not a query parameter of this operation"})
	}
	return wrong
}

func setParam(field reflect.Value, p api.Param, texts []string) []api.FieldError {
	if p.List {
		return setList(field, p, texts)
	}
	if len(texts) > 1 {
		return []api.FieldError{{Path: p.Name, Message: "is given " + strconv.Itoa(len(texts)) + " times"}}
	}
	if wrong := api.CheckText(p.Name, texts[0], p.Schema); len(wrong) > 0 {
		return wrong
	}
	if field.Kind() == reflect.String {
		field.SetString(texts[0])
		return nil
	}
	var literal any = texts[0]
	if p.Schema.Kind != api.KindString {
		literal = json.RawMessage(texts[0])
	}
	return assign(field, p.Name, literal)
}

func setList(field reflect.Value, p api.Param, texts []string) []api.FieldError {
	if p.Schema.Max != nil && len(texts) > *p.Schema.Max {
		return []api.FieldError{{Path: p.Name, Message: fmt.Sprintf("must be given at most %d times, not %d", *p.Schema.Max, len(texts))}}
	}
	var wrong []api.FieldError
	for _, text := range texts {
		wrong = append(wrong, api.CheckText(p.Name, text, p.Schema.Items)...)
	}
	if len(wrong) > 0 {
		return wrong
	}
	return assign(field, p.Name, texts)
}

// assign goes through JSON, so that plain, Optional and enumeration fields need no cases of their own.
func assign(field reflect.Value, name string, v any) []api.FieldError {
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, field.Addr().Interface())
	}
	if err != nil {
		return []api.FieldError{{Path: name, Message: "cannot be read"}}
	}
	return nil
}

// bindBody reads, checks and decodes the body.
func (b *binder) bindBody(data []byte, contentType string, target reflect.Value) error {
	if b.input.Body == nil {
		if len(data) > 0 {
			return api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "This operation takes no body.")
		}
		return nil
	}
	if len(data) == 0 {
		if b.row.OptionalBody {
			return validate(target)
		}
		return api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "This operation needs a JSON body.")
	}
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "application/json" {
		return api.Errorf(http.StatusUnsupportedMediaType, api.ReasonMediaType, "The body must be application/json, not %q.", contentType)
	}
	if err := api.Check(data, b.input.Body); err != nil {
		return err
	}
	if err := json.Unmarshal(data, target.FieldByIndex(b.input.BodyIndex).Addr().Interface()); err != nil {
		return fmt.Errorf("decode a body that passed its schema: %w", err)
	}
	return validate(target)
}

// validate runs the rules that schemas cannot say.
func validate(target reflect.Value) error {
	body := target.FieldByName("Body")
	v, ok := reflect.TypeAssert[interface{ Validate() []api.FieldError }](body)
	if !ok {
		return nil
	}
	if wrong := v.Validate(); len(wrong) > 0 {
		return api.Invalid(wrong...)
	}
	return nil
}

// readBody reads at most the row's limit.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, api.Errorf(http.StatusRequestEntityTooLarge, api.ReasonTooLarge, "The body is larger than %d bytes.", limit)
	case err != nil:
		return nil, api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "The body could not be read.").WithCause(err)
	}
	return data, nil
}
