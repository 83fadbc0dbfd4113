package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/text/writeback"
	"docspace.dev/wsd/store/objects"
)

// setDocument replaces the text of a page with a document. A document that was read from the page is written back to
// the text it was made from and merged with later edits; any other document is written back to the current text.
func (e *contentEditor) setDocument(ctx context.Context, p *revision.Page, sent api.JSONObject) error {
	d, err := writeback.Decode(sent, "document")
	if err != nil {
		return err
	}
	if err := checkNotReplaced(d.Data); err != nil {
		return err
	}
	head, err := e.draft.Text(ctx, p)
	if err != nil {
		return err
	}
	base, title := head, p.Name()
	if d.Data.Text != "" && d.Data.Page == p.ID {
		if title = d.Data.Title; d.Data.Text != p.TextID() {
			base, err = e.baseText(ctx, d.Data.Text)
		}
	}
	if err != nil {
		return err
	}
	next, err := e.writeBack(ctx, p, base, title, d)
	if err != nil {
		return err
	}
	merged, err := mergeText(ctx, p.ID, base, head, next)
	if err != nil {
		return err
	}
	return e.draft.SetText(p, merged)
}

// checkNotReplaced returns an error if variables or includes of the document were replaced.
func checkNotReplaced(made api.DocumentData) error {
	var wrong []api.FieldError
	if made.Evaluated {
		wrong = append(wrong, api.FieldError{
			Path: "document.document.data.evaluated", Message: "is true: variables were replaced, and writing it back would lose them; " +
				"read the page without",
		})
	}
	if made.Dereferenced {
		wrong = append(wrong, api.FieldError{
			Path: "document.document.data.dereferenced", Message: "is true: includes were replaced, and writing it back would lose them; " +
				"read the page without",
		})
	}
	if len(wrong) == 0 {
		return nil
	}
	return api.Invalid(wrong...)
}

// baseText returns the text with the given id, from which a document was made. It returns an error if the id is not valid or
// the text is not stored any more.
func (e *contentEditor) baseText(ctx context.Context, id string) (content.Text, error) {
	const field = "document.document.data.text"
	text, blocks, ok := strings.Cut(id, revision.TextSeparator)
	if !ok || !api.Patterns["id"].MatchString(text) || !api.Patterns["id"].MatchString(blocks) {
		return content.Text{}, api.InvalidField(field, "does not name a text")
	}
	found, err := revision.ReadText(ctx, e.draft.Content, text, blocks)
	switch {
	case errors.Is(err, objects.ErrMissing):
		return found, api.Errorf(http.StatusConflict, api.ReasonConflict,
			"The text that the document was made from is not there any more. Read the page again, and change that.")
	case err != nil || !blocksCoverText(found):
		return found, api.InvalidField(field, "does not name a text")
	}
	return found, nil
}

// blocksCoverText reports whether the blocks of a text cover it without gaps.
func blocksCoverText(t content.Text) bool {
	end := 0
	for _, b := range t.Blocks {
		if b.Start != end || b.End < b.Start {
			return false
		}
		end = b.End
	}
	return end == len(t.Markdown) && content.Check(t.Markdown) == nil
}

// writeBack returns the text of a document. Unchanged parts keep the bytes of the base text.
func (e *contentEditor) writeBack(ctx context.Context, p *revision.Page, base content.Text, title string, d api.JSONDocument) (content.Text,
	error,
) {
	v, err := e.service.Reading.At(ctx, e.draft.Content, e.head)
	if err != nil {
		return content.Text{}, err
	}
	targets := newLinkTargets(ctx, v, p)
	markdown, err := writeback.Update(documents.Source{Text: base, Title: title, Resolve: targets.find}, d)
	if err == nil {
		err = targets.err
	}
	if err != nil {
		return content.Text{}, writeback.FieldError(err, "document")
	}
	return parseText(p.ID, e.replaceRefs(markdown), base)
}

func parseText(page string, markdown []byte, previous content.Text) (content.Text, error) {
	t, err := content.Parse(page, markdown, previous)
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return t, api.InvalidField("document.document", "is, in Markdown, a text that cannot be kept: %s", wrong.Error())
	}
	return t, err
}

// mergeText merges the edited text with the changes between base and head.
func mergeText(ctx context.Context, page string, base, head, next content.Text) (content.Text, error) {
	merged, conflicts := merge.TextContext(ctx, page, base, head, next)
	if err := ctx.Err(); err != nil {
		return merged, err
	}
	if len(conflicts) > 0 {
		return merged, api.Errorf(http.StatusConflict, api.ReasonConflict,
			"Others changed the same sentences since the document was read. Read the page again, and change that.")
	}
	return merged, nil
}
