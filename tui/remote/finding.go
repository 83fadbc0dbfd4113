package remote

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Finder is what the screen needs of a server to find things, and what was before. Client has it.
type Finder interface {
	// Search returns the pages of an organization that have the words, by space; those of one space where one is given.
	Search(ctx context.Context, organization, space, words string) ([]api.SpaceHit, error)
	// RequestsBy returns the open change requests of a user, in all spaces of an organization.
	RequestsBy(ctx context.Context, organization, user string) ([]api.ChangeRequest, error)
	Members(ctx context.Context, organization string) ([]api.Member, error)

	// History returns the revisions of a space, newest first; those that changed a page where one is given.
	History(ctx context.Context, space, page string) ([]api.HistoryEntry, error)
	// Recent returns the newest revisions of a space, as many as a screen shows at once.
	Recent(ctx context.Context, space string) ([]api.HistoryEntry, error)
	// PageAt returns a page as it was in a revision, with its Markdown and its blocks.
	PageAt(ctx context.Context, space, revision, page string) (api.RevisionPage, error)
	// Blame returns the blocks of a page with who wrote their words.
	Blame(ctx context.Context, space, page string) ([]api.BlamedBlock, error)
	// SpaceLinks returns all links of a space.
	SpaceLinks(ctx context.Context, space string) ([]api.Link, error)
}
