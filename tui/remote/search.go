package remote

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Finder contains the operations for search, history and links. It is part of Client.
type Finder interface {
	// Search returns the pages of an organization or, if space is set, of a space that contain words, grouped by
	// space.
	Search(ctx context.Context, organization, space, words string) ([]api.SpaceHit, error)
	// RequestsBy returns the open change requests of a user in all spaces of an organization.
	RequestsBy(ctx context.Context, organization, user string) ([]api.ChangeRequest, error)
	Members(ctx context.Context, organization string) ([]api.Member, error)

	// History returns the revisions of a space, newest first. If page is set, it returns only those that changed the
	// page.
	History(ctx context.Context, space, page string) ([]api.HistoryEntry, error)
	// Recent returns the newest revisions of a space, as many as fit a screen.
	Recent(ctx context.Context, space string) ([]api.HistoryEntry, error)
	// Compare returns what differs between two revisions of a space or its change requests, in one page if page is not empty.
	Compare(ctx context.Context, space, older, newer, page string) (api.ContentDiff, error)
	// PageAt returns a page as of a revision, with its Markdown and blocks.
	PageAt(ctx context.Context, space, revision, page string) (api.RevisionPage, error)
	// Blame returns the blocks of a page with the authors of their text.
	Blame(ctx context.Context, space, page string) ([]api.BlamedBlock, error)
	// SpaceLinks returns all links of a space.
	SpaceLinks(ctx context.Context, space string) ([]api.Link, error)
}
