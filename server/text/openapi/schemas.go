package openapi

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Limits of the description of one schema.
const (
	maxDepth   = 5  // nesting of unnamed schemas
	maxChoices = 20 // alternatives of an enum, oneOf or anyOf
	maxParts   = 50 // parts of an allOf
)

func (g *generator) modelsPage(slug string) Page {
	const title = "Models"
	s := g.newPageBuilder(title)
	schemas := g.document.Components.Schemas
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		ref := schemas[name]
		if ref == nil || ref.Value == nil {
			continue
		}
		s.section(name, func(t *text) {
			t.block("## " + code(name))
			t.block("Type: " + code(typeOf(ref, maxDepth)))
			t.prose(ref.Value.Description)
			if more := joinSentences(deprecationNote(ref.Value.Deprecated), describeLimits(ref.Value)); more != "" && ref.Ref == "" {
				t.block(more)
			}
			schema(t, &openapi3.SchemaRef{Value: ref.Value})
			t.example("Example:", firstExample(ref.Value))
		})
	}
	return s.page(slug, title)
}

// schema adds the members of an object, or of the objects in an array or choice. Schemas that the members refer to are only
// named.
func schema(t *text, ref *openapi3.SchemaRef) {
	ref = element(ref)
	if ref == nil || ref.Value == nil {
		return
	}
	f := &fieldTable{seen: map[*openapi3.Schema]bool{}}
	f.table(t, "", ref)
	choices := slices.Concat(ref.Value.OneOf, ref.Value.AnyOf)
	for _, choice := range choices[:min(len(choices), maxChoices)] {
		f.table(t, code(typeOf(choice, maxDepth))+":", element(choice))
	}
}

// element returns the schema of an array's elements, or the schema itself if it is not an array.
func element(ref *openapi3.SchemaRef) *openapi3.SchemaRef {
	for range maxDepth {
		if ref == nil || ref.Value == nil || ref.Value.Items == nil {
			break
		}
		ref = ref.Value.Items
	}
	return ref
}

// fieldTable adds the members of objects as rows. Each schema is added once.
type fieldTable struct {
	addRow func(cells ...string) bool
	seen   map[*openapi3.Schema]bool
	full   bool
}

func (f *fieldTable) table(t *text, caption string, ref *openapi3.SchemaRef) {
	t.table(caption, []string{"Name", "Type", "Required", "Description"}, func(row func(cells ...string) bool) {
		f.addRow, f.full = row, t.full
		f.addMembers("", ref, requiredNames(ref), maxDepth)
	})
}

// requiredNames returns the names of the members that a schema or a part of its allOf requires.
func requiredNames(ref *openapi3.SchemaRef) (names []string) {
	parts := openapi3.SchemaRefs{ref}
	for i := 0; i < len(parts) && i < maxParts; i++ {
		if part := parts[i]; part != nil && part.Value != nil && !slices.Contains(parts[:i], part) {
			names = append(names, part.Value.Required...)
			parts = append(parts, part.Value.AllOf...)
		}
	}
	return names
}

func (f *fieldTable) addMembers(prefix string, ref *openapi3.SchemaRef, required []string, depth int) {
	if ref == nil || ref.Value == nil || f.seen[ref.Value] || f.full {
		return
	}
	s := ref.Value
	f.seen[s] = true
	for _, part := range s.AllOf {
		f.addMembers(prefix, part, required, depth)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		member := s.Properties[name]
		if member == nil || member.Value == nil || f.full {
			continue
		}
		more := joinSentences(deprecationNote(member.Value.Deprecated), escapeMarkdown(member.Value.Description), describeRules(member))
		f.full = f.full || !f.addRow(code(prefix+name), code(typeOf(member, maxDepth)), yesOrEmpty(slices.Contains(required, name)), more)
		if inner := element(member); inner != nil && inner.Value != nil && inner.Ref == "" && member.Ref == "" && depth > 0 {
			f.addMembers(prefix+name+strings.Repeat("[]", arrayDepth(member))+".", inner, requiredNames(inner), depth-1)
		}
	}
}

// arrayDepth returns the nesting depth of arrays around an element.
func arrayDepth(ref *openapi3.SchemaRef) (n int) {
	for ; n < maxDepth && ref != nil && ref.Value != nil && ref.Value.Items != nil; n++ {
		ref = ref.Value.Items
	}
	return n
}

