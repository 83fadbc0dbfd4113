package review

import (
	"cmp"
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
)

// Whoever made a side of a conflict is looked for in so many revisions, for so many conflicts, in so many bytes of texts: a
// side without a name can still be decided.
const (
	maxTracedRevisions = 400
	maxTracedConflicts = 100
	maxTracedBytes     = 64 << 20
)

// maker is who made a thing what it is, in which revision and change request.
type maker struct {
	revision.Numbered
	request string // id of the change request
}

// search looks for the newest revisions that made things what they are: it goes back from revision to revision, and
// through merges into their change requests, as blame does.
type search struct {
	service *ConflictReader
	content *objects.Content
	until   string // a revision that nobody need look behind
	pages   []string
	left    int
	bytes   int
	moments map[string]*moment      // by revision
	texts   map[string]content.Text // by TextID
}

// nameMakers puts on the wire who made the sides of conflicts what they are.
func (s *ConflictReader) nameMakers(ctx context.Context, c *rest.Call, d Dispute, all []told) error {
	makers := make([][2]*maker, len(all))
	for side, line := range d.Lines {
		if line.Source != nil {
			continue
		}
		f := &search{
			service: s, content: d.Draft.Content, until: line.Until, pages: tracedPages(all), left: maxTracedRevisions, bytes: maxTracedBytes,
			moments: map[string]*moment{}, texts: map[string]content.Text{},
		}
		pending := map[int]trace{}
		for i := range all[:min(len(all), maxTracedConflicts)] {
			if t := all[i].traces[side]; t.of != nil {
				pending[i] = t
			}
		}
		found, err := f.newest(ctx, line, pending)
		if err != nil {
			return err
		}
		for i, m := range found {
			makers[i][side] = &m
		}
	}
	requests, err := s.requestsOf(ctx, c, d.Draft.Content.Space(), makers)
	if err != nil {
		return err
	}
	c.Access(func(model *access.Model) {
		for i := range all {
			for n, side := range []*api.ConflictSide{&all[i].Ours, &all[i].Theirs} {
				s.sign(model, side, d.Lines[n], makers[i][n], requests)
			}
		}
	})
	return nil
}

// sign says whose a side is.
func (s *ConflictReader) sign(model *access.Model, side *api.ConflictSide, line Line, m *maker, requests map[string]*api.HistoryRequest) {
	switch {
	case line.Source != nil:
		side.Source = &api.ConflictSource{ID: line.Source.ID, Name: line.Source.Name}
		side.By, side.At = s.author(model, line.Source.Author), new(line.Source.At)
	case m != nil:
		side.By, side.At, side.ChangeRequest = s.author(model, m.Author), new(api.At(m.At)), requests[m.request]
	}
}

func (s *ConflictReader) author(model *access.Model, user string) *api.ConflictAuthor {
	return &api.ConflictAuthor{ID: user, DisplayName: s.View.NameOf(model, user)}
}

// tracedPages are the pages that histories are searched for.
func tracedPages(all []told) (ids []string) {
	seen := map[string]bool{}
	for _, w := range all {
		for _, t := range w.traces {
			if t.page != "" && !seen[t.page] {
				seen[t.page] = true
				ids = append(ids, t.page)
			}
		}
	}
	return ids
}

// newest finds for things of a line's head which revision made them what they are.
func (f *search) newest(ctx context.Context, line Line, things map[int]trace) (map[int]maker, error) {
	found := map[int]maker{}
	if len(things) == 0 || line.Head == "" {
		return found, nil
	}
	head, err := f.at(ctx, line.Head)
	if err != nil || head == nil {
		return found, err
	}
	pending := map[int]string{}
	for i, t := range things {
		if pending[i], err = t.of(ctx, head); err != nil {
			return found, ignoreLost(err)
		}
	}
	return found, ignoreLost(f.follow(ctx, line.Head, line.Request, things, pending, found))
}

// ignoreLost leaves out what was given up in a repair: nobody is named then.
func ignoreLost(err error) error {
	if rest.IsLost(err) {
		return nil
	}
	return err
}

// follow finds the makers of things that a revision has as they are.
func (f *search) follow(ctx context.Context, id, request string, things map[int]trace, pending map[int]string, found map[int]maker) error {
	for len(pending) > 0 && f.left > 0 && f.bytes > 0 && id != f.until {
		f.left--
		r, err := f.at(ctx, id)
		if err != nil {
			return err
		}
		left := pending
		var older map[int]string
		for n, parent := range r.Parents {
			var had map[int]string
			if had, left, err = f.split(ctx, parent, things, left); err != nil {
				return err
			}
			if n == 0 {
				older = had
			} else if err := f.follow(ctx, parent, r.MergedFrom, things, had, found); err != nil {
				return err
			}
		}
		for i := range left {
			found[i] = maker{r.Numbered, cmp.Or(r.MergedFrom, request)}
		}
		if len(r.Parents) == 0 {
			return nil
		}
		id, pending = r.Parents[0], older
	}
	return nil
}

// split tells the things that a revision has as they are from those that are left.
func (f *search) split(ctx context.Context, id string, things map[int]trace, pending map[int]string) (had, left map[int]string, err error) {
	if len(pending) == 0 {
		return nil, nil, nil
	}
	then, err := f.at(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	had, left = map[int]string{}, map[int]string{}
	for i, is := range pending {
		was, err := things[i].of(ctx, then)
		if err != nil {
			return nil, nil, err
		}
		if was == is {
			had[i] = is
		} else {
			left[i] = is
		}
	}
	return had, left, nil
}

// at reads what is needed of a revision.
func (f *search) at(ctx context.Context, id string) (*moment, error) {
	if known := f.moments[id]; known != nil {
		return known, nil
	}
	r, err := f.service.Revisions.Historical(ctx, f.content, id)
	if err != nil {
		return nil, err
	}
	m := &moment{Numbered: r, search: f, pages: map[string]*revision.Page{}}
	for _, root := range []string{r.Pages, r.Reusables} {
		if len(f.pages) == 0 {
			break
		}
		entries, err := f.content.Get(ctx, root, f.pages...)
		if err != nil {
			return nil, fmt.Errorf("pages in conflict: %w", err)
		}
		for id, e := range entries {
			if m.pages[id], err = revision.DecodePage(id, e); err != nil {
				return nil, err
			}
		}
	}
	f.moments[id] = m
	return m, nil
}

// text reads the text of a page.
func (f *search) text(ctx context.Context, p *revision.Page) (content.Text, error) {
	known, ok := f.texts[p.TextID()]
	if !ok {
		var err error
		if known, err = revision.ReadText(ctx, f.content, p.Text, p.Blocks); err != nil {
			return known, fmt.Errorf("page %s: %w", p.ID, err)
		}
		f.texts[p.TextID()] = known
	}
	f.bytes -= len(known.Markdown)
	return known, nil
}

// requestsOf reads the change requests of makers.
func (s *ConflictReader) requestsOf(ctx context.Context, c *rest.Call, space string, makers [][2]*maker) (map[string]*api.HistoryRequest, error) {
	ids := map[string]bool{}
	for _, pair := range makers {
		for _, m := range pair {
			if m != nil && m.request != "" {
				ids[m.request] = true
			}
		}
	}
	return s.View.RequestsNamed(ctx, c, space, ids)
}
