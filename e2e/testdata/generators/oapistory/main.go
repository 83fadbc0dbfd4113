// Command oapistory writes, reviews and merges pages with the client that oapi-codegen generates.
package main

import (
	"context"
	"log"
	"net/http"

	"github.com/oapi-codegen/nullable"

	api "docspace.dev/wsd/e2e/testdata/generators/oapi"
	"docspace.dev/wsd/e2e/testdata/generators/story"
)

// author makes the calls of the story and keeps what later ones need.
type author struct {
	*story.Story

	ctx                       context.Context
	client                    *api.ClientWithResponses
	organization, space, page string // ids
}

func main() {
	a := &author{Story: story.New(), ctx: context.Background()}
	client, err := api.NewClientWithResponses(a.URL, api.WithHTTPClient(a.Client()), api.WithRequestEditorFn(a.authorize))
	if err != nil {
		log.Fatal(err)
	}
	a.client = client
	a.Run(a)
}

func (a *author) authorize(_ context.Context, r *http.Request) error {
	r.Header.Set("Authorization", "Bearer "+a.Token)
	return nil
}

// answer returns a function that takes the results of a call and returns its answer.
func answer[T any](a *author, name string, status int) func(result T, err error) T {
	return func(result T, err error) T {
		a.Check(name, status, err)
		return result
	}
}

// value returns what p points to, or the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Begin signs in and creates an organization and a space, the latter by a request that is repeated.
func (a *author) Begin() {
	user := answer[*api.GetAuthenticatedUserResponse](a, "sign in", http.StatusOK)(a.client.GetAuthenticatedUserWithResponse(a.ctx, nil))
	a.True("the user has an id", user.JSON200.Id != "")
	organization := answer[*api.CreateOrganizationResponse](a, "create an organization", http.StatusCreated)(
		a.client.CreateOrganizationWithResponse(a.ctx, nil, api.OrganizationCreate{Title: "Pumps"}))
	a.organization = organization.JSON201.Id
	body, params := api.SpaceCreate{Title: new("Manual")}, &api.CreateSpaceParams{IdempotencyKey: new("space-1")}
	space := answer[*api.CreateSpaceResponse](a, "create a space", http.StatusCreated)(
		a.client.CreateSpaceWithResponse(a.ctx, a.organization, params, body))
	repeated := answer[*api.CreateSpaceResponse](a, "repeat with the same key", http.StatusCreated)(
		a.client.CreateSpaceWithResponse(a.ctx, a.organization, params, body))
	a.space = space.JSON201.Id
	a.Equal("the repeated space", repeated.JSON201.Id, a.space)
	a.Equal("Idempotency-Replayed", value(repeated.Headers201.IdempotencyReplayed), "true")
	a.Value("visibility", space.JSON201.Visibility, "private")
}

// Patch sets and removes members of the space and asks whether it has changed.
func (a *author) Patch() {
	changed := answer[*api.UpdateSpaceByIdResponse](a, "set members", http.StatusOK)(
		a.client.UpdateSpaceByIdWithResponse(a.ctx, a.space, nil, api.SpacePatch{
			Emoji: nullable.NewNullableWithValue("💧"), Language: nullable.NewNullableWithValue(api.LanguageInputFr),
		}))
	a.Equal("emoji", changed.JSON200.Emoji, "💧")
	a.Value("language", value(changed.JSON200.Language), "fr")
	changed = answer[*api.UpdateSpaceByIdResponse](a, "null in a patch", http.StatusOK)(
		a.client.UpdateSpaceByIdWithResponse(a.ctx, a.space, nil, api.SpacePatch{
			Emoji: nullable.NewNullNullable[string](), Language: nullable.NewNullNullable[api.LanguageInput](),
		}))
	a.Equal("emoji", changed.JSON200.Emoji, "📘")
	a.True("the language is removed", changed.JSON200.Language == nil)
	space := answer[*api.GetSpaceByIdResponse](a, "get the space", http.StatusOK)(
		a.client.GetSpaceByIdWithResponse(a.ctx, a.space, nil))
	answer[*api.GetSpaceByIdResponse](a, "get the space unless it has changed", http.StatusNotModified)(
		a.client.GetSpaceByIdWithResponse(a.ctx, a.space, &api.GetSpaceByIdParams{IfNoneMatch: space.Headers200.ETag}))
}

