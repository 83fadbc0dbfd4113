package rest

import (
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceHeader is the header with the trace context of a request (W3C Trace Context).
const traceHeader = "Traceparent"

// requestMembers returns the members that every log line of a request has: its id, and the ids of the trace and the span that its
// traceparent names. A request without a valid traceparent has neither.
func requestMembers(r *http.Request, id string) []any {
	members := []any{"request", id}
	sent := r.Header[traceHeader]
	if len(sent) != 1 {
		return members
	}
	carrier := propagation.MapCarrier{"traceparent": sent[0]}
	span := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(r.Context(), carrier))
	if !span.IsValid() {
		return members
	}
	return append(members, "trace", span.TraceID().String(), "span", span.SpanID().String())
}

// logMembers returns requestMembers and further members.
func (r *Request) logMembers(members ...any) []any {
	return append(requestMembers(r.HTTP, r.requestID), members...)
}
