package review

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// nameOf is the name of what a setting leads to.
func (t *teller) nameOf(id, unknown string) string {
	if name := t.names[id]; name != "" {
		return Quoted(name)
	}
	return unknown
}

// readNames reads the names of what the settings in conflict lead to, of spaces and collections as far as the caller sees
// them.
func (s *ConflictReader) readNames(ctx context.Context, c *rest.Call, t *teller, found []merge.Conflict) error {
	var files, entries []string
	for _, conflict := range found {
		for _, id := range linksIn(conflict) {
			if strings.HasPrefix(id, revision.FilePrefix) {
				files = append(files, id)
			}
		}
		for _, ref := range refsIn(conflict) {
			if ref.File != "" {
				files = append(files, ref.File)
			}
			for _, id := range []string{ref.Space, ref.Collection} {
				if id != "" {
					entries = append(entries, id)
				}
			}
		}
	}
	if err := t.readFileNames(ctx, files); err != nil {
		return err
	}
	c.Access(func(model *access.Model) { entries = access.NewViewer(model, c.Caller).Visible(entries) })
	return s.readTitles(ctx, c, t, entries)
}

// linked are the ids that texts link to: /pages/ID, /files/ID, and reusable:ID of an include.
var linked = regexp.MustCompile(`(?:/pages/|/files/|reusable:)((?:p|f|rc)_[0-9a-z]+)`)

// linksIn are the ids that the texts of a conflict link to.
func linksIn(c merge.Conflict) (ids []string) {
	if c.Kind != merge.KindText && c.Kind != merge.KindInserted && (c.Kind != merge.KindDeleted || c.Block == "") {
		return nil
	}
	for _, value := range []*string{c.Base, c.Ours, c.Theirs} {
		for _, match := range linked.FindAllStringSubmatch(valueText(value), -1) {
			if !slices.Contains(ids, match[1]) {
				ids = append(ids, match[1])
			}
		}
	}
	return ids
}

// links are what the texts of a conflict link to, by title.
func (t *teller) links(c merge.Conflict) (list []api.ConflictLink) {
	for _, id := range linksIn(c) {
		list = append(list, api.ConflictLink{ID: id, Title: cmp.Or(t.title(id), t.names[id])})
	}
	return list
}

// refsIn are the references in the values of a conflict.
func refsIn(c merge.Conflict) (refs []api.ContentRef) {
	for _, value := range []*string{c.Base, c.Ours, c.Theirs} {
		switch c.Attribute {
		case "target":
			var to api.ContentRef
			_ = json.Unmarshal([]byte(valueText(value)), &to) // absent, or as it was stored
			refs = append(refs, to)
		case "metaLinks":
			var links api.PageMetaLinks
			_ = json.Unmarshal([]byte(valueText(value)), &links)
			refs = append(refs, links.Refs()...)
		case "cover":
			var cover api.PageCover
			_ = json.Unmarshal([]byte(valueText(value)), &cover)
			if refs = append(refs, cover.Ref); cover.RefDark != nil {
				refs = append(refs, *cover.RefDark)
			}
		}
	}
	return refs
}

func (t *teller) readFileNames(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	for _, r := range t.Revisions {
		entries, err := t.Draft.Content.Get(ctx, r.Files, ids...)
		if err != nil {
			return fmt.Errorf("files in conflict: %w", err)
		}
		for id, e := range entries {
			f, err := revision.DecodeFile(id, e)
			if err != nil {
				return err
			}
			t.names[id] = f.Name
		}
	}
	return nil
}

// readTitles reads the titles of spaces and collections.
func (s *ConflictReader) readTitles(ctx context.Context, c *rest.Call, t *teller, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	b := s.Store.Pipeline()
	records := map[string]*txn.Future[txn.Record]{}
	for _, id := range ids {
		key := store.CollectionKey(c.Org, id)
		if access.IsSpace(id) {
			key = store.SpaceKey(c.Org, id)
		}
		records[id] = b.Record(key)
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read titles: %w", err)
	}
	for id, record := range records {
		r, ok, err := record.Get()
		if err != nil {
			return err
		}
		var shown struct {
			Title string `json:"title"`
		}
		if ok && json.Unmarshal(r.Public, &shown) == nil {
			t.names[id] = shown.Title
		}
	}
	return nil
}
