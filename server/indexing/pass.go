package indexing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
)

// indexPass brings the index of a space to one goal.
type indexPass struct {
	*Service
	org       string
	content   *objects.Content
	tree      *revision.Tree // of the goal
	indexer   *postings.Indexer
	reader    search.Reader
	announced []string // words to announce beside those of the pages
}

// run indexes the pages that the index may have otherwise.
func (p *indexPass) run(ctx context.Context, goal postings.State) error {
	ids, err := p.differing(ctx, goal)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(ids, searchChunk) {
		changes, err := p.changes(ctx, chunk)
		if err != nil {
			return err
		}
		if p.indexer.Hold(changes) {
			if err := p.flush(ctx); err != nil {
				return err
			}
		}
	}
	return p.flush(ctx)
}

// flush writes what is held. The organization knows of it first: it finds the space whenever the space has a word.
func (p *indexPass) flush(ctx context.Context) error {
	words, err := p.indexer.NewWords(ctx)
	if err != nil {
		return err
	}
	if words = append(words, p.announced...); len(words) > 0 {
		if err := p.announce(ctx, p.org, p.content.Space(), words, directoryTerms(words, p.reader.TermOf)); err != nil {
			return err
		}
	}
	p.announced = nil
	return p.indexer.Flush(ctx)
}

// differing lists the pages that the index may have otherwise than the tree has them.
func (p *indexPass) differing(ctx context.Context, goal postings.State) ([]string, error) {
	ids := map[string]bool{}
	for _, root := range goal.From {
		differs, err := p.content.Diff(ctx, root, goal.Root)
		if root == "" || errors.Is(err, objects.ErrMissing) { // what the index came from was swept
			return p.everyPage(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("compare pages: %w", err)
		}
		for id := range differs {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids)), nil
}

// everyPage lists the pages of the tree and those that the index has.
func (p *indexPass) everyPage() []string {
	ids := append(p.indexer.Pages(), p.tree.Under("")[1:]...)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// changes reads pages and says what becomes of them in the index. Pages that it has as they are are left out.
func (p *indexPass) changes(ctx context.Context, ids []string) ([]postings.Change, error) {
	var changes []postings.Change
	var texts []string
	for _, id := range ids {
		change := postings.Change{Page: id}
		page := p.tree.Page(id)
		if isSearched(page) {
			change.Fingerprint = fingerprint(page)
		}
		if change.Fingerprint == p.indexer.Fingerprint(id) {
			continue
		}
		changes = append(changes, change)
		if change.Fingerprint != "" && page.Text != "" {
			texts = append(texts, page.Text)
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	markdown, err := p.content.Objects(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("texts of %s: %w", p.content.Space(), err)
	}
	for i := range changes {
		if change := &changes[i]; change.Fingerprint != "" {
			page := p.tree.Page(change.Page)
			p.read(change, page, markdown[page.Text])
		}
	}
	return changes, nil
}

// read fills in what the index gets of a page.
func (p *indexPass) read(change *postings.Change, page *revision.Page, markdown []byte) {
	sections := content.Sections(markdown)
	asked := search.Page{Title: page.Name(), Aliases: []string{page.Derived, page.Slug}, Description: page.Description}
	for _, section := range sections {
		asked.Sections = append(asked.Sections, search.Section{Title: section.Title, Text: section.Text})
	}
	document := p.reader.Read(asked)
	change.Words, change.Info = document.Words, document.Lengths.Value()
	change.Terms = make([]postings.Has, len(document.Postings))
	for i, has := range document.Postings {
		change.Terms[i] = postings.Has{Term: has.Term, Value: has.Value(), Sections: has.Sections}
	}
	change.Sections = encodeSections(markdown, keptSections(sections))
}

// isSearched reports whether a page can be found: it has a text and does not forbid it.
func isSearched(p *revision.Page) bool { return p != nil && p.Type == api.PageDocument && !p.NoIndex }

// fingerprint is that of what is indexed of a page.
func fingerprint(p *revision.Page) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Name(), p.Derived, p.Slug, p.Description, p.Text}, "\x00")))
	return string(sum[:postings.FingerprintSize])
}
