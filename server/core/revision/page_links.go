package revision

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// A revision has a map of the links of its pages: page id -> PageLinks. It contains the destinations as written,
// without resolving them, and is updated incrementally. With it, requests about links do not read texts.

// PageLinks contains the links of the text of a page.
type PageLinks struct {
	Text               string    `json:"text"`           // TextID of the text
	Size               int       `json:"size,omitempty"` // of the text in bytes; 0 in early versions
	Uses               []LinkUse `json:"uses,omitempty"`
	Names              []NameUse `json:"names,omitempty"`
	Anchors            []string  `json:"anchors,omitempty"` // anchors in the text, sorted
	Aliases            []string  `json:"aliases,omitempty"` // additional anchors of its source, sorted
	HasVariableAnchors bool      `json:"varies,omitzero"`   // a heading contains a variable, so its anchor depends on the value
}

// LinkUse is a destination in a text with the blocks that contain it.
type LinkUse struct {
	To     string   `json:"to"`
	Image  bool     `json:"image,omitzero"`
	Blocks []string `json:"blocks"` // block ids, in order
}

// NameUse is an expression for a variable or reusable content in a text with the blocks that contain it.
type NameUse struct {
	Scope   string   `json:"scope"` // scope of the content.Expression
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Blocks  []string `json:"blocks"`
	Repeats int      `json:"again,omitzero"` // number of further occurrences
}

// ExtractLinks extracts the links of a text.
func ExtractLinks(t content.Text) PageLinks {
	outline := content.ParseOutline(t.Markdown)
	aliases := t.Blocks.Aliases()
	links := PageLinks{
		Size: len(t.Markdown), Aliases: slices.Sorted(maps.Keys(aliases)),
		Anchors: slices.DeleteFunc(outline.Anchors, func(anchor string) bool { return aliases[anchor] != "" }),
	}
	type named struct {
		to      string
		isImage bool // images may resolve to other targets than links
	}
	at := map[named]int{}
	block := blockFinder{blocks: t.Blocks}
	for _, link := range destinations(t.Markdown, outline) {
		name := named{link.Destination, link.Image}
		i, known := at[name]
		if !known {
			i = len(links.Uses)
			at[name] = i
			links.Uses = append(links.Uses, LinkUse{To: link.Destination, Image: link.Image})
		}
		block.addBlock(&links.Uses[i].Blocks, link.Start)
	}
	block = blockFinder{blocks: t.Blocks}
	names := map[string]int{}
	for _, e := range content.Expressions(t.Markdown) {
		i, known := names[e.Text]
		if !known {
			i = len(links.Names)
			names[e.Text] = i
			links.Names = append(links.Names, NameUse{Scope: e.Scope, Name: e.Name, Text: e.Text, Repeats: -1})
		}
		links.Names[i].Repeats++
		block.addBlock(&links.Names[i].Blocks, e.Start)
		if in, ok := block.find(e.Start); ok && in.Kind == content.KindHeading {
			links.HasVariableAnchors = true
		}
	}
	return links
}

// destinations returns the links of a text, including those with variables in their destinations.
func destinations(markdown []byte, outline content.Outline) []content.Link {
	masked := content.MaskExpressions(markdown)
	if bytes.Equal(masked, markdown) {
		return outline.Links
	}
	links := content.ParseOutline(masked).Links
	for i := range links {
		links[i].Destination = content.UnmaskExpressions(links[i].Destination)
	}
	return links
}

// blockFinder finds the blocks at increasing offsets.
type blockFinder struct {
	blocks []content.Block
	index  int
}

// find returns the block at an offset. ok is false if the text has no block table.
func (f *blockFinder) find(offset int) (b content.Block, ok bool) {
	for f.index < len(f.blocks)-1 && f.blocks[f.index].End <= offset {
		f.index++
	}
	if len(f.blocks) == 0 {
		return b, false
	}
	return f.blocks[f.index], true
}

// addBlock appends the id of the block at an offset unless it is the last one in ids.
func (f *blockFinder) addBlock(ids *[]string, offset int) {
	if _, ok := f.find(offset); !ok {
		return
	}
	if id := f.blocks[f.index].ID; len(*ids) == 0 || (*ids)[len(*ids)-1] != id {
		*ids = append(*ids, id)
	}
}

// linkSources holds the known links of texts, so that a worktree need not read the texts.
type linkSources struct {
	byText map[string]PageLinks // by TextID, for texts created in the worktree
	Roots  []string             // roots of link maps that may contain the others
}

