package folder

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/dialects"
)

// Side is a side of a conflict.
type Side string

// Sides of a conflict.
const (
	TakeFolder Side = "folder"
	TakeSpace  Side = "space"
)

// Outcome says what a pull does with a file.
type Outcome string

// Outcomes of a pull.
const (
	Updated    Outcome = "updated"
	Created    Outcome = "added"
	Renamed    Outcome = "moved"
	Removed    Outcome = "deleted"
	Merged     Outcome = "merged"
	Conflicted Outcome = "conflict"
)

// Result describes what a pull does with a file.
type Result struct {
	Outcome Outcome `json:"outcome"`
	Path    string  `json:"path"`
	Was     string  `json:"was,omitempty"`    // path before
	Line    int     `json:"line,omitempty"`   // of the first conflict in the file
	Reason  string  `json:"reason,omitempty"` // of a conflict that is not marked in the file

	IsUndecided bool `json:"-"` // a pull that takes a side decides the conflict
	LocalLine   int  `json:"-"` // of the first conflict in the file as it is before the pull
}

// Pull is a planned pull: the changes of the files that bring a folder to the content of the server, with the changes of the folder
// kept.
type Pull struct {
	Results    []Result
	AddedTwice []string // paths of files that are new both here and in the space

	journal journal
	texts   map[string]readText // by hash
}

// IsEmpty reports whether the pull changes no file.
func (p *Pull) IsEmpty() bool { return len(p.journal.Steps) == 0 && len(p.Results) == 0 }

// Conflicts returns the results that are conflicts.
func (p *Pull) Conflicts() (conflicts []Result) {
	for _, r := range p.Results {
		if r.Outcome == Conflicted {
			conflicts = append(conflicts, r)
		}
	}
	return conflicts
}

// useLocalLines gives the conflicts their lines in the files as they are, for a pull that is not made.
func (p *Pull) useLocalLines() {
	for i, r := range p.Results {
		if r.LocalLine > 0 {
			p.Results[i].Line = r.LocalLine
		}
	}
}

// puller plans a pull.
type puller struct {
	folder *Folder
	ctx    context.Context
	export *Export
	labels Labels
	take   Side // side of conflicts, "" to mark them

	local map[string]Difference // by key of the entry
	added map[string]File       // files of the folder without an entry, by path
	used  map[string]bool       // folded paths that have a file afterwards
	pull  *Pull

	exported map[string]api.ExportEntry // by hash
}

// PlanPull plans a pull of the content of an export. Conflicts are decided for the side take, or marked in the files if it is "".
func (f *Folder) PlanPull(ctx context.Context, x *Export, s Scan, labels Labels, take Side) (*Pull, error) {
	differences, _, err := f.Compare(s)
	if err != nil {
		return nil, err
	}
	p := &puller{
		folder: f, ctx: ctx, export: x, labels: labels, take: take, local: map[string]Difference{}, added: map[string]File{},
		used: map[string]bool{}, pull: &Pull{texts: map[string]readText{}}, exported: map[string]api.ExportEntry{},
	}
	for _, e := range x.entries() {
		p.exported[e.SHA256] = e.ExportEntry
	}
	for _, d := range differences {
		if d.Kind == Added {
			p.added[d.File.Path] = d.File
		} else {
			p.local[d.Entry.Key()] = d
		}
	}
	p.findSuccessors()
	p.findUsed(differences)
	p.pull.journal.State = &State{Space: x.Space, Title: x.Title, Revision: x.Revision, Number: x.Number, Pages: x.Pages}
	seen := map[string]bool{}
	for _, e := range x.entries() {
		seen[e.Key()] = true
		if err := p.add(e); err != nil {
			return nil, err
		}
	}
	for key, d := range p.local {
		if !seen[key] {
			p.drop(d)
		}
	}
	if err := p.addSettings(differences); err != nil {
		return nil, err
	}
	p.sort()
	return p.pull, nil
}

// findSuccessors finds what is new in the space at the path of a file of the folder whose own entry the space has deleted. It becomes
// the entry of the file, so that both are merged.
func (p *puller) findSuccessors() {
	exported := map[string]bool{}
	for _, e := range p.export.entries() {
		exported[e.Key()] = true
	}
	deleted := map[string]Difference{} // by path of the file
	for key, d := range p.local {
		if !exported[key] && d.Kind != Deleted {
			deleted[d.File.Path] = d
		}
	}
	for _, e := range p.export.entries() {
		d, found := deleted[e.Path]
		if _, known := p.local[e.Key()]; known || !found || d.Entry.Kind != e.Kind {
			continue
		}
		delete(p.local, d.Entry.Key())
		p.local[e.Key()] = d
		p.used[dialects.FoldPath(e.Path)] = true
	}
}

