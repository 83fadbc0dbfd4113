package indexing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/jobs"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	// Patience is how long a search waits for the index to reach the head before it asks to try again after
	// searchRetry. What was indexed until then stays, and a job goes on.
	Patience    = 10 * time.Second
	searchRetry = 5 * time.Second
	// searchChunk is how many pages are indexed in one transaction.
	searchChunk = 16
	// searchAttempts bounds how often an index that goes on elsewhere is begun again.
	searchAttempts = 8
)

// searchSection is what the index keeps of a section to show it: where it is in the text.
type searchSection struct {
	Title  string `json:"t,omitzero"`
	Anchor string `json:"a,omitzero"`
	Start  int    `json:"s,omitzero"`
	End    int    `json:"e"`
}

// indexForSearch brings the index of a space to its head within the patience of a request: a job has normally done
// that already, or is at it, so that little is missing.
func (s *Service) indexForSearch(ctx context.Context, org, space string) error {
	limited, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	err := s.indexSpace(limited, org, space)
	if api.IsReason(err, api.ReasonNotFound) { // it has left since: who came to search it decides anew where
		return redis.ErrStale
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		if err := s.indexLater(ctx, org, space); err != nil {
			return err
		}
		e := api.Errorf(http.StatusServiceUnavailable, api.ReasonUnavailable, "The search index of %s is being built.", space).
			WithHint("Try again in a moment: it goes on without you.")
		e.RetryAfter = searchRetry
		return e
	}
	return err
}

// indexLater has a job go on with the index of a space.
func (s *Service) indexLater(ctx context.Context, org, space string) error {
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		_, ok, err := tx.Head(org, space)
		if err == nil && ok {
			tx.SearchBehind(org, space)
		}
		return err
	})
}

// IndexForAll is the job that brings the index of a space to its head before somebody searches. It ends when the index
// is there: whoever has brought it there has taken the job out.
func (s *Service) IndexForAll(ctx context.Context, lease jobs.Lease) error {
	org, space := lease.Organization, lease.Arg
	gone := false
	for !gone {
		if err := s.indexSpace(ctx, org, space); err != nil && !api.IsReason(err, api.ReasonNotFound) {
			return err
		}
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if err := lease.Hold(tx.Tx); err != nil {
				return err // done, or another node's
			}
			_, ok, err := tx.Head(org, space)
			if gone = err == nil && !ok; gone {
				return lease.Finish(tx.Tx)
			}
			return err // the head has moved meanwhile
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// indexSpace brings the index of a space to its head. What another process does at the same time is met, not
// repeated.
func (s *Service) indexSpace(ctx context.Context, org, space string) error {
	done, err := s.turns.Take(ctx, space)
	if err != nil {
		return err
	}
	defer done()
	for range searchAttempts {
		if err = s.indexOnce(ctx, org, space); !errors.Is(err, redis.ErrStale) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", txn.ErrBusy, err)
}

func (s *Service) indexOnce(ctx context.Context, org, space string) error {
	b := s.Store.Pipeline()
	headText, indexed := b.Field(store.HeadsKey(org), space), postings.ReadState(b, space)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read search index: %w", err)
	}
	text, ok := headText.Get()
	if !ok {
		return api.NotFound()
	}
	head, err := store.ParseHead(text)
	if err != nil {
		return err
	}
	state := indexed.Value()
	if state.Form != search.Form || state.Organization != org {
		if err := s.Store.Search.Drop(ctx, org, space); err != nil {
			return err
		}
		fresh := postings.State{Form: search.Form, Organization: org}
		if err := s.Store.Search.Move(ctx, space, postings.State{}, fresh); err != nil {
			return err
		}
		state = fresh
	}
	if !state.Reflects(search.Form, org, head.Pages) {
		if err := s.bringIndex(ctx, org, space, state, head); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		now, ok, err := tx.Head(org, space)
		if err == nil && ok && now.Pages == head.Pages {
			tx.SearchReady(org, space)
		}
		return err
	})
}

// bringIndex indexes what differs between a state and a head.
func (s *Service) bringIndex(ctx context.Context, org, space string, state postings.State, head store.Head) error {
	goal := state.Toward(head.Pages, s.IDs.New("ix_"))
	if goal.Mark != state.Mark {
		if err := s.Store.Search.Move(ctx, space, state, goal); err != nil {
			return err
		}
	}
	content := s.Store.Content(space)
	t, err := s.Revisions.Tree(ctx, content, head.Pages)
	if err != nil {
		return err
	}
	ids, err := s.differing(ctx, content, goal, t)
	if err != nil {
		return err
	}
	indexer := s.Store.Search.Indexer(org, space, goal)
	for chunk := range slices.Chunk(ids, searchChunk) {
		changes, err := s.searchChanges(ctx, content, t, chunk)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			continue
		}
		if err := indexer.Put(ctx, changes); err != nil {
			return err
		}
	}
	return s.Store.Search.Move(ctx, space, goal, goal.Complete())
}

