package review

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/store"
)

// labels are what people call the attributes of a page.
var labels = map[string]string{
	"type": "Type", "title": "Title", "slug": "Address", "emoji": "Emoji", "icon": "Icon", "description": "Description",
	"hidden": "Hidden from the table of contents", "noIndex": "Hidden from search",
	"noRobotsIndex": "Hidden from search engines", "layout": "Layout", "cover": "Cover", "metaLinks": "Canonical address and alternates", "target": "Where the link leads", "computed": "What the page is made of",
}

// labelOf is what people call an attribute.
func labelOf(name string) string {
	if variable, ok := strings.CutPrefix(name, revision.VariableAttribute); ok {
		return "Variable " + Quoted(variable)
	}
	if label := labels[name]; label != "" {
		return label
	}
	return name
}

// attribute is a setting of a page that both sides changed.
func (t *teller) attribute(w *told, c merge.Conflict) {
	w.Attribute, w.AttributeLabel, w.Place = c.Attribute, labelOf(c.Attribute), "Settings"
	if variable, ok := strings.CutPrefix(c.Attribute, revision.VariableAttribute); ok {
		w.Variable, w.Place = variable, "Variables of the page"
	}
	w.sides(func(value *string) api.ConflictSide {
		return api.ConflictSide{Value: t.settingWords(c.Attribute, valueText(value)), Absent: value == nil}
	}, c)
	if c.Base == nil && !onOrOff(c.Attribute) {
		w.Base = nil
	}
	setting := Quoted(w.AttributeLabel)
	if w.Variable != "" {
		setting = "the variable " + Quoted(w.Variable)
	}
	w.Summary = t.alike("set " + setting + " of " + Quoted(w.Title) + " differently")
	t.settingAnswers(w, w.AttributeLabel)
	if writable(c.Attribute) {
		w.answer(api.TakeText, w.AttributeLabel+" is what you write")
	}
	w.traces = [2]trace{attributeOf(c.Page, c.Attribute), attributeOf(c.Page, c.Attribute)}
}

// settingAnswers are the answers that take what one side has set.
func (t *teller) settingAnswers(w *told, label string) {
	for i, side := range []api.ConflictSide{w.Ours, w.Theirs} {
		value := side.Value
		if !side.Absent && (w.Attribute == "" || writable(w.Attribute)) {
			value = Quoted(firstRunes(value))
		}
		effect := label + " is " + value
		w.answer([]api.ResolutionTake{api.TakeOurs, api.TakeTheirs}[i], effect+", as in "+t.Names[i])
	}
}

// variable is a variable of the space that both sides changed.
func (t *teller) variable(w *told, c merge.Conflict) {
	w.Variable, w.Place = c.Key, "Variables of the space"
	w.sides(func(value *string) api.ConflictSide {
		if value == nil {
			return api.ConflictSide{Value: "not set", Absent: true}
		}
		return api.ConflictSide{Value: *value}
	}, c)
	if c.Base == nil {
		w.Base = nil
	}
	w.Summary = t.alike("set the variable " + Quoted(c.Key) + " differently")
	t.settingAnswers(w, "The variable "+Quoted(c.Key))
	w.answer(api.TakeText, "The variable "+Quoted(c.Key)+" is what you write")
	w.traces = [2]trace{variableOf(c.Key), variableOf(c.Key)}
}

// file is a file that both sides changed, or that one deleted.
func (t *teller) file(w *told, c merge.Conflict) {
	w.Place = "Files"
	var names []string
	w.sides(func(value *string) api.ConflictSide {
		var f revision.File
		if value == nil || json.Unmarshal([]byte(*value), &f) != nil {
			return api.ConflictSide{Value: "Deleted.", Absent: true}
		}
		names = append(names, f.Name)
		return api.ConflictSide{Value: fileWords(f)}
	}, c)
	w.Title = names[len(names)-1]
	if w.Ours.Value == w.Theirs.Value {
		w.Theirs.Value += ", other bytes than in " + t.Names[0]
	}
	w.File = &api.ConflictFile{ID: c.Key, Name: w.Title}
	if c.Ours == nil || c.Theirs == nil {
		t.deletion(w, c, deletion{what: "the file " + Quoted(w.Title), did: "replaced it", stays: "the file " + Quoted(w.Title), with: "as it is"})
	} else {
		w.Summary = t.alike("replaced the file " + Quoted(w.Title) + " differently")
		w.answer(api.TakeOurs, "The file is that of "+t.Names[0]+": "+w.Ours.Value)
		w.answer(api.TakeTheirs, "The file is that of "+t.Names[1]+": "+w.Theirs.Value)
	}
	w.traces = [2]trace{fileOf(c.Key), fileOf(c.Key)}
}

// fileWords is a file in words: its name, how large it is, and what it is.
func fileWords(f revision.File) string {
	words := fmt.Sprintf("%s, %s, %s", f.Name, sizeWords(f.Size), f.ContentType)
	if f.Dimensions != nil {
		words += fmt.Sprintf(", %d × %d pixels", f.Dimensions.Width, f.Dimensions.Height)
	}
	return words
}

