package writeback

import (
	"bytes"
	"encoding/json"
	"errors"

	"docspace.dev/wsd/client/api"
)

// Text is what a text says in Markdown that was sent in either format; given is false where neither is there. field names
// the member with both in errors. Rooms call it for texts that stand on no page.
func Text(markdown api.Optional[string], document api.JSONObject, field string) (text string, given bool, err error) {
	if document == nil {
		text, given = markdown.Get()
		return text, given, nil
	}
	d, err := Decode(document, field)
	if err != nil {
		return "", true, err
	}
	source, err := Read(d)
	return string(source), true, Refused(err, field)
}

// Decode reads a document that was sent.
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

// Refused is the error of a caller who sent a document that cannot be kept; any other error stays as it is.
func Refused(err error, field string) error {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return api.InvalidField(field+".document."+refusal.Path, "%s", refusal.Reason)
	}
	return err
}
