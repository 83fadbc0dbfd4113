package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// Route is the contract of one operation: what goes in, what comes out. The server mounts it, the client calls
// it; a wrong type on either side does not build. See docs/decisions.md#one-contract.
type Route[In, Out any] struct{ Row }

// Row is a Route without its type parameters: what tables, documents and commands need of it.
type Row struct {
	Name string // resource.verb, e.g. spaces.get
	// Operation is the operationId of the API's description, e.g. getSpaceById: the public API's (docs/decisions.md#names-of-operations), or Name in camel
	// case where that has no such operation.
	Operation string
	Method    string
	Path      string // with {parameters}
	Status    int    // of success
	Summary   string // one sentence for people

	Reads        bool   // changes nothing, whatever its method
	OptionalBody bool   // a request without a body means the zero body
	Deprecated   bool   // another operation does it better
	Secret       bool   // the answer holds a secret: no copy of it is kept for repeats
	Slow         bool   // may take minutes: exempt from the write time-out
	BodyLimit    int64  // bytes of a body, where its schema does not say enough: see Input.BodyLimit
	Refused      bool   // always: it is about something that wsd does not have. See Refusals
	Text         string // media type of an answer that is not JSON, where a format asks for one

	// TwinOf is the name of the row that does the same to a space's content as readers see it; this one does it to
	// what a change request proposes. Empty for all other rows.
	TwinOf string

	In, Out reflect.Type
	// Or is what is answered instead of Out where a parameter asks for it; nil for most.
	Or reflect.Type
}

// Sent is the query that clients of this module send where none is given, by the `sent` tags of the input: what the row
// would do without it is for others.
func (r Row) Sent() map[string]string {
	sent := map[string]string{}
	for _, f := range reflect.VisibleFields(r.In) {
		if value, ok := f.Tag.Lookup("sent"); ok {
			sent[f.Tag.Get("query")] = value
		}
	}
	return sent
}

// None is the answer of operations that answer without a body.
type None struct{}

// ContentBodyLimit is the size of the bodies of content operations in bytes; a SpecBodyLimit holds the text of any
// specification, a ResolutionsBodyLimit the texts of what has been decided in a merge.
const (
	ContentBodyLimit     = 32 << 20
	SpecBodyLimit        = 20 << 20
	ResolutionsBodyLimit = 8 << 20
)

// Writes reports whether the operation changes something.
func (r Row) Writes() bool { return r.Method != http.MethodGet && !r.Reads }

// Resource is the part of the name before the dot, in the plural: spaces.
func (r Row) Resource() string { resource, _, _ := strings.Cut(r.Name, "."); return resource }

// Verb is the part of the name after the dot: get, list-pages.
func (r Row) Verb() string { _, verb, _ := strings.Cut(r.Name, "."); return verb }

// IsList reports whether the answer is a Page, or one with something beside it.
func (r Row) IsList() bool {
	if r.Out.Kind() != reflect.Struct {
		return false
	}
	_, items := r.Out.FieldByName("Items")
	_, count := r.Out.FieldByName("Count")
	return items && count
}

// Twin returns the row that does the same inside a change request, if there is one: comments.list has
// change-request-comments.list. Commands have it behind --change-request.
func (r Row) Twin() (Row, bool) {
	at := slices.IndexFunc(rows, func(other Row) bool { return r.Name != "" && other.TwinOf == r.Name })
	if at < 0 {
		return Row{}, false
	}
	return rows[at], true
}

// Rows returns every row of the contract that may succeed, sorted by name.
func Rows() []Row { return rowsWhere(func(r Row) bool { return !r.Refused }) }

// Refusals returns the rows that never succeed, because they are about what wsd does not have, sorted by name.
func Refusals() []Row { return rowsWhere(func(r Row) bool { return r.Refused }) }

func rowsWhere(is func(Row) bool) []Row {
	sorted := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !is(r) })
	slices.SortFunc(sorted, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// rows is filled while the package's variables are initialised and never written afterwards.
var rows []Row

type option func(*Row)

func optionalBody(r *Row) { r.OptionalBody = true }
func deprecated(r *Row)   { r.Deprecated = true }
func secret(r *Row)       { r.Secret = true }
func reads(r *Row)        { r.Reads = true }
func slow(r *Row)         { r.Slow = true }
func refused(r *Row)      { r.Refused = true }

// twinOf marks the row as the twin of one on the content of a space.
func twinOf(other Row) option { return func(r *Row) { r.TwinOf = other.Name } }

// as gives the row the name that the public API has for the operation.
func as(operation string) option { return func(r *Row) { r.Operation = operation } }

// status replaces the status of success that goes with the method.
func status(code int) option { return func(r *Row) { r.Status = code } }

// or says what else the row may answer.
func or[Other any](r *Row) { r.Or = reflect.TypeFor[Other]() }

func bodyLimit(bytes int64) option { return func(r *Row) { r.BodyLimit = bytes } }

func get[In, Out any](name, path, summary string, options ...option) Route[In, Out] {
	return route[In, Out](name, http.MethodGet, path, http.StatusOK, summary, options)
}

// create is a POST that answers 201.
func create[In, Out any](name, path, summary string, options ...option) Route[In, Out] {
	return route[In, Out](name, http.MethodPost, path, http.StatusCreated, summary, options)
}

// action is a POST that answers 200.
func action[In, Out any](name, path, summary string, options ...option) Route[In, Out] {
	return route[In, Out](name, http.MethodPost, path, http.StatusOK, summary, options)
}

func put[In, Out any](name, path, summary string, options ...option) Route[In, Out] {
	return route[In, Out](name, http.MethodPut, path, http.StatusOK, summary, options)
}

func patch[In, Out any](name, path, summary string, options ...option) Route[In, Out] {
	return route[In, Out](name, http.MethodPatch, path, http.StatusOK, summary, options)
}

// remove is a DELETE; most answer 205, some 204.
func remove[In any](name, path string, status int, summary string, options ...option) Route[In, None] {
	return route[In, None](name, http.MethodDelete, path, status, summary, options)
}

func route[In, Out any](name, method, path string, status int, summary string, options []option) Route[In, Out] {
	row := Row{
		Name: name, Operation: camel(name), Method: method, Path: path, Status: status, Summary: summary,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
	}
	for _, o := range options {
		o(&row)
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Name == name }) {
		panic(fmt.Sprintf("api: two rows are named %s", name))
	}
	rows = append(rows, row)
	return Route[In, Out]{row}
}

// camel turns the name of a row into one word: change-requests.get-conflicts into changeRequestsGetConflicts.
func camel(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' })
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