// Refusals makes requests that are refused.
func (a *author) Refusals() {
	stale := answer[*api.UpdateSpaceByIdResponse](a, "change an earlier version", http.StatusPreconditionFailed)(
		a.client.UpdateSpaceByIdWithResponse(a.ctx, a.space, &api.UpdateSpaceByIdParams{IfMatch: new(`"earlier"`)},
			api.SpacePatch{Title: new("Guide")}))
	a.Value("reason", stale.JSON412.Error.Reason, "precondition")
	invalid := answer[*api.CreateOrganizationResponse](a, "a title that is too short", http.StatusUnprocessableEntity)(
		a.client.CreateOrganizationWithResponse(a.ctx, nil, api.OrganizationCreate{Title: "P"}))
	a.True("the violation is named", len(value(invalid.JSON422.Error.Fields)) == 1)
	absent := answer[*api.GetSpaceByIdResponse](a, "a space that is not there", http.StatusNotFound)(
		a.client.GetSpaceByIdWithResponse(a.ctx, "absent", nil))
	a.Value("reason", absent.JSON404.Error.Reason, "not_found")
}

// create creates a change request and returns its id.
func (a *author) create(subject string) string {
	var description api.ChangeRequestCreate_Description
	if err := description.FromChangeRequestCreateDescription0("Why."); err != nil {
		log.Fatal(err)
	}
	created := answer[*api.CreateChangeRequestResponse](a, "create a change request", http.StatusCreated)(
		a.client.CreateChangeRequestWithResponse(a.ctx, a.space, nil, api.ChangeRequestCreate{
			Subject: &subject, Description: nullable.NewNullableWithValue(description),
		}))
	a.Value("status", created.JSON201.Status, "draft")
	a.Equal("description", value(created.JSON201.DescriptionMarkdown), "Why.")
	return created.JSON201.Id
}

// change applies a content operation and returns its result: a ChangeRequest with compat, otherwise a ContentResult.
func (a *author) change(request string, compat bool, change api.ContentChange) any {
	changed := answer[*api.UpdateChangeRequestContentResponse](a, "change the content", http.StatusOK)(
		a.client.UpdateChangeRequestContentWithResponse(a.ctx, a.space, request, &api.UpdateChangeRequestContentParams{Compat: &compat},
			api.ContentEdit{Changes: []api.ContentChange{change}}))
	result, err := changed.JSON200.ValueByDiscriminator()
	a.Check("the result of the change", http.StatusOK, err)
	return result
}

// Write writes a page in a change request, reads it in all formats, and returns the change request.
func (a *author) Write() string {
	request := a.create("Write about the pump")
	inserted, ok := a.change(request, false, api.ContentChange{
		Operation: api.InsertPage, Title: new("Pump"), Document: &api.Document{Markdown: new("Nothing.\n")},
	}).(api.ContentResult)
	a.True("the answer is a ContentResult with a page", ok && len(inserted.Changes) == 1 && inserted.Changes[0].Page != nil)
	a.Value("effect", inserted.Changes[0].Object, "created_page")
	a.page = inserted.Changes[0].Page.Id
	updated, ok := a.change(request, true, api.ContentChange{
		Operation: api.UpdatePage, Page: &a.page, Document: &api.Document{Markdown: new(story.Before)},
	}).(api.ChangeRequest)
	a.True("the answer is the ChangeRequest", ok && updated.Id == request)
	read := func(name string, format *api.Format) *api.RevisionPage {
		return answer[*api.GetPageInChangeRequestByIdResponse](a, name, http.StatusOK)(
			a.client.GetPageInChangeRequestByIdWithResponse(a.ctx, a.space, request, a.page,
				&api.GetPageInChangeRequestByIdParams{Format: format})).JSON200
	}
	page := read("page without its text", nil)
	a.True("there is no text", page.Markdown == nil && page.Document == nil)
	a.Equal("title", page.Title, "Pump")
	page = read("page as Markdown", new(api.FormatMarkdown))
	a.Equal("text", value(page.Markdown), story.Before)
	page = read("page as a document", new(api.FormatDocument))
	a.True("the document has a node", len(value(page.Document).Nodes) == 1)
	return request
}