// findUsed finds the paths of the files that stay where they are.
func (p *puller) findUsed(differences []Difference) {
	paths := map[string]string{}
	for _, e := range p.export.entries() {
		paths[e.Key()] = e.Path
	}
	for _, d := range differences {
		to, exported := paths[d.Entry.Key()]
		stays := d.Kind == Added || d.File.Path != d.Entry.Path || to == d.Entry.Path || !exported && d.File.SHA256 != d.Entry.SHA256
		if d.Kind != Deleted && stays {
			p.used[dialects.FoldPath(d.File.Path)] = true
		}
	}
}

// sort puts removals before writes, so that a file can move to the path of another. The removal of a file and the writing of
// another one at its path are one step.
func (p *puller) sort() {
	removed := map[string]string{} // hashes by path
	for _, s := range p.pull.journal.Steps {
		if s.New == "" {
			removed[s.Path] = s.Old
		}
	}
	for i, s := range p.pull.journal.Steps {
		if old, ok := removed[s.Path]; ok && s.New != "" {
			p.pull.journal.Steps[i].Old = old
			delete(removed, s.Path)
		}
	}
	p.pull.journal.Steps = slices.DeleteFunc(p.pull.journal.Steps, func(s step) bool {
		_, only := removed[s.Path]
		return s.New == "" && !only
	})
	slices.SortStableFunc(p.pull.journal.Steps, compareSteps)
	slices.SortStableFunc(p.pull.Results, func(a, b Result) int { return strings.Compare(a.Path, b.Path) })
}

func (p *puller) keep(e Entry) {
	p.pull.journal.State.Entries = append(p.pull.journal.State.Entries, e)
}

func (p *puller) report(r Result) { p.pull.Results = append(p.pull.Results, r) }

// put plans to write a file. old is the hash of the file at the path, "" for none.
func (p *puller) put(at, old string, data []byte) {
	hash := hashOf(data)
	if hash == old {
		return
	}
	p.pull.texts[hash] = func() ([]byte, error) { return data, nil }
	if e, ok := p.exported[hash]; ok { // not held in memory
		p.pull.texts[hash] = func() ([]byte, error) { return p.export.Data(e) }
	}
	p.pull.journal.Steps = append(p.pull.journal.Steps, step{Path: at, Old: old, New: hash})
	p.used[dialects.FoldPath(at)] = true
}

func (p *puller) remove(file File) {
	p.pull.journal.Steps = append(p.pull.journal.Steps, step{Path: file.Path, Old: file.SHA256})
}

// add plans what becomes of a file of the export.
func (p *puller) add(e Entry) error {
	d, known := p.local[e.Key()]
	if !known {
		return p.create(e)
	}
	isOpen := d.Entry.IsStale || d.Entry.IsUndecided || d.Entry.IsUnknown
	if d.Entry.SHA256 == e.SHA256 && d.Entry.Path == e.Path && !isOpen && p.folder.undecidedLine(d) == 0 {
		e.FileSize, e.FileTime, e.LocalPath = d.Entry.FileSize, d.Entry.FileTime, localPath(d.Path(), e.Path)
		p.keep(e)
		return p.keepText(e)
	}
	if d.Kind == Deleted {
		return p.restore(e, d)
	}
	at, moved := p.place(e, d)
	e.LocalPath = localPath(at, e.Path)
	data, outcome, result, err := p.content(e, d)
	if err != nil {
		return err
	}
	if moved {
		p.remove(d.File)
		p.put(at, "", data)
		if outcome == "" {
			outcome = Renamed
		}
		result.Was = d.File.Path
	} else {
		p.put(at, d.File.SHA256, data)
	}
	if outcome == Conflicted && result.Reason != "" { // the next pull decides it with the base of this one
		undecided := d.Entry
		undecided.IDs, undecided.Path, undecided.LocalPath, undecided.IsUndecided = e.IDs, e.Path, e.LocalPath, true
		p.keep(undecided)
	} else {
		p.keep(e)
	}
	if outcome != "" {
		result.Outcome, result.Path = outcome, at
		p.report(result)
	}
	return p.keepText(e)
}

