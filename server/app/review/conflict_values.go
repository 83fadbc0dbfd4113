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

// attributeLabels maps the attributes of a page to their display names.
var attributeLabels = map[string]string{
	"type": "Type", "title": "Title", "slug": "Address", "emoji": "Emoji", "icon": "Icon", "description": "Description",
	"hidden": "Hidden from the table of contents", "noIndex": "Hidden from search",
	"noRobotsIndex": "Hidden from search engines", "layout": "Layout", "cover": "Cover", "metaLinks": "Canonical address and alternates",
	"target": "Where the link leads", "computed": "What the page is made of",
}

// attributeLabel returns the display name of an attribute.
func attributeLabel(name string) string {
	if variable, ok := strings.CutPrefix(name, revision.VariableAttributePrefix); ok {
		return "Variable " + Quote(variable)
	}
	if label := attributeLabels[name]; label != "" {
		return label
	}
	return name
}

// describeAttribute describes an attribute of a page that both sides changed.
func (d *describer) describeAttribute(desc *description, c merge.Conflict) {
	desc.Attribute, desc.AttributeLabel, desc.Place = c.Attribute, attributeLabel(c.Attribute), "Settings"
	if variable, ok := strings.CutPrefix(c.Attribute, revision.VariableAttributePrefix); ok {
		desc.Variable, desc.Place = variable, "Variables of the page"
	}
	desc.setSides(func(value *string) api.ConflictSide {
		return api.ConflictSide{Value: d.formatSetting(c.Attribute, valueText(value)), Absent: value == nil}
	}, c)
	if c.Base == nil && !isBoolean(c.Attribute) {
		desc.Base = nil
	}
	setting := Quote(desc.AttributeLabel)
	if desc.Variable != "" {
		setting = "the variable " + Quote(desc.Variable)
	}
	desc.Summary = d.sharedActionSentence("set " + setting + " of " + Quote(desc.Title) + " differently")
	d.addSettingAnswers(desc, desc.AttributeLabel)
	if acceptsText(c.Attribute) {
		desc.addAnswer(api.TakeText, desc.AttributeLabel+" is what you write")
	}
	desc.traces = [2]trace{attributeTrace(c.Page, c.Attribute), attributeTrace(c.Page, c.Attribute)}
}

// addSettingAnswers adds the answers that take the value of one side.
func (d *describer) addSettingAnswers(desc *description, label string) {
	for i, side := range []api.ConflictSide{desc.Ours, desc.Theirs} {
		value := side.Value
		if !side.Absent && (desc.Attribute == "" || acceptsText(desc.Attribute)) {
			value = Quote(firstRunes(value))
		}
		effect := label + " is " + value
		desc.addAnswer([]api.ResolutionTake{api.TakeOurs, api.TakeTheirs}[i], effect+", as in "+d.Names[i])
	}
}

// describeVariable describes a variable of the space that both sides changed.
func (d *describer) describeVariable(desc *description, c merge.Conflict) {
	desc.Variable, desc.Place = c.Key, "Variables of the space"
	desc.setSides(func(value *string) api.ConflictSide {
		if value == nil {
			return api.ConflictSide{Value: "not set", Absent: true}
		}
		return api.ConflictSide{Value: *value}
	}, c)
	if c.Base == nil {
		desc.Base = nil
	}
	desc.Summary = d.sharedActionSentence("set the variable " + Quote(c.Key) + " differently")
	d.addSettingAnswers(desc, "The variable "+Quote(c.Key))
	desc.addAnswer(api.TakeText, "The variable "+Quote(c.Key)+" is what you write")
	desc.traces = [2]trace{variableTrace(c.Key), variableTrace(c.Key)}
}

// describeFile describes a file that both sides replaced, or that one side deleted.
func (d *describer) describeFile(desc *description, c merge.Conflict) {
	desc.Place = "Files"
	var names []string
	desc.setSides(func(value *string) api.ConflictSide {
		if value == nil {
			return api.ConflictSide{Value: "Deleted.", Absent: true}
		}
		var f revision.File
		if !d.decodeValue("file "+c.Key, *value, &f) {
			return api.ConflictSide{Value: unreadableValue}
		}
		names = append(names, f.Name)
		return api.ConflictSide{Value: formatFile(f)}
	}, c)
	desc.Title = c.Key
	if len(names) > 0 {
		desc.Title = names[len(names)-1]
	}
	if desc.Ours.Value == desc.Theirs.Value && desc.Ours.Value != unreadableValue {
		desc.Theirs.Value += ", other bytes than in " + d.Names[0]
	}
	desc.File = &api.ConflictFile{ID: c.Key, Name: desc.Title}
	if c.Ours == nil || c.Theirs == nil {
		d.describeDeletion(desc, c, deletion{
			object: "the file " + Quote(desc.Title), otherAction: "replaced it", subject: "the file " +
				Quote(desc.Title), condition: "as it is",
		})
	} else {
		desc.Summary = d.sharedActionSentence("replaced the file " + Quote(desc.Title) + " differently")
		desc.addAnswer(api.TakeOurs, "The file is that of "+d.Names[0]+": "+desc.Ours.Value)
		desc.addAnswer(api.TakeTheirs, "The file is that of "+d.Names[1]+": "+desc.Theirs.Value)
	}
	desc.traces = [2]trace{fileTrace(c.Key), fileTrace(c.Key)}
}

// formatFile returns the name, size and content type of a file, and its dimensions if it is an image.
func formatFile(f revision.File) string {
	words := fmt.Sprintf("%s, %s, %s", f.Name, formatSize(f.Size), f.ContentType)
	if f.Dimensions != nil {
		words += fmt.Sprintf(", %d × %d pixels", f.Dimensions.Width, f.Dimensions.Height)
	}
	return words
}