// differing lists the pages that the index may have otherwise than a tree has them.
func (s *Service) differing(ctx context.Context, content *objects.Content, goal postings.State, t *revision.Tree) ([]string, error) {
	ids := map[string]bool{}
	for _, root := range goal.From {
		differs, err := content.Diff(ctx, root, goal.Root)
		if root == "" || errors.Is(err, objects.ErrMissing) { // what the index came from was swept
			return s.everyPage(ctx, content.Space(), t)
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

// everyPage lists the pages of a tree and those that the index has.
func (s *Service) everyPage(ctx context.Context, space string, t *revision.Tree) ([]string, error) {
	indexed, err := s.Store.Search.Pages(ctx, space)
	if err != nil {
		return nil, err
	}
	ids := append(indexed, t.Under("")[1:]...)
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// searchChanges reads pages and says what becomes of them in the index. Pages that it has as they are are left out.
func (s *Service) searchChanges(ctx context.Context, c *objects.Content, t *revision.Tree, ids []string) ([]postings.Change, error) {
	indexed, err := s.Store.Search.Documents(ctx, c.Space(), ids)
	if err != nil {
		return nil, err
	}
	var changes []postings.Change
	var texts []string
	for _, id := range ids {
		change := postings.Change{Page: id, Before: indexed[id]}
		if p := t.Page(id); isSearched(p) {
			change.Fingerprint = objects.Hash([]byte(p.Name() + "\x00" + p.Description + "\x00" + p.Text))
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
		}
		if change.Fingerprint != change.Before.Fingerprint {
			changes = append(changes, change)
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	markdown, err := c.Objects(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("texts of %s: %w", c.Space(), err)
	}
	for i := range changes {
		if change := &changes[i]; change.Fingerprint != "" {
			if err := readForSearch(change, t.Page(change.Page), markdown); err != nil {
				return nil, err
			}
		}
	}
	return changes, nil
}

// isSearched reports whether a page can be found: it has a text and does not forbid it.
func isSearched(p *revision.Page) bool { return p != nil && p.Type == api.PageDocument && !p.NoIndex }

// readForSearch fills in what the index gets of a page.
func readForSearch(change *postings.Change, p *revision.Page, markdown map[string][]byte) error {
	outline := content.Outlined(markdown[p.Text])
	kept := make([]searchSection, 0, len(outline.Sections))
	read := make([]search.Section, 0, len(outline.Sections))
	for _, section := range outline.Sections {
		read = append(read, search.Section{Title: section.Title, Text: section.Text})
		kept = append(kept, searchSection{Title: section.Title, Anchor: section.Anchor, Start: section.Start, End: section.End})
	}
	if len(kept) > search.MaxSections {
		kept[search.MaxSections-1].End = kept[len(kept)-1].End
		kept = kept[:search.MaxSections]
	}
	document := search.NewDocument(p.Name(), p.Description, read)
	change.Words = document.Words
	change.Scores = make(map[string]float64, len(document.Postings))
	for term, posting := range document.Postings {
		change.Scores[term] = posting.Score()
	}
	var err error
	change.Sections, err = json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("sections of %s: %w", p.ID, err)
	}
	return nil
}
