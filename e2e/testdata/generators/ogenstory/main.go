// Command ogenstory writes, reviews and merges pages with the client that ogen generates.
package main

import (
	"context"
	"log"
	"net/http"

	api "docspace.dev/wsd/e2e/testdata/generators/ogenapi"
	"docspace.dev/wsd/e2e/testdata/generators/story"
)

// author makes the calls of the story and keeps what later ones need.
type author struct {
	*story.Story

	ctx                       context.Context
	client                    *api.Client
	organization, space, page string // ids
}

// BearerAuth returns the token of the requests.
func (a *author) BearerAuth(context.Context, api.OperationName) (api.BearerAuth, error) {
	return api.BearerAuth{Token: a.Token}, nil
}

func main() {
	a := &author{Story: story.New(), ctx: context.Background()}
	client, err := api.NewClient(a.URL, a, api.WithClient(a.Client()))
	if err != nil {
		log.Fatal(err)
	}
	a.client = client
	a.Run(a)
}

// answer returns a function that takes the results of a call and returns its answer as a T.
func answer[T any](a *author, name string, status int) func(result any, err error) T {
	return func(result any, err error) T {
		a.Check(name, status, err)
		typed, ok := result.(T)
		if !ok {
			log.Fatalf("%s: the answer is a %T", name, result)
		}
		return typed
	}
}

// Begin signs in and creates an organization and a space, the latter by a request that is repeated.
func (a *author) Begin() {
	user := answer[*api.CurrentUserHeaders](a, "sign in", http.StatusOK)(a.client.GetAuthenticatedUser(a.ctx, api.GetAuthenticatedUserParams{}))
	a.True("the user has an id", user.Response.ID != "")
	organization := answer[*api.OrganizationHeaders](a, "create an organization", http.StatusCreated)(
		a.client.CreateOrganization(a.ctx, &api.OrganizationCreate{Title: "Pumps"}, api.CreateOrganizationParams{}))
	a.organization = organization.Response.ID
	body := api.NewOptSpaceCreate(api.SpaceCreate{Title: api.NewOptString("Manual")})
	params := api.CreateSpaceParams{OrganizationId: a.organization, IdempotencyKey: api.NewOptString("space-1")}
	space := answer[*api.SpaceHeaders](a, "create a space", http.StatusCreated)(a.client.CreateSpace(a.ctx, body, params))
	repeated := answer[*api.SpaceHeaders](a, "repeat with the same key", http.StatusCreated)(a.client.CreateSpace(a.ctx, body, params))
	a.space = space.Response.ID
	a.Equal("the repeated space", repeated.Response.ID, a.space)
	a.Equal("Idempotency-Replayed", repeated.IdempotencyReplayed.Or(""), "true")
	a.Value("visibility", string(space.Response.Visibility), "private")
}

// Patch sets and removes members of the space and asks whether it has changed.
func (a *author) Patch() {
	params := api.UpdateSpaceByIdParams{SpaceId: a.space}
	changed := answer[*api.UpdateSpaceByIdOKHeaders](a, "set members", http.StatusOK)(a.client.UpdateSpaceById(a.ctx, &api.SpacePatch{
		Emoji: api.NewOptNilString("💧"), Language: api.NewOptNilLanguageInput(api.LanguageInputFr),
	}, params))
	a.Equal("emoji", changed.Response.Emoji, "💧")
	a.Value("language", string(changed.Response.Language.Or("")), "fr")
	null := &api.SpacePatch{}
	null.Emoji.SetToNull()
	null.Language.SetToNull()
	changed = answer[*api.UpdateSpaceByIdOKHeaders](a, "null in a patch", http.StatusOK)(a.client.UpdateSpaceById(a.ctx, null, params))
	a.Equal("emoji", changed.Response.Emoji, "📘")
	a.True("the language is removed", !changed.Response.Language.Set)
	space := answer[*api.GetSpaceByIdOKHeaders](a, "get the space", http.StatusOK)(
		a.client.GetSpaceById(a.ctx, api.GetSpaceByIdParams{SpaceId: a.space}))
	answer[*api.GetSpaceByIdNotModified](a, "get the space unless it has changed", http.StatusNotModified)(
		a.client.GetSpaceById(a.ctx, api.GetSpaceByIdParams{SpaceId: a.space, IfNoneMatch: space.ETag}))
}

