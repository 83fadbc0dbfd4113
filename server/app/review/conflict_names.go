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
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// quotedName returns the quoted name of the object id, or unknown if it was not read.
func (d *describer) quotedName(id, unknown string) string {
	if name := d.names[id]; name != "" {
		return Quote(name)
	}
	return unknown
}

// readNames reads the names of the files, spaces and collections that the conflicting values refer to. It skips
// spaces and collections that the caller may not see.
func (cd *ConflictDescriber) readNames(ctx context.Context, c *rest.Call, t *describer, found []merge.Conflict) error {
	var files, entries []string
	for _, conflict := range found {
		for _, id := range linkedIDs(conflict) {
			if strings.HasPrefix(id, revision.FilePrefix) {
				files = append(files, id)
			}
		}
		for _, ref := range contentRefs(conflict) {
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
	return cd.readTitles(ctx, c, t, entries)
}

// linkPattern matches the ids that texts link to: /pages/ID, /files/ID, and reusable:ID in an include.
var linkPattern = regexp.MustCompile(`(?:/pages/|/files/|reusable:)((?:p|f|rc)_[0-9a-z]+)`)

// linkedIDs returns the ids that the texts of a conflict link to.
func linkedIDs(c merge.Conflict) (ids []string) {
	if c.Kind != merge.KindText && c.Kind != merge.KindInserted && (c.Kind != merge.KindDeleted || c.Block == "") {
		return nil
	}
	for _, value := range []*string{c.Base, c.Ours, c.Theirs} {
		for _, match := range linkPattern.FindAllStringSubmatch(valueText(value), -1) {
			if !slices.Contains(ids, match[1]) {
				ids = append(ids, match[1])
			}
		}
	}
	return ids
}

// conflictLinks returns the link targets in the texts of a conflict, with titles.
func (d *describer) conflictLinks(c merge.Conflict) (list []api.ConflictLink) {
	for _, id := range linkedIDs(c) {
		list = append(list, api.ConflictLink{ID: id, Title: cmp.Or(d.title(id), d.names[id])})
	}
	return list
}

// contentRefs returns the content references in the values of a conflict. Absent values have none, and neither have
// damaged ones, which are described as such.
func contentRefs(c merge.Conflict) (refs []api.ContentRef) {
	for _, value := range []*string{c.Base, c.Ours, c.Theirs} {
		switch c.Attribute {
		case "target":
			var to api.ContentRef
			if json.Unmarshal([]byte(valueText(value)), &to) == nil {
				refs = append(refs, to)
			}
		case "metaLinks":
			var links api.PageMetaLinks
			if json.Unmarshal([]byte(valueText(value)), &links) == nil {
				refs = append(refs, links.Refs()...)
			}
		case "cover":
			var cover api.PageCover
			if json.Unmarshal([]byte(valueText(value)), &cover) != nil {
				continue
			}
			if refs = append(refs, cover.Ref); cover.RefDark != nil {
				refs = append(refs, *cover.RefDark)
			}
		}
	}
	return refs
}

func (d *describer) readFileNames(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	for _, r := range d.Revisions {
		entries, err := d.Draft.Content.Get(ctx, r.Files, ids...)
		if err != nil {
			return fmt.Errorf("files in conflict: %w", err)
		}
		for id, e := range entries {
			f, err := revision.DecodeFile(id, e)
			if err != nil {
				return err
			}
			d.names[id] = f.Name
		}
	}
	return nil
}

// readTitles reads the titles of spaces and collections into t.names.
func (cd *ConflictDescriber) readTitles(ctx context.Context, c *rest.Call, t *describer, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	b := cd.Store.NewBatch()
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
		if !ok {
			continue
		}
		if err := json.Unmarshal(r.Public, &shown); err != nil {
			return fmt.Errorf("%w: record of %s: %w", redis.ErrCorrupt, id, err)
		}
		t.names[id] = shown.Title
	}
	return nil
}