// WriteLinks stages the map of links of the next revision and returns its root.
func (w *Worktree) WriteLinks(ctx context.Context) (root string, err error) {
	changed := w.changed
	if w.BaseHead.Links == "" { // the revision predates link maps, or had no texts
		changed = maps.Clone(changed)
		for _, id := range w.Tree.Subtree("")[1:] {
			changed[id] = true
		}
	}
	set, removed := map[string]objects.Entry{}, []string(nil)
	texts := map[string]*Page{}
	for id := range changed {
		if p := w.Tree.Page(id); p != nil && p.Text != "" {
			texts[id] = p
		} else {
			removed = append(removed, id)
		}
	}
	links, err := w.collectLinks(ctx, texts)
	if err != nil {
		return "", err
	}
	for id, l := range links {
		value, err := json.Marshal(l)
		if err != nil {
			return "", fmt.Errorf("links of %s: %w", id, err)
		}
		set[id] = objects.Entry{Value: value}
	}
	slices.Sort(removed)
	if root, err = w.Content.Apply(ctx, w.BaseHead.Links, set, removed); err != nil {
		return "", fmt.Errorf("links of %s: %w", w.Content.Space(), err)
	}
	return root, nil
}

// collectLinks returns the links of pages: from the texts created in the worktree, from the link maps in Roots, or
// else from the texts themselves.
func (w *Worktree) collectLinks(ctx context.Context, pages map[string]*Page) (map[string]PageLinks, error) {
	found := make(map[string]PageLinks, len(pages))
	rest := maps.Clone(pages)
	take := func(id string, l PageLinks) {
		if p := rest[id]; p != nil && l.Text == p.TextID() {
			found[id] = l
			delete(rest, id)
		}
	}
	for id, p := range pages {
		l := w.Links.byText[p.TextID()]
		l.Text = p.TextID()
		if _, known := w.Links.byText[l.Text]; known {
			take(id, l)
		}
	}
	for _, root := range w.Links.Roots {
		if root == "" || len(rest) == 0 {
			continue
		}
		stored, err := ReadLinks(ctx, w.Content, root, slices.Sorted(maps.Keys(rest))...)
		if err != nil {
			return nil, err
		}
		for id, l := range stored {
			take(id, l)
		}
	}
	return found, w.linksFromTexts(ctx, rest, found)
}

// textBatch is the number of texts read per round trip.
const textBatch = 64

// linksFromTexts reads the texts of pages and adds their links to found.
func (w *Worktree) linksFromTexts(ctx context.Context, pages map[string]*Page, found map[string]PageLinks) error {
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(pages)), textBatch) {
		var hashes []string
		for _, id := range chunk {
			hashes = append(hashes, pages[id].Text, pages[id].Blocks)
		}
		objects, err := w.Content.Objects(ctx, hashes)
		if err != nil {
			return fmt.Errorf("texts of %s: %w", w.Content.Space(), err)
		}
		for _, id := range chunk {
			t, err := DecodeText(objects[pages[id].Text], objects[pages[id].Blocks])
			if err != nil {
				return err
			}
			l := ExtractLinks(t)
			l.Text = pages[id].TextID()
			found[id] = l
		}
	}
	return nil
}

// ReadLinks reads the links of the given pages, or of all pages if there are no ids.
func ReadLinks(ctx context.Context, c *objects.Content, root string, ids ...string) (map[string]PageLinks, error) {
	var entries map[string]objects.Entry
	var err error
	if len(ids) > 0 {
		entries, err = c.Get(ctx, root, ids...)
	} else {
		entries, err = c.All(ctx, root)
	}
	if err != nil {
		return nil, fmt.Errorf("links of %s: %w", c.Space(), err)
	}
	links := make(map[string]PageLinks, len(entries))
	for id, e := range entries {
		var l PageLinks
		if err := json.Unmarshal(e.Value, &l); err != nil {
			return nil, fmt.Errorf("%w: links of page %s: %w", redis.ErrCorrupt, id, err)
		}
		links[id] = l
	}
	return links, nil
}

// LinksRoot returns the root of the link map of a head. For a revision that predates link maps, the map is computed and
// staged in c.
func (rs *Revisions) LinksRoot(ctx context.Context, c *objects.Content, head store.Head) (root string, err error) {
	if head.Links != "" || head.Pages == "" {
		return head.Links, nil
	}
	d := rs.NewWorktree(c.Space(), store.Head{})
	d.Content = c
	if d.Tree, err = rs.Tree(ctx, c, head.Pages); err != nil {
		return "", err
	}
	return d.WriteLinks(ctx)
}

// Targets returns the anchors that fragments can refer to.
func (l PageLinks) Targets() resolve.Anchors {
	return resolve.Anchors{Aliases: l.Aliases, Own: l.Anchors}
}

// Anchor returns the anchor that a fragment refers to. ok is false if there is none.
func (l PageLinks) Anchor(fragment string) (anchor string, ok bool) {
	return l.Targets().Find(fragment)
}
