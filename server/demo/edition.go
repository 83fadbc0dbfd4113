package demo

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// entryLine matches a line of SUMMARY.md: indentation, title, file.
var entryLine = regexp.MustCompile(`^(\s*)\* \[(.+)\]\((.+)\)\s*$`)

// sourceName is the name of the source of pages and files. Links between them are resolved by their paths in it.
const sourceName = "first edition"

// specSlug is the slug of the organization's specification.
const specSlug = "gateway-api"

// addFirstEdition adds a directory to its space through a merged change request, because the space is locked.
func (l *loader) addFirstEdition(s space) {
	space := l.spaces[s.Directory]
	var changes []api.ContentChange
	reusable := slices.Sorted(maps.Keys(s.Reusable))
	for _, name := range reusable {
		changes = append(changes, api.ContentChange{
			Operation: api.InsertReusableContent, Ref: name, Title: api.Some(name), Document: l.readDocument(s.Directory + "/" +
				s.Reusable[name]),
		})
	}
	changes = append(changes, l.pageChanges(s.Directory)...)
	for _, name := range s.Files {
		changes = append(changes, l.fileChange(name, s.Directory+"/"+name))
	}
	if len(s.Variables) > 0 {
		changes = append(changes, setVariables(s.Variables))
	}
	if s.Specification != "" {
		call(l, founder, api.PutOpenAPISpec, l.org, api.OpenAPISpecPut{
			Source: api.OpenAPISource{Text: string(l.readFile(s.Directory + "/" + s.Specification))},
		}, specSlug)
		changes = append(changes,
			api.ContentChange{Operation: api.InsertPage, Type: api.PageComputed, Title: api.Some("Reference"), Computed: &api.Computed{
				Type: api.ComputedOpenAPI, Dependencies: api.ComputedDependencies{
					Spec: api.ComputedSpec{Ref: api.SpecRef{Kind: "openapi", Spec: specSlug}},
				},
			}})
	}
	made := call(l, founder, api.CreateChangeRequest, space, api.ChangeRequestCreate{Subject: "First edition"})
	result := call(l, founder, api.EditChangeRequestContent, space, api.ContentEdit{Changes: changes}, made.ID)
	for i, name := range reusable {
		if l.err == nil {
			l.reusables[name] = result.Changes[i].ReusableContent.ID
		}
	}
	call(l, founder, api.MergeChangeRequest, space, nil, made.ID)
}

// pageChanges returns the operations that create the pages listed in the SUMMARY.md of a directory.
func (l *loader) pageChanges(directory string) (changes []api.ContentChange) {
	var above []string // refs by depth
	for line := range strings.SplitSeq(string(l.readFile(directory+"/SUMMARY.md")), "\n") {
		m := entryLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		depth, ref := len(m[1])/2, fmt.Sprintf("page-%d", len(changes))
		change := api.ContentChange{
			Operation: api.InsertPage, Ref: ref, Slug: api.Some(slug(m[3])), Document: l.readDocument(directory + "/" + m[3]),
			SourceName: sourceName, Path: m[3],
		}
		if depth > 0 && depth <= len(above) {
			change.Into = api.Some(above[depth-1])
		}
		above = append(above[:min(depth, len(above))], ref)
		changes = append(changes, change)
	}
	return changes
}

// slug returns the path segment of a file. README.md has that of its directory.
func slug(file string) string {
	name := strings.TrimSuffix(path.Base(file), ".md")
	if name != "README" {
		return strings.ToLower(name)
	}
	if dir := path.Dir(file); dir != "." {
		return path.Base(dir)
	}
	return "welcome"
}

func (l *loader) readDocument(file string) *api.Document {
	return &api.Document{Markdown: api.Some(string(l.readFile(file)))}
}

// fileChange returns the operation that adds or replaces a file.
func (l *loader) fileChange(at, file string) api.ContentChange {
	data := l.readFile(file)
	return api.ContentChange{Operation: api.InsertFiles, SourceName: sourceName, Files: []api.FileInsert{{
		Name: path.Base(at), Path: at, ContentType: http.DetectContentType(data), Base64: base64.StdEncoding.EncodeToString(data),
	}}}
}

func setVariables(values map[string]string) api.ContentChange {
	set := api.ContentChange{Operation: api.SetVariables, Variables: map[string]*string{}}
	for name, value := range values {
		set.Variables[name] = &value
	}
	return set
}
