package reader

import (
	"context"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// includedContent holds the links that a reusable content adds to a page.
type includedContent struct {
	exists bool
	links  revision.PageLinks
}

// readEvaluatedLinks reads the links of the evaluated texts with expressions. Those of unchanged texts are copied from another
// graph.
func (g *Graph) readEvaluatedLinks(ctx context.Context, view *View, from *Graph, touched linkDifference) (err error) {
	g.evaluatedLinks, g.unreplaced, g.reusables = map[string]revision.PageLinks{}, map[string][]string{}, map[string]includedContent{}
	if !touched.names {
		maps.Copy(g.reusables, from.reusables)
	}
	for id, text := range g.Texts {
		if len(text.Names) == 0 {
			continue
		}
		if known, ok := from.evaluatedLinks[id]; ok && !touched.affectsText(id) {
			g.evaluatedLinks[id] = known
			if left := from.unreplaced[id]; left != nil {
				g.unreplaced[id] = left
			}
			continue
		}
		if g.evaluatedLinks[id], err = g.evaluateLinks(ctx, view, id, text); err != nil {
			return err
		}
		if err := g.addUnreplaced(ctx, view, id); err != nil {
			return err
		}
	}
	return nil
}

// addUnreplaced records the expressions of a page that are not replaced because of a size limit.
func (g *Graph) addUnreplaced(ctx context.Context, view *View, id string) error {
	p := g.Tree.Page(id)
	if p == nil {
		return nil
	}
	left, err := view.Unreplaced(ctx, p, g.Texts[id])
	for _, e := range left {
		g.unreplaced[id] = append(g.unreplaced[id], e.Text)
	}
	return err
}

// evaluateLinks adds the links from expressions to those of a text, in the blocks of the expressions.
func (g *Graph) evaluateLinks(ctx context.Context, view *View, id string, text revision.PageLinks) (revision.PageLinks, error) {
	whole := text
	varies := text.HasVariableAnchors
	whole.Uses, whole.Names = slices.Clone(text.Uses), slices.Clone(text.Names)
	for _, use := range text.Names {
		brought := revision.PageLinks{}
		switch use.Scope {
		case content.ScopeReusable:
			r, err := g.reusable(ctx, view, use.Name)
			if err != nil {
				return whole, err
			}
			brought = r.links
		case content.ScopeSpace:
			if value := g.variables[use.Name]; strings.ContainsAny(value, "[<:") {
				brought = revision.ExtractLinks(content.Text{Markdown: []byte(value)})
			}
		}
		for _, link := range brought.Uses {
			link.Blocks = use.Blocks
			whole.Uses = append(whole.Uses, link)
		}
		for _, name := range brought.Names {
			name.Blocks = use.Blocks
			whole.Names = append(whole.Names, name)
		}
		// equal headings are numbered in the order of the whole text
		varies = varies || len(brought.Anchors) > 0 || brought.HasVariableAnchors
	}
	if p := g.Tree.Page(id); varies && p != nil {
		read, err := view.Read(ctx, p)
		if err != nil {
			return whole, err
		}
		varied := revision.ExtractLinks(read.Text)
		whole.Anchors, whole.Aliases = varied.Anchors, varied.Aliases
	}
	return whole, nil
}

func (g *Graph) reusable(ctx context.Context, view *View, id string) (includedContent, error) {
	if known, ok := g.reusables[id]; ok {
		return known, nil
	}
	links, there, err := view.IncludedLinks(ctx, id)
	if err == nil {
		g.reusables[id] = includedContent{there, links}
	}
	return g.reusables[id], err
}

// Text returns the links and anchors of a page as its readers see it.
func (g *Graph) Text(id string) revision.PageLinks {
	if text, ok := g.evaluatedLinks[id]; ok {
		return text
	}
	return g.Texts[id]
}
