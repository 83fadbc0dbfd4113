package rest

import (
	"crypto/sha256"
	"mime"
	"net/http"
	"reflect"

	"docspace.dev/wsd/client/api"
)

// Upload is the content in the body of a request, for rows with api.Upload. Its bytes are Request.Body.
type Upload struct {
	Media       string // media type without parameters, one of those of the row
	ContentType string // as it was sent
	In          any    // value of api.Upload.In

	limit int64  // maximum size in bytes
	hash  string // of the bytes; empty until it is needed
}

// newUpload returns the form of a request whose body is content, or nil if it is JSON, or absent without a Content-Type. It returns
// a 415 error for other media types.
func newUpload(b *binder, r *http.Request) (*Upload, error) {
	row := b.row
	contentType := r.Header.Get("Content-Type")
	if row.Upload == nil || contentType == "" && r.ContentLength == 0 {
		return nil, nil
	}
	name, params, err := mime.ParseMediaType(contentType)
	if err == nil && name == jsonMedia {
		return nil, nil
	}
	media, ok := row.Upload.Find(name)
	if err != nil || !ok || !canDecode(name, params) {
		return nil, mediaTypeError(row, b.echo(contentType))
	}
	return &Upload{Media: name, ContentType: contentType, limit: media.Limit}, nil
}

// bindUpload binds the parameters of a request whose body is content: all of them to the input of the upload, and those of the path
// also to the input of the handler.
func (r *Request) bindUpload(query map[string][]string) error {
	target := reflect.New(r.Endpoint.Row.Upload.In).Elem()
	if err := r.Endpoint.upload.bindParams(r.pathValue, query, target, r.unknown); err != nil {
		return err
	}
	r.Upload.In = target.Interface()
	return r.Endpoint.binder.bindPath(r.pathValue, r.input())
}

// fingerprint returns the part of the fingerprint of a request that is about its body.
func (r *Request) fingerprint() string {
	if r.Upload == nil {
		return string(r.Body)
	}
	if r.Upload.hash == "" {
		sum := sha256.Sum256(r.Body)
		r.Upload.hash = r.Upload.ContentType + " " + string(sum[:])
	}
	return r.Upload.hash
}

// bodyLimit returns the maximum size of the body in bytes, which is at least 1.
func (r *Request) bodyLimit() int64 {
	if r.Upload != nil {
		return r.Upload.limit
	}
	return max(r.Endpoint.binder.input.BodyLimit, 1)
}

// checkContent refuses an empty body of a request whose body is content.
func checkContent(row api.Row, body []byte) error {
	if len(body) > 0 {
		return nil
	}
	return api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "The body is empty; it must be the content as %s.", row.Upload)
}