// sizeWords is a number of bytes in words.
func sizeWords(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	case bytes == 1:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// plain is a value as people read it: a title or slug without the quotes of JSON.
func plain(v *string) string {
	var text string
	if v == nil || json.Unmarshal([]byte(*v), &text) != nil {
		return valueText(v)
	}
	return text
}

// onOrOff reports whether an attribute is one.
func onOrOff(name string) bool {
	return slices.Contains([]string{"hidden", "noIndex", "noRobotsIndex"}, name)
}

// settingWords is the value of an attribute, as it is stored, in words.
func (t *teller) settingWords(name, value string) string {
	switch {
	case onOrOff(name) && value == "true":
		return "on"
	case onOrOff(name):
		return "off"
	case value == "":
		return "not set"
	case name == "layout":
		return layoutWords(value)
	case name == "cover":
		return t.coverWords(value)
	case name == "metaLinks":
		return t.metaLinkWords(value)
	case name == "target":
		var to api.ContentRef
		_ = json.Unmarshal([]byte(value), &to) // as it was stored
		return t.refWords(to)
	case name == "computed":
		return computedWords(value)
	}
	return plain(&value)
}

// metaLinkWords are the meta links of a page, the canonical one first.
func (t *teller) metaLinkWords(value string) string {
	var links api.PageMetaLinks
	_ = json.Unmarshal([]byte(value), &links) // as it was stored
	var words []string
	if links.Canonical != nil {
		words = append(words, "canonical "+t.refWords(links.Canonical.Ref()))
	}
	for _, link := range links.Alternates {
		words = append(words, t.refWords(link.Ref()))
	}
	return cmp.Or(strings.Join(words, ", "), "not set")
}

// layoutWords is what a layout has that others do not.
func layoutWords(value string) string {
	layout := api.DefaultLayout()
	_ = json.Unmarshal([]byte(value), &layout) // as it was stored
	var words []string
	if layout.Width != "default" {
		words = append(words, layout.Width)
	}
	if layout.CoverSize != "hero" {
		words = append(words, layout.CoverSize+" cover")
	}
	for _, part := range []struct {
		shown bool
		name  string
	}{
		{layout.Cover, "cover"},
		{layout.Title, "title"},
		{layout.Description, "description"},
		{layout.TableOfContents, "table of contents"},
		{layout.Outline, "outline"},
		{layout.Pagination, "pagination"},
		{layout.Metadata, "metadata"},
	} {
		if !part.shown {
			words = append(words, "without "+part.name)
		}
	}
	if len(words) == 0 {
		return "as usual"
	}
	return strings.Join(words, ", ")
}

// coverWords is what the picture above a page is.
func (t *teller) coverWords(value string) string {
	var cover api.PageCover
	_ = json.Unmarshal([]byte(value), &cover) // as it was stored
	words := t.refWords(cover.Ref)
	if cover.RefDark != nil {
		words += ", in dark mode " + t.refWords(*cover.RefDark)
	}
	if cover.YPos != 0 {
		words += fmt.Sprintf(", shifted by %g", cover.YPos)
	}
	return words
}

// refWords is where a reference leads, by title.
func (t *teller) refWords(to api.ContentRef) string {
	switch to.Kind {
	case api.RefPage, api.RefAnchor:
		words := "a page of " + t.nameOf(to.Space, "another space")
		if to.Space == "" || to.Space == t.Draft.Content.Space() {
			words = "a page that is not there"
			if title := t.title(to.Page); title != "" {
				words = "the page " + Quoted(title)
			}
		}
		if to.Anchor != "" {
			words += ", at " + Quoted(to.Anchor)
		}
		return words
	case api.RefFile:
		return "the file " + t.nameOf(to.File, "that is not there")
	case api.RefSpace:
		return "the space " + t.nameOf(to.Space, "that you may not see")
	case api.RefCollection:
		return "the collection " + t.nameOf(to.Collection, "that you may not see")
	case api.RefOpenAPI:
		return "the specification " + Quoted(to.Spec)
	case api.RefURL:
	}
	return to.URL
}

// computedWords is what a computed page is made of.
func computedWords(value string) string {
	var computed api.Computed
	_ = json.Unmarshal([]byte(value), &computed) // as it was stored
	words := "a specification"
	if name := computed.Dependencies.Spec.Ref.Spec; !strings.HasPrefix(name, store.OpenAPISpecPrefix) {
		words = "the specification " + Quoted(name)
	}
	if computed.Props == nil {
		return words
	}
	if computed.Props.Doc != "" {
		words += ", its " + computed.Props.Doc
	}
	if computed.Props.Models {
		words += ", with models"
	}
	return words
}

// WrittenField is the field of update_page that has an attribute, where that is a text.
func WrittenField(name string) (field api.Field, ok bool) {
	change := api.NewCompiler().Compile(reflect.TypeFor[api.ContentChange]())
	at := slices.IndexFunc(change.Fields, func(f api.Field) bool { return f.Name == name })
	if at < 0 || change.Fields[at].Schema.Kind != api.KindString {
		return field, false
	}
	return change.Fields[at], true
}

// writable reports whether a text can be taken for an attribute.
func writable(name string) bool {
	_, ok := WrittenField(name)
	return ok || strings.HasPrefix(name, revision.VariableAttribute)
}
