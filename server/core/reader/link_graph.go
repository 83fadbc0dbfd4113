package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
)

// Graph is the links of a state of the content, each with its status in that state. A graph is made from the
// one of another state of the space by looking again at what the difference touches. It never changes.
type Graph struct {
	state graphState
	links string // root of the map of links, which may have been made for it
	Tree  *revision.Tree
	Texts map[string]revision.PageLinks
	Files map[string]revision.File

	Resolver  *revision.Resolver
	reads     map[string]revision.PageLinks // of texts with expressions, as their readers see them
	left      map[string][]string           // expressions that stay as they are for want of room, by page
	variables map[string]string             // of the space
	reusables map[string]included           // by id: what texts include

	Pages map[string][]Link // by page, sorted by key
	IDs   []string          // of the pages that have links, sorted
	count int               // of links
}

// graphState names a state of the content by the roots of its maps.
type graphState struct{ space, pages, files, links, variables, reusables, specs string }

// Link is what a page uses, with its blocks that do.
type Link struct {
	Page    string
	Key     string // sort key: the page, then the target
	Href    string // as it is written
	Blocks  []string
	Target  api.ContentRef // what it leads to; of the zero kind where that is not known
	Status  api.LinkStatus
	Problem api.LinkProblem
	Match   api.LinkMatch
	Outside bool // leads to another space, to a collection or to a specification: its status depends on who asks
}

// Graph returns the graph of a head.
func (s *Links) Graph(ctx context.Context, content *objects.Content, head store.Head) (*Graph, error) {
	r, err := s.Revisions.Revision(ctx, content, head.Revision)
	if err != nil {
		return nil, err
	}
	state, err := stateOf(content, head, r)
	if err != nil {
		return nil, err
	}
	key := state.key(content)
	if g, ok := s.Graphs.Get(key); ok {
		return g, nil
	}
	g := &Graph{state: state, variables: r.Variables}
	if g.links, err = s.Revisions.LinkMap(ctx, content, head); err != nil {
		return nil, err
	}
	view, err := s.Reading.At(ctx, content, head)
	if err != nil {
		return nil, err
	}
	g.Tree = view.Tree
	if g.Files, err = view.Files(ctx); err != nil {
		return nil, err
	}
	if g.Resolver, err = view.Resolver(ctx); err != nil {
		return nil, err
	}
	g.Resolver = g.Resolver.WithTexts(g.Text)
	from, _ := s.Graphs.Find(func(g *Graph) bool { return g.state.space == state.space })
	err = g.evaluate(ctx, s, view, content, from)
	if from != nil && errors.Is(err, objects.ErrMissing) { // what that one was made of may be gone
		err = g.evaluate(ctx, s, view, content, nil)
	}
	if err == nil {
		s.Graphs.Put(key, g)
	}
	return g, err
}

// stateOf names the content of a head.
func stateOf(content *objects.Content, head store.Head, r revision.Revision) (graphState, error) {
	variables, err := json.Marshal(r.Variables)
	if err != nil {
		return graphState{}, fmt.Errorf("variables of %s: %w", head.Revision, err)
	}
	specs, err := json.Marshal(r.Specs)
	if err != nil {
		return graphState{}, fmt.Errorf("specifications of %s: %w", head.Revision, err)
	}
	return graphState{content.Space(), head.Pages, head.Files, head.Links, string(variables), r.Reusables, string(specs)}, nil
}

// Key names the graph of the state among those that are kept.
func (l graphState) key(content *objects.Content) cache.Key {
	return cache.KeyOf(content, []string{l.pages, l.files, l.links, l.reusables}, l.variables, l.specs)
}

// evaluate finds the status of every link: of those that differ from another graph and of those that lead to what
// differs; of the others it is known. Without another graph all are looked at.
func (g *Graph) evaluate(ctx context.Context, s *Links, view *View, content *objects.Content, from *Graph) error {
	var differs map[string]objects.Change
	var err error
	if from == nil {
		if g.Texts, err = revision.ReadLinks(ctx, content, g.links); err != nil {
			return err
		}
		from = &Graph{Tree: revision.NewTree()}
	} else {
		if differs, err = content.Diff(ctx, from.state.pages, g.state.pages); err != nil {
			return fmt.Errorf("compare pages: %w", err)
		}
		if err = g.takeTexts(ctx, content, from, differs); err != nil {
			return err
		}
	}
	touched := g.difference(from, differs)
	if err := g.read(ctx, view, from, touched); err != nil {
		return err
	}
	g.Pages = make(map[string][]Link, len(from.Pages))
	r := linkResolver{Graph: g, view: view, made: map[string]revision.PageLinks{}, publicURL: s.PublicURL}
	for _, id := range g.Tree.Under("")[1:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		links := from.Pages[id]
		if touched.touches(g, id, links) || touched.names && len(g.Texts[id].Names) > 0 {
			links = r.page(g.Tree.Page(id))
		}
		if len(links) > 0 {
			g.Pages[id] = links
			g.count += len(links)
		}
	}
	g.IDs = slices.Sorted(maps.Keys(g.Pages))
	return nil
}

