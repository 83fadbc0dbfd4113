package writeback

import (
	"bytes"
	"encoding/json"
	"errors"

	"docspace.dev/wsd/client/api"
)

// Text returns the Markdown of a text that a client sent in either format; given is false if neither is present.
// field is the name of the text's member in errors. It is used for texts outside pages.
func Text(markdown api.Optional[string], document api.JSONObject, field string) (text string, given bool, err error) {
	if document == nil {
		text, given = markdown.Get()
		return text, given, nil
	}
	d, err := Decode(document, field)
	if err != nil {
		return "", true, err
	}
	source, err := Markdown(d)
	return string(source), true, FieldError(err, field)
}

// Decode decodes a document from a client.
func Decode(document api.JSONObject, field string) (d api.JSONDocument, err error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return d, api.InvalidField(field+".document", "has a member %s of another type than a document has there", wrong.Field)
		}
		return d, api.InvalidField(field+".document", "is not a document: it has a member that no document has")
	}
	return d, nil
}

// FieldError converts a *Refusal to a validation error of a field and returns any other error unchanged.
func FieldError(err error, field string) error {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return api.InvalidField(field+".document."+refusal.Path, "%s", refusal.Reason)
	}
	return err
}
