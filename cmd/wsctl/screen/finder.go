package screen

import (
	"context"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// Search implements remote.Finder.
func (s server) Search(ctx context.Context, organization, space, words string) ([]api.SpaceHit, error) {
	if space == "" {
		found, err := s.c.Organizations.Search(ctx, api.SearchOrganizationInput{Organization: organization, Query: words})
		return found.Items, err
	}
	found, err := s.c.Spaces.Search(ctx, api.SearchSpaceInput{Space: space, Query: words})
	if err != nil || len(found.Items) == 0 {
		return nil, err
	}
	here, err := s.Space(ctx, space)
	return []api.SpaceHit{{ID: space, Title: here.Title, Pages: found.Items}}, err
}

// RequestsBy implements remote.Finder.
func (s server) RequestsBy(ctx context.Context, organization, user string) ([]api.ChangeRequest, error) {
	in := api.ListQueueInput{
		Organization: organization, ListOptions: maxPage(), ChangeRequestPeople: api.ChangeRequestPeople{Creator: user},
	}
	queued, err := readAll(ctx, s.c.ChangeRequests.ListQueue, in)
	requests := make([]api.ChangeRequest, len(queued))
	for i, q := range queued {
		requests[i] = q.ChangeRequest
	}
	return requests, err
}

// Members implements remote.Finder.
func (s server) Members(ctx context.Context, organization string) ([]api.Member, error) {
	return readAll(ctx, s.c.Members.List, api.ListMembersInput{Organization: organization, ListOptions: maxPage()})
}

// History implements remote.Finder.
func (s server) History(ctx context.Context, space, page string) ([]api.HistoryEntry, error) {
	if page == "" {
		return readAll(ctx, s.c.Spaces.ListRevisions, api.SpaceRevisionsInput{Space: space, ListOptions: maxPage()})
	}
	return readAll(ctx, s.c.Pages.ListRevisions, api.PageRevisionsInput{Space: space, Page: page, ListOptions: maxPage()})
}

// Recent implements remote.Finder.
func (s server) Recent(ctx context.Context, space string) ([]api.HistoryEntry, error) {
	const most = 20
	list, err := s.c.Spaces.ListRevisions(ctx, api.SpaceRevisionsInput{Space: space, ListOptions: api.ListOptions{Limit: api.Some(most)}})
	return list.Items, err
}

// PageAt implements remote.Finder.
func (s server) PageAt(ctx context.Context, space, revision, page string) (api.RevisionPage, error) {
	ref := api.RevisionRef{Space: space, Revision: revision}
	return s.c.Revisions.GetPage(ctx, api.RevisionPageInput{RevisionRef: ref, Page: page, PageOptions: markdownOptions()})
}

// Compare implements remote.Finder.
func (s server) Compare(ctx context.Context, space, older, newer, page string) (api.ContentDiff, error) {
	return s.c.Revisions.Diff(ctx, api.RevisionDiffInput{
		RevisionRef: api.RevisionRef{Space: space, Revision: newer}, BaseOptions: api.BaseOptions{Base: older},
		DiffOptions: api.DiffOptions{Page: page},
	})
}

// Blame implements remote.Finder.
func (s server) Blame(ctx context.Context, space, page string) ([]api.BlamedBlock, error) {
	blame, err := s.c.Pages.Blame(ctx, api.BlamePageInput{Space: space, Page: page})
	return blame.Blocks, err
}

// SpaceLinks implements remote.Finder.
func (s server) SpaceLinks(ctx context.Context, space string) ([]api.Link, error) {
	return readAllLinks(ctx, s.c.Spaces.ListLinks, api.ListLinksInput{Space: space, ListOptions: maxPage()})
}

// readAllLinks is like readAll for lists of links, whose result type has more members than an api.Page.
func readAllLinks[In any](
	ctx context.Context, list func(context.Context, In, ...client.CallOption) (api.LinkList, error), in In,
) ([]api.Link, error) {
	return readAll(ctx, func(ctx context.Context, in In, options ...client.CallOption) (api.Page[api.Link], error) {
		found, err := list(ctx, in, options...)
		return found.Page, err
	}, in)
}
