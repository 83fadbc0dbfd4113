package rest

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
	"strings"

	"docspace.dev/wsd/client/api"
)

// binder fills the input of a row from a request. Struct tags determine the source of each field.
type binder struct {
	row    api.Row
	input  api.Input
	limits api.Limits
}

// echo shortens text from the request to the length that an error message may repeat.
func (b *binder) echo(text string) string { return api.Shorten(text, b.limits.Echo) }

// parseQuery parses the query of a request. It returns an error without parsing if there are too many keys.
func (b *binder) parseQuery(raw string) (url.Values, error) {
	if n := strings.Count(raw, "&") + 1; n > b.limits.QueryKeys {
		return nil, api.Errorf(http.StatusBadRequest, api.ReasonInvalidParam, "The query has %d keys; at most %d are read.", n,
			b.limits.QueryKeys)
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, api.Errorf(http.StatusBadRequest, api.ReasonInvalidParam,
			"The query cannot be read: it has a broken percent-encoding or a semicolon.")
	}
	return values, nil
}

// bindParams fills the fields of path and query parameters. All violations are reported in one 400 error; unknown
// parameters are violations unless unknown is set, which then collects them.
func (b *binder) bindParams(path func(name string) string, query url.Values, target reflect.Value, unknown *api.Unknown) error {
	wrong := b.unknownParams(query, unknown)
	for _, p := range b.input.Params {
		texts := []string{path(p.Name)}
		if p.In == api.InQuery {
			// "null" counts as absent: the public client sends it for unset values.
			texts = slices.DeleteFunc(slices.Clone(query[p.Name]), func(s string) bool { return s == "null" })
			if p.List {
				texts = append(texts, query[p.Name+listSuffix]...)
			}
		}
		switch {
		case len(texts) > 0:
			wrong = append(wrong, b.setParam(target.FieldByIndex(p.Index), p, texts)...)
		case p.Required:
			wrong = append(wrong, api.FieldError{Path: p.Name, Message: "is required"})
		}
	}
	if rules, ok := reflect.TypeAssert[interface{ CheckParams() []api.FieldError }](target); ok && len(wrong) == 0 {
		wrong = rules.CheckParams()
	}
	if len(wrong) > 0 {
		return api.InvalidParam(wrong...)
	}
	return nil
}

// bindPath fills the fields of path parameters.
func (b *binder) bindPath(path func(name string) string, target reflect.Value) error {
	var wrong []api.FieldError
	for _, p := range b.input.Params {
		if p.In == api.InPath {
			wrong = append(wrong, b.setParam(target.FieldByIndex(p.Index), p, []string{path(p.Name)})...)
		}
	}
	if len(wrong) > 0 {
		return api.InvalidParam(wrong...)
	}
	return nil
}

// listSuffix is the end of a second name of lists in the query, which clients of the public API write: type[].
const listSuffix = "[]"

func (b *binder) unknownParams(query url.Values, unknown *api.Unknown) []api.FieldError {
	var wrong []api.FieldError
	for _, name := range slices.Sorted(maps.Keys(query)) {
		known := func(p api.Param) bool {
			return p.In == api.InQuery && (p.Name == name || p.List && p.Name+listSuffix == name)
		}
		if name == dryRunParam && b.row.Writes() || slices.ContainsFunc(b.input.Params, known) {
			continue
		}
		if form := b.input.Upload; form != nil && slices.ContainsFunc(form.Params, known) {
			wrong = append(wrong, api.FieldError{
				Path: name, Message: "is a parameter of the query with " + b.row.Upload.String() +
					" alone; in JSON it is a member of the body",
			})
			continue
		}
		if unknown != nil {
			unknown.Add(b.echo(name), b.limits)
			continue
		}
		wrong = append(wrong, api.FieldError{Path: b.echo(name), Message: "is not a query parameter of this operation"})
	}
	return wrong
}

func (b *binder) setParam(field reflect.Value, p api.Param, texts []string) []api.FieldError {
	if p.List {
		return b.setList(field, p, texts)
	}
	if len(texts) > 1 {
		return []api.FieldError{{Path: p.Name, Message: "is given " + strconv.Itoa(len(texts)) + " times"}}
	}
	if wrong := api.CheckText(p.Name, texts[0], p.Schema, b.limits); len(wrong) > 0 {
		return wrong
	}
	if field.Kind() == reflect.String {
		field.SetString(texts[0])
		return nil
	}
	var literal any = texts[0]
	switch p.Schema.Kind {
	case api.KindString:
	case api.KindInteger:
		literal, _ = api.ParseWhole(texts[0]) // CheckText has accepted it
	default:
		literal = json.RawMessage(texts[0])
	}
	return assign(field, p.Name, literal)
}

func (b *binder) setList(field reflect.Value, p api.Param, texts []string) []api.FieldError {
	if p.Schema.Max != nil && len(texts) > *p.Schema.Max {
		return []api.FieldError{{Path: p.Name, Message: fmt.Sprintf("must be given at most %d times, not %d", *p.Schema.Max, len(texts))}}
	}
	var wrong []api.FieldError
	for _, text := range texts {
		wrong = append(wrong, api.CheckText(p.Name, text, p.Schema.Items, b.limits)...)
	}
	if len(wrong) > 0 {
		return wrong
	}
	return assign(field, p.Name, texts)
}

