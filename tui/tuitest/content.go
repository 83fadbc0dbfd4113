package tuitest

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/tui/remote"
)

// targetContent is the content of one target.
type targetContent struct {
	*Server
	target remote.Target
}

func (f client) Content(at remote.Target) remote.Content { return targetContent{f.Server, at} }

func (f targetContent) Pages(ctx context.Context) ([]api.RevisionPage, error) {
	if f.Empty {
		return nil, f.recordCall(ctx, "pages")
	}
	return f.Trees[f.target.ChangeRequest], f.recordCall(ctx, "pages")
}

func (f targetContent) Page(ctx context.Context, id string) (api.RevisionPage, error) {
	if err := f.recordCall(ctx, "page"); err != nil {
		return api.RevisionPage{}, err
	}
	markdown, ok := f.Texts[f.target.ChangeRequest][id]
	if !ok {
		return api.RevisionPage{}, api.NotFound()
	}
	p := NewDocument(id, strings.TrimPrefix(strings.Split(markdown, "\n")[0], "# "), "d")
	p.Markdown, p.Blocks = &markdown, splitBlocks(markdown)
	return p, nil
}

func (f client) Changes(ctx context.Context, _ remote.Target, since string) (api.SemanticChanges, error) {
	err := f.recordCall(ctx, "changes")
	attribute := func(name, was, is string) map[string]api.AttributeChange {
		return map[string]api.AttributeChange{name: {Before: []byte(`"` + was + `"`), After: []byte(`"` + is + `"`)}}
	}
	page := func(id, title string) *api.ChangedPage {
		return &api.ChangedPage{ID: id, Type: api.PageDocument, Title: title, Path: id}
	}
	if f.Unchanged {
		return api.SemanticChanges{Revision: f.head()}, err
	}
	created := func() *api.ChangedPage {
		if f.HeadShown {
			return page("p_new", "Page at "+f.head())
		}
		return page("p_new", "Power and battery, with a title that is longer than most")
	}
	if since != "" {
		return api.SemanticChanges{Revision: f.head(), Changes: []api.SemanticChange{{Type: api.PageCreated, Page: created()}}}, err
	}
	all := []api.SemanticChange{
		{Type: api.PageEdited, Page: page("p_quick", "Quick start"), Attributes: attribute("document", "d2", "d4")},
		{Type: api.PageDeleted, Page: page("p_gone", "Old page")},
		{Type: api.PageCreated, Page: created()},
		{Type: api.FileCreated, File: &api.ChangedFile{ID: "f_light", Name: "light.png"}},
	}
	for i := range f.MorePages {
		id := fmt.Sprintf("p_more_%d", i)
		all = append(all, api.SemanticChange{Type: api.PageCreated, Page: page(id, fmt.Sprintf("More %d", i))})
	}
	if f.Renamed {
		all[0].Attributes["title"] = attribute("title", "Start", "Quick start")["title"]
	}
	if f.Variable {
		all = append(all, api.SemanticChange{
			Type: api.VariablesEdited, Variables: map[string]api.VariableChange{"gust": {Before: new("5 s"), After: new("3 s")}},
		})
	}
	return api.SemanticChanges{Revision: f.head(), Changes: all}, err
}

func (f client) Diff(ctx context.Context, at remote.Target, page, since string) (api.DocumentDiff, error) {
	text := func(markdown string) content.Text {
		t := content.Text{Markdown: []byte(markdown)}
		for _, b := range splitBlocks(markdown) {
			t.Blocks = append(t.Blocks, content.Block{ID: b.ID, Kind: b.Kind, Start: b.Start, End: b.End})
		}
		return t
	}
	if since != "" {
		old := "# Power\n\nOld.\n"
		if f.OldSince != "" {
			old = f.OldSince
		}
		if f.UnchangedSinceReview {
			old = f.Texts[at.ChangeRequest][page]
		}
		blocks := diff.Text(ctx, text(old), text(f.Texts[at.ChangeRequest][page]))
		return api.DocumentDiff{Page: &api.ChangedPage{ID: page}, Blocks: blocks}, f.recordCall(ctx, "diff")
	}
	blocks := diff.Text(ctx, text(f.Texts[""][page]), text(f.Texts[at.ChangeRequest][page]))
	return api.DocumentDiff{Page: &api.ChangedPage{ID: page}, Words: f.Queue.Words[page], Blocks: blocks}, f.recordCall(ctx, "diff")
}

// splitBlocks splits a text at empty lines into blocks, with ids by index.
func splitBlocks(markdown string) []api.Block {
	var blocks []api.Block
	at := 0
	for i, part := range strings.SplitAfter(markdown, "\n\n") {
		kind := "paragraph"
		switch {
		case strings.HasPrefix(part, "#"):
			kind = "heading"
		case strings.HasPrefix(part, "```"):
			kind = "code"
		case strings.HasPrefix(part, "|"):
			kind = "table"
		}
		id := fmt.Sprintf("b_%d", i)
		if strings.HasPrefix(part, "A paragraph") {
			id = "b_new"
		}
		blocks = append(blocks, api.Block{ID: id, Kind: kind, Start: at, End: at + len(part)})
		at += len(part)
	}
	return blocks
}
