package client_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"testing"

	"docspace.dev/wsd/client"
)

// TestTruncatedResponse checks that a response that ends early is treated as no response, even if its beginning has arrived:
// the request is sent again.
func TestTruncatedResponse(t *testing.T) {
	t.Parallel()
	cut, good := step{status: 200, body: space, cut: true}, step{status: 200, body: space}
	refused := step{status: 404, body: `{"error":{"code":404,"message":"Not found."}}`, cut: true}
	empty := step{status: 204, header: http.Header{"Etag": {`"7"`}}}
	requests := map[string]client.Request{
		"read":  {Method: http.MethodGet, Path: "/v1/spaces/spc_1"},
		"write": {Method: http.MethodPatch, Path: "/v1/spaces/spc_1", Body: []byte("{}")},
	}
	for name, req := range requests {
		for what, test := range map[string]struct {
			steps []step
			body  string
		}{
			"success": {[]step{cut, cut, good}, space},
			"refusal": {[]step{refused, good}, space},
			"deleted": {[]step{cut, empty}, ""},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				s := serve(t, test.steps...)
				response, err := client.New(s.URL, client.WithSleep((&fakeSleeper{}).sleep)).Do(t.Context(), req)
				if err != nil || string(response.Body) != test.body || len(s.requests()) != len(test.steps) {
					t.Errorf("%d requests returned %q, %v", len(s.requests()), response.Body, err)
				}
			})
		}
		t.Run(name+" without retries", func(t *testing.T) {
			t.Parallel()
			response, err := client.New(serve(t, cut).URL, client.WithRetries(0)).Do(t.Context(), req)
			var transport *client.TransportError
			if !errors.As(err, &transport) || len(response.Body) > 0 {
				t.Errorf("%q, %v", response.Body, err)
			}
			var unknown *client.UnknownOutcomeError
			if errors.As(err, &unknown) != (name == "write") {
				t.Errorf("the outcome of a %s: %v", name, err)
			}
		})
	}
}

// TestTruncatedCompressedResponse checks that a compressed response is decoded, and that one that ends early is treated as no response.
func TestTruncatedCompressedResponse(t *testing.T) {
	t.Parallel()
	var data bytes.Buffer
	w := gzip.NewWriter(&data)
	_, err := w.Write([]byte(space))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Content-Encoding": {"gzip"}, "Etag": {`W/"7-a"`}}
	good := step{status: 200, header: header, body: data.String()}
	cut := good
	cut.cut = true
	unended := step{status: 200, header: header, body: data.String()[:data.Len()-4]} // without the end of its checksum
	s := serve(t, cut, unended, good)
	response, err := client.New(s.URL, client.WithSleep((&fakeSleeper{}).sleep)).Do(t.Context(), client.Request{
		Method: http.MethodGet, Path: "/v1/spaces/spc_1",
	})
	if err != nil || string(response.Body) != space || response.ETag() != `W/"7-a"` || len(s.requests()) != 3 {
		t.Errorf("%d requests returned %q %q, %v", len(s.requests()), response.Body, response.ETag(), err)
	}
}
