package review

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// snapshot holds the parts of a revision that a search compares.
type snapshot struct {
	revision.HistoricalRevision
	search *historySearch
	pages  map[string]*revision.Page // traced pages and reusable contents
}

// trace extracts a comparable value of one item from a revision, to find the revision that last changed it.
type trace struct {
	page  string
	value func(ctx context.Context, m *snapshot) (string, error)
}

// pageTrace returns a trace of a property of the page record.
func pageTrace(id string, of func(p *revision.Page) string) trace {
	return trace{id, func(_ context.Context, m *snapshot) (string, error) {
		if p := m.pages[id]; p != nil {
			return of(p), nil
		}
		return "", nil
	}}
}

func existenceTrace(id string) trace {
	return pageTrace(id, func(*revision.Page) string { return "there" })
}

func positionTrace(id string) trace {
	return pageTrace(id, func(p *revision.Page) string { return p.Parent + " " + p.Order })
}

func slugTrace(id string) trace {
	return pageTrace(id, func(p *revision.Page) string { return p.Parent + " " + p.Slug })
}

func attributeTrace(id, name string) trace {
	return pageTrace(id, func(p *revision.Page) string { return revision.Attributes(p)[name] })
}

// contentTrace returns a trace of all mergeable parts of a page.
func contentTrace(id string) trace {
	return pageTrace(id, func(p *revision.Page) string {
		words := []string{p.Parent, p.Order, p.Text}
		attributes := revision.Attributes(p)
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			words = append(words, name, attributes[name])
		}
		return strings.Join(words, "\n")
	})
}

// textTrace returns a trace of a property of the text of a page. Values are cached by text id, since most revisions
// do not change the text.
func textTrace(id string, of func(t content.Text) string) trace {
	known := map[string]string{}
	return trace{id, func(ctx context.Context, m *snapshot) (string, error) {
		p := m.pages[id]
		if p == nil {
			return "", nil
		}
		if value, ok := known[p.TextID()]; ok {
			return value, nil
		}
		t, err := m.search.pageText(ctx, p)
		if err != nil {
			return "", err
		}
		known[p.TextID()] = of(t)
		return known[p.TextID()], nil
	}}
}

// passageTrace returns a trace of whether the text of a page contains value or, if value is nil, base.
func passageTrace(id string, value, base *string) trace {
	if value == nil {
		value = base
	}
	return textTrace(id, func(t content.Text) string {
		return fmt.Sprint(bytes.Contains(t.Markdown, []byte(valueText(value))))
	})
}

// blockTrace returns a trace of the content and position of a block or, if withContent is false, of its existence.
func blockTrace(id, block string, withContent bool) trace {
	return textTrace(id, func(t content.Text) string {
		found, ok := t.Blocks.Find(block)
		if ok && withContent {
			return found.Hash + precedingBlock(t, block)
		}
		return fmt.Sprint(ok)
	})
}

// blockPositionTrace returns a trace of the position of a block.
func blockPositionTrace(id, block string) trace {
	return textTrace(id, func(t content.Text) string { return precedingBlock(t, block) })
}

func precedingBlock(t content.Text, block string) string {
	before := ""
	for _, b := range t.Blocks {
		if b.ID == block {
			break
		}
		before = b.ID
	}
	return before
}

func variableTrace(name string) trace {
	return trace{value: func(_ context.Context, m *snapshot) (string, error) {
		value, set := m.Variables[name]
		return fmt.Sprint(value, set), nil
	}}
}

func fileTrace(id string) trace {
	return trace{value: func(ctx context.Context, m *snapshot) (string, error) {
		entries, err := m.search.content.Get(ctx, m.Files, id)
		if err != nil {
			return "", fmt.Errorf("file %s: %w", id, err)
		}
		e, ok := entries[id]
		if !ok {
			return "", nil
		}
		f, err := revision.DecodeFile(id, e)
		if err != nil {
			return "", err
		}
		f.Origin = nil
		value, err := json.Marshal(f)
		return string(value), err
	}}
}