// Refusals makes requests that are refused.
func (a *author) Refusals() {
	stale := answer[*api.PreconditionFailedResponseHeaders](a, "change an earlier version", http.StatusPreconditionFailed)(
		a.client.UpdateSpaceById(a.ctx, &api.SpacePatch{Title: api.NewOptString("Guide")},
			api.UpdateSpaceByIdParams{SpaceId: a.space, IfMatch: api.NewOptString(`"earlier"`)}))
	a.Value("reason", string(stale.Response.Error.Reason), "precondition")
	invalid := answer[*api.UnprocessableContentResponseHeaders](a, "a title that is too short", http.StatusUnprocessableEntity)(
		a.client.CreateOrganization(a.ctx, &api.OrganizationCreate{Title: "P"}, api.CreateOrganizationParams{}))
	a.True("the violation is named", len(invalid.Response.Error.Fields) == 1)
	absent := answer[*api.NotFoundResponseHeaders](a, "a space that is not there", http.StatusNotFound)(
		a.client.GetSpaceById(a.ctx, api.GetSpaceByIdParams{SpaceId: "absent"}))
	a.Value("reason", string(absent.Response.Error.Reason), "not_found")
}

// create creates a change request and returns its id.
func (a *author) create(subject string) string {
	created := answer[*api.ChangeRequestHeaders](a, "create a change request", http.StatusCreated)(
		a.client.CreateChangeRequest(a.ctx, api.NewOptChangeRequestCreate(api.ChangeRequestCreate{
			Subject:     api.NewOptString(subject),
			Description: api.NewOptChangeRequestCreateDescription(api.NewStringChangeRequestCreateDescription("Why.")),
		}), api.CreateChangeRequestParams{SpaceId: a.space}))
	a.Value("status", string(created.Response.Status), "draft")
	a.Equal("description", created.Response.DescriptionMarkdown.Or(""), "Why.")
	return created.Response.ID
}

// change applies a content operation and returns its result, which is a ChangeRequest with compat and otherwise a ContentResult.
func (a *author) change(request string, compat bool, change api.ContentChange) api.UpdateChangeRequestContentOK {
	return answer[*api.UpdateChangeRequestContentOKHeaders](a, "change the content", http.StatusOK)(
		a.client.UpdateChangeRequestContent(a.ctx, &api.ContentEdit{Changes: []api.ContentChange{change}},
			api.UpdateChangeRequestContentParams{SpaceId: a.space, ChangeRequestId: request, Compat: api.NewOptBool(compat)})).Response
}

func document(markdown string) api.OptDocument {
	return api.NewOptDocument(api.Document{Markdown: api.NewOptString(markdown)})
}

// Write writes a page in a change request, reads it in all formats, and returns the change request.
func (a *author) Write() string {
	request := a.create("Write about the pump")
	inserted, ok := a.change(request, false, api.ContentChange{
		Operation: api.ContentOperationInsertPage, Title: api.NewOptString("Pump"), Document: document("Nothing.\n"),
	}).GetContentResult()
	a.True("the answer is a ContentResult with a page", ok && len(inserted.Changes) == 1 && inserted.Changes[0].Page.Set)
	a.Value("effect", string(inserted.Changes[0].Object), "created_page")
	a.page = inserted.Changes[0].Page.Value.ID
	updated, ok := a.change(request, true, api.ContentChange{
		Operation: api.ContentOperationUpdatePage, Page: api.NewOptString(a.page), Document: document(story.Before),
	}).GetChangeRequest()
	a.True("the answer is the ChangeRequest", ok && updated.ID == request)
	read := func(name string, format api.OptFormat) api.RevisionPage {
		return answer[*api.RevisionPageHeaders](a, name, http.StatusOK)(a.client.GetPageInChangeRequestById(a.ctx,
			api.GetPageInChangeRequestByIdParams{SpaceId: a.space, ChangeRequestId: request, PageId: a.page, Format: format})).Response
	}
	page := read("page without its text", api.OptFormat{})
	a.True("there is no text", !page.Markdown.Set && !page.Document.Set)
	a.Equal("title", page.Title, "Pump")
	page = read("page as Markdown", api.NewOptFormat(api.FormatMarkdown))
	a.Equal("text", page.Markdown.Or(""), story.Before)
	page = read("page as a document", api.NewOptFormat(api.FormatDocument))
	a.True("the document has a node", len(page.Document.Value.Nodes) == 1)
	return request
}

