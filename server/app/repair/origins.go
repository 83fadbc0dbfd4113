package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// tableOf finds a text of a page whose block table can be read, for a text that has lost its own: the newest one of all
// revisions, change requests too, else what the last import brought.
func (h *headPlan) tableOf(ctx context.Context, p *revision.Page, root func(revision.Revision) string) content.Text {
	var states []*revision.Page
	for _, r := range h.patient.known {
		e, err := h.content.Get(ctx, root(r), p.ID)
		was, decoded := revision.DecodePage(p.ID, e[p.ID])
		if err == nil && decoded == nil && was.Text != "" {
			states = append(states, was)
		}
	}
	slices.SortFunc(states, func(a, b *revision.Page) int { return b.UpdatedAt.Compare(a.UpdatedAt.Time) })
	for _, was := range append(states, p.AsCame()) {
		if text, err := revision.ReadText(ctx, h.content, was.Text, was.Blocks); err == nil && len(text.Blocks) > 0 {
			return text
		}
	}
	return content.Text{}
}

// mendOrigins sees to what the last imports of pages brought. A table is found again; without its text the next import
// merges as if there had been none before.
func (h *headPlan) mendOrigins(ctx context.Context) error {
	var hashes []string
	for _, p := range h.pages {
		if p.Origin != nil && p.Origin.Text != "" {
			hashes = append(hashes, p.Origin.Text, p.Origin.Blocks)
		}
	}
	bad, err := h.content.Unreadable(ctx, hashes)
	if err != nil || len(bad) == 0 {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(h.pages)) {
		o := h.pages[id].Origin
		if o == nil || !bad[o.Text] && !bad[o.Blocks] {
			continue
		}
		missing := slices.DeleteFunc([]string{o.Text, o.Blocks}, func(hash string) bool { return !bad[hash] })
		if err := h.mendOrigin(ctx, id, missing); err != nil {
			return err
		}
	}
	return nil
}

func (h *headPlan) mendOrigin(ctx context.Context, id string, bad []string) (err error) {
	p := *h.pages[id]
	o := *p.Origin
	d := Damage{Kind: DamagedPage, ID: id, Name: p.Name(), Outcome: "what its last import brought is there; its blocks are found again"}
	if slices.Contains(bad, o.Text) {
		d.GivenUp, d.Outcome = true, "what its last import brought is lost"
	} else if h.came[id], err = h.cameAs(ctx, &p); err != nil {
		return err
	}
	h.note(d, bad...)
	o.Text, o.Blocks = "", "" // until there is a table
	p.Origin = &o
	h.pages[id] = &p
	return nil
}

// cameAs is the text of a page's last import with the blocks of the page as it is now.
func (h *headPlan) cameAs(ctx context.Context, p *revision.Page) (content.Text, error) {
	now, isNew := h.texts[p.ID]
	if !isNew {
		var err error
		if now, err = revision.ReadText(ctx, h.content, p.Text, p.Blocks); err != nil {
			return now, err
		}
	}
	markdown, err := h.content.Object(ctx, p.Origin.Text)
	if err != nil {
		return now, err
	}
	t, err := content.Parse(p.ID, markdown, now)
	if err != nil {
		return t, fmt.Errorf("page %s as it came: %w", p.ID, err)
	}
	return t, nil
}