// assign sets field through JSON, so that plain, Optional and enumeration types need no cases of their own.
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

// bindBody checks and decodes the body. kept reports whether a text is already stored in the object that the request
// changes; unknown, if set, collects unknown fields.
func (b *binder) bindBody(data []byte, contentType string, target reflect.Value, kept func(string) bool, unknown *api.Unknown) error {
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
	if media, params, err := mime.ParseMediaType(contentType); err != nil || media != jsonMedia || !isUTF8(params) {
		return mediaTypeError(b.row, b.echo(contentType))
	}
	data, err := api.Check(data, b.input.Body, b.limits, kept, unknown)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, target.FieldByIndex(b.input.BodyIndex).Addr().Interface()); err != nil {
		return fmt.Errorf("decode a body that passed its schema: %w", err)
	}
	return validate(target)
}

const jsonMedia = "application/json"

// mediaTypeError returns the error for a body that is not of a media type of the row.
func mediaTypeError(row api.Row, contentType string) error {
	allowed := jsonMedia + " in UTF-8"
	if row.Upload != nil {
		allowed += ", or " + row.Upload.String() + " in a charset of browsers"
	}
	return api.Errorf(http.StatusUnsupportedMediaType, api.ReasonMediaType, "The body must be %s, not %q.", allowed, contentType)
}

// validate calls the Validate method of a body, if it has one, for rules across fields, which a schema cannot express.
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

// readBody reads and decodes the body of a request up to a limit; see decodeBody. A larger Content-Length is refused without reading.
// If the operation takes no body, it reads one byte to detect one. It calls hold before it reads more than maxUncountedBody bytes; see
// readAll.
func (b *binder) readBody(w http.ResponseWriter, r *http.Request, limit int64, hold func(bytes int64) error) ([]byte, error) {
	if b.input.Body == nil && r.ContentLength > 0 {
		return []byte{0}, nil // bindBody refuses any body
	}
	if r.ContentLength > limit {
		return nil, tooLargeError(limit)
	}
	body, length := io.Reader(http.MaxBytesReader(w, r.Body, limit)), r.ContentLength
	if b.input.Body != nil {
		body, length = b.decodeBody(w, r, limit)
	}
	data, err := readAll(body, length, limit, hold)
	var beyond *http.MaxBytesError
	slow, refused := api.AsError(err) // an error of hold, or of the connection, such as a slow body
	switch {
	case refused:
		return nil, slow
	case errors.As(err, &beyond) && b.input.Body == nil:
		return []byte{0}, nil
	case errors.As(err, &beyond):
		return nil, tooLargeError(limit)
	case err != nil:
		return nil, api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "The body could not be read.").WithCause(err)
	}
	return data, nil
}

func tooLargeError(limit int64) error {
	return api.Errorf(http.StatusRequestEntityTooLarge, api.ReasonTooLarge, "The body is larger than %d bytes.", limit)
}

// maxUncountedBody is the number of bytes up to which a body is read without a permit.
const maxUncountedBody = 1 << 20

// readAll returns all data of a reader, at most limit bytes. It calls hold once before it uses memory for more than
// maxUncountedBody bytes: with the declared length, or with limit if none is declared.
func readAll(from io.Reader, declared, limit int64, hold func(bytes int64) error) ([]byte, error) {
	if declared > maxUncountedBody {
		if err := hold(declared); err != nil {
			return nil, err
		}
		return readLarge(from, nil, declared)
	}
	data := make([]byte, 0, max(declared, 512)+1) // one extra byte, so that EOF is reached without growing the buffer
	for {
		n, err := from.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case len(data) < cap(data):
			continue
		}
		next := min(2*int64(cap(data)), limit+1)
		if next > maxUncountedBody+1 {
			if err := hold(limit); err != nil {
				return nil, err
			}
			return readLarge(from, data, limit)
		}
		data = append(make([]byte, 0, max(next, int64(cap(data))+1)), data...)
	}
}

// readLarge returns start and all data of a reader, together at most size bytes. Until the data is complete, which may take
// minutes, it is kept outside of the heap: there it would let the garbage collector admit as many bytes of garbage.
func readLarge(from io.Reader, start []byte, size int64) ([]byte, error) {
	data, discard, release := newBuffer(int(size) + 1)
	defer release()
	for n := copy(data, start); n < len(data); {
		more, err := from.Read(data[n:])
		n += more
		switch {
		case errors.Is(err, io.EOF):
			return moveBuffer(data[:n], discard), nil
		case err != nil:
			return nil, err
		}
	}
	return nil, fmt.Errorf("a body of more than %d bytes", size)
}

// moveBuffer copies data to the heap in parts, and discards each part, so that little is in memory twice.
func moveBuffer(data []byte, discard func(part []byte)) []byte {
	moved := make([]byte, len(data))
	for at := 0; at < len(data); at += maxUncountedBody {
		part := data[at:min(at+maxUncountedBody, len(data))]
		copy(moved[at:], part)
		discard(part)
	}
	return moved
}