// localPath returns the path of a file in the folder if it is not the one in the space.
func localPath(here, there string) string {
	if here == there {
		return ""
	}
	return here
}

// keepText keeps the text of an entry as the base of later merges.
func (p *puller) keepText(e Entry) error {
	if e.Kind == api.ExportFile {
		return nil
	}
	if !p.folder.hasBase(e) {
		p.pull.texts[e.SHA256] = func() ([]byte, error) { return p.export.Data(e.ExportEntry) }
	}
	return nil
}

// place returns the path of a file afterwards, and whether it moves. A file that was moved here stays where it is.
func (p *puller) place(e Entry, d Difference) (at string, moved bool) {
	if e.Path == d.Entry.Path || d.File.Path != d.Entry.Path || e.Path == d.File.Path {
		return d.File.Path, false
	}
	if p.used[dialects.FoldPath(e.Path)] {
		return d.File.Path, false
	}
	return e.Path, true
}

// content returns the bytes of a file afterwards. outcome is "" if they are those of the folder.
func (p *puller) content(e Entry, d Difference) (data []byte, outcome Outcome, result Result, err error) {
	ours, err := p.folder.Read(d.File.Path)
	if err != nil {
		return nil, "", result, err
	}
	isDecided := p.take != "" && p.folder.undecidedLine(d) > 0
	if isDecided {
		ours = takeSide(ours, p.take)
	}
	if isText(d.File.Path) && d.File.SHA256 != d.Entry.SHA256 {
		result.Line = undecidedLine(ours)
	}
	switch isUnchanged := e.SHA256 == d.Entry.SHA256 && !d.Entry.IsUnknown; {
	case isUnchanged && result.Line > 0:
		return ours, Conflicted, result, nil
	case isUnchanged && isDecided:
		return ours, Merged, result, nil
	case isUnchanged:
		return ours, "", result, nil
	}
	theirs, err := p.export.Data(e.ExportEntry)
	if err != nil {
		return nil, "", result, err
	}
	switch hashOf(ours) {
	case e.SHA256:
		return ours, "", Result{}, nil
	case d.Entry.SHA256:
		return theirs, Updated, Result{}, nil
	}
	return p.merge(e, d, ours, theirs)
}

// merge merges a file that both sides have changed.
func (p *puller) merge(e Entry, d Difference, ours, theirs []byte) (data []byte, outcome Outcome, result Result, err error) {
	base, ok := p.folder.base(d.Entry)
	ok = ok && !d.Entry.IsUnknown
	isMerged := e.Kind != api.ExportFile && ok
	switch {
	case !ok && e.Kind != api.ExportFile && p.take == "":
		marked := markDifferences(p.ctx, ours, theirs, p.labels)
		result.Line, result.LocalLine = undecidedLine(marked), firstConflictLine(marked, ours)
		return marked, Conflicted, result, nil
	case !isMerged && p.take == TakeFolder:
		return ours, "", result, nil
	case !isMerged && p.take == TakeSpace:
		return theirs, Updated, result, nil
	case !isMerged:
		result.Reason = "both changed it, and it is no text that could be merged; the folder's stays"
		result.IsUndecided = true
		return ours, Conflicted, result, nil
	}
	merged, conflicts := mergeText(p.ctx, base, ours, theirs, p.labels)
	if conflicts > 0 && p.take != "" {
		merged, conflicts = takeSide(merged, p.take), 0
	}
	if result.Line = undecidedLine(merged); conflicts == 0 && result.Line == 0 {
		return merged, Merged, result, nil
	}
	result.LocalLine = firstConflictLine(merged, ours)
	return merged, Conflicted, result, nil
}

