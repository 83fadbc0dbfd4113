package apidoc

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
)

var removalType = reflect.TypeFor[api.Removal]()

// responses returns the responses of an operation by status.
func (d *document) responses(e Operation) map[string]any {
	all := map[string]any{"default": componentReference("responses", otherError)}
	for status := range failures(e) {
		all[strconv.Itoa(status)] = componentReference("responses", responseName(status))
	}
	success := map[string]any{"description": http.StatusText(e.Row.Status), "headers": successHeaders(e)}
	if content := d.successContent(e); content != nil {
		success["content"] = content
	}
	all[strconv.Itoa(e.Row.Status)] = success
	if e.Row.Method == http.MethodDelete {
		success["headers"].(map[string]any)[api.RemovedHeader] = headerReference(api.RemovedHeader)
		all[strconv.Itoa(http.StatusOK)] = map[string]any{
			"description": "With dryRun: what would be deleted.", "headers": commonHeaders(),
			"content": jsonContent(d.reference(d.compiler.Compile(removalType), inAnswers), d.examples.operations[e.Row.Name].DryRun),
		}
	}
	if e.AbsentTo != "" {
		all[strconv.Itoa(http.StatusNoContent)] = absentResponse(e, success)
	}
	if e.Row.Method == http.MethodGet && !e.Row.IsList() && !e.Row.Stream {
		all[strconv.Itoa(http.StatusNotModified)] = map[string]any{
			"description": "The answer still has the ETag of If-None-Match.", "headers": commonHeaders(),
		}
	}
	return all
}

// successContent returns the content of a success by media type, or nil if it has no body.
func (d *document) successContent(e Operation) map[string]any {
	switch {
	case e.Row.Out == reflect.TypeFor[api.Archive]():
		return map[string]any{e.Row.Text: binaryContent()}
	case e.Row.Stream: // OpenAPI has no schema for the messages of a stream
		return map[string]any{api.MediaEventStream: map[string]any{
			"schema": map[string]any{"type": "string"}, "x-wsd-message": d.reference(d.compiler.Compile(e.Row.Out), inAnswers),
		}}
	}
	out := d.compiler.Compile(e.Row.Out)
	if len(out.Fields) == 0 {
		return nil
	}
	schema := d.reference(out, inAnswers)
	if e.Row.Or != nil {
		schema = d.oneObject(out, d.compiler.Compile(e.Row.Or))
	}
	content := jsonContent(schema, d.examples.operations[e.Row.Name].Answer)
	if e.Row.Text != "" {
		content[e.Row.Text] = map[string]any{"schema": map[string]any{"type": "string"}}
	}
	return content
}

// oneObject returns the schema of an answer that is one of several objects, each with an own value of the member object.
func (d *document) oneObject(options ...*api.Schema) map[string]any {
	var list []any
	mapping := map[string]any{}
	for _, s := range options {
		reference := d.reference(s, inAnswers)
		list = append(list, reference)
		if object, ok := s.Field("object"); ok && len(object.Schema.Enum) == 1 {
			mapping[object.Schema.Enum[0]] = reference["$ref"]
		}
	}
	return map[string]any{"oneOf": list, "discriminator": map[string]any{"propertyName": "object", "mapping": mapping}}
}

// absentResponse returns the 204 response of a delete that may find nothing, merged with success if that is a 204.
func absentResponse(e Operation, success map[string]any) map[string]any {
	if e.Row.Status == http.StatusNoContent {
		success["headers"].(map[string]any)[api.AbsentHeader] = headerReference(api.AbsentHeader)
		return success
	}
	all := commonHeaders()
	all[api.AbsentHeader] = headerReference(api.AbsentHeader)
	return map[string]any{
		"description": "There was nothing to delete. Only " + e.AbsentTo + " get this response; others get 404.", "headers": all,
	}
}

