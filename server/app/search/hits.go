package search

import (
	"cmp"
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/txn"
)

// spaceResult holds the hits of a search in one space.
type spaceResult struct {
	search *spaceSearch
	hits   []hit
	rank   int // rank of the space among the spaces of a search
}

// hitLoader loads the texts and sections of the hits in one space.
type hitLoader struct {
	spaceResult
	view           *reader.View
	texts          map[string]*txn.Future[[]byte]
	storedSections map[int][]byte
	sections       map[int][]searchSection
}

// pageHits returns the JSON forms of hits by space. Everything that is not cached is read in one round trip.
func (s *Service) pageHits(ctx context.Context, found []spaceResult) ([][]api.PageHit, error) {
	reads := make([]*hitLoader, len(found))
	b := s.Store.NewBatch()
	var finish []func() error
	for i, f := range found {
		v, err := s.Reading.At(ctx, s.Store.Content(f.search.id), f.search.head)
		if err != nil {
			return nil, err
		}
		reads[i] = &hitLoader{spaceResult: f, view: v, texts: map[string]*txn.Future[[]byte]{}, sections: map[int][]searchSection{}}
		finish = append(finish, reads[i].queue(b)...) //nolint:contextcheck,nolintlint // it runs under the context of the trip
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read hits: %w", err)
	}
	for _, read := range finish {
		if err := read(); err != nil {
			return nil, err
		}
	}
	answers := make([][]api.PageHit, len(found))
	for i, r := range reads {
		words := r.search.excerptWords()
		r.search.locate(r.hits)
		answers[i] = make([]api.PageHit, 0, len(r.hits))
		for _, h := range r.hits {
			if p := r.view.Tree.Page(h.page); p != nil { // nil if the index has advanced
				answer, err := s.pageHit(ctx, r, p, h, words)
				if err != nil {
					return nil, err
				}
				answers[i] = append(answers[i], answer)
			}
		}
		r.search.fillCache()
		s.Cache.updateSize(r.search.id)
	}
	return answers, nil
}

// queue adds the reads of texts and sections to a batch and returns the functions that process the replies.
func (l *hitLoader) queue(b *txn.Batch) (finish []func() error) {
	var unknown []int
	for _, h := range l.hits {
		if p := l.view.Tree.Page(h.page); p != nil && p.Text != "" {
			l.texts[h.page] = b.Object(l.search.id, p.Text)
		}
		if sections, known := l.search.cache.sectionsOf(h.number); known {
			l.sections[h.number] = sections
		} else {
			unknown = append(unknown, h.number)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	shown := l.search.view.Sections(b, unknown)
	return []func() error{
		func() (err error) { l.storedSections, err = shown.Get(); return err },
		l.search.checkMark(b),
	}
}

// markdown returns the text of a page as its readers see it, or nil if it has none.
func (l *hitLoader) markdown(ctx context.Context, p *revision.Page) (markdown []byte, err error) {
	if text := l.texts[p.ID]; text != nil {
		if markdown, _, err = text.Get(); err != nil {
			return nil, err
		}
	}
	markdown, _, err = l.view.Markdown(ctx, p, markdown)
	return markdown, err
}

// sectionsOf returns the sections of a hit in its text.
func (l *hitLoader) sectionsOf(h hit, markdown []byte) []searchSection {
	if sections, known := l.sections[h.number]; known {
		return sections
	}
	sections := decodeSections(markdown, l.storedSections[h.number])
	l.search.cacheUpdates = append(l.search.cacheUpdates, func() { l.search.cache.putSections(h.number, sections) })
	return sections
}

// pageHit returns the JSON form of a page with its best matching sections.
func (s *Service) pageHit(ctx context.Context, r *hitLoader, p *revision.Page, h hit, words []string) (api.PageHit, error) {
	path, app := r.view.Tree.Path(p.ID), s.View.AppURL("pages", r.search.id+"~"+p.ID)
	answer := api.PageHit{ID: p.ID, Title: p.Name(), Path: path, Sections: []api.SectionHit{}, URLs: api.PageURLs{App: app}}
	markdown, err := r.markdown(ctx, p)
	if err != nil || markdown == nil {
		return answer, err
	}
	sections := r.sectionsOf(h, markdown)
	for _, n := range h.sections {
		if n >= len(sections) || sections[n].Start > sections[n].End || sections[n].End > len(markdown) {
			continue // section of a newer text: the index has advanced
		}
		at := sections[n]
		hit := api.SectionHit{ID: cmp.Or(at.Anchor, p.ID), Title: cmp.Or(at.Title, p.Name()), Path: path, URLs: api.PageURLs{App: app}}
		if at.Anchor != "" {
			hit.Path, hit.URLs.App = path+"#"+at.Anchor, app+"#"+at.Anchor
		}
		hit.Body = content.Excerpt(markdown[at.Start:at.End], words, excerptBytes)
		answer.Sections = append(answer.Sections, hit)
	}
	return answer, nil
}

// excerptWords returns the word forms that an excerpt should show, rarest first.
func (s *spaceSearch) excerptWords() []string {
	var words []string
	for _, w := range s.words {
		if !w.Optional {
			words = append(append(words, w.Folded, w.Term), w.similarWords...)
		}
	}
	return words
}
