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

// TextsKept are the texts of the record that the request is about and, where it edits content, of the pages.
func (s *Service) TextsKept(c *rest.Call) ([]string, error) {
	key, ok := c.Record()
	if !ok {
		return nil, nil
	}
	b := s.Store.Pipeline()
	record := b.Record(key)
	if err := b.Do(c.Context()); err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	stored, ok, err := record.Get()
	if err != nil || !ok {
		return nil, err
	}
	texts := append(textsIn(stored.Public), textsIn(stored.Private)...)
	if c.Endpoint.Row.Name != api.EditChangeRequestContent.Name {
		return texts, nil
	}
	pages, err := s.pageTexts(c, revision.Target{Space: c.Path("space"), ChangeRequest: c.Path("changeRequest")})
	return append(texts, pages...), err
}

// pageTexts are the texts of one line of the pages, files and other content of a place.
func (s *Service) pageTexts(c *rest.Call, at revision.Target) ([]string, error) {
	head, err := s.Revisions.ReadHead(c.Context(), c, at)
	if err != nil {
		return nil, err
	}
	d, err := s.Revisions.OpenWorktree(c.Context(), at.Space, head)
	if err != nil {
		return nil, err
	}
	reusables, err := revision.ReadReusables(c.Context(), d.Content, d.Was.Reusables)
	if err != nil {
		return nil, err
	}
	texts := slices.Collect(maps.Values(d.Variables))
	for _, id := range d.Tree.Reading("") {
		reusables[id] = d.Tree.Page(id)
	}
	for _, p := range reusables {
		texts = append(texts, p.Title, p.Derived, p.Slug, p.Emoji, p.Icon, p.Description)
		texts = slices.AppendSeq(texts, maps.Values(p.Variables))
	}
	return texts, nil
}

// textsIn are all texts in a JSON value.
func textsIn(data []byte) (texts []string) {
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
