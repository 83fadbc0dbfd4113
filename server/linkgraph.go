package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/cache"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// linkGraph is the links of a state of the content, each with its status in that state. A graph is made from the
// one of another state of the space by looking again at what the difference touches. It never changes.
type linkGraph struct {
	state linkState
	links string // root of the map of links, which may have been made for it
	tree  *revision.Tree
	paths map[string]string // path -> page
	texts map[string]revision.PageLinks
	files map[string]revision.File
	names map[string]string // name -> file

	variables map[string]string // of the space
	reusables map[string]bool   // that texts include and that are there

	pages map[string][]link // by page, sorted by key
	ids   []string          // of the pages that have links, sorted
	count int               // of links
}

// linkState names a state of the content by the roots of its maps.
type linkState struct{ space, pages, files, links, variables, reusables string }

// link is what a page uses, with its blocks that do.
type link struct {
	page    string
	key     string // sort key: the page, then the target
	href    string // as it is written
	blocks  []string
	target  api.ContentRef // what it leads to; of the zero kind where that is not known
	status  api.LinkStatus
	problem api.LinkProblem
	outside bool // leads to another space or to a collection: its status depends on who asks
}

// linkGraph returns the graph of a head.
func (s *Server) linkGraph(ctx context.Context, content *objects.Content, head store.Head) (*linkGraph, error) {
	r, err := s.revisions.Revision(ctx, content, head.Revision)
	if err != nil {
		return nil, err
	}
	variables, err := json.Marshal(r.Variables)
	if err != nil {
		return nil, fmt.Errorf("variables of %s: %w", head.Revision, err)
	}
	state := linkState{content.Space(), head.Pages, head.Files, head.Links, string(variables), r.Reusables}
	key := state.key(content)
	if g, ok := s.graphs.Get(key); ok {
		return g, nil
	}
	g := &linkGraph{state: state, files: map[string]revision.File{}, names: map[string]string{}, paths: map[string]string{}, variables: r.Variables}
	if g.links, err = s.revisions.LinkMap(ctx, content, head); err != nil {
		return nil, err
	}
	if g.tree, err = s.revisions.Tree(ctx, content, state.pages); err != nil {
		return nil, err
	}
	files, err := s.revisions.Files(ctx, content, state.files)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		g.files[f.ID], g.names[f.Name] = f, f.ID
	}
	g.walk("", "")
	from, _ := s.graphs.Find(func(g *linkGraph) bool { return g.state.space == state.space })
	err = g.evaluate(ctx, s, content, from)
	if from != nil && errors.Is(err, objects.ErrMissing) { // what that one was made of may be gone
		err = g.evaluate(ctx, s, content, nil)
	}
	if err == nil {
		s.graphs.Put(key, g)
	}
	return g, err
}

// key names the graph of the state among those that are kept.
func (l linkState) key(content *objects.Content) cache.Key {
	return cache.KeyOf(content, []string{l.pages, l.files, l.links, l.reusables}, l.variables)
}

// walk notes the paths of the pages below one.
func (g *linkGraph) walk(parent, path string) {
	for _, id := range g.tree.Children(parent) {
		p := g.tree.Page(id)
		if p.Type == api.PageLink {
			continue
		}
		at := strings.TrimPrefix(path+"/"+p.Slug, "/")
		if _, taken := g.paths[at]; !taken {
			g.paths[at] = id
		}
		g.walk(id, at)
	}
}

// evaluate finds the status of every link: of those that differ from another graph and of those that lead to what
// differs; of the others it is known. Without another graph all are looked at.
func (g *linkGraph) evaluate(ctx context.Context, s *Server, content *objects.Content, from *linkGraph) error {
	var differs map[string]objects.Change
	var err error
	if from == nil {
		if g.texts, err = revision.ReadLinks(ctx, content, g.links); err != nil {
			return err
		}
		from = &linkGraph{tree: revision.NewTree()}
	} else {
		if differs, err = content.Diff(ctx, from.state.pages, g.state.pages); err != nil {
			return fmt.Errorf("compare pages: %w", err)
		}
		if err = g.takeTexts(ctx, content, from, differs); err != nil {
			return err
		}
	}
	if err = g.lookUpReusables(ctx, content); err != nil {
		return err
	}
	touched := linkDifference{
		pages: differs, all: from.pages == nil, paths: from.pages != nil && g.pathsDiffer(from, differs), files: from.state.files != g.state.files,
		names: from.state.variables != g.state.variables || from.state.reusables != g.state.reusables,
	}
	g.pages = make(map[string][]link, len(from.pages))
	r := linkResolver{linkGraph: g, publicURL: s.publicURL}
	for _, id := range g.tree.Under("")[1:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		links := from.pages[id]
		if touched.touches(id, links) || touched.names && len(g.texts[id].Names) > 0 {
			links = r.page(g.tree.Page(id))
		}
		if len(links) > 0 {
			g.pages[id] = links
			g.count += len(links)
		}
	}
	g.ids = slices.Sorted(maps.Keys(g.pages))
	return nil
}

