package folder

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/pack"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
)

// Limits of one content edit.
const (
	maxChanges   = 50
	maxEditBytes = 24 << 20 // of a body of 32 MiB
	maxFileBytes = 10 << 20
	maxPageBytes = 1 << 20
)

// Change is a difference that a push sends.
type Change struct {
	Kind Kind   `json:"kind"`
	Path string `json:"path"`
	Was  string `json:"was,omitempty"`
	ID   string `json:"id,omitempty"` // of the page or file, "" for a new one
}

// Push is a planned push: the content operations that give the change request what has changed in the folder.
type Push struct {
	Changes []Change
	Stays   []Difference // what the folder no longer has and the space keeps
	Notes   []string
	IsPart  bool // the options leave out what differs

	operations []operation
	pages      *pageTree // afterwards
	entries    []Entry   // of the state afterwards; those of new pages and files have references for ids
}

// operation is a content operation with what it does to the state.
type operation struct {
	change api.ContentChange
	path   string // of the entry that gets the id of what is created
	was    string // path of a page that moves
	size   int

	content File   // whose bytes the change gets when it is sent, zero for none
	rebased string // hash of the base text that is sent in the place of the content, "" for none
}

// IsEmpty reports whether there is nothing to send.
func (p *Push) IsEmpty() bool { return len(p.operations) == 0 }

// PushOptions are the options of a push.
type PushOptions struct {
	Delete bool
	Only   []string // patterns of paths
}

// Refusal is the reason why a file cannot be sent.
type Refusal struct {
	Rule   Rule
	Path   string
	Line   int // 0 if it is about the whole file
	Reason string
}

// String returns the path, the line and the reason.
func (r Refusal) String() string {
	if r.Line > 0 {
		return fmt.Sprintf("%s:%d %s", r.Path, r.Line, r.Reason)
	}
	return r.Path + " " + r.Reason
}

// RefusedError lists why files cannot be sent.
type RefusedError struct{ Refusals []Refusal }

