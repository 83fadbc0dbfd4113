package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/server/text/writeback"
)

// maxDescriptionLength is the maximum length of a description in characters.
const maxDescriptionLength = 10_000

// parseDescription returns a description as Markdown: absent if none was sent, null if it is removed.
func parseDescription(given api.Optional[api.Description]) (markdown api.Optional[string], err error) {
	d, ok := given.Get()
	switch {
	case given.IsNull():
		return api.Null[string](), nil
	case !ok:
		return markdown, nil
	case d.Object == nil:
		return checkDescription(d.Text)
	}
	var sent struct {
		Object   string               `json:"object"`
		Markdown api.Optional[string] `json:"markdown"`
		Document api.JSONObject       `json:"document"`
	}
	if json.Unmarshal(d.Object, &sent) != nil || sent.Markdown.IsNull() || !sent.Markdown.IsZero() && sent.Document != nil {
		return markdown, api.InvalidField("description", "must be Markdown, {markdown}, {document}, or a document")
	}
	if sent.Object != "" {
		sent.Markdown, sent.Document = api.Optional[string]{}, d.Object
	} else if err := checkTextMembers(d.Object); err != nil {
		return markdown, err
	}
	text, ok, err := writeback.Text(sent.Markdown, sent.Document, "description")
	if err != nil || !ok {
		return markdown, err
	}
	return checkDescription(text)
}

// checkTextMembers returns an error if the object has members other than those of a text.
func checkTextMembers(object api.JSONObject) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&api.Document{}) != nil {
		return api.InvalidField("description", "has a member that is neither markdown nor document")
	}
	return nil
}

// checkDescription returns text as a description, or an error if it is too long or is not valid Markdown content.
func checkDescription(text string) (markdown api.Optional[string], err error) {
	if n := utf8.RuneCountInString(text); n > maxDescriptionLength {
		return markdown, api.InvalidField("description", "has %d characters in Markdown; it has at most %d", n, maxDescriptionLength)
	}
	if wrong, ok := errors.AsType[*content.TextError](content.Check([]byte(text))); ok {
		return markdown, api.InvalidField("description", "%s", wrong.Error())
	}
	return api.Some(text), nil
}

// descriptionDocument converts a description to a document.
func descriptionDocument(markdown string) api.JSONDocument {
	return documents.Write(documents.Source{Text: content.Text{Markdown: []byte(markdown)}})
}
