package importer

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// start is the first document or archive of an import: the response for its URL, or its content.
type start struct {
	field       string // of errors
	at          string // in messages: the URL, or the name of the content, which may be ""
	name        string // of the document, without its extension; "" if it has none
	path        string // as in Page
	contentType string
	body        []byte
}

// readStart fetches the URL of the request, or returns its content. An error is an *Error, or that of a cancelled context.
func (i *Importer) readStart(ctx context.Context, req Request, maxBytes int64) (start, error) {
	if req.Content == nil {
		resp, err := i.fetchStart(ctx, req.URL, maxBytes)
		if err != nil {
			return start{}, err
		}
		return start{
			field: "url", at: resp.URL, name: baseName(resp.URL), path: pathOf(resp.URL), contentType: resp.ContentType, body: resp.Body,
		}, nil
	}
	given := start{
		field: "body", at: req.Content.Name, path: req.Content.Name, contentType: req.Content.ContentType, body: req.Content.Data,
		name: strings.TrimSuffix(req.Content.Name, path.Ext(req.Content.Name)),
	}
	if given.path == "" {
		given.path = defaultNames[req.Source]
	}
	if int64(len(given.body)) > maxBytes {
		return start{}, given.errorf("it is larger than %d bytes", maxBytes)
	}
	return given, nil
}

// defaultNames are the names of documents without one.
var defaultNames = map[string]string{SourceMarkdown: "document.md", SourceHTML: "document.html"}

// errorf returns an error about the start of an import.
func (s start) errorf(format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	if s.at != "" {
		message = s.at + ": " + message
	}
	return &Error{Field: s.field, Message: message}
}

// label names the start in notes.
func (s start) label() string {
	if s.at == "" {
		return s.path
	}
	return s.at
}

// url returns the address of a document that was not fetched: it has a path and no host, so that no reference in it that is
// relative leads to a server.
func (s start) url() *url.URL { return &url.URL{Path: "/" + s.path} }
