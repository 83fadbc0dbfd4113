package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// linkGraph is the links of a state of the content, each with its status in that state. A graph is made from the
// one of another state of the space by looking again at what the difference touches. It never changes.
type linkGraph struct {
	state linkState
	tree  *tree
	paths map[string]string // path -> page
	texts map[string]pageLinks
	files map[string]file
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
func (s *Server) linkGraph(ctx context.Context, content *store.Content, head store.Head) (*linkGraph, error) {
	root, err := s.linkMap(ctx, content, head)
	if err != nil {
		return nil, err
	}
	r, err := s.revision(ctx, content, head.Revision)
	if err != nil {
		return nil, err
	}
	variables, err := json.Marshal(r.Variables)
	if err != nil {
		return nil, fmt.Errorf("variables of %s: %w", head.Revision, err)
	}
	state := linkState{content.Space(), head.Pages, head.Files, root, string(variables), r.Reusables}
	if g, ok := s.graphs.get(state); ok {
		return g, nil
	}
	g := &linkGraph{state: state, files: map[string]file{}, names: map[string]string{}, paths: map[string]string{}, variables: r.Variables}
	if g.tree, err = s.tree(ctx, content, state.pages); err != nil {
		return nil, err
	}
	files, err := s.files(ctx, content, state.files)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		g.files[f.ID], g.names[f.Name] = f, f.ID
	}
	g.walk("", "")
	if err := g.evaluate(ctx, s, content, s.graphs.latest(state.space)); err != nil {
		return nil, err
	}
	s.graphs.put(g)
	return g, nil
}

// walk notes the paths of the pages below one.
func (g *linkGraph) walk(parent, path string) {
	for _, id := range g.tree.kids(parent) {
		p := g.tree.page(id)
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
func (g *linkGraph) evaluate(ctx context.Context, s *Server, content *store.Content, from *linkGraph) error {
	var differs map[string]store.Change
	var err error
	if from == nil {
		if g.texts, err = readLinks(ctx, content, g.state.links); err != nil {
			return err
		}
		from = &linkGraph{tree: newTree()}
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
	for _, id := range g.tree.under("")[1:] {
		links := from.pages[id]
		if touched.touches(id, links) || touched.names && len(g.texts[id].Names) > 0 {
			links = r.page(g.tree.page(id))
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
func (g *linkGraph) lookUpReusables(ctx context.Context, content *store.Content) error {
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
func (g *linkGraph) takeTexts(ctx context.Context, content *store.Content, from *linkGraph, differs map[string]store.Change) error {
	g.texts = maps.Clone(from.texts)
	for id := range differs {
		delete(g.texts, id)
	}
	if len(differs) == 0 {
		return nil
	}
	changed, err := readLinks(ctx, content, g.state.links, slices.Sorted(maps.Keys(differs))...)
	maps.Copy(g.texts, changed)
	return err
}

// pathsDiffer reports whether some path leads elsewhere than in another graph.
func (g *linkGraph) pathsDiffer(from *linkGraph, differs map[string]store.Change) bool {
	for id := range differs {
		a, b := from.tree.page(id), g.tree.page(id)
		if a == nil || b == nil || a.Slug != b.Slug || a.Parent != b.Parent || a.Type != b.Type {
			return true
		}
	}
	return false
}

// linkDifference is what differs between the states of two graphs.
type linkDifference struct {
	all   bool
	pages map[string]store.Change
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

// graphCacheLinks bounds the links of the graphs that are kept in memory.
const graphCacheLinks = 500_000

// graphCache keeps graphs by state, the latest of each space among them. They are never stale.
type graphCache struct {
	mu     sync.Mutex
	held   int          // cost of the graphs
	graphs []*linkGraph // last used last
}

func (c *graphCache) get(state linkState) (*linkGraph, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.graphs, func(g *linkGraph) bool { return g.state == state })
	if at < 0 {
		return nil, false
	}
	g := c.graphs[at]
	c.graphs = append(slices.Delete(c.graphs, at, at+1), g)
	return g, true
}

// latest returns the graph of a space that was used last, or nil.
func (c *graphCache) latest(space string) *linkGraph {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range slices.Backward(c.graphs) {
		if g.state.space == space {
			return g
		}
	}
	return nil
}

// graphCost is what a graph of few links costs beside them.
const graphCost = 100

func (g *linkGraph) cost() int { return graphCost + g.count + len(g.texts) + len(g.paths) }

func (c *graphCache) put(g *linkGraph) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.graphs = append(c.graphs, g)
	for c.held += g.cost(); c.held > graphCacheLinks && len(c.graphs) > 1; {
		c.held -= c.graphs[0].cost()
		c.graphs = slices.Delete(c.graphs, 0, 1)
	}
}
