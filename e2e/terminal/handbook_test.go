package terminal

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// handbook is a space with pages and a change request for review.
type handbook struct {
	w     *world
	ref   api.ChangeRequestRef // change request under review
	pages map[string]string    // ids by title
}

const (
	battery = "# Battery\n\nThe battery lasts five years. It is charged by the sun.\n\n" +
		"The gateway warns below 2.7 V. You have three weeks from then on.\n\nNobody opens the case.\n"
	sensors = "# Sensors\n\nRain is measured to four percent. Wind is measured by cups.\n"
	radio   = "# Radio\n\nTen decibels are enough. Walls take three.\n"
	mast    = "# Mast\n\nA mast is two metres high.\n"
)

// newHandbook creates the space and a change request that the reviewer is asked to review.
func (w *world) newHandbook() *handbook {
	w.Helper()
	ada := w.author.client
	space, err := ada.Spaces.Create(w.Context(), api.CreateSpaceInput{Organization: w.org, Body: api.SpaceCreate{Title: "Handbook"}})
	must(w, err)
	h := &handbook{w: w, pages: map[string]string{}}
	var pages []api.ContentChange
	for _, text := range []string{battery, sensors, radio, mast} {
		pages = append(pages, api.ContentChange{Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some(text)}})
	}
	first := h.createRequest(space.ID, "First edition", pages...)
	h.merge(first)
	tree, err := ada.Content.ListPages(w.Context(), api.GetContentInput{Space: space.ID})
	must(w, err)
	for _, page := range tree.Pages {
		h.pages[page.Title] = page.ID
	}
	h.ref = h.createRequest(space.ID, "Firmware 2.4",
		h.textChange("Battery", strings.NewReplacer("five years", "six years", "2.7 V", "2.6 V").Replace(battery)),
		h.textChange("Sensors", strings.Replace(sensors, "four percent", "three percent", 1)),
		api.ContentChange{Operation: api.UpdatePage, Page: h.pages["Radio"], Slug: api.Some("margin")},
	)
	h.openRequest(h.ref)
	_, err = ada.ChangeRequests.Update(w.Context(), api.UpdateChangeRequestInput{
		ChangeRequestRef: h.ref, Body: api.ChangeRequestPatch{
			Description: api.Some(api.Description{Text: "The figures, please, not the style."}),
		},
	})
	must(w, err)
	_, err = ada.ChangeRequests.RequestReview(w.Context(), api.RequestReviewInput{
		ChangeRequestRef: h.ref, Body: api.ReviewRequest{Users: []string{w.reviewer.id}},
	})
	must(w, err)
	return h
}

// textChange returns a change that replaces the text of a page.
func (h *handbook) textChange(page, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.UpdatePage, Page: h.pages[page], Document: &api.Document{Markdown: api.Some(markdown)}}
}

// createRequest creates a change request by the author.
func (h *handbook) createRequest(space, subject string, changes ...api.ContentChange) api.ChangeRequestRef {
	h.w.Helper()
	ada := h.w.author.client
	created, err := ada.ChangeRequests.Create(h.w.Context(), api.CreateChangeRequestInput{
		Space: space, Body: api.ChangeRequestCreate{Subject: subject},
	})
	must(h.w, err)
	ref := api.ChangeRequestRef{Space: space, ChangeRequest: created.ID}
	_, err = ada.ChangeRequestContent.Edit(h.w.Context(), api.EditContentInput{
		ChangeRequestRef: ref, Body: api.ContentEdit{Changes: changes},
	})
	must(h.w, err)
	return ref
}

// openRequest opens a draft change request.
func (h *handbook) openRequest(at api.ChangeRequestRef) {
	h.w.Helper()
	_, err := h.w.author.client.ChangeRequests.Update(h.w.Context(), api.UpdateChangeRequestInput{
		ChangeRequestRef: at, Body: api.ChangeRequestPatch{Status: api.Some(api.StatusOpen)},
	})
	must(h.w, err)
}

// merge merges a change request through the API.
func (h *handbook) merge(at api.ChangeRequestRef) {
	h.w.Helper()
	merged, err := h.w.author.client.ChangeRequests.Merge(h.w.Context(), api.MergeInput{ChangeRequestRef: at})
	must(h.w, err)
	if merged.Result != api.OutcomeMerge {
		h.w.Fatalf("merge: %+v", merged)
	}
}

// wantTexts waits until the comments and replies on the server are exactly want.
func (h *handbook) wantTexts(want ...string) {
	h.w.Helper()
	slices.Sort(want)
	var texts []string
	if !eventually(func() bool { texts = h.texts(); return slices.Equal(texts, want) }) {
		h.w.Fatalf("what was said:\n%s", cmp.Diff(want, texts))
	}
}

// texts returns the sorted texts of all comments and replies.
func (h *handbook) texts() (texts []string) {
	h.w.Helper()
	ctx, ada := h.w.Context(), h.w.author.client
	for comment, err := range client.All(ctx, ada.ChangeRequestComments.List, api.ListChangeRequestCommentsInput{ChangeRequestRef: h.ref}) {
		must(h.w, err)
		texts = append(texts, comment.Body.Markdown)
		ref := api.ChangeRequestCommentRef{ChangeRequestRef: h.ref, Comment: comment.ID}
		for reply, err := range client.All(ctx, ada.ChangeRequestReplies.List,
			api.ListChangeRequestRepliesInput{ChangeRequestCommentRef: ref}) {
			must(h.w, err)
			texts = append(texts, reply.Body.Markdown)
		}
	}
	slices.Sort(texts)
	return texts
}
