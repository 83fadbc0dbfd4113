package openapi

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// operation is an operation with its path and method.
type operation struct {
	*openapi3.Operation
	method, path string
	webhook      bool
	shared       openapi3.Parameters // of all operations of the path
}

func (o operation) name() string {
	name := o.method + " " + o.path
	if o.webhook {
		name += " (webhook)"
	}
	return name
}

// group is the content of one page of operations.
type group struct {
	title, description string
	operations         []operation
}

// untaggedTitle is the title of the page of operations without a tag.
const untaggedTitle = "Operations"

// groups returns the operations by tag: tags of the document in its order, other tags by name, and untagged ones
// last.
func (g *generator) groups() []group {
	byTag := map[string][]operation{}
	for _, o := range g.allOperations() {
		tags := slices.Clone(o.Tags)
		if len(tags) == 0 {
			tags = []string{""}
		}
		slices.Sort(tags)
		for _, tag := range slices.Compact(tags) {
			byTag[tag] = append(byTag[tag], o)
		}
	}
	var groups []group
	take := func(tag, title, description string) {
		if operations := byTag[tag]; len(operations) > 0 {
			groups = append(groups, group{
				title: cmp.Or(singleLine(title), untaggedTitle), description: description,
				operations: operations,
			})
			delete(byTag, tag)
		}
	}
	for _, tag := range g.document.Tags {
		if tag != nil && tag.Name != "" {
			take(tag.Name, tag.Name, tag.Description)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		if tag != "" {
			take(tag, tag, "")
		}
	}
	take("", untaggedTitle, "")
	return groups
}

// methods lists the methods of OpenAPI in display order.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"}

// allOperations returns the operations of paths and then of webhooks, both sorted by name.
func (g *generator) allOperations() []operation {
	var all []operation
	add := func(items map[string]*openapi3.PathItem, webhook bool) {
		for _, path := range slices.Sorted(maps.Keys(items)) {
			item := items[path]
			if item == nil {
				continue
			}
			there := item.Operations()
			for _, method := range methods {
				if o := there[method]; o != nil {
					all = append(all, operation{Operation: o, method: method, path: path, webhook: webhook, shared: item.Parameters})
				}
			}
		}
	}
	add(g.document.Paths.Map(), false)
	add(g.document.Webhooks, true)
	return all
}

func (g *generator) operationsPage(group group) Page {
	s := g.newPageBuilder(group.title)
	if group.description != "" {
		s.section("description", func(t *text) { t.prose(group.description) })
	}
	for _, o := range group.operations {
		s.section(o.name(), func(t *text) { o.write(t) })
	}
	return s.page(g.freeSlug(group.title), group.title)
}

func (o operation) write(t *text) {
	t.block("## " + code(o.name()))
	if o.Deprecated {
		t.block("**Deprecated.**")
	}
	if summary := escapeMarkdown(o.Summary); summary != "" {
		t.block("**" + summary + "**")
	}
	t.prose(o.Description)
	if o.Security != nil {
		t.block(describeRequirements(*o.Security))
	}
	o.parameters(t)
	if body := o.RequestBody; body != nil && body.Value != nil {
		t.block("### Request body")
		if body.Value.Required {
			t.block("Required.")
		}
		t.prose(body.Value.Description)
		contents(t, body.Value.Content)
	}
	o.responses(t)
}

// parameters adds the parameters of the operation and those of its path that it does not override.
func (o operation) parameters(t *text) {
	var all []*openapi3.Parameter
	seen := map[[2]string]bool{}
	for _, ref := range slices.Concat(o.Parameters, o.shared) {
		if ref == nil || ref.Value == nil || seen[[2]string{ref.Value.In, ref.Value.Name}] {
			continue
		}
		seen[[2]string{ref.Value.In, ref.Value.Name}] = true
		all = append(all, ref.Value)
	}
	t.table("### Parameters", []string{"Name", "In", "Type", "Required", "Description"}, func(row func(cells ...string) bool) {
		for _, p := range all {
			schema := parameterSchema(p)
			if !row(code(p.Name), escapeMarkdown(p.In), code(typeOf(schema, maxDepth)), yesOrEmpty(p.Required),
				joinSentences(deprecationNote(p.Deprecated), escapeMarkdown(p.Description), describeRules(schema),
					describeExample(p.Example))) {
				return
			}
		}
	})
}

// parameterSchema returns the schema of a parameter or header.
func parameterSchema(p *openapi3.Parameter) *openapi3.SchemaRef {
	if p.Schema != nil {
		return p.Schema
	}
	for _, kind := range slices.Sorted(maps.Keys(p.Content)) {
		if media := p.Content[kind]; media != nil {
			return media.Schema
		}
	}
	return nil
}

func (o operation) responses(t *text) {
	all := o.Responses.Map()
	if len(all) == 0 {
		return
	}
	t.block("### Responses")
	for _, status := range slices.Sorted(maps.Keys(all)) {
		ref := all[status]
		if ref == nil || ref.Value == nil || t.full {
			continue
		}
		t.block("#### " + code(status))
		if ref.Value.Description != nil {
			t.prose(*ref.Value.Description)
		}
		headers(t, ref.Value.Headers)
		contents(t, ref.Value.Content)
	}
}

func headers(t *text, headers openapi3.Headers) {
	t.table("", []string{"Header", "Type", "Description"}, func(row func(cells ...string) bool) {
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			header := headers[name]
			if header == nil || header.Value == nil {
				continue
			}
			schema := parameterSchema(&header.Value.Parameter)
			if !row(code(name), code(typeOf(schema, maxDepth)),
				joinSentences(deprecationNote(header.Value.Deprecated), escapeMarkdown(header.Value.Description), describeRules(schema))) {
				return
			}
		}
	})
}

// contents adds bodies by media type. Equal ones are added once.
func contents(t *text, all openapi3.Content) {
	type body struct {
		kind string
		made *openapi3.Schema
	}
	shown := map[body]string{}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		media := all[kind]
		if media == nil || t.full {
			continue
		}
		label := code(kind)
		if inner := element(media.Schema); inner == nil || inner.Value == nil {
			t.block(label)
		} else if b := (body{typeOf(media.Schema, maxDepth), inner.Value}); shown[b] != "" {
			t.block(label + ": as " + shown[b])
		} else {
			shown[b] = label
			t.block(label + ": " + code(b.kind))
			schema(t, media.Schema)
		}
		t.example("Example:", media.Example)
		for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
			if e := media.Examples[name]; e != nil && e.Value != nil {
				t.example("Example "+code(name)+":", e.Value.Value)
			}
		}
	}
}

func yesOrEmpty(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func deprecationNote(b bool) string {
	if b {
		return "**Deprecated.**"
	}
	return ""
}

func describeExample(value any) string {
	if value == nil {
		return ""
	}
	return "Example " + strings.TrimSpace(literal(value)) + "."
}
