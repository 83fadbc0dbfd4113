package demo

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
)

// createRequest creates a change request.
func (l *loader) createRequest(r request) {
	made := call(l, r.Author, api.CreateChangeRequest, l.spaces[r.Space], api.ChangeRequestCreate{
		Subject: r.Subject, Description: api.Describe(r.Description),
	})
	l.requests[r.Name] = made.ID
}

// stepRun is a step together with its request and user.
type stepRun struct {
	*loader
	step
	actor, space, request string
}

// runStep performs one step of a request.
func (l *loader) runStep(r request, s step) {
	if l.err != nil {
		return
	}
	a := stepRun{loader: l, step: s, actor: r.Author, space: l.spaces[r.Space], request: l.requests[r.Name]}
	if s.By != "" {
		a.actor = s.By
	}
	switch {
	case s.Ask != nil:
		call(l, a.actor, api.RequestChangeRequestReview, a.space, api.ReviewRequest{Users: l.userIDs(s.Ask)}, a.request)
	case s.Verdict != "":
		call(l, a.actor, api.CreateChangeRequestReview, a.space, a.review(), a.request)
	case s.Merge:
		a.merge()
	case s.Archive:
		call(l, a.actor, api.UpdateChangeRequest, a.space, api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)}, a.request)
	case s.Comment != "" || s.Reply != "" || s.Resolve != "" || s.React != "":
		a.discuss()
	default:
		call(l, a.actor, api.EditChangeRequestContent, a.space, api.ContentEdit{Changes: []api.ContentChange{a.change()}}, a.request)
	}
	if l.err != nil {
		l.err = fmt.Errorf("request %s, a step of %s: %w", r.Name, a.actor, l.err)
	}
}

func (a stepRun) review() api.ReviewCreate {
	review := api.ReviewCreate{Status: a.Verdict}
	if a.Text != "" {
		review.Comment = &api.CommentBody{Markdown: api.Some(a.Text)}
	}
	return review
}

// merge merges the request. It stores an error if the request conflicts.
func (a stepRun) merge() {
	merged := call(a.loader, a.actor, api.MergeChangeRequest, a.space, nil, a.request)
	if a.err == nil && merged.Result != api.OutcomeMerge {
		a.err = fmt.Errorf("the merge says %s", merged.Result)
	}
}

// change returns the content operation of a step.
func (a stepRun) change() api.ContentChange {
	switch {
	case a.Update != "":
		page := a.page(a.Update)
		return api.ContentChange{Operation: api.UpdatePage, Page: page.ID, Document: a.text(page)}
	case a.Insert != "":
		return a.withPosition(api.ContentChange{Operation: api.InsertPage, Title: api.Some(a.Insert), Document: a.readDocument(a.File)})
	case a.Move != "":
		return a.withPosition(api.ContentChange{Operation: api.UpdatePage, Page: a.page(a.Move).ID})
	case a.Delete != "":
		return api.ContentChange{Operation: api.DeletePage, Page: a.page(a.Delete).ID}
	case a.Describe != "":
		return api.ContentChange{Operation: api.UpdatePage, Page: a.page(a.Describe).ID, Description: api.Some(a.Text)}
	case a.Set != "":
		return setVariables(map[string]string{a.Set: a.Text})
	case a.Picture != "":
		return a.fileChange(a.Picture, a.File)
	case a.Drop != "":
		return api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: a.reusables[a.Drop]}
	}
	return api.ContentChange{
		Operation: api.UpdateReusableContent, ReusableContent: a.reusables[a.Reword], Document: &api.Document{Markdown: api.Some(a.Text)},
	}
}

// withPosition returns change with the parent page and the index that the step gives, if any.
func (a stepRun) withPosition(change api.ContentChange) api.ContentChange {
	if a.Into != "" {
		change.Into = api.Some(a.page(a.Into).ID)
	}
	if a.At != nil {
		change.At = api.Some(*a.At)
	}
	return change
}

// text returns the new text of a page: that of a file, or its own with passages replaced.
func (a stepRun) text(page api.RevisionPage) *api.Document {
	if a.File != "" {
		return a.readDocument(a.File)
	}
	text := ""
	if page.Markdown != nil {
		text = *page.Markdown
	}
	for _, passage := range a.Passages {
		if strings.Count(text, passage[0]) != 1 && a.err == nil {
			a.err = fmt.Errorf("%q does not stand once on %s", passage[0], a.Update)
		}
		text = strings.Replace(text, passage[0], passage[1], 1)
	}
	return &api.Document{Markdown: api.Some(text)}
}

// page returns the page of the request with the given path.
func (a stepRun) page(path string) api.RevisionPage {
	return call(a.loader, a.actor, api.GetChangeRequestContentPageByPath, a.space, nil, a.request, path+"?format=markdown")
}

// discuss performs a step on comments: it creates a comment or a reply, adds a reaction, or resolves a comment.
func (a stepRun) discuss() {
	body := api.CommentBody{Markdown: api.Some(a.Text)}
	switch {
	case a.Comment != "":
		page := a.page(a.Comment)
		create := api.CommentCreate{Page: page.ID, Body: body, Quote: a.Quote, Node: blockOf(page, a.Quote)}
		if a.Suggest != "" {
			create.Suggestion = &api.SuggestionCreate{Markdown: a.Suggest}
		}
		made := call(a.loader, a.actor, api.CreateChangeRequestComment, a.space, create, a.request)
		a.comments[a.Name] = made.ID
	case a.Reply != "":
		call(a.loader, a.actor, api.CreateChangeRequestReply, a.space, api.ReplyCreate{Body: body}, a.request, a.comments[a.Reply])
	case a.React != "":
		call(a.loader, a.actor, api.UpdateChangeRequestComment, a.space, api.CommentUpdate{AddedReactions: []string{a.Emoji}}, a.request,
			a.comments[a.React])
	default:
		call(a.loader, a.actor, api.UpdateChangeRequestComment, a.space, api.CommentUpdate{Resolved: api.Some(true)}, a.request,
			a.comments[a.Resolve])
	}
}

// blockOf returns the id of the block of a page that contains a quote.
func blockOf(page api.RevisionPage, quote string) string {
	if page.Markdown == nil {
		return ""
	}
	at := strings.Index(*page.Markdown, quote)
	for _, block := range page.Blocks {
		if block.Start <= at && at < block.End {
			return block.ID
		}
	}
	return ""
}
