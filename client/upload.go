package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"docspace.dev/wsd/client/api"
)

// Content is the body of a request that sends content instead of JSON.
type Content struct {
	MediaType string
	Size      int64 // in bytes; -1 = not known
	// Open returns the content from its beginning. It is called for each attempt to send the request.
	Open func() (io.ReadCloser, error)

	readOnce bool // Open can be called once only
}

// NewContent returns the content of a reader, from its present position. A request with a reader that is no io.Seeker is sent once,
// without retries.
func NewContent(mediaType string, r io.Reader) Content {
	content := Content{MediaType: mediaType, Size: -1}
	seeker, ok := r.(io.Seeker)
	if !ok {
		content.readOnce = true
		content.Open = func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
		return content
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if end, endErr := seeker.Seek(0, io.SeekEnd); err == nil && endErr == nil {
		content.Size = end - start
	}
	content.Open = func() (io.ReadCloser, error) {
		if err != nil {
			return nil, err
		}
		_, err := seeker.Seek(start, io.SeekStart)
		return io.NopCloser(r), err
	}
	return content
}

// ContentError reports that the content of a request could not be read. The request was not carried out.
type ContentError struct{ Err error }

// Error returns the message of the cause.
func (e *ContentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ContentError) Unwrap() error { return e.Err }

// contentBody is the body of an attempt. It keeps the error of reading the content.
type contentBody struct {
	io.Reader
	io.Closer

	failed atomic.Pointer[ContentError] // set by the goroutine that sends the body
}

// Read implements io.Reader.
func (b *contentBody) Read(data []byte) (int, error) {
	n, err := b.Reader.Read(data)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed.Store(&ContentError{err})
	}
	return n, err //nolint:wrapcheck // ends the attempt
}

// contentError returns the error of reading the content of a request, or nil.
func contentError(r *http.Request) error {
	if body, ok := r.Body.(*contentBody); ok {
		if failed := body.failed.Load(); failed != nil {
			return failed
		}
	}
	return nil
}

// setContent makes content the body of a request.
func setContent(r *http.Request, w *watch, content *Content) error {
	body, err := content.Open()
	if err != nil {
		return &ContentError{err}
	}
	r.Body, r.ContentLength = &contentBody{Reader: w.reader(body), Closer: body}, content.Size
	r.Header.Set("Content-Type", content.MediaType)
	return nil
}

// upload is like Call for the second form of a row, whose body is content.
func upload[Out, In any](ctx context.Context, c *Client, row api.Row, in In, content Content, options []CallOption) (Out, error) {
	var out Out
	req, err := Encode(row.Upload.Form(row), in)
	if err != nil {
		return out, err
	}
	req.Content = &content
	response, err := c.Do(ctx, req, options...)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(response.Body, &out); err != nil {
		return out, newInvalidResponseError(c.baseURL, response, err)
	}
	return out, nil
}