// formatSize formats a number of bytes.
func formatSize(bytes int64) string {
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

// plainText returns a stored value as displayed: a JSON string without quotes, anything else unchanged.
func plainText(v *string) string {
	var text string
	if v == nil || json.Unmarshal([]byte(*v), &text) != nil {
		return valueText(v)
	}
	return text
}

// isBoolean reports whether an attribute is a boolean.
func isBoolean(name string) bool {
	return slices.Contains([]string{"hidden", "noIndex", "noRobotsIndex"}, name)
}

// unreadableValue is displayed for a damaged stored value.
const unreadableValue = "a damaged value that cannot be read"

// decodeValue decodes a stored value. If it is damaged, it adds its name to the unreadable values and returns false.
func (d *describer) decodeValue(name, value string, into any) (ok bool) {
	if err := json.Unmarshal([]byte(value), into); err != nil {
		d.unreadable = append(d.unreadable, name+": "+err.Error())
		return false
	}
	return true
}

// formatSetting formats the stored value of an attribute for display. It returns unreadableValue for a damaged value.
func (d *describer) formatSetting(name, value string) string {
	switch {
	case isBoolean(name) && value == "true":
		return "on"
	case isBoolean(name) && (value == "" || value == "false"):
		return "off"
	case value == "":
		return "not set"
	case isBoolean(name):
		d.decodeValue(name, value, new(bool))
		return unreadableValue
	case name == "layout":
		return d.formatLayout(value)
	case name == "cover":
		return d.formatCover(value)
	case name == "metaLinks":
		return d.formatMetaLinks(value)
	case name == "target":
		var to api.ContentRef
		if !d.decodeValue(name, value, &to) {
			return unreadableValue
		}
		return d.formatRef(to)
	case name == "computed":
		return d.formatComputed(value)
	}
	return plainText(&value)
}

// formatMetaLinks formats the meta links of a page, canonical link first.
func (d *describer) formatMetaLinks(value string) string {
	var links api.PageMetaLinks
	if !d.decodeValue("metaLinks", value, &links) {
		return unreadableValue
	}
	var words []string
	if links.Canonical != nil {
		words = append(words, "canonical "+d.formatRef(links.Canonical.Ref()))
	}
	for _, link := range links.Alternates {
		words = append(words, d.formatRef(link.Ref()))
	}
	return cmp.Or(strings.Join(words, ", "), "not set")
}

// formatLayout lists the differences of a layout from the default.
func (d *describer) formatLayout(value string) string {
	layout := api.DefaultLayout()
	if !d.decodeValue("layout", value, &layout) {
		return unreadableValue
	}
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

// formatCover formats the cover image of a page.
func (d *describer) formatCover(value string) string {
	var cover api.PageCover
	if !d.decodeValue("cover", value, &cover) {
		return unreadableValue
	}
	words := d.formatRef(cover.Ref)
	if cover.RefDark != nil {
		words += ", in dark mode " + d.formatRef(*cover.RefDark)
	}
	if cover.YPos != 0 {
		words += fmt.Sprintf(", shifted by %g", cover.YPos)
	}
	return words
}

// formatRef formats the target of a content reference, by title if it is known. It returns unreadableValue for a reference
// without a known kind.
func (d *describer) formatRef(to api.ContentRef) string {
	switch to.Kind {
	case api.RefPage, api.RefAnchor:
		words := "a page of " + d.quotedName(to.Space, "another space")
		if to.Space == "" || to.Space == d.Draft.Content.Space() {
			words = "a page that is not there"
			if title := d.title(to.Page); title != "" {
				words = "the page " + Quote(title)
			}
		}
		if to.Anchor != "" {
			words += ", at " + Quote(to.Anchor)
		}
		return words
	case api.RefFile:
		return "the file " + d.quotedName(to.File, "that is not there")
	case api.RefSpace:
		return "the space " + d.quotedName(to.Space, "that you may not see")
	case api.RefCollection:
		return "the collection " + d.quotedName(to.Collection, "that you may not see")
	case api.RefOpenAPI:
		return "the specification " + Quote(to.Spec)
	case api.RefURL:
		return to.URL
	}
	d.unreadable = append(d.unreadable, "reference of kind "+Quote(string(to.Kind)))
	return unreadableValue
}

// formatComputed formats the source of a computed page.
func (d *describer) formatComputed(value string) string {
	var computed api.Computed
	if !d.decodeValue("computed", value, &computed) {
		return unreadableValue
	}
	words := "a specification"
	if name := computed.Dependencies.Spec.Ref.Spec; name == "" {
		d.unreadable = append(d.unreadable, "computed: no specification")
		return unreadableValue
	} else if !strings.HasPrefix(name, store.OpenAPISpecPrefix) {
		words = "the specification " + Quote(name)
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

// TextField returns the field of update_page for an attribute, and reports whether the attribute is a text.
func TextField(name string) (field api.Field, ok bool) {
	change := api.NewCompiler().Compile(reflect.TypeFor[api.ContentChange]())
	index := slices.IndexFunc(change.Fields, func(f api.Field) bool { return f.Name == name })
	if index < 0 || change.Fields[index].Schema.Kind != api.KindString {
		return field, false
	}
	return change.Fields[index], true
}

// acceptsText reports whether a conflict about an attribute can be resolved with a text.
func acceptsText(name string) bool {
	_, ok := TextField(name)
	return ok || strings.HasPrefix(name, revision.VariableAttributePrefix)
}