// lookUpReusables finds out which of the reusable contents that texts include are there.
func (g *linkGraph) lookUpReusables(ctx context.Context, content *objects.Content) error {
	g.reusables = map[string]bool{}
	for _, text := range g.texts {
		for _, use := range text.Names {
			if use.Scope == "reusable" {
				g.reusables[use.Name] = false
			}
		}
	}
	if len(g.reusables) == 0 {
		return nil
	}
	found, err := content.Get(ctx, g.state.reusables, slices.Sorted(maps.Keys(g.reusables))...)
	if err != nil {
		return fmt.Errorf("reusable contents of %s: %w", g.state.space, err)
	}
	for id := range found {
		g.reusables[id] = true
	}
	return nil
}

// takeTexts takes over what texts say from another graph, and reads what differs.
func (g *linkGraph) takeTexts(ctx context.Context, content *objects.Content, from *linkGraph, differs map[string]objects.Change) error {
	g.texts = maps.Clone(from.texts)
	for id := range differs {
		delete(g.texts, id)
	}
	if len(differs) == 0 {
		return nil
	}
	changed, err := revision.ReadLinks(ctx, content, g.links, slices.Sorted(maps.Keys(differs))...)
	maps.Copy(g.texts, changed)
	return err
}

// pathsDiffer reports whether some path leads elsewhere than in another graph.
func (g *linkGraph) pathsDiffer(from *linkGraph, differs map[string]objects.Change) bool {
	for id := range differs {
		a, b := from.tree.Page(id), g.tree.Page(id)
		if a == nil || b == nil || a.Slug != b.Slug || a.Parent != b.Parent || a.Type != b.Type {
			return true
		}
	}
	return false
}

// linkDifference is what differs between the states of two graphs.
type linkDifference struct {
	all   bool
	pages map[string]objects.Change
	paths bool // some path leads elsewhere
	files bool
	names bool // of variables or reusable contents
}

func (d linkDifference) has(page string) bool { _, differs := d.pages[page]; return differs }

// touches reports whether the links of a page, as they were, may have another status now.
func (d linkDifference) touches(page string, links []link) bool {
	return d.all || d.has(page) || slices.ContainsFunc(links, func(l link) bool {
		return d.has(l.target.Page) || d.paths && !isStable(l.href) || (d.paths || d.files) && l.status == api.LinkBroken ||
			d.files && l.target.File != ""
	})
}

// isStable reports whether a destination names something by its id, so that it does not depend on paths.
func isStable(href string) bool {
	return strings.HasPrefix(href, "/pages/") || strings.HasPrefix(href, "/files/") || hasScheme(href)
}

// link finds a link of a page by its key.
func (g *linkGraph) link(page, key string) (link, bool) {
	links := g.pages[page]
	at, found := slices.BinarySearchFunc(links, key, func(l link, key string) int { return strings.Compare(l.key, key) })
	if !found {
		return link{}, false
	}
	return links[at], true
}

// newGraphCache returns a cache of graphs. They are never stale; each counts all of what it holds, although graphs of one
// space have much in common.
func newGraphCache(budget int64) *cache.Cache[*linkGraph] {
	return cache.New(budget, (*linkGraph).bytes)
}

// What a graph costs in memory beside its texts, roughly: an entry of a map, a link, a string in a list.
const (
	entryBytes = 160
	linkBytes  = 512
	textBytes  = 32
)

// bytesOf is what the graph costs in memory, with the tree that it is about.
func (g *linkGraph) bytes() int {
	size := entryBytes * (len(g.paths) + len(g.texts) + 2*len(g.files) + len(g.variables) + len(g.reusables) + len(g.pages))
	for path := range g.paths {
		size += len(path)
	}
	for _, text := range g.texts {
		size += bytesOf(text)
	}
	for _, links := range g.pages {
		for _, l := range links {
			size += linkBytes + len(l.key) + len(l.href) + textBytes*len(l.blocks)
		}
	}
	for at := g.tree; at != nil; at = at.Base {
		size += at.Bytes()
	}
	return size
}

// bytesOf is what the links of a page cost in memory.
func bytesOf(l revision.PageLinks) int {
	size := len(l.Text)
	for _, use := range l.Uses {
		size += entryBytes + len(use.To) + 2*textBytes*len(use.Blocks)
	}
	for _, use := range l.Names {
		size += entryBytes + 2*len(use.Text) + 2*textBytes*len(use.Blocks)
	}
	for _, anchor := range l.Anchors {
		size += textBytes + len(anchor)
	}
	return size
}
