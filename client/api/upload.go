package api

import (
	"reflect"
	"slices"
	"strings"
)

// Upload is the second form of the requests of a row: the body is content with one of the media types, and the parameters are in
// the query. In the other form, the body is JSON.
type Upload struct {
	In    reflect.Type // input, without a body
	Media []UploadMedia
}

// UploadMedia is a media type of a body with its maximum size.
type UploadMedia struct {
	Type  string // without parameters, such as text/markdown
	Limit int64  // bytes
}

// Form returns the row of the second form: the same operation with the input of the upload and without its first form.
func (u Upload) Form(row Row) Row {
	row.In, row.Upload, row.OptionalBody = u.In, nil, false
	return row
}

// Find returns a media type by its name, which is in lower case and has no parameters.
func (u Upload) Find(mediaType string) (UploadMedia, bool) {
	at := slices.IndexFunc(u.Media, func(m UploadMedia) bool { return m.Type == mediaType })
	if at < 0 {
		return UploadMedia{}, false
	}
	return u.Media[at], true
}

// String lists the media types: application/zip, text/markdown or text/html.
func (u Upload) String() string {
	names := make([]string, len(u.Media))
	for i, m := range u.Media {
		names[i] = m.Type
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