// failures returns the reasons of the errors of an operation by status: those that follow from its method, its parameters and
// its body, and those of its row.
func failures(e Operation) map[int][]api.Reason {
	all := map[int][]api.Reason{}
	add := func(status int, reasons ...api.Reason) {
		for _, r := range reasons {
			if !slices.Contains(all[status], r) {
				all[status] = append(all[status], r)
			}
		}
	}
	add(http.StatusBadRequest, api.ReasonInvalidParam, api.ReasonMalformed) // also of a body that the operation does not take
	add(http.StatusRequestTimeout, api.ReasonTooSlow)
	add(http.StatusRequestEntityTooLarge, api.ReasonTooLarge)
	add(http.StatusUnsupportedMediaType, api.ReasonMediaType)
	add(http.StatusUnauthorized, api.ReasonUnauthenticated)
	add(http.StatusTooManyRequests, api.ReasonRateLimited)
	add(http.StatusInternalServerError, api.ReasonInternal, api.ReasonContentUnreadable)
	add(http.StatusServiceUnavailable, api.ReasonUnavailable, api.ReasonBusy, api.ReasonNewerForm, api.ReasonSecret)
	add(http.StatusForbidden, api.ReasonForbidden, api.ReasonTokenEndedHere, api.ReasonTokenTooOld, api.ReasonSSORequired)
	add(http.StatusNotFound, api.ReasonNotFound)
	if len(e.Row.PathParams()) > 0 {
		add(http.StatusConflict, api.ReasonState)
	}
	if strings.Contains(e.Row.Path, "{spaceId}") {
		add(http.StatusGone, api.ReasonContentLost)
	}
	if e.Row.IsList() {
		add(http.StatusBadRequest, api.ReasonInvalidCursor)
	}
	if e.Input.Body != nil || e.Row.Writes() {
		add(http.StatusUnprocessableEntity, api.ReasonInvalid)
	}
	if e.Row.Writes() {
		add(http.StatusForbidden, api.ReasonQuotaExceeded)
		add(http.StatusConflict, api.ReasonConflict, api.ReasonState)
		add(http.StatusPreconditionFailed, api.ReasonPrecondition)
		add(http.StatusUnprocessableEntity, api.ReasonKeyReused)
		add(http.StatusServiceUnavailable, api.ReasonStoreFull, api.ReasonOutcomeUnknown, api.ReasonReplicasBehind,
			api.ReasonUpgradePending)
	}
	if e.Row.Out == reflect.TypeFor[api.PDF]() {
		add(http.StatusUnprocessableEntity, api.ReasonTooLarge)
	}
	if e.Row.Secret {
		add(http.StatusConflict, api.ReasonAnswerSecret)
	}
	for _, r := range e.Row.Reasons {
		add(r.Status(), r)
	}
	return all
}

// failuresByStatus returns the reasons of an operation for the document.
func failuresByStatus(e Operation) map[string]any {
	all := map[string]any{}
	for status, reasons := range failures(e) {
		all[strconv.Itoa(status)] = reasons
	}
	return all
}

// responseNames maps statuses to the names of the components of their responses, which are not those of schemas.
var responseNames = map[int]string{
	http.StatusBadRequest:                   "BadRequestResponse",
	http.StatusUnauthorized:                 "UnauthorizedResponse",
	http.StatusForbidden:                    "ForbiddenResponse",
	http.StatusNotFound:                     "NotFoundResponse",
	http.StatusRequestTimeout:               "RequestTimeoutResponse",
	http.StatusConflict:                     "ConflictResponse",
	http.StatusGone:                         "GoneResponse",
	http.StatusPreconditionFailed:           "PreconditionFailedResponse",
	http.StatusRequestEntityTooLarge:        "ContentTooLargeResponse",
	http.StatusUnsupportedMediaType:         "UnsupportedMediaTypeResponse",
	http.StatusRequestedRangeNotSatisfiable: "RangeNotSatisfiableResponse",
	http.StatusUnprocessableEntity:          "UnprocessableContentResponse",
	http.StatusTooManyRequests:              "TooManyRequestsResponse",
	http.StatusInternalServerError:          "InternalServerErrorResponse",
	http.StatusNotImplemented:               "NotImplementedResponse",
	http.StatusServiceUnavailable:           "ServiceUnavailableResponse",
}

// otherError is the component of errors of all other statuses.
const otherError = "ErrorResponse"

func responseName(status int) string { return responseNames[status] }