// Review opens a change request, comments on it, replies and approves it.
func (a *author) Review(request string) {
	opened := answer[*api.UpdateChangeRequestByIdResponse](a, "open it, without the description", http.StatusOK)(
		a.client.UpdateChangeRequestByIdWithResponse(a.ctx, a.space, request, nil, api.ChangeRequestPatch{
			Status: new(api.ChangeRequestPatchStatusOpen), Description: nullable.NewNullNullable[api.ChangeRequestPatch_Description](),
		}))
	a.Value("status", opened.JSON200.Status, "open")
	a.True("the description is removed", opened.JSON200.DescriptionMarkdown == nil)
	text := api.CommentBody{Markdown: new("Is it 40?")}
	comment := answer[*api.PostCommentInChangeRequestResponse](a, "comment", http.StatusOK)(
		a.client.PostCommentInChangeRequestWithResponse(a.ctx, a.space, request, nil, api.CommentCreate{Body: text, Page: &a.page}))
	answer[*api.PostCommentReplyInChangeRequestResponse](a, "reply", http.StatusOK)(
		a.client.PostCommentReplyInChangeRequestWithResponse(a.ctx, a.space, request, comment.JSON200.Id, nil, api.ReplyCreate{Body: text}))
	review := answer[*api.SubmitChangeRequestReviewResponse](a, "review", http.StatusCreated)(
		a.client.SubmitChangeRequestReviewWithResponse(a.ctx, a.space, request, nil, api.ReviewCreate{Status: api.Approved}))
	a.Equal("review", string(review.JSON201.Status), "approved")
}

// Merge merges a change request that has no conflicts.
func (a *author) Merge(request string) {
	result := a.mergeWith(request, api.Merge{})
	a.Value("result", result.Result, "merge")
}

func (a *author) mergeWith(request string, body api.Merge) *api.MergeResult {
	return answer[*api.MergeChangeRequestResponse](a, "merge", http.StatusOK)(
		a.client.MergeChangeRequestWithResponse(a.ctx, a.space, request, nil, body)).JSON200
}

// Conflict changes the text of the page in two change requests, merges both, and resolves the conflict of the second.
func (a *author) Conflict() {
	first, second := a.create("50 Hz"), a.create("60 Hz")
	for request, text := range map[string]string{first: story.First, second: story.Second} {
		a.change(request, true, api.ContentChange{
			Operation: api.UpdatePage, Page: &a.page, Document: &api.Document{Markdown: &text},
		})
	}
	a.Merge(first)
	result := a.mergeWith(second, api.Merge{})
	conflicts := value(result.Conflicts)
	a.Value("result", result.Result, "conflicts")
	a.True("there is one conflict", len(conflicts) == 1)
	result = a.mergeWith(second, api.Merge{Resolutions: &[]api.Resolution{{Conflict: conflicts[0].Id, Take: api.Ours}}})
	a.Value("result", result.Result, "merge")
}

// List lists the merged change requests to the end, one at a time.
func (a *author) List() {
	params, found := &api.ListChangeRequestsForSpaceParams{Limit: new(1), Status: new(api.ChangeRequestStatusInputMerged)}, 0
	for {
		page := answer[*api.ListChangeRequestsForSpaceResponse](a, "list change requests", http.StatusOK)(
			a.client.ListChangeRequestsForSpaceWithResponse(a.ctx, a.space, params)).JSON200
		found += len(page.Items)
		if page.Next == nil {
			break
		}
		params.Page = &page.Next.Page
	}
	a.True("the list has three change requests", found == 3)
}
