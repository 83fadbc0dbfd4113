package search

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
)

// indexPass updates the index of a space to one goal.
type indexPass struct {
	*Service
	org        string
	content    *objects.Content
	view       *reader.View // at the goal
	indexer    *postings.Indexer
	reader     terms.Reader
	titleWords []string // words of the title, added to the directory with those of the pages
}

// run indexes the pages whose index entries may be outdated.
func (p *indexPass) run(ctx context.Context, goal postings.State) error {
	ids, err := p.changedPages(ctx, goal)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(ids, indexChunk) {
		changes, err := p.changes(ctx, chunk)
		if err != nil {
			return err
		}
		if p.indexer.Add(changes) {
			if err := p.flush(ctx); err != nil {
				return err
			}
		}
	}
	return p.flush(ctx)
}

// flush writes the pending changes. The directory is updated first, so that it contains the space whenever the index
// contains a word.
func (p *indexPass) flush(ctx context.Context) error {
	words, err := p.indexer.NewWords(ctx)
	if err != nil {
		return err
	}
	if words = append(words, p.titleWords...); len(words) > 0 {
		if err := p.addToDirectory(ctx, p.org, p.content.Space(), words, directoryTerms(words, p.reader.TermOf)); err != nil {
			return err
		}
	}
	p.titleWords = nil
	return p.indexer.Flush(ctx)
}

// changedPages lists the pages whose index entries may differ from what readers see.
func (p *indexPass) changedPages(ctx context.Context, goal postings.State) ([]string, error) {
	ids := map[string]bool{}
	for _, from := range goal.From {
		err := p.addChangedPages(ctx, from, ids)
		_, unreadable := objects.AsUnreadable(err)
		if from == "" || unreadable || errors.Is(err, objects.ErrMissing) { // the indexed revision was deleted or damaged
			return p.allPages(), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(ids)), nil
}

// addChangedPages adds the pages whose text may differ from that in another revision.
func (p *indexPass) addChangedPages(ctx context.Context, from string, ids map[string]bool) error {
	if from == "" {
		return nil
	}
	was, err := p.Revisions.Revision(ctx, p.content, from)
	if err != nil {
		return err
	}
	now := p.view.Revision
	differs, err := p.content.Diff(ctx, was.Pages, now.Pages)
	if err != nil {
		return fmt.Errorf("compare pages: %w", err)
	}
	made := !maps.Equal(was.Specs, now.Specs)
	for id := range differs {
		ids[id] = true
		page := p.view.Tree.Page(id)
		made = made || page == nil || page.Type == api.PageComputed || slices.ContainsFunc(p.view.Tree.Children(id), p.view.IsGenerated)
	}
	if made {
		p.addComputedPages(ids)
	}
	if was.Reusables == now.Reusables && maps.Equal(was.Variables, now.Variables) {
		return nil
	}
	named, err := p.view.PagesWithExpressions(ctx)
	for id := range named {
		ids[id] = true
	}
	return err
}

// addComputedPages adds the computed pages and those in the index.
func (p *indexPass) addComputedPages(ids map[string]bool) {
	for id := range p.view.Generated() {
		ids[id] = true
	}
	for _, id := range p.indexer.Pages() {
		if _, _, made := reader.OwnerOf(id); made {
			ids[id] = true
		}
	}
}

// allPages lists the pages of the view and those in the index.
func (p *indexPass) allPages() []string {
	ids := append(p.indexer.Pages(), p.view.Tree.Subtree("")[1:]...)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// changes reads pages and returns the changes of their index entries. Unchanged pages are left out.
func (p *indexPass) changes(ctx context.Context, ids []string) ([]postings.Change, error) {
	var changes []postings.Change
	var searched []*revision.Page
	for _, id := range ids {
		page := p.view.Tree.Page(id)
		if isIndexed(page) {
			searched = append(searched, page)
		} else if p.indexer.Fingerprint(id) != "" {
			changes = append(changes, postings.Change{Page: id})
		}
	}
	named, err := p.view.PagesWithExpressions(ctx, ids...)
	if err != nil {
		return nil, err
	}
	searched = slices.DeleteFunc(searched, func(page *revision.Page) bool { // none of their replacements can have changed
		return !named[page.ID] && !p.view.IsGenerated(page.ID) && fingerprint(page, page.Text) == p.indexer.Fingerprint(page.ID)
	})
	texts, err := p.view.Markdowns(ctx, searched...)
	if err != nil {
		return nil, err
	}
	for _, page := range searched {
		text := page.Text
		if named[page.ID] || p.view.IsGenerated(page.ID) {
			text = objects.Hash(texts[page.ID])
		}
		change := postings.Change{Page: page.ID, Fingerprint: fingerprint(page, text)}
		if change.Fingerprint != p.indexer.Fingerprint(page.ID) {
			p.read(&change, page, texts[page.ID])
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// read sets the words, terms and sections of a change from the text of a page.
func (p *indexPass) read(change *postings.Change, page *revision.Page, markdown []byte) {
	sections := content.Sections(markdown)
	asked := terms.Page{Title: page.Name(), Aliases: []string{page.DerivedTitle, page.Slug}, Description: page.Description}
	for _, section := range sections {
		asked.Sections = append(asked.Sections, terms.Section{Title: section.Title, Text: section.Text})
	}
	document := p.reader.Read(asked)
	change.Words, change.Info = document.Words, document.Lengths.Pack()
	change.Terms = make([]postings.Occurrence, len(document.Postings))
	for i, has := range document.Postings {
		change.Terms[i] = postings.Occurrence{Term: has.Term, Value: has.Pack(), Sections: has.Sections}
	}
	change.Sections = encodeSections(markdown, distinctSections(sections))
}

// isIndexed reports whether a page is indexed: it is a document and indexing is not disabled.
func isIndexed(p *revision.Page) bool { return p != nil && p.Type == api.PageDocument && !p.NoIndex }

// fingerprint returns the fingerprint of the indexed parts of a page; text is the hash of its text.
func fingerprint(p *revision.Page, text string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Name(), p.DerivedTitle, p.Slug, p.Description, text}, "\x00")))
	return string(sum[:postings.FingerprintSize])
}
