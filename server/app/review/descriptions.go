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

// maxDescription is how many characters a description has at most.
const maxDescription = 10_000

// descriptionOf is what a description says in Markdown: absent where it says nothing, null where it is removed.
func descriptionOf(given api.Optional[api.Description]) (said api.Optional[string], err error) {
	d, ok := given.Get()
	switch {
	case given.IsNull():
		return api.Null[string](), nil
	case !ok:
		return said, nil
	case d.Object == nil:
		return checkedDescription(d.Text)
	}
	var sent struct {
		Object   string               `json:"object"`
		Markdown api.Optional[string] `json:"markdown"`
		Document api.JSONObject       `json:"document"`
	}
	if json.Unmarshal(d.Object, &sent) != nil || sent.Markdown.IsNull() || !sent.Markdown.IsZero() && sent.Document != nil {
		return said, api.InvalidField("description", "must be Markdown, {markdown}, {document}, or a document")
	}
	if sent.Object != "" {
		sent.Markdown, sent.Document = api.Optional[string]{}, d.Object
	} else if err := onlyText(d.Object); err != nil {
		return said, err
	}
	text, ok, err := writeback.Text(sent.Markdown, sent.Document, "description")
	if err != nil || !ok {
		return said, err
	}
	return checkedDescription(text)
}

// onlyText refuses members that a text does not have.
func onlyText(object api.JSONObject) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&api.Document{}) != nil {
		return api.InvalidField("description", "has a member that is neither markdown nor document")
	}
	return nil
}

// checkedDescription holds a description against what Markdown may hold.
func checkedDescription(text string) (said api.Optional[string], err error) {
	if n := utf8.RuneCountInString(text); n > maxDescription {
		return said, api.InvalidField("description", "has %d characters in Markdown; it has at most %d", n, maxDescription)
	}
	if wrong, ok := errors.AsType[*content.TextError](content.Check([]byte(text))); ok {
		return said, api.InvalidField("description", "%s", wrong.Error())
	}
	return api.Some(text), nil
}

// documentOf is a description as a document.
func documentOf(markdown string) api.JSONDocument {
	return documents.Write(documents.Source{Text: content.Text{Markdown: []byte(markdown)}})
}
