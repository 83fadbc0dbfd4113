package client

import "net/http"

// CallOption changes one call.
type CallOption func(*settings)

// settings are what the options of a call add up to.
type settings struct {
	header  http.Header
	query   map[string]string
	capture *Response
}

func collect(options []CallOption) settings {
	s := settings{header: http.Header{}, query: map[string]string{}}
	for _, o := range options {
		o(&s)
	}
	return s
}

// IdempotencyKey sends the key instead of a random one: the same key within 24 hours is the same write.
func IdempotencyKey(key string) CallOption {
	return func(s *settings) { s.header.Set(headerIdempotencyKey, key) }
}

// IfMatch makes a write fail with 412 unless the resource still has the ETag.
func IfMatch(etag string) CallOption {
	return func(s *settings) { s.header.Set("If-Match", etag) }
}

// IfNoneMatch makes a read fail with ErrNotModified when the answer would have the ETag.
func IfNoneMatch(etag string) CallOption {
	return func(s *settings) { s.header.Set("If-None-Match", etag) }
}

// DryRun makes a write check everything, change nothing, and answer what would be.
func DryRun() CallOption {
	return func(s *settings) { s.query["dryRun"] = "true" }
}

// Capture stores the answer as it came, whatever its status: ETag, request id, Location, bytes.
func Capture(into *Response) CallOption {
	return func(s *settings) { s.capture = into }
}

// cursor asks for a page of a list.
func cursor(page string) CallOption {
	return func(s *settings) { s.query["page"] = page }
}
