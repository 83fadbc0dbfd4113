package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// textWithBlocks finds a text of a page with a readable block table, to restore block ids: the newest one of all
// revisions, including those of change requests, or the last imported one.
func (hp *headPlan) textWithBlocks(ctx context.Context, p *revision.Page, root func(revision.Revision) string) content.Text {
	var states []*revision.Page
	for _, r := range hp.repair.revisions {
		e, err := hp.content.Get(ctx, root(r), p.ID)
		page, decoded := revision.DecodePage(p.ID, e[p.ID])
		if err == nil && decoded == nil && page.Text != "" {
			states = append(states, page)
		}
	}
	slices.SortFunc(states, func(a, b *revision.Page) int { return b.UpdatedAt.Compare(a.UpdatedAt.Time) })
	for _, page := range append(states, p.AsImported()) {
		if text, err := revision.ReadText(ctx, hp.content, page.Text, page.Blocks); err == nil && len(text.Blocks) > 0 {
			return text
		}
	}
	return content.Text{}
}

// repairOrigins repairs the imported texts of pages. A lost block table is rebuilt; if the text is lost, the next
// import merges as if there had been none before.
func (hp *headPlan) repairOrigins(ctx context.Context) error {
	var hashes []string
	for _, p := range hp.pages {
		if p.Origin != nil && p.Origin.Text != "" {
			hashes = append(hashes, p.Origin.Text, p.Origin.Blocks)
		}
	}
	bad, err := hp.content.Unreadable(ctx, hashes)
	if err != nil || len(bad) == 0 {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(hp.pages)) {
		o := hp.pages[id].Origin
		if o == nil || !bad[o.Text] && !bad[o.Blocks] {
			continue
		}
		missing := slices.DeleteFunc([]string{o.Text, o.Blocks}, func(hash string) bool { return !bad[hash] })
		if err := hp.repairOrigin(ctx, id, missing); err != nil {
			return err
		}
	}
	return nil
}

func (hp *headPlan) repairOrigin(ctx context.Context, id string, bad []string) (err error) {
	p := *hp.pages[id]
	o := *p.Origin
	d := Damage{Kind: DamagedPage, ID: id, Name: p.Name(), Outcome: "what its last import brought is there; its blocks are found again"}
	if slices.Contains(bad, o.Text) {
		d.GivenUp, d.Outcome = true, "what its last import brought is lost"
	} else if hp.importedTexts[id], err = hp.parseImported(ctx, &p); err != nil {
		return err
	}
	hp.report(d, bad...)
	o.Text, o.Blocks = "", "" // until the block table is rebuilt
	p.Origin = &o
	hp.pages[id] = &p
	return nil
}

// parseImported parses the imported text of a page with the blocks of its current text.
func (hp *headPlan) parseImported(ctx context.Context, p *revision.Page) (content.Text, error) {
	now, isNew := hp.rebuiltTexts[p.ID]
	if !isNew {
		var err error
		if now, err = revision.ReadText(ctx, hp.content, p.Text, p.Blocks); err != nil {
			return now, err
		}
	}
	markdown, err := hp.content.Object(ctx, p.Origin.Text)
	if err != nil {
		return now, err
	}
	t, err := content.Parse(p.ID, markdown, now)
	if err != nil {
		return t, fmt.Errorf("page %s as it came: %w", p.ID, err)
	}
	return t, nil
}
