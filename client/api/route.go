package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// Route is the contract of an operation with the types of its input and output. The server mounts it and the client
// calls it; a type mismatch on either side does not compile. See docs/decisions.md#one-contract.
type Route[In, Out any] struct{ Row }

// Row is a Route without its type parameters, for tables, descriptions and commands.
type Row struct {
	Name string // resource.verb, such as spaces.get
	// Operation is the operationId in the API description, such as getSpaceById: that of the public API, or Name in
	// camel case if the public API has no such operation. See docs/decisions.md#names-of-operations.
	Operation string
	Method    string
	Path      string // with {parameters}
	Status    int    // of success
	Summary   string // one sentence for users

	Reads        bool   // changes nothing, whatever its method
	OptionalBody bool   // a request without a body is treated like one with the zero value as its body
	Deprecated   bool   // superseded by another operation
	Secret       bool   // the response has a secret and is not stored for idempotent repeats
	Slow         bool   // may take minutes: exempt from the write timeout
	BodyLimit    int64  // maximum bytes of a body, if the schema does not imply it; see Input.BodyLimit
	Refused      bool   // always fails, because wsd does not have the feature; see Refusals
	Text         string // media type of the alternative to JSON, if a format selects one
	Stream       bool   // the response is a stream of server-sent events, whose messages are the output

	// Reasons are the reasons of errors of this operation, besides those of all operations with its method, parameters and body.
	Reasons []Reason

	// Upload is the form of requests whose body is the content itself; nil for most rows.
	Upload *Upload

	// TwinOf is the name of the row of the same operation on the published content of a space, if this one is on the content of
	// a change request. It is empty for other rows.
	TwinOf string

	In, Out reflect.Type
	// Or is the output type if a parameter selects it instead of Out; nil for most rows.
	Or reflect.Type
}

// Sent returns the query parameters that clients of this module send by default, from the `sent` tags of the input.
// Other clients get the defaults of the operation.
func (r Row) Sent() map[string]string {
	sent := map[string]string{}
	for _, f := range reflect.VisibleFields(r.In) {
		if value, ok := f.Tag.Lookup("sent"); ok {
			sent[f.Tag.Get("query")] = value
		}
	}
	return sent
}

