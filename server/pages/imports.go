package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/server/fetch"
	"docspace.dev/wsd/server/importer"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/sortkey"
)

// importContent imports into a space that may be edited live.
func (s *Service) importContent(ctx context.Context, c *rest.Call, in api.ImportInput) (rest.Result[api.ImportResult], error) {
	if err := s.liveEditable(ctx, c, in.Space); err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	org := c.Org
	return s.runImport(ctx, c, revision.Target{Space: in.Space}, in.Body, func(tx *store.Tx) error {
		space, err := tx.Space(org, in.Space)
		if err != nil || space.Version == 0 {
			return rest.Missing(err)
		}
		return unlocked(space)
	})
}

// runImport fetches once and commits on the head of the moment: when somebody else moves it meanwhile, what was
// fetched is put on top of the new one. allowed is asked inside the transaction.
func (s *Service) runImport(ctx context.Context, c *rest.Call, at revision.Target, body api.Import, allowed func(*store.Tx) error) (none rest.Result[api.ImportResult], err error) {
	turn, err := s.Slow.BeginLarge(ctx, budgets.ImportStart)
	if err != nil {
		return none, err
	}
	defer turn.End()
	fetched, err := s.Importer.Import(ctx, importer.Request{
		URL: body.URL, Source: string(body.Source), NewID: s.IDs.New,
		Hold: func(ctx context.Context, bytes int64) error { return turn.UpTo(ctx, bytes*budgets.UnpackedFactor) },
	})
	if wrong, ok := errors.AsType[*importer.Error](err); ok {
		return none, api.InvalidField(wrong.Field, "%s", s.unfetched(wrong)).WithCause(err)
	}
	if err != nil {
		return none, fmt.Errorf("import: %w", err)
	}
	return rest.Replanned(func() (rest.Result[api.ImportResult], error) {
		plan, err := s.planImport(ctx, c, at, fetched)
		if err != nil {
			return none, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.ImportResult], error) {
			if err := allowed(tx); err != nil {
				return none, err
			}
			return s.commitImport(ctx, c, tx, at, plan)
		})
	})
}

// importPlan is an import that was fetched and waits for its commit.
type importPlan struct {
	draft    *revision.Worktree
	imported importer.Result
}

// liveEditable refuses live writes to a locked space.
func (s *Service) liveEditable(ctx context.Context, c *rest.Call, space string) error {
	b := s.Store.Pipeline()
	record := b.Record(store.SpaceKey(c.Org, space))
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read space: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return rest.Missing(err)
	}
	var d store.SpaceDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	return unlocked(d)
}

func unlocked(d store.SpaceDocument) error {
	if d.Fields.EditMode == api.EditLive {
		return nil
	}
	return api.Errorf(http.StatusConflict, api.ReasonSpaceLocked, "The space is locked: it changes through change requests only.").
		WithHint("Import into a change request, or set editMode to live.")
}

// planImport builds the next revision: the head of the moment with what was fetched below the root.
func (s *Service) planImport(ctx context.Context, c *rest.Call, at revision.Target, fetched importer.Result) (importPlan, error) {
	head, err := s.Revisions.ReadHead(ctx, c, at)
	if err != nil {
		return importPlan{}, err
	}
	d, err := s.Revisions.OpenWorktree(ctx, at.Space, head)
	if err != nil {
		return importPlan{}, err
	}
	fetched.Notes = slices.Clone(fetched.Notes)
	add := importing{draft: d, source: s.IDs.New(sourcePrefix), now: api.At(s.Clock()), result: &fetched}
	if err := add.pages(ctx, "", fetched.Pages); err != nil {
		return importPlan{}, err
	}
	for _, f := range fetched.Files {
		if err := ctx.Err(); err != nil {
			return importPlan{}, err
		}
		file := d.AddFile(f.ID, api.CleanLine(f.Name), f.ContentType, f.Data)
		file.Origin = add.origin(f.Path, f.Data)
	}
	return importPlan{draft: d, imported: fetched}, d.Check("url")
}

