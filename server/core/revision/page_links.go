package revision

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// A revision has a map of the links of its pages, beside the map of the pages: page -> PageLinks. It says what the
// texts say, nothing about whether it is so; the next revision's costs what its changes cost. With it, no request
// about links reads a text.

// PageLinks is what a page's text says about links.
type PageLinks struct {
	Text    string    `json:"text"`           // TextID of the text
	Size    int       `json:"size,omitempty"` // of the text in bytes; 0 of what was read before it was kept
	Uses    []LinkUse `json:"uses,omitempty"`
	Names   []NameUse `json:"names,omitempty"`
	Anchors []string  `json:"anchors,omitempty"` // that the text says, sorted
	Aliases []string  `json:"aliases,omitempty"` // that its source had beside these, sorted
	Varies  bool      `json:"varies,omitzero"`   // a heading has a variable, so that its anchor is known where the variable is
}

// LinkUse is a destination that a text names, and where.
type LinkUse struct {
	To     string   `json:"to"`
	Image  bool     `json:"image,omitzero"`
	Blocks []string `json:"blocks"` // ids, in order
}

// NameUse is a variable or a reusable content that a text has an expression for, and where.
type NameUse struct {
	Scope  string   `json:"scope"` // of content.Expression
	Name   string   `json:"name"`
	Text   string   `json:"text"`
	Blocks []string `json:"blocks"`
	Again  int      `json:"again,omitzero"` // how often it stands there beside the first time
}

// LinksOf reads the links of a text.
func LinksOf(t content.Text) PageLinks {
	outline := content.Outlined(t.Markdown)
	aliases := t.Blocks.Aliases()
	links := PageLinks{
		Size: len(t.Markdown), Aliases: slices.Sorted(maps.Keys(aliases)),
		Anchors: slices.DeleteFunc(outline.Anchors, func(anchor string) bool { return aliases[anchor] != "" }),
	}
	type named struct {
		to      string
		isImage bool // may lead elsewhere than a link
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
		block.note(&links.Uses[i].Blocks, link.Start)
	}
	block = blockFinder{blocks: t.Blocks}
	names := map[string]int{}
	for _, e := range content.Expressions(t.Markdown) {
		i, known := names[e.Text]
		if !known {
			i = len(links.Names)
			names[e.Text] = i
			links.Names = append(links.Names, NameUse{Scope: e.Scope, Name: e.Name, Text: e.Text, Again: -1})
		}
		links.Names[i].Again++
		block.note(&links.Names[i].Blocks, e.Start)
		if in, ok := block.find(e.Start); ok && in.Kind == content.KindHeading {
			links.Varies = true
		}
	}
	return links
}

// destinations are the links of a text, those with variables in their destinations included.
func destinations(markdown []byte, outline content.Outline) []content.Link {
	masked := content.MaskExpressions(markdown)
	if bytes.Equal(masked, markdown) {
		return outline.Links
	}
	links := content.Outlined(masked).Links
	for i := range links {
		links[i].Destination = content.UnmaskExpressions(links[i].Destination)
	}
	return links
}

// blockFinder finds the blocks at offsets that grow.
type blockFinder struct {
	blocks []content.Block
	at     int
}

// find moves to the block at an offset; ok is false in a text without a block table.
func (f *blockFinder) find(offset int) (b content.Block, ok bool) {
	for f.at < len(f.blocks)-1 && f.blocks[f.at].End <= offset {
		f.at++
	}
	if len(f.blocks) == 0 {
		return b, false
	}
	return f.blocks[f.at], true
}

// note adds the id of the block at an offset, once.
func (f *blockFinder) note(ids *[]string, offset int) {
	if _, ok := f.find(offset); !ok {
		return
	}
	if id := f.blocks[f.at].ID; len(*ids) == 0 || (*ids)[len(*ids)-1] != id {
		*ids = append(*ids, id)
	}
}

// linkSources is where a worktree finds the links of its texts without reading them.
type linkSources struct {
	read  map[string]PageLinks // by TextID: of the texts that the worktree made
	Roots []string             // maps of links that may have the others
}