// SecretParams returns the names of the query parameters that are secret, or addresses that may contain a secret, in some
// operation: those with the tag `secret`. Their values are not logged.
func SecretParams() []string {
	var names []string
	for _, r := range rows {
		for _, f := range reflect.VisibleFields(r.In) {
			if name := f.Tag.Get("query"); f.Tag.Get("secret") == "true" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// None is the output of operations without a response body.
type None struct{}

// ContentBodyLimit is the body limit of content operations in bytes, SpecBodyLimit that of operations with a
// specification, and ResolutionsBodyLimit that of merges, whose resolutions may contain texts.
const (
	ContentBodyLimit     = 32 << 20
	SpecBodyLimit        = 20 << 20
	ResolutionsBodyLimit = 8 << 20
)

// Writes reports whether the operation changes anything.
func (r Row) Writes() bool { return r.Method != http.MethodGet && !r.Reads }

// Resource returns the part of the name before the dot, in the plural: spaces.
func (r Row) Resource() string { resource, _, _ := strings.Cut(r.Name, "."); return resource }

// Verb returns the part of the name after the dot: get, list-pages.
func (r Row) Verb() string { _, verb, _ := strings.Cut(r.Name, "."); return verb }

// ReaderOf returns the row that reads one object of the resource of another row, if there is one: spaces.get for spaces.update.
func ReaderOf(row Row) (Row, bool) {
	at := slices.IndexFunc(rows, func(other Row) bool { return other.Name == row.Resource()+".get" })
	if at < 0 {
		return Row{}, false
	}
	return rows[at], true
}

// IsList reports whether the output is a Page or a LogPage, possibly with additional members.
func (r Row) IsList() bool {
	if r.Out.Kind() != reflect.Struct {
		return false
	}
	_, items := r.Out.FieldByName("Items")
	_, next := r.Out.FieldByName("Next")
	return items && next
}

// IsCounted reports whether the output is a Page, whose items are counted.
func (r Row) IsCounted() bool {
	if !r.IsList() {
		return false
	}
	_, count := r.Out.FieldByName("Count")
	return count
}

// Twin returns the row of the same operation in a change request, if there is one: change-request-comments.list for
// comments.list. Commands select it with --change-request.
func (r Row) Twin() (Row, bool) {
	at := slices.IndexFunc(rows, func(other Row) bool { return r.Name != "" && other.TwinOf == r.Name })
	if at < 0 {
		return Row{}, false
	}
	return rows[at], true
}

// Rows returns all rows that may succeed, sorted by name.
func Rows() []Row { return filterRows(func(r Row) bool { return !r.Refused }) }

// Refusals returns the rows that always fail, because wsd does not have the feature, sorted by name.
func Refusals() []Row { return filterRows(func(r Row) bool { return r.Refused }) }

func filterRows(keep func(Row) bool) []Row {
	sorted := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !keep(r) })
	slices.SortFunc(sorted, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// rows is filled during initialization of the package's variables and never written afterwards.
var rows []Row

type routeOption func(*Row)

func withOptionalBody(r *Row) { r.OptionalBody = true }
func markDeprecated(r *Row)   { r.Deprecated = true }
func markSecret(r *Row)       { r.Secret = true }
func markReadOnly(r *Row)     { r.Reads = true }
func markSlow(r *Row)         { r.Slow = true }
func markRefused(r *Row)      { r.Refused = true }
func markStream(r *Row)       { r.Stream = true }

// withSummary sets the summary of a row declared by twin, if it differs from that of the other row.
func withSummary(summary string) routeOption { return func(r *Row) { r.Summary = summary } }

// withOperation sets the operationId of the public API.
func withOperation(operation string) routeOption { return func(r *Row) { r.Operation = operation } }

// withStatus sets the status of success, if it is not the default of the method.
func withStatus(code int) routeOption { return func(r *Row) { r.Status = code } }

// failsWith declares reasons of errors that not all operations have.
func failsWith(reasons ...Reason) routeOption {
	return func(r *Row) { r.Reasons = append(r.Reasons, reasons...) }
}

// withAlternative sets the alternative output type.
func withAlternative[Other any](r *Row) { r.Or = reflect.TypeFor[Other]() }

// withUpload declares that the operation also takes content as its body, with an input without a body.
func withUpload[In any](media ...UploadMedia) routeOption {
	return func(r *Row) { r.Upload = &Upload{In: reflect.TypeFor[In](), Media: media} }
}

func withBodyLimit(bytes int64) routeOption { return func(r *Row) { r.BodyLimit = bytes } }

func get[In, Out any](name, path, summary string, options ...routeOption) Route[In, Out] {
	return declareRoute[In, Out](name, http.MethodGet, path, http.StatusOK, summary, options)
}

// create declares a POST with status 201.
func create[In, Out any](name, path, summary string, options ...routeOption) Route[In, Out] {
	return declareRoute[In, Out](name, http.MethodPost, path, http.StatusCreated, summary, options)
}

// post declares a POST with status 200.
func post[In, Out any](name, path, summary string, options ...routeOption) Route[In, Out] {
	return declareRoute[In, Out](name, http.MethodPost, path, http.StatusOK, summary, options)
}

func put[In, Out any](name, path, summary string, options ...routeOption) Route[In, Out] {
	return declareRoute[In, Out](name, http.MethodPut, path, http.StatusOK, summary, options)
}

func patch[In, Out any](name, path, summary string, options ...routeOption) Route[In, Out] {
	return declareRoute[In, Out](name, http.MethodPatch, path, http.StatusOK, summary, options)
}

// remove declares a DELETE, usually with status 205 and sometimes 204.
func remove[In any](name, path string, status int, summary string, options ...routeOption) Route[In, None] {
	return declareRoute[In, None](name, http.MethodDelete, path, status, summary, options)
}

// twin declares the row in a change request of the same operation as another row in the published content of a space. It has
// the path, the summary and all options of the other row, unless options change them.
func twin[In, Other, Out any](name string, of Route[Other, Out], options ...routeOption) Route[In, Out] {
	same := func(r *Row) {
		row := of.Row
		row.Name, row.Operation, row.Path, row.In, row.TwinOf = r.Name, r.Operation, r.Path, r.In, of.Name
		*r = row
	}
	path := strings.Replace(of.Path, "{spaceId}", "{spaceId}/change-requests/{changeRequestId}", 1)
	return declareRoute[In, Out](name, of.Method, path, of.Status, of.Summary, append([]routeOption{same}, options...))
}

func declareRoute[In, Out any](name, method, path string, status int, summary string, options []routeOption) Route[In, Out] {
	row := Row{
		Name: name, Operation: camelCase(name), Method: method, Path: path, Status: status, Summary: summary,
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

// camelCase converts the name of a row to camel case: change-requests.get-conflicts to changeRequestsGetConflicts.
func camelCase(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' })
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
