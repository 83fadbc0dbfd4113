package pages

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
)

// StoredTexts returns the texts of the record that the request is about and, if it edits content, of the space's pages.
func (s *Service) StoredTexts(c *rest.Call) ([]string, error) {
	key, ok := c.Record()
	if !ok {
		return nil, nil
	}
	b := s.Store.NewBatch()
	record := b.Record(key)
	if err := b.Do(c.Context()); err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	stored, ok, err := record.Get()
	if err != nil || !ok {
		return nil, err
	}
	texts := append(jsonStrings(stored.Public), jsonStrings(stored.Private)...)
	if c.Endpoint.Row.Name != api.EditChangeRequestContent.Name {
		return texts, nil
	}
	pages, err := s.contentTexts(c, revision.Target{Space: c.Path("space"), ChangeRequest: c.Path("changeRequest")})
	return append(texts, pages...), err
}

// contentTexts returns the single-line texts of the pages, files and other content of a target.
func (s *Service) contentTexts(c *rest.Call, target revision.Target) ([]string, error) {
	head, err := s.Revisions.ReadHead(c.Context(), c.Org, target)
	if err != nil {
		return nil, err
	}
	d, err := s.Revisions.OpenWorktree(c.Context(), target.Space, head)
	if err != nil {
		return nil, err
	}
	reusables, err := revision.ReadReusables(c.Context(), d.Content, d.BaseRevision.Reusables)
	if err != nil {
		return nil, err
	}
	texts := slices.Collect(maps.Values(d.Variables))
	for _, id := range d.Tree.ReadingOrder("") {
		reusables[id] = d.Tree.Page(id)
	}
	for _, p := range reusables {
		texts = append(texts, p.Title, p.DerivedTitle, p.Slug, p.Emoji, p.Icon, p.Description)
		texts = slices.AppendSeq(texts, maps.Values(p.Variables))
	}
	return texts, nil
}

// jsonStrings returns all strings in a JSON value, or nil if data is not valid JSON.
func jsonStrings(data []byte) (texts []string) {
	var value any
	if json.Unmarshal(data, &value) != nil {
		return nil
	}
	var visit func(any)
	visit = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, item := range v {
				visit(item)
			}
		case map[string]any:
			for _, member := range v {
				visit(member)
			}
		}
	}
	visit(value)
	return texts
}