// create plans what becomes of a file that the folder did not have: it is written, unless another file is at its path.
func (p *puller) create(e Entry) error {
	data, err := p.export.Data(e.ExportEntry)
	if err != nil {
		return err
	}
	file, there := p.added[e.Path]
	switch {
	case there:
	case p.isForeign(e.Path):
		p.report(Result{Outcome: Conflicted, Path: e.Path, Reason: "a directory or ignored file is at this path; move it, and pull again"})
		return nil
	case p.used[dialects.FoldPath(e.Path)]:
		return p.putBeside(e, data, "is another page or file here, and stays")
	}
	p.keep(e)
	if !there {
		p.put(e.Path, "", data)
		p.report(Result{Outcome: Created, Path: e.Path})
		return p.keepText(e)
	}
	p.pull.AddedTwice = append(p.pull.AddedTwice, e.Path)
	if file.SHA256 == e.SHA256 {
		return p.keepText(e)
	}
	ours, err := p.folder.Read(e.Path)
	if err != nil {
		return err
	}
	switch {
	case p.take == TakeFolder:
	case p.take == TakeSpace:
		p.put(e.Path, file.SHA256, data)
		p.report(Result{Outcome: Updated, Path: e.Path})
	case e.Kind == api.ExportFile:
		p.report(Result{Outcome: Conflicted, Path: e.Path, Reason: "another file is at this path; it was left alone", IsUndecided: true})
	default:
		marked := markDifferences(p.ctx, ours, data, p.labels)
		p.put(e.Path, file.SHA256, marked)
		p.report(Result{
			Outcome: Conflicted, Path: e.Path, Line: undecidedLine(marked), LocalLine: firstConflictLine(marked, ours),
		})
	}
	return p.keepText(e)
}

// putBeside writes a file of the export at a path of its own, because another file is at its path here. The next push moves it there.
func (p *puller) putBeside(e Entry, data []byte, reason string) error {
	extension := path.Ext(e.Path)
	for n := 2; ; n++ {
		e.LocalPath = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(e.Path, extension), n, extension)
		if !p.used[dialects.FoldPath(e.LocalPath)] && !p.folder.exists(e.LocalPath) && !p.isExported(e.LocalPath) {
			break
		}
	}
	p.keep(e)
	p.put(e.LocalPath, "", data)
	reason = fmt.Sprintf("%s %s; rename either of them, or push both", e.Path, reason)
	p.report(Result{Outcome: Conflicted, Path: e.LocalPath, Reason: reason})
	return p.keepText(e)
}

// isExported reports whether the export has a file at a path, or at one that some file systems take for it.
func (p *puller) isExported(at string) bool {
	return slices.ContainsFunc(p.export.Entries, func(e api.ExportEntry) bool { return dialects.FoldPath(e.Path) == dialects.FoldPath(at) })
}

// isForeign reports whether there is something at a path that is no file of the folder, such as a directory or an ignored file.
func (p *puller) isForeign(at string) bool {
	if !p.folder.exists(at) {
		return false
	}
	for _, d := range p.local {
		if d.File.Path == at {
			return false
		}
	}
	return true
}

// restore plans what becomes of a file that was deleted here and changed in the space: it comes back, unless the folder's side is
// taken.
func (p *puller) restore(e Entry, d Difference) error {
	if p.take == TakeFolder || e.SHA256 == d.Entry.SHA256 {
		p.keep(e)
		return p.keepText(e)
	}
	data, err := p.export.Data(e.ExportEntry)
	if err != nil {
		return err
	}
	if p.used[dialects.FoldPath(e.Path)] {
		return p.putBeside(e, data, "was deleted here and edited in the space, and another page or file is here now")
	}
	p.keep(e)
	p.put(e.Path, "", data)
	p.report(Result{Outcome: Conflicted, Path: e.Path, Reason: "it was deleted here and edited in the space; it is back"})
	return p.keepText(e)
}

// drop plans what becomes of a file that the space has deleted: it is deleted, unless it was edited here.
func (p *puller) drop(d Difference) {
	switch {
	case d.Kind == Deleted:
	case d.Entry.Kind == api.ExportSummary, d.File.SHA256 == d.Entry.SHA256, p.take == TakeSpace:
		p.remove(d.File)
		p.report(Result{Outcome: Removed, Path: d.File.Path})
	case p.take == TakeFolder: // without an entry it is a new file
	default:
		d.Entry.IsUndecided = true
		p.keep(d.Entry)
		p.report(Result{
			Outcome: Conflicted, Path: d.File.Path, IsUndecided: true,
			Reason: fmt.Sprintf("it was deleted in the space and edited here; wsctl pull --take %s|%s", TakeFolder, TakeSpace),
		})
	}
}

// Apply makes the changes of a pull. It returns the files that were left alone because they were changed meanwhile.
func (f *Folder) Apply(p *Pull) (left []string, err error) { return f.apply(p.journal, p.texts) }

// State returns the state of the folder after the pull.
func (p *Pull) State() *State { return p.journal.State }