// Review opens a change request, comments on it, replies and approves it.
func (a *author) Review(request string) {
	opened := answer[*api.UpdateChangeRequestByIdOKHeaders](a, "open it, without the description", http.StatusOK)(
		a.client.UpdateChangeRequestById(a.ctx, &api.ChangeRequestPatch{
			Status:      api.NewOptChangeRequestPatchStatus(api.ChangeRequestPatchStatusOpen),
			Description: api.NewOptChangeRequestPatchDescription(api.NewNullChangeRequestPatchDescription(struct{}{})),
		}, api.UpdateChangeRequestByIdParams{SpaceId: a.space, ChangeRequestId: request}))
	a.Value("status", string(opened.Response.Status), "open")
	a.True("the description is removed", !opened.Response.DescriptionMarkdown.Set)
	text := api.CommentBody{Markdown: api.NewOptString("Is it 40?")}
	comment := answer[*api.CommentHeaders](a, "comment", http.StatusOK)(
		a.client.PostCommentInChangeRequest(a.ctx, &api.CommentCreate{Body: text, Page: api.NewOptString(a.page)},
			api.PostCommentInChangeRequestParams{SpaceId: a.space, ChangeRequestId: request}))
	answer[*api.CommentReplyHeaders](a, "reply", http.StatusOK)(
		a.client.PostCommentReplyInChangeRequest(a.ctx, &api.ReplyCreate{Body: text}, api.PostCommentReplyInChangeRequestParams{
			SpaceId: a.space, ChangeRequestId: request, CommentId: comment.Response.ID,
		}))
	review := answer[*api.ReviewHeaders](a, "review", http.StatusCreated)(
		a.client.SubmitChangeRequestReview(a.ctx, &api.ReviewCreate{Status: api.ReviewStatusApproved},
			api.SubmitChangeRequestReviewParams{SpaceId: a.space, ChangeRequestId: request}))
	a.Equal("review", string(review.Response.Status), "approved")
}

// Merge merges a change request that has no conflicts.
func (a *author) Merge(request string) {
	result := a.mergeWith(request, api.OptMerge{})
	a.Value("result", string(result.Result), "merge")
}

func (a *author) mergeWith(request string, body api.OptMerge) api.MergeResult {
	return answer[*api.MergeResultHeaders](a, "merge", http.StatusOK)(
		a.client.MergeChangeRequest(a.ctx, body, api.MergeChangeRequestParams{SpaceId: a.space, ChangeRequestId: request})).Response
}

// Conflict changes the text of the page in two change requests, merges both, and resolves the conflict of the second.
func (a *author) Conflict() {
	first, second := a.create("50 Hz"), a.create("60 Hz")
	for request, text := range map[string]string{first: story.First, second: story.Second} {
		a.change(request, true, api.ContentChange{
			Operation: api.ContentOperationUpdatePage, Page: api.NewOptString(a.page), Document: document(text),
		})
	}
	a.Merge(first)
	result := a.mergeWith(second, api.OptMerge{})
	a.Value("result", string(result.Result), "conflicts")
	a.True("there is one conflict", len(result.Conflicts) == 1)
	result = a.mergeWith(second, api.NewOptMerge(api.Merge{
		Resolutions: []api.Resolution{{Conflict: result.Conflicts[0].ID, Take: api.ResolutionTakeInputOurs}},
	}))
	a.Value("result", string(result.Result), "merge")
}

// List lists the merged change requests to the end, one at a time.
func (a *author) List() {
	params, found := api.ListChangeRequestsForSpaceParams{
		SpaceId: a.space, Limit: api.NewOptInt(1), Status: api.NewOptChangeRequestStatusInput(api.ChangeRequestStatusInputMerged),
	}, 0
	for {
		page := answer[*api.PageOfChangeRequestHeaders](a, "list change requests", http.StatusOK)(
			a.client.ListChangeRequestsForSpace(a.ctx, params)).Response
		found += len(page.Items)
		if !page.Next.Set {
			break
		}
		params.Page = api.NewOptString(page.Next.Value.Page)
	}
	a.True("the list has three change requests", found == 3)
}
