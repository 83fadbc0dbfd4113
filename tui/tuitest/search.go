package tuitest

import (
	"context"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Search returns the pages of the space whose text contains the words.
func (f client) Search(ctx context.Context, _, space, words string) ([]api.SpaceHit, error) {
	hit := api.SpaceHit{ID: "s_1", Title: "Skylark Handbook"}
	for _, id := range []string{"p_quick", "p_welcome"} {
		if text := f.Texts[""][id]; strings.Contains(strings.ToLower(text), strings.ToLower(words)) {
			section := api.SectionHit{Title: "Beginning", Body: strings.Join(strings.Fields(text), " ")}
			hit.Pages = append(hit.Pages, api.PageHit{ID: id, Title: id, Path: id, Sections: []api.SectionHit{section}})
		}
	}
	f.mu.Lock()
	f.Searched = append(f.Searched, space+"/"+words)
	f.mu.Unlock()
	if len(hit.Pages) == 0 {
		return nil, f.recordCall(ctx, "search")
	}
	return []api.SpaceHit{hit}, f.recordCall(ctx, "search")
}

func (f client) RequestsBy(ctx context.Context, _, _ string) ([]api.ChangeRequest, error) {
	return []api.ChangeRequest{f.request()}, f.recordCall(ctx, "requests-by")
}

func (f client) History(ctx context.Context, _, _ string) ([]api.HistoryEntry, error) {
	return []api.HistoryEntry{
		{
			ID: "r_7", Number: 7, Type: "merge", Author: NewUser("u_2", "Grace"), CreatedAt: api.At(Clock.Add(-2 * time.Hour)),
			MergedFrom: &api.HistoryRequest{
				ID: "cr_2", Number: 2, Subject: "Firmware 2.4",
			},
		},
		{ID: "r_1", Number: 1, Type: "initial", Author: NewUser("u_1", "Ada"), CreatedAt: api.At(Clock.Add(-90 * time.Hour))},
	}, f.recordCall(ctx, "history")
}

func (f client) Recent(ctx context.Context, space string) ([]api.HistoryEntry, error) {
	return f.History(ctx, space, "")
}

// Compare compares the texts of the pages in the space and in the change request.
func (f client) Compare(ctx context.Context, _, older, newer, id string) (api.ContentDiff, error) {
	found := api.ContentDiff{Base: older, Revision: newer}
	for _, page := range []string{"p_quick", "p_new"} {
		if id != "" && id != page {
			continue
		}
		d, err := f.Diff(ctx, remote.Target{ChangeRequest: "cr_2"}, page, "")
		if err != nil {
			return found, err
		}
		d.Page.Title = page
		found.Documents = append(found.Documents, d)
	}
	found.Changes = []api.SemanticChange{{Type: api.FileCreated, File: &api.ChangedFile{ID: "f_light", Name: "light.png"}}}
	return found, nil
}

func (f client) PageAt(ctx context.Context, _, revision, id string) (api.RevisionPage, error) {
	p := NewDocument(id, "Quick start", "d")
	markdown := "As it was in " + revision + ".\n"
	p.Markdown, p.Blocks = &markdown, splitBlocks(markdown)
	return p, f.recordCall(ctx, "page-at")
}

func (f client) Blame(ctx context.Context, _, _ string) ([]api.BlamedBlock, error) {
	grace := NewUser("u_2", "Grace")
	all := []api.BlamedBlock{
		{
			Preview: "Press the **button**, see [Power](/pages/p_new)", Author: &grace, CreatedAt: api.At(Clock.Add(-time.Hour)),
			ChangeRequest: &api.HistoryRequest{
				ID: "cr_2", Number: 2, Subject: "Firmware 2.4: faster readings, longer battery life",
			},
		},
		{Preview: "Old words"},
	}
	for i, id := range f.Blamed {
		all[i].ID = id
	}
	return all, f.recordCall(ctx, "blame")
}

func (f *Server) link(from, to, href string) api.Link {
	l := api.Link{
		Status: api.LinkOK, Href: href, Locations: []api.Reference{
			{Kind: api.ReferencePage, Page: new(NewDocument(from, from, "d")), InternalLocation: &api.InternalLocation{Node: "b_0"}},
		},
	}
	switch {
	case to == "":
		l.Status, l.Problem = api.LinkBroken, api.NoSuchPage
	case strings.HasPrefix(to, "http"):
		l.Target = &api.Reference{Kind: api.ReferenceURL, URL: to}
	default:
		l.Target = &api.Reference{Kind: api.ReferencePage, Page: new(NewDocument(to, to, "d"))}
	}
	return l
}

func (f client) SpaceLinks(ctx context.Context, _ string) ([]api.Link, error) {
	return []api.Link{f.link("p_welcome", "p_quick", "quick.md"), f.link("p_quick", "", "gone.md")}, f.recordCall(ctx, "space-links")
}

func (f targetContent) Links(ctx context.Context, page string) ([]api.Link, error) {
	if f.SelfLinks {
		return []api.Link{f.link(page, page, "#below")}, f.recordCall(ctx, "links")
	}
	if page == "p_welcome" {
		return []api.Link{
			f.link(page, "p_quick", "quick.md"), f.link(page, "https://x.example", "https://x.example"),
		}, f.recordCall(ctx, "links")
	}
	return []api.Link{f.link(page, "", "gone.md"), f.link(page, "p_welcome", "welcome.md")}, f.recordCall(ctx, "links")
}