// typeOf returns the name of a schema or, if it has none, a description of its type.
func typeOf(ref *openapi3.SchemaRef, depth int) string {
	switch {
	case ref == nil || ref.Value == nil:
		return "any"
	case ref.Ref != "":
		return path.Base(ref.Ref)
	case depth == 0:
		return "…"
	}
	s := ref.Value
	var name string
	switch {
	case s.Always != nil && *s.Always:
		return "any"
	case s.Always != nil:
		return "nothing"
	case len(s.OneOf) > 0:
		name = typesOf(s.OneOf, " or ", depth)
	case len(s.AnyOf) > 0:
		name = typesOf(s.AnyOf, " or ", depth)
	case len(s.AllOf) > 0 && len(s.Properties) == 0:
		name = typesOf(s.AllOf, " and ", depth)
	default:
		name = ownType(s, depth)
	}
	if s.Nullable {
		name += " or null"
	}
	return name
}

func typesOf(refs openapi3.SchemaRefs, joint string, depth int) string {
	var names []string
	for _, ref := range refs[:min(len(refs), maxChoices)] {
		if name := typeOf(ref, depth-1); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(refs) - maxChoices; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, joint)
}

// ownType returns the declared type of a schema, or the type implied by its members.
func ownType(s *openapi3.Schema, depth int) string {
	var names []string
	if s.Type != nil {
		names = slices.Clone(*s.Type)
	}
	if len(names) == 0 {
		switch {
		case s.Items != nil:
			names = []string{"array"}
		case len(s.Properties) > 0 || s.AdditionalProperties.Schema != nil:
			names = []string{"object"}
		default:
			return "any"
		}
	}
	for i, name := range names[:min(len(names), maxChoices)] {
		switch {
		case name == "array":
			names[i] = "array of " + typeOf(s.Items, depth-1)
		case name == "object" && len(s.Properties) == 0 && s.AdditionalProperties.Schema != nil:
			names[i] = "map of " + typeOf(s.AdditionalProperties.Schema, depth-1)
		case name != "null" && s.Format != "":
			names[i] = name + " (" + s.Format + ")"
		}
	}
	return strings.Join(names[:min(len(names), maxChoices)], " or ")
}

// describeRules describes the constraints on values of an unnamed schema.
func describeRules(ref *openapi3.SchemaRef) string {
	if ref == nil || ref.Value == nil || ref.Ref != "" {
		return ""
	}
	return joinSentences(describeLimits(ref.Value), describeExample(firstExample(ref.Value)))
}

// firstExample returns the example of a schema, or the first of several.
func firstExample(s *openapi3.Schema) any {
	if s.Example == nil && len(s.Examples) > 0 {
		return s.Examples[0]
	}
	return s.Example
}

func describeLimits(s *openapi3.Schema) string {
	var all []string
	say := func(what string, value any) { all = append(all, what+" "+literal(value)+".") }
	if len(s.Enum) > 0 {
		all = append(all, describeChoices(s.Enum))
	}
	if s.Const != nil {
		say("Always", s.Const)
	}
	if s.Default != nil {
		say("Default", s.Default)
	}
	number := func(what string, value *float64, exclusive openapi3.ExclusiveBound) {
		switch {
		case exclusive.Value != nil:
			say(what+", exclusive,", *exclusive.Value)
		case value != nil && exclusive.Bool != nil && *exclusive.Bool:
			say(what+", exclusive,", *value)
		case value != nil:
			say(what, *value)
		}
	}
	number("Minimum", s.Min, s.ExclusiveMin)
	number("Maximum", s.Max, s.ExclusiveMax)
	if s.MultipleOf != nil {
		say("Multiple of", *s.MultipleOf)
	}
	all = append(all, describeRange("Length", s.MinLength, s.MaxLength), describeRange("Items", s.MinItems, s.MaxItems),
		describeRange("Members", s.MinProps, s.MaxProps))
	if s.Pattern != "" {
		all = append(all, "Pattern "+code(truncate(s.Pattern, maxValue))+".")
	}
	if s.UniqueItems {
		all = append(all, "No item twice.")
	}
	if s.ReadOnly {
		all = append(all, "Read only.")
	}
	if s.WriteOnly {
		all = append(all, "Write only.")
	}
	return joinSentences(all...)
}

// describeRange returns a sentence about a range of counts, or "" if any count is allowed.
func describeRange(what string, least uint64, limit *uint64) string {
	switch {
	case limit != nil:
		return what + " " + strconv.FormatUint(least, 10) + " to " + strconv.FormatUint(*limit, 10) + "."
	case least > 0:
		return what + " at least " + strconv.FormatUint(least, 10) + "."
	}
	return ""
}

// describeChoices lists alternative values.
func describeChoices(values []any) string {
	if len(values) == 0 {
		return ""
	}
	var names []string
	for _, value := range values[:min(len(values), maxChoices)] {
		names = append(names, literal(value))
	}
	if more := len(values) - maxChoices; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return "One of " + strings.Join(names, ", ") + "."
}
