package api

import (
	"fmt"
	"slices"
	"strings"
)

// Media types of imported content.
const (
	MediaZip      = "application/zip"
	MediaMarkdown = "text/markdown"
	MediaHTML     = "text/html"
)

// Limits of imported content. Sizes are in bytes.
const (
	MaxImportArchive  = 64 << 20  // packed
	MaxImportTotal    = 200 << 20 // unpacked
	MaxImportDocument = 10 << 20  // a page or a file
	MaxImportPages    = 2000
	MaxImportFiles    = 10_000 // entries of an archive
)

// importMedia are the media types of content in the body of an import.
var importMedia = []UploadMedia{{MediaZip, MaxImportArchive}, {MediaMarkdown, MaxImportDocument}, {MediaHTML, MaxImportDocument}}

// ImportUploadInput is the input of ImportContent with the content as the body.
type ImportUploadInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ImportUpload
}

// ChangeRequestImportUploadInput is the input of ImportChangeRequestContent with the content as the body.
type ChangeRequestImportUploadInput struct {
	ChangeRequestRef
	ImportUpload
}

// ImportUpload holds the parameters of an import whose body is the content.
type ImportUpload struct {
	Name        string   `query:"name" len:"1..100" doc:"The source that it belongs to, or its id: what was imported under it before is brought up to date. Without a name, nothing that is there is touched."`
	Delete      bool     `query:"delete" doc:"Take out what the source does not have any more, unless somebody has edited, discussed or used it."`
	Revision    string   `query:"revision" pattern:"id" doc:"The revision of the target that the content is based on: its head or one before it. Merges begin there, not at the last import of the source."`
	Force       bool     `query:"force" doc:"Go on although less than half of what the source had is found again."`
	Adopt       bool     `query:"adopt" doc:"Take over pages of no source that stand at the same place with the same text."`
	Filename    string   `query:"filename" len:"1..255" doc:"The name of a single document, by which it is found again; default document.md or document.html."`
	Resolutions []string `query:"resolutions" len:"0..100" each:"1..4000" eachFormat:"text" doc:"Decide conflicts that an earlier answer told, each as CONFLICT:ours, CONFLICT:theirs, CONFLICT:both or CONFLICT:text:TEXT."`
}

// CheckParams applies the rules of Import to the parameters, and checks their texts.
func (u ImportUpload) CheckParams() []FieldError {
	v := violations{limits: DefaultLimits()}
	for _, line := range []struct{ name, text string }{{"name", u.Name}, {"filename", u.Filename}} {
		if len(findLineViolations(line.text)) > 0 {
			v.checkLine(line.name, line.text)
		}
	}
	if strings.ContainsAny(u.Filename, `/\`) || u.Filename == "." || u.Filename == ".." {
		v.add("filename", "must be the name of a file, without its directory")
	}
	for i, text := range u.Resolutions {
		if _, wrong := parseResolution(text); wrong != "" {
			v.add(fmt.Sprintf("resolutions[%d]", i), "%s", words{wrong})
		}
	}
	return append(v.list, u.Import("").Validate()...)
}

// Import returns the parameters as the body of an import from an address, without the address.
func (u ImportUpload) Import(source ImportSource) Import {
	i := Import{Source: source, Name: u.Name, Delete: u.Delete, Revision: u.Revision, Force: u.Force, Adopt: u.Adopt}
	for _, text := range u.Resolutions {
		r, _ := parseResolution(text) // checked by CheckParams
		i.Resolutions = append(i.Resolutions, r)
	}
	return i
}

// Upload returns the body of an import as parameters; its address and source are not among them.
func (i Import) Upload(filename string) ImportUpload {
	u := ImportUpload{Name: i.Name, Delete: i.Delete, Revision: i.Revision, Force: i.Force, Adopt: i.Adopt, Filename: filename}
	for _, r := range i.Resolutions {
		u.Resolutions = append(u.Resolutions, r.queryText())
	}
	return u
}

// queryText returns a resolution as a parameter of a query: CONFLICT:TAKE, and :TEXT if a text is taken.
func (r Resolution) queryText() string {
	text := r.Conflict + ":" + string(r.Take)
	if given, ok := r.Text.Get(); ok {
		text += ":" + given
	}
	return text
}

// parseResolution reads the text of queryText. wrong says why a text cannot be one; it is empty otherwise.
func parseResolution(text string) (r Resolution, wrong string) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 2 || !Patterns["id"].MatchString(parts[0]) {
		return r, "must be CONFLICT:SIDE with the id of a conflict, as in c_1:theirs"
	}
	r = Resolution{Conflict: parts[0], Take: ResolutionTake(parts[1])}
	switch isText := r.Take == TakeText; {
	case !slices.Contains(r.Take.Values(), r.Take):
		return r, "must take ours, theirs, both or text:TEXT"
	case isText && len(parts) < 3:
		return r, "must have the text to take, as in CONFLICT:text:TEXT"
	case !isText && len(parts) > 2:
		return r, "has a text, which goes with CONFLICT:text:TEXT alone"
	case isText:
		r.Text = Some(parts[2])
	}
	return r, ""
}
