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

// moment is what a search sees of a revision.
type moment struct {
	revision.Numbered
	search *search
	pages  map[string]*revision.Page // those that are searched for, and reusable contents
}

// trace is a thing whose history is searched: what a revision has of it, in a form that can be compared.
type trace struct {
	page string
	of   func(ctx context.Context, m *moment) (string, error)
}

// ofPage is a trace of something that a page says by itself.
func ofPage(id string, of func(p *revision.Page) string) trace {
	return trace{id, func(_ context.Context, m *moment) (string, error) {
		if p := m.pages[id]; p != nil {
			return of(p), nil
		}
		return "", nil
	}}
}

func isThere(id string) trace {
	return ofPage(id, func(*revision.Page) string { return "there" })
}

func placeOf(id string) trace {
	return ofPage(id, func(p *revision.Page) string { return p.Parent + " " + p.Order })
}

func slugOf(id string) trace {
	return ofPage(id, func(p *revision.Page) string { return p.Parent + " " + p.Slug })
}

func attributeOf(id, name string) trace {
	return ofPage(id, func(p *revision.Page) string { return revision.Attributes(p)[name] })
}

// wholePage is all of a page that merges.
func wholePage(id string) trace {
	return ofPage(id, func(p *revision.Page) string {
		words := []string{p.Parent, p.Order, p.Text}
		attributes := revision.Attributes(p)
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			words = append(words, name, attributes[name])
		}
		return strings.Join(words, "\n")
	})
}

// ofText is a trace of something in the text of a page. Most revisions leave a text as it was: what is known of it is not
// looked for again.
func ofText(id string, of func(t content.Text) string) trace {
	known := map[string]string{}
	return trace{id, func(ctx context.Context, m *moment) (string, error) {
		p := m.pages[id]
		if p == nil {
			return "", nil
		}
		if value, ok := known[p.TextID()]; ok {
			return value, nil
		}
		t, err := m.search.text(ctx, p)
		if err != nil {
			return "", err
		}
		known[p.TextID()] = of(t)
		return known[p.TextID()], nil
	}}
}

// hasPassage is that the text of a page has a passage, or else has lost the one that was there.
func hasPassage(id string, value, was *string) trace {
	if value == nil {
		value = was
	}
	return ofText(id, func(t content.Text) string {
		return fmt.Sprint(bytes.Contains(t.Markdown, []byte(valueText(value))))
	})
}

// blockIn is a block as it is, or whether it is there.
func blockIn(id, block string, asItIs bool) trace {
	return ofText(id, func(t content.Text) string {
		found, ok := t.Blocks.Find(block)
		if ok && asItIs {
			return found.Hash + blockBeforeIn(t, block)
		}
		return fmt.Sprint(ok)
	})
}

// blockBefore is where a block stands.
func blockBefore(id, block string) trace {
	return ofText(id, func(t content.Text) string { return blockBeforeIn(t, block) })
}

func blockBeforeIn(t content.Text, block string) string {
	before := ""
	for _, b := range t.Blocks {
		if b.ID == block {
			break
		}
		before = b.ID
	}
	return before
}

func variableOf(name string) trace {
	return trace{of: func(_ context.Context, m *moment) (string, error) {
		value, set := m.Variables[name]
		return fmt.Sprint(value, set), nil
	}}
}

func fileOf(id string) trace {
	return trace{of: func(ctx context.Context, m *moment) (string, error) {
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
