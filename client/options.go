package client

import "net/http"

// CallOption configures a single call.
type CallOption func(*settings)

// settings is the result of the options of a call.
type settings struct {
	header   http.Header
	query    map[string]string
	response *Response
}

func collectOptions(options []CallOption) settings {
	s := settings{header: http.Header{}, query: map[string]string{}}
	for _, o := range options {
		o(&s)
	}
	return s
}

// IdempotencyKey sends key instead of a random one. A write with the same key within 24 hours is applied only once.
func IdempotencyKey(key string) CallOption {
	return func(s *settings) { s.header.Set(headerIdempotencyKey, key) }
}

// IfMatch makes a write fail with 412 unless the resource has the given ETag.
func IfMatch(etag string) CallOption {
	return func(s *settings) { s.header.Set("If-Match", etag) }
}

// IfNoneMatch makes a read fail with ErrNotModified if the response has the given ETag.
func IfNoneMatch(etag string) CallOption {
	return func(s *settings) { s.header.Set("If-None-Match", etag) }
}

// DryRun makes a write validate the request and return its result without changing anything.
func DryRun() CallOption {
	return func(s *settings) { s.query["dryRun"] = "true" }
}

// Capture stores the response in into, whatever its status, for access to the ETag, request id, Location and raw
// body.
func Capture(into *Response) CallOption {
	return func(s *settings) { s.response = into }
}

// withCursor requests the page of a list at a cursor.
func withCursor(page string) CallOption {
	return func(s *settings) { s.query["page"] = page }
}