// importing adds the pages of an import to a draft, below the root.
type importing struct {
	draft  *revision.Worktree
	source string // id
	now    api.Time
	result *importer.Result
}

func (i *importing) pages(ctx context.Context, parent string, pages []*importer.Page) error {
	orders, err := i.orders(parent, len(pages))
	if err != nil {
		return err
	}
	for n, source := range pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &revision.Page{
			ID: source.ID, Parent: parent, Order: orders[n], Type: api.PageDocument, Title: i.line(source, "title", source.Title),
			Description: i.line(source, "description", source.Description), Emoji: api.CleanLine(source.Emoji), CreatedAt: i.now, UpdatedAt: i.now,
			Slug: i.draft.FreeSlug(parent, source.ID, source.Slug), Origin: i.origin(source.Path, source.Markdown),
		}
		if source.Group {
			p.Type, p.Description = api.PageGroup, ""
		} else if err := i.text(ctx, p, source); err != nil {
			return err
		}
		i.draft.Put(p)
		if err := i.pages(ctx, p.ID, source.Children); err != nil {
			return err
		}
	}
	return nil
}

// sourcePrefix begins the ids of sources.
const sourcePrefix = "src_"

// origin says of what came from the source where it lies there.
func (i *importing) origin(at string, data []byte) *revision.Origin {
	return &revision.Origin{Source: i.source, Path: norm.NFC.String(at), OID: revision.BlobID(data), At: i.now}
}

// line is a text of one line as it is kept. What is taken out of it is said.
func (i *importing) line(source *importer.Page, what, text string) string {
	clean := api.CleanLine(text)
	if clean != text {
		i.result.Notes = append(i.result.Notes, fmt.Sprintf("%s: characters that change how other texts are shown were taken out of its %s", source.Source, what))
	}
	return clean
}

// orders are the order keys of n new pages behind the children that are there.
func (i *importing) orders(parent string, n int) ([]string, error) {
	if len(i.draft.Tree.Children(parent)) == 0 {
		return sortkey.Spread(n), nil
	}
	last, err := i.draft.Order(parent, "", -1)
	orders := make([]string, n)
	for k := range orders {
		if err != nil {
			return nil, fmt.Errorf("order of imported pages: %w", err)
		}
		orders[k] = last
		last, err = sortkey.Between(last, "")
	}
	return orders, err
}

// text sets the text of an imported page. A text that cannot be a page's does not stop the import: the page comes
// in without it, and that is said.
func (i *importing) text(ctx context.Context, p *revision.Page, source *importer.Page) error {
	err := i.draft.SetMarkdown(ctx, p, source.Markdown, "url")
	if e, ok := api.AsError(err); ok {
		i.result.Imported--
		i.result.Notes = append(i.result.Notes, fmt.Sprintf("%s came in without its text: %s", source.Source, e.Message))
		return nil
	}
	p.Origin.Text, p.Origin.Blocks = p.Text, p.Blocks
	if p.Title == p.Derived {
		p.Title = "" // the text says it
	}
	return err
}

// unfetched is what was wrong with an import; of a long address it says the beginning.
func (s *Service) unfetched(wrong *importer.Error) string {
	if failed, ok := errors.AsType[*fetch.Error](wrong.Err); ok {
		return strings.ReplaceAll(wrong.Message, failed.URL, api.Shorten(failed.URL, int(s.Budgets.Echo)))
	}
	return wrong.Message
}

func (s *Service) commitImport(ctx context.Context, c *rest.Call, tx *store.Tx, at revision.Target, plan importPlan) (rest.Result[api.ImportResult], error) {
	from := plan.draft.From
	if err := revision.AtHead(tx, c.Org, at, from); err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	head, err := s.Revisions.CommitWorktree(ctx, c, tx, at, plan.draft, revision.Revision{Type: api.RevisionEdits, Parents: []string{from.Revision}})
	if err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	r, err := rest.Value(api.ImportResult{
		Revision: head.Revision, ImportedResources: plan.imported.Imported, TotalResources: plan.imported.Total,
		Notes: plan.imported.Notes,
	})
	return r.Created(head.Revision, s.View.PlaceURL(at)+"/content"), err
}
