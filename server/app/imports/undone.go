package imports

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/store/objects"
)

// Limits of the search for imports that others made.
const (
	maxUndoneDistance = 1000 // revisions
	maxUndoneImports  = 50
)

// earlierImport is an import of the source that somebody else made.
type earlierImport struct {
	author string
	at     api.Time
	before revision.Revision // the revision that it was made from; zero for none
}

// findUndone lists the pages that lose sentences which others brought in since the user's last import of the source: the content may
// be older than theirs. An import that names its base needs no such guess.
func (s *Service) findUndone(ctx context.Context, user string, u *update) error {
	var changed []*revision.Page
	for _, id := range u.draft.BaseTree.ReadingOrder("") {
		now, next := u.draft.BaseTree.Page(id), u.draft.Tree.Page(id)
		if was := u.last.pages[id]; was != nil && was.Text != "" && (next == nil || next.Text != now.Text) {
			changed = append(changed, now)
		}
	}
	if _, known := u.last.source(); !known || u.last.base != nil || len(changed) == 0 {
		return nil
	}
	imports, err := s.importsOfOthers(ctx, user, u)
	for i := 0; err == nil && i < len(imports); i++ {
		changed, err = u.listUndone(ctx, changed, imports[i])
	}
	if objects.IsLost(err) { // what was given up in a repair tells nothing
		err = nil
	}
	return err
}

// importsOfOthers returns the imports of the source since the last one of a user, newest first.
func (s *Service) importsOfOthers(ctx context.Context, user string, u *update) (found []earlierImport, err error) {
	var newer revision.Revision
	distance := 0
	check := func(r revision.Revision) (more bool, err error) {
		if newer.Sources == r.Sources {
			return true, nil
		}
		made, was, err := u.sourceIn(ctx, newer, r)
		if err != nil || made.ImportedAt == was.ImportedAt && made.Author == was.Author {
			return err == nil, err
		}
		if made.Author == user {
			return false, nil
		}
		found = append(found, earlierImport{made.Author, made.ImportedAt, r})
		return len(found) < maxUndoneImports, nil
	}
	more := true
	err = s.Revisions.VisitHistory(ctx, u.draft.Content, u.draft.BaseHead.Revision, func(r revision.HistoricalRevision) (bool, error) {
		if distance > 0 {
			if more, err = check(r.Revision); err != nil || !more {
				return false, err
			}
		}
		newer = r.Revision
		distance++
		return distance < maxUndoneDistance, nil
	})
	if err == nil && more && len(newer.Parents) == 0 {
		_, err = check(revision.Revision{})
	}
	return found, err
}

// sourceIn returns the record of the source in two revisions.
func (u *update) sourceIn(ctx context.Context, newer, older revision.Revision) (made, was revision.Source, err error) {
	after, err := revision.ReadSources(ctx, u.draft.Content, newer.Sources)
	if err != nil {
		return made, was, err
	}
	before, err := revision.ReadSources(ctx, u.draft.Content, older.Sources)
	return after.Sources[u.source.ID], before.Sources[u.source.ID], err
}

// listUndone lists those of the changed pages that lose sentences of an import, and returns the pages that the import did not change.
func (u *update) listUndone(ctx context.Context, changed []*revision.Page, by earlierImport) (rest []*revision.Page, err error) {
	var ids []string
	for _, p := range changed {
		ids = append(ids, p.ID)
	}
	entries, err := u.draft.Content.Get(ctx, by.before.Pages, ids...)
	if err != nil {
		return nil, fmt.Errorf("pages before an import: %w", err)
	}
	for _, p := range changed {
		was := &revision.Page{}
		if e, there := entries[p.ID]; there {
			if was, err = revision.DecodePage(p.ID, e); err != nil {
				return nil, err
			}
		}
		if was.Origin.EqualImportTime(p.Origin) {
			rest = append(rest, p)
			continue
		}
		loses, err := u.loses(ctx, was, p)
		if err != nil {
			return nil, err
		}
		switch {
		case !loses:
		case len(u.result.Undone) >= api.MaxUndonePages:
			u.result.UndoneMore++
		default:
			u.result.Undone = append(u.result.Undone, api.UndonePage{
				Page: p.ID, Title: p.Name(), Path: p.Origin.Path, By: by.author, At: by.at,
			})
		}
	}
	return rest, nil
}

// loses reports whether a page loses a sentence that an import added to it. was is the page before that import. A page that the import
// made loses its sentences only if it is taken out, because who has the page has seen them.
func (u *update) loses(ctx context.Context, was, now *revision.Page) (bool, error) {
	next := u.draft.Tree.Page(now.ID)
	if was.Origin == nil && next != nil {
		return false, nil
	}
	var before, after revision.Page
	if was.Origin != nil {
		before.Text, before.Blocks = was.Origin.Text, was.Origin.Blocks
	}
	if next != nil {
		after = *next
	}
	var texts [4][]string
	for i, hash := range [][2]string{
		{now.Origin.Text, now.Origin.Blocks}, {now.Text, now.Blocks}, {before.Text, before.Blocks}, {after.Text, after.Blocks},
	} {
		t, err := revision.ReadText(ctx, u.draft.Content, hash[0], hash[1])
		if err != nil {
			return false, fmt.Errorf("page %s: %w", now.ID, err)
		}
		for _, sentence := range merge.Sentences(string(t.Markdown)) {
			texts[i] = append(texts[i], strings.TrimSpace(sentence))
		}
	}
	return slices.ContainsFunc(texts[0], func(sentence string) bool {
		return sentence != "" && slices.Contains(texts[1], sentence) && !slices.Contains(texts[2], sentence) &&
			!slices.Contains(texts[3], sentence)
	}), nil
}