// SealLinks makes the map of links of the worktree's revision.
func (d *Worktree) SealLinks(ctx context.Context) (root string, err error) {
	changed := d.changed
	if d.From.Links == "" { // of a revision that was made before there were links, or that had no text
		changed = maps.Clone(changed)
		for _, id := range d.Tree.Under("")[1:] {
			changed[id] = true
		}
	}
	set, gone := map[string]objects.Entry{}, []string(nil)
	texts := map[string]*Page{}
	for id := range changed {
		if p := d.Tree.Page(id); p != nil && p.Text != "" {
			texts[id] = p
		} else {
			gone = append(gone, id)
		}
	}
	links, err := d.linksOf(ctx, texts)
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
	slices.Sort(gone)
	if root, err = d.Content.Apply(ctx, d.From.Links, set, gone); err != nil {
		return "", fmt.Errorf("links of %s: %w", d.Content.Space(), err)
	}
	return root, nil
}

// LinksOf finds the links of pages: of texts that were made here, in the maps of the sides of a merge, or else in
// the text itself.
func (d *Worktree) linksOf(ctx context.Context, pages map[string]*Page) (map[string]PageLinks, error) {
	found := make(map[string]PageLinks, len(pages))
	rest := maps.Clone(pages)
	take := func(id string, l PageLinks) {
		if p := rest[id]; p != nil && l.Text == p.TextID() {
			found[id] = l
			delete(rest, id)
		}
	}
	for id, p := range pages {
		l := d.Links.read[p.TextID()]
		l.Text = p.TextID()
		if _, known := d.Links.read[l.Text]; known {
			take(id, l)
		}
	}
	for _, root := range d.Links.Roots {
		if root == "" || len(rest) == 0 {
			continue
		}
		stored, err := ReadLinks(ctx, d.Content, root, slices.Sorted(maps.Keys(rest))...)
		if err != nil {
			return nil, err
		}
		for id, l := range stored {
			take(id, l)
		}
	}
	return found, d.readTexts(ctx, rest, found)
}

// textsAtOnce is how many texts are read in one trip.
const textsAtOnce = 64

// readTexts finds the links of pages in their texts.
func (d *Worktree) readTexts(ctx context.Context, pages map[string]*Page, found map[string]PageLinks) error {
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(pages)), textsAtOnce) {
		var hashes []string
		for _, id := range chunk {
			hashes = append(hashes, pages[id].Text, pages[id].Blocks)
		}
		objects, err := d.Content.Objects(ctx, hashes)
		if err != nil {
			return fmt.Errorf("texts of %s: %w", d.Content.Space(), err)
		}
		for _, id := range chunk {
			t, err := DecodeText(objects[pages[id].Text], objects[pages[id].Blocks])
			if err != nil {
				return err
			}
			l := LinksOf(t)
			l.Text = pages[id].TextID()
			found[id] = l
		}
	}
	return nil
}

// ReadLinks reads the links of some pages, or of all without ids.
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

// LinkMap is the map of links of a head. For a revision that was made before there were links it is made now, in
// memory.
func (s *Revisions) LinkMap(ctx context.Context, c *objects.Content, head store.Head) (root string, err error) {
	if head.Links != "" || head.Pages == "" {
		return head.Links, nil
	}
	d := s.NewWorktree(c.Space(), store.Head{})
	d.Content = c
	if d.Tree, err = s.Tree(ctx, c, head.Pages); err != nil {
		return "", err
	}
	return d.SealLinks(ctx)
}

// Anchor returns the anchor of the text that a fragment means. Fragments are compared as browsers do, but for case. ok is
// false for one that leads nowhere.
func (l PageLinks) Anchor(fragment string) (anchor string, ok bool) {
	anchor, way := l.find(fragment)
	return anchor, way < noAnchor
}

// noAnchor is behind the ways in which a fragment finds an anchor, from the surest.
const noAnchor = 4

func (l PageLinks) find(fragment string) (anchor string, way int) {
	for _, anchor := range []string{fragment, strings.ToLower(fragment)} {
		for _, names := range [][]string{l.Aliases, l.Anchors} {
			if _, found := slices.BinarySearch(names, anchor); found {
				return anchor, way
			}
			way++
		}
	}
	return "", noAnchor
}