// takeTexts takes over what texts say from another graph, and reads what differs.
func (g *Graph) takeTexts(ctx context.Context, content *objects.Content, from *Graph, differs map[string]objects.Change) error {
	g.Texts = maps.Clone(from.Texts)
	for id := range differs {
		delete(g.Texts, id)
	}
	if len(differs) == 0 {
		return nil
	}
	changed, err := revision.ReadLinks(ctx, content, g.links, slices.Sorted(maps.Keys(differs))...)
	maps.Copy(g.Texts, changed)
	return err
}

// pathsDiffer reports whether some path leads elsewhere than in another graph.
func (g *Graph) pathsDiffer(from *Graph, differs map[string]objects.Change) bool {
	for id := range differs {
		a, b := from.Tree.Page(id), g.Tree.Page(id)
		if a == nil || b == nil || a.Slug != b.Slug || a.Parent != b.Parent || a.Order != b.Order || a.Type != b.Type || !a.Origin.SamePlace(b.Origin) {
			return true
		}
	}
	return false
}

// difference says what differs from another graph.
func (g *Graph) difference(from *Graph, pages map[string]objects.Change) linkDifference {
	d := linkDifference{
		pages: pages, all: from.Pages == nil || from.state.specs != g.state.specs,
		paths: from.Pages != nil && g.pathsDiffer(from, pages), files: from.state.files != g.state.files,
		names: from.state.variables != g.state.variables || from.state.reusables != g.state.reusables,
	}
	for id := range pages {
		if _, computed := revision.SpecOf(g.Tree.Page(id)); computed || from.Tree.Page(id) != nil && from.Tree.Page(id).Type == api.PageComputed {
			d.all = true // pages that are made come or go
		}
	}
	return d
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

// reads reports whether a text with expressions may read otherwise.
func (d linkDifference) reads(page string) bool { return d.all || d.names || d.has(page) }

// touches reports whether the links of a page, as they were, may have another status now.
func (d linkDifference) touches(g *Graph, page string, links []Link) bool {
	return d.all || d.has(page) || slices.ContainsFunc(links, func(l Link) bool {
		return d.has(l.Target.Page) || d.names && l.Target.Anchor != "" || slices.ContainsFunc(g.Resolver.Parts(l.Target.Page), d.has) ||
			(d.paths || d.files) && (!isStable(l.Href) || l.Status == api.LinkBroken) ||
			d.files && l.Target.File != ""
	})
}

// isStable reports whether a destination names something by its id, so that it does not depend on paths.
func isStable(href string) bool {
	return strings.HasPrefix(href, "/pages/") || strings.HasPrefix(href, "/files/") || revision.LeadsAway(href)
}

// Link finds a link of a page by its key.
func (g *Graph) Link(page, key string) (Link, bool) {
	links := g.Pages[page]
	at, found := slices.BinarySearchFunc(links, key, func(l Link, key string) int { return strings.Compare(l.Key, key) })
	if !found {
		return Link{}, false
	}
	return links[at], true
}

// NewCache returns a cache of graphs. They are never stale; each counts all of what it holds, although graphs of one
// space have much in common.
func NewCache(budget int64) *cache.Cache[*Graph] {
	return cache.New(budget, (*Graph).bytes)
}

// What a graph costs in memory beside its texts, roughly: an entry of a map, a link, a string in a list.
const (
	entryBytes = 160
	linkBytes  = 512
	textBytes  = 32
)

// bytesOf is what the graph costs in memory, with the tree that it is about.
func (g *Graph) bytes() int {
	size := g.Resolver.Bytes() + entryBytes*(len(g.Texts)+len(g.Files)+len(g.variables)+len(g.reusables)+len(g.Pages))
	for _, text := range g.Texts {
		size += bytesOf(text)
	}
	for _, text := range g.reads {
		size += entryBytes + bytesOf(text)
	}
	for _, text := range g.reusables {
		size += bytesOf(text.links)
	}
	for _, links := range g.Pages {
		for _, l := range links {
			size += linkBytes + len(l.Key) + len(l.Href) + textBytes*len(l.Blocks)
		}
	}
	for at := g.Tree; at != nil; at = at.Base {
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
	for _, anchor := range slices.Concat(l.Anchors, l.Aliases) {
		size += textBytes + len(anchor)
	}
	return size
}

// usedAt is a block of a page, or the page itself.
type usedAt struct{ Page, Block string }

// Uses returns where a file is used, by sort key, and the keys in order.
func (g *Graph) Uses(file string) (keys []string, places map[string]usedAt) {
	places = map[string]usedAt{}
	for _, page := range g.IDs {
		for _, l := range g.Pages[page] {
			if l.Target.File != file {
				continue
			}
			for _, block := range l.Places() {
				places[page+" "+block] = usedAt{page, block}
			}
		}
	}
	for key := range places {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys, places
}

// Places are the blocks that have the link, or the page itself as "".
func (l Link) Places() []string {
	if len(l.Blocks) == 0 {
		return []string{""}
	}
	return l.Blocks
}