// Error implements error.
func (e *RefusedError) Error() string {
	var lines []string
	for _, r := range e.Refusals {
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n")
}

// pusher plans a push.
type pusher struct {
	folder  *Folder
	options PushOptions
	push    *Push
	changed map[string]bool      // paths of changed and new texts
	divided map[string]*division // documents of several pages that changed, by path
	known   map[string]Entry     // by path in the folder
	pages   *pageTree
	refused []Refusal
	order   []dialects.Note // of the tree that the folder describes now

	settings localSettings
	before   map[string]api.ExportedPage // pages of the state by id

	spare     map[[2]string][]string // ids of groups and links that the tree before does not have, by id of the parent and title
	numbered  []string               // ids of pages with a number in their slug, because a sibling had the suggested one
	newParts  int                    // number of new parts of documents
	suggested map[string]string      // slugs suggested by paths and titles, by id
}

func newPusher(f *Folder, o PushOptions) *pusher {
	p := &pusher{
		folder: f, options: o, push: &Push{}, changed: map[string]bool{}, divided: map[string]*division{}, known: map[string]Entry{},
		pages: newPageTree(f.State.Pages), suggested: map[string]string{}, before: map[string]api.ExportedPage{},
	}
	for _, page := range f.State.Pages {
		p.before[page.ID] = page
	}
	return p
}

// PlanPush plans the push of the differences of a folder from its state. It returns a *RefusedError that lists all files that
// cannot be sent.
func (f *Folder) PlanPush(differences []Difference, o PushOptions) (*Push, error) {
	p := newPusher(f, o)
	var err error
	if p.settings, err = f.readSettings(differences); err != nil {
		return nil, err
	}
	for _, at := range p.settings.unknown {
		p.push.Notes = append(p.push.Notes, settingsName+" names "+at+", which is no page: pages that it does not name keep their settings")
	}
	differences = p.selected(differences)
	for _, d := range differences {
		if d.Entry.Kind == api.ExportPage && !d.Entry.IsUndecided && p.pages.byID[d.Entry.IDs[0]] == nil {
			return nil, fmt.Errorf("the state of the folder has no page for %s; remove %s, and pull again", d.Entry.Path, dataName)
		}
		if err := p.read(d); err != nil {
			return nil, err
		}
	}
	if len(p.refused) > 0 {
		return nil, &RefusedError{Refusals: p.refused}
	}
	before, after := p.trees(differences)
	p.addTree(before, after, differences)
	for _, d := range differences {
		p.addFile(d)
	}
	p.addDeletions(differences)
	p.addSlugs()
	p.addSummary(differences)
	if len(p.refused) > 0 {
		return nil, &RefusedError{Refusals: p.refused}
	}
	p.push.pages, p.push.entries = p.pages, p.entries(differences)
	slices.SortStableFunc(p.push.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return p.push, nil
}

// selected returns the differences to send; those that the options leave out are the same.
func (p *pusher) selected(differences []Difference) (selected []Difference) {
	for _, d := range differences {
		switch {
		case p.isSelected(d):
			selected = append(selected, d)
			continue
		case d.Kind == Added:
		default:
			selected = append(selected, Difference{Same, d.Entry, File{Path: d.Entry.Path, SHA256: d.Entry.SHA256}})
		}
		p.push.IsPart = p.push.IsPart || d.Kind != Same
	}
	return selected
}

// isSelected reports whether the options do not leave out a difference.
func (p *pusher) isSelected(d Difference) bool {
	named := func(pattern string) bool { return pack.Matches(pattern, d.Path()) }
	return len(p.options.Only) == 0 || slices.ContainsFunc(p.options.Only, named)
}

func (p *pusher) refuse(rule Rule, at, format string, args ...any) {
	p.refuseLine(rule, at, 0, format, args...)
}

func (p *pusher) refuseLine(rule Rule, at string, line int, format string, args ...any) {
	p.refused = append(p.refused, Refusal{Rule: rule, Path: at, Line: line, Reason: fmt.Sprintf(format, args...)})
}

// read reads a changed file and checks that it can be sent.
func (p *pusher) read(d Difference) error {
	if d.Entry.IsUndecided {
		p.refuse(RuleConflict, d.Path(), "was changed here and in the space; decide it: wsctl pull --take %s|%s", TakeFolder, TakeSpace)
		return nil
	}
	if d.Entry.Kind != "" && (d.Kind != Deleted || !p.options.Delete) {
		p.known[d.Path()] = d.Entry
	}
	if d.Kind == Deleted {
		return nil
	}
	if d.Kind == Same || d.Kind == Moved && d.File.SHA256 == d.Entry.SHA256 && len(d.Entry.IDs) < 2 {
		return nil
	}
	if d.File.Size > maxFileBytes {
		p.refuse(RuleSize, d.File.Path, "is larger than %d MiB", maxFileBytes>>20)
		return nil
	}
	if !isText(d.File.Path) {
		return nil
	}
	data, err := p.folder.Read(d.File.Path)
	if err != nil {
		return err
	}
	if line := undecidedLine(data); line > 0 {
		p.refuseLine(RuleConflict, d.File.Path, line, "has a conflict that is not decided yet")
	} else if !isReusablePath(d.File.Path) {
		p.readDocument(d, data)
	}
	p.changed[d.File.Path] = true
	return nil
}

// checkText returns an error if the server would refuse a text as that of a page, nil if it would not.
func checkText(data []byte) *content.TextError {
	err := content.Check(data)
	if err == nil && (bytes.Count(data, []byte("\n")) >= content.MaxBlocks || content.Marks(data) > content.MaxMarks) {
		_, err = content.Parse("", data, content.Text{})
	}
	wrong, _ := errors.AsType[*content.TextError](err)
	return wrong
}

// lineAt returns the number of the line at an offset of a text.
func lineAt(text []byte, offset int) int {
	return bytes.Count(text[:min(offset, len(text))], []byte("\n")) + 1
}

// isReusablePath reports whether a path is that of a reusable content.
func isReusablePath(at string) bool { return strings.HasPrefix(at, ".gitbook/includes/") }

// isDocument reports whether the file at a path becomes a page.
func isDocument(at, summary string) bool { return isText(at) && !isReusablePath(at) && at != summary }

// addFile plans the operations for a file that is no page: new, with other bytes, or moved.
func (p *pusher) addFile(d Difference) {
	at := d.File.Path
	switch {
	case d.Kind == Same || d.Kind == Deleted || d.Entry.Kind == api.ExportPage || d.Entry.Kind == api.ExportSummary:
		return
	case d.Entry.Kind == api.ExportReusable || isText(at) && isReusablePath(at):
		p.addReusable(d)
		return
	case isText(at):
		return
	}
	change := api.ContentChange{Operation: api.InsertFiles, SourceName: p.source(d.Entry)}
	if len(d.Entry.IDs) > 0 && (d.Kind == Moved || d.Entry.Source == "") {
		change.Files = []api.FileInsert{{Replaces: d.Entry.IDs[0]}} // completed when it is sent
	}
	p.addContent(d, change)
}

// addReusable plans the operation for a reusable content: new, with another text, or renamed. It has the name of its file.
func (p *pusher) addReusable(d Difference) {
	name := strings.TrimSuffix(path.Base(d.File.Path), path.Ext(d.File.Path))
	if d.Kind == Added {
		ref := fmt.Sprintf("include-%d", len(p.push.operations))
		p.addContent(d, api.ContentChange{Operation: api.InsertReusableContent, Ref: ref, Title: api.Some(name)})
		return
	}
	change := api.ContentChange{Operation: api.UpdateReusableContent, ReusableContent: d.Entry.IDs[0]}
	if d.Kind == Moved {
		change.Title = api.Some(name)
	}
	p.addContent(d, change)
}

// source returns the source of a page or file: its own, or that of the folder.
func (p *pusher) source(e Entry) string { return cmp.Or(e.Source, p.folder.Config.Name) }

func (p *pusher) add(d Difference, change api.ContentChange, size int) {
	o := operation{change: change, path: d.Path(), size: size}
	if d.Kind == Moved && d.Entry.Kind == api.ExportPage {
		o.was = d.Entry.Path
	}
	p.push.operations = append(p.push.operations, o)
	p.list(d)
}

// list adds a difference to the changes that are shown.
func (p *pusher) list(d Difference) {
	c := Change{Kind: d.Kind, Path: d.Path()}
	if len(d.Entry.IDs) > 0 {
		c.ID = d.Entry.IDs[0]
	}
	if d.Kind == Moved {
		c.Was = d.Entry.Path
	}
	p.push.Changes = append(p.push.Changes, c)
}

// addContent adds an operation that gets the bytes of the file of a difference.
func (p *pusher) addContent(d Difference, change api.ContentChange) {
	size := int(d.File.Size)
	if change.Operation == api.InsertFiles {
		size = base64.StdEncoding.EncodedLen(size)
	}
	p.add(d, change, size)
	last := &p.push.operations[len(p.push.operations)-1]
	last.content, last.rebased = d.File, d.Entry.Rebased
}

func (p *pusher) addQuietly(change api.ContentChange) {
	p.push.operations = append(p.push.operations, operation{change: change})
}

// addDeletions plans the deletion of what the folder no longer has, or notes that it stays.
func (p *pusher) addDeletions(differences []Difference) {
	for _, d := range differences {
		if d.Kind != Deleted || d.Entry.Kind == api.ExportSummary {
			continue
		}
		if !p.options.Delete {
			p.push.Stays = append(p.push.Stays, d)
			continue
		}
		switch d.Entry.Kind {
		case api.ExportPage:
			for _, id := range slices.Backward(d.Entry.IDs) {
				p.deletePage(d, id)
			}
		case api.ExportFile:
			p.add(d, api.ContentChange{Operation: api.DeleteFiles, FileIDs: d.Entry.IDs}, 0)
		case api.ExportReusable:
			p.add(d, api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: d.Entry.IDs[0]}, 0)
		case api.ExportSummary:
		}
	}
}

func (p *pusher) deletePage(d Difference, id string) {
	change := api.ContentChange{Operation: api.DeletePage, Page: id}
	if id != d.Entry.IDs[0] {
		if p.pages.byID[id] != nil {
			p.pages.drop(id)
			p.addQuietly(change)
		}
		return
	}
	if p.pages.byID[id] == nil { // it goes with the page above it
		p.push.Changes = append(p.push.Changes, Change{Kind: d.Kind, Path: d.Path(), ID: id})
		return
	}
	p.pages.drop(id)
	p.add(d, change, 0)
}

// addSummary plans the operation for SUMMARY.md if its bytes have changed.
func (p *pusher) addSummary(differences []Difference) {
	at := p.summaryPath(differences)
	if at == "" {
		return
	}
	for _, d := range differences {
		if d.Path() == at && (d.Kind == Added || d.Kind == Modified) {
			p.addContent(d, api.ContentChange{Operation: api.SetSummary, SourceName: p.folder.Config.Name, Path: at})
		}
	}
}

// summaryPath returns the path of the SUMMARY.md of the folder, "" without one.
func (p *pusher) summaryPath(differences []Difference) string {
	var names []string
	for _, d := range differences {
		if d.Kind != Deleted {
			names = append(names, d.File.Path)
		}
	}
	return dialects.FindSummary(names)
}

// entries returns the entries of the state after the push. The id of what is new is its path until the answer of the server is known.
func (p *pusher) entries(differences []Difference) (entries []Entry) {
	summary := p.summaryPath(differences)
	for _, d := range differences {
		e := d.Entry
		switch {
		case d.Kind == Deleted && p.options.Delete:
			continue
		case d.Kind == Deleted:
			entries = append(entries, e)
			continue
		case d.Kind == Added:
			e.IDs, e.Source = []string{d.File.Path}, p.folder.Config.Name
			switch {
			case isText(d.File.Path) && isReusablePath(d.File.Path):
				e.Kind, e.Source = api.ExportReusable, ""
			case d.File.Path == summary:
				e.Kind, e.IDs, e.Source = api.ExportSummary, nil, ""
			case isText(d.File.Path):
				e.Kind = api.ExportPage
			default:
				e.Kind = api.ExportFile
			}
		}
		if v := p.divided[d.File.Path]; v != nil {
			v.setParts(&e)
		}
		if e.Path != d.File.Path {
			e.LocalPath = ""
		}
		e.Path, e.SHA256, e.Size, e.Rebased = d.File.Path, d.File.SHA256, int(d.File.Size), ""
		if d.Kind == Same {
			e.Size = d.Entry.Size
		}
		entries = append(entries, e)
	}
	return entries
}
