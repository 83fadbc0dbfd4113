package screen

import (
	"context"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// CreateRequest implements remote.Author.
func (s server) CreateRequest(ctx context.Context, space, subject, key string) (api.ChangeRequest, error) {
	in := api.CreateChangeRequestInput{Space: space, Body: api.ChangeRequestCreate{Subject: subject}}
	return s.c.ChangeRequests.Create(ctx, in, client.IdempotencyKey(key))
}

// UpdateRequest implements remote.Author.
func (s server) UpdateRequest(ctx context.Context, at remote.Target, patch api.ChangeRequestPatch, key string) error {
	_, err := s.c.ChangeRequests.Update(ctx, api.UpdateChangeRequestInput{ChangeRequestRef: requestRef(at), Body: patch},
		client.IdempotencyKey(key))
	return err
}

// AskForReview implements remote.Author.
func (s server) AskForReview(ctx context.Context, at remote.Target, user, key string) error {
	in := api.RequestReviewInput{ChangeRequestRef: requestRef(at), Body: api.ReviewRequest{Users: []string{user}}}
	_, err := s.c.ChangeRequests.RequestReview(ctx, in, client.IdempotencyKey(key))
	return err
}

// Permitted implements remote.Author.
func (s server) Permitted(ctx context.Context, space string) ([]api.UserPermission, error) {
	return readAll(ctx, s.c.SpacePermissions.List, api.ListSpacePermissionsInput{
		SpaceRef: api.SpaceRef{Space: space}, ListOptions: maxPage(),
	})
}

// PageText implements remote.Author: the version is the ETag of the content.
func (s server) PageText(ctx context.Context, at remote.Target, page string) (text, version string, err error) {
	var response client.Response
	var found api.RevisionPage
	if at.ChangeRequest == "" {
		found, err = s.c.Content.GetPage(ctx, api.PageInput{Space: at.Space, Page: page, PageOptions: markdownOptions()},
			client.Capture(&response))
	} else {
		in := api.ChangeRequestPageInput{ChangeRequestRef: requestRef(at), Page: page, PageOptions: markdownOptions()}
		found, err = s.c.ChangeRequestContent.GetPage(ctx, in, client.Capture(&response))
	}
	if err != nil || found.Markdown == nil {
		return "", "", err
	}
	return *found.Markdown, response.ETag(), nil
}

// EvaluatedText implements remote.Author.
func (s server) EvaluatedText(ctx context.Context, at remote.Target, page string) (string, error) {
	options := markdownOptions()
	options.Evaluated = api.EvaluateAll
	in := api.ChangeRequestPageInput{ChangeRequestRef: requestRef(at), Page: page, PageOptions: options}
	found, err := s.c.ChangeRequestContent.GetPage(ctx, in)
	if err != nil || found.Markdown == nil {
		return "", err
	}
	return *found.Markdown, nil
}

// Edit implements remote.Author.
func (s server) Edit(ctx context.Context, at remote.Target, changes []api.ContentChange, version, key string) error {
	options := []client.CallOption{client.IdempotencyKey(key)}
	if version != "" {
		options = append(options, client.IfMatch(version))
	}
	_, err := s.c.ChangeRequestContent.Edit(ctx, api.EditContentInput{
		ChangeRequestRef: requestRef(at), Body: api.ContentEdit{Changes: changes},
	}, options...)
	return err
}