// errorResponses returns the responses that are components. Each describes the reasons that any operation has with its status.
func (d *document) errorResponses(operations []Operation) map[string]any {
	content := func() map[string]any {
		return jsonContent(d.reference(d.compiler.Compile(errorBodyType), inAnswers), nil)
	}
	all := map[string]any{otherError: map[string]any{
		"description": "Any other error.", "headers": commonHeaders(), "content": content(),
	}}
	reasons := map[int][]api.Reason{}
	for _, e := range operations {
		for status, some := range failures(e) {
			reasons[status] = append(reasons[status], some...)
		}
	}
	for status, some := range reasons {
		slices.Sort(some)
		headers := commonHeaders()
		switch status {
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			headers["Retry-After"] = headerReference("Retry-After")
		case http.StatusUnauthorized:
			headers["WWW-Authenticate"] = headerReference("WWW-Authenticate")
		}
		all[responseName(status)] = map[string]any{
			"description": describeReasons(slices.Compact(some)), "headers": headers, "content": content(),
		}
	}
	return all
}

// describeReasons lists reasons with their meanings.
func describeReasons(reasons []api.Reason) string {
	lines := make([]string, len(reasons))
	for i, r := range reasons {
		lines[i] = fmt.Sprintf("`%s`: %s", r, r.Meaning())
	}
	return strings.Join(lines, "\n\n")
}

// header is a response header.
type header struct{ name, kind, description string }

// responseHeaders are the headers of responses that the document describes.
var responseHeaders = []header{
	{"ETag", "string", "Version of the answer, for If-Match and If-None-Match. It is weak (W/) if the answer is compressed."},
	{"Location", "string", "Address of the new object."},
	{"Retry-After", "integer", "Seconds after which the request may be sent again."},
	{"WWW-Authenticate", "string", "The kind of credential that is missing: Bearer."},
	{"X-Request-Id", "string", "Id of the request in the log of the server: that of the request, if it has a valid one, or a new one."},
	{"X-RateLimit-Limit", "integer", "Requests per minute that the caller may make. Absent without a limit."},
	{"X-RateLimit-Remaining", "integer", "Requests that are left in this minute."},
	{"X-RateLimit-Reset", "integer", "Unix time in seconds at which the minute ends."},
	{"Idempotency-Replayed", "string", "true: this is the stored answer of an earlier request with the same Idempotency-Key."},
	{"X-Dry-Run", "string", "true: nothing was written, as dryRun asked."},
	{api.PreferenceAppliedHeader, "string", "handling=lenient: unknown parameters and fields were ignored."},
	{api.IgnoredHeader, "string", "The unknown parameters and fields that were ignored."},
	{"X-Unreadable-Spaces", "string", "Spaces that the answer leaves out, because their content cannot be read."},
	{api.RemovedHeader, "string", "What was deleted together with the object, counted: `collections=2, spaces=8`, or `nothing`."},
	{api.AbsentHeader, "string", "true: there was nothing to delete."},
}

// headers returns the headers that are components.
func headers() map[string]any {
	all := map[string]any{}
	for _, h := range responseHeaders {
		all[h.name] = map[string]any{"description": h.description, "schema": map[string]any{"type": h.kind}}
	}
	return all
}

func headerReference(name string) map[string]any { return componentReference("headers", name) }

// commonHeaders returns the headers of all responses.
func commonHeaders() map[string]any {
	all := map[string]any{}
	for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		all[name] = headerReference(name)
	}
	return all
}

// successHeaders returns the headers of the success of an operation.
func successHeaders(e Operation) map[string]any {
	all := commonHeaders()
	names := []string{api.PreferenceAppliedHeader, api.IgnoredHeader}
	if e.Row.Writes() {
		names = append(names, "Idempotency-Replayed", "X-Dry-Run")
	}
	if e.Row.Status == http.StatusCreated || e.Row.Method == http.MethodPut {
		names = append(names, "Location")
	}
	if e.Row.Method != http.MethodDelete && !e.Row.IsList() && !e.Row.Stream {
		names = append(names, "ETag")
	}
	if e.Row.IsList() {
		names = append(names, "X-Unreadable-Spaces")
	}
	for _, name := range names {
		all[name] = headerReference(name)
	}
	return all
}

// tags returns the tags of operations, one for each resource.
func tags(operations []Operation) []any {
	names := map[string]bool{}
	for _, e := range operations {
		names[e.Row.Resource()] = true
	}
	var list []any
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, map[string]any{"name": name, "description": tagDescription(name)})
	}
	return list
}
