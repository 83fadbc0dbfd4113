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

// foundIn are hits in a space.
type foundIn struct {
	asked *spaceSearch
	hits  []hit
	rank  int // of the space, where several are searched
}

// hitReads are what the answer needs of the hits in one space.
type hitReads struct {
	foundIn
	view     *reader.View
	texts    map[string]*txn.Future[[]byte]
	stored   map[int][]byte
	sections map[int][]searchSection
}

// pageHits writes out hits, by space. What is not in memory takes one trip.
func (s *Service) pageHits(ctx context.Context, found []foundIn) ([][]api.PageHit, error) {
	reads := make([]*hitReads, len(found))
	b := s.Store.Pipeline()
	var settle []func() error
	for i, f := range found {
		v, err := s.Reading.At(ctx, s.Store.Content(f.asked.id), f.asked.head)
		if err != nil {
			return nil, err
		}
		reads[i] = &hitReads{foundIn: f, view: v, texts: map[string]*txn.Future[[]byte]{}, sections: map[int][]searchSection{}}
		settle = append(settle, reads[i].queue(b)...) //nolint:contextcheck,nolintlint // it runs under the context of the trip
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read hits: %w", err)
	}
	for _, read := range settle {
		if err := read(); err != nil {
			return nil, err
		}
	}
	answers := make([][]api.PageHit, len(found))
	for i, r := range reads {
		words := r.asked.shownWords()
		r.asked.locate(r.hits)
		answers[i] = make([]api.PageHit, 0, len(r.hits))
		for _, h := range r.hits {
			if p := r.view.Tree.Page(h.page); p != nil { // the index went on meanwhile
				answer, err := s.pageHit(ctx, r, p, h, words)
				if err != nil {
					return nil, err
				}
				answers[i] = append(answers[i], answer)
			}
		}
		r.asked.learned()
		s.Memory.count(r.asked.id)
	}
	return answers, nil
}

// queue reads texts and sections.
func (r *hitReads) queue(b *txn.Batch) (settle []func() error) {
	var unknown []int
	for _, h := range r.hits {
		if p := r.view.Tree.Page(h.page); p != nil && p.Text != "" {
			r.texts[h.page] = b.Object(r.asked.id, p.Text)
		}
		if sections, known := r.asked.memory.sectionsOf(h.number); known {
			r.sections[h.number] = sections
		} else {
			unknown = append(unknown, h.number)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	shown := r.asked.view.Shown(b, unknown)
	return []func() error{
		func() (err error) { r.stored, err = shown.Get(); return err },
		r.asked.remember(b),
	}
}

// markdown is the text of a page as its readers see it, nil if it has none.
func (r *hitReads) markdown(ctx context.Context, p *revision.Page) (markdown []byte, err error) {
	if text := r.texts[p.ID]; text != nil {
		if markdown, _, err = text.Get(); err != nil {
			return nil, err
		}
	}
	markdown, _, err = r.view.Markdown(ctx, p, markdown)
	return markdown, err
}

// sectionsOf are the sections of a hit in its text.
func (r *hitReads) sectionsOf(h hit, markdown []byte) []searchSection {
	if sections, known := r.sections[h.number]; known {
		return sections
	}
	sections := decodeSections(markdown, r.stored[h.number])
	r.asked.learn = append(r.asked.learn, func() { r.asked.memory.learnSections(h.number, sections) })
	return sections
}

// pageHit writes out one page with the sections that have the most of the query.
func (s *Service) pageHit(ctx context.Context, r *hitReads, p *revision.Page, h hit, words []string) (api.PageHit, error) {
	path, app := r.view.Tree.Path(p.ID), s.View.AppURL("pages", r.asked.id+"~"+p.ID)
	answer := api.PageHit{ID: p.ID, Title: p.Name(), Path: path, Sections: []api.SectionHit{}, URLs: api.PageURLs{App: app}}
	markdown, err := r.markdown(ctx, p)
	if err != nil || markdown == nil {
		return answer, err
	}
	sections := r.sectionsOf(h, markdown)
	for _, n := range h.sections {
		if n >= len(sections) || sections[n].Start > sections[n].End || sections[n].End > len(markdown) {
			continue // of another text: the index went on meanwhile
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

// shownWords are the forms of the words that an excerpt should show, the rarest form first.
func (a *spaceSearch) shownWords() []string {
	var words []string
	for _, w := range a.words {
		if !w.Optional {
			words = append(append(words, w.Folded, w.Term), w.near...)
		}
	}
	return words
}
