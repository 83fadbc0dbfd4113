package folder

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// followBuilds bases the pages and files of a folder on the newest commit of its repository that a build has pushed since the folder was
// pulled: what the commit has is no change of the folder any more, so that what the space has taken back since then is not sent again. It
// returns the paths that have another base. It changes the state without saving it.
func (s *session) followBuilds() (paths []string, err error) {
	if s.folder.State == nil || s.folder.State.Request != nil || s.git.Commit == "" {
		return nil, nil
	}
	pushed, err := s.newestBuild()
	if err != nil || pushed.ID == "" {
		return nil, err
	}
	scan, err := s.folder.Scan(s.app.Now())
	if err != nil {
		return nil, err
	}
	differences, _, err := s.folder.Compare(scan)
	if err != nil {
		return nil, err
	}
	f := buildFollower{session: s, commit: pushed.Source.Commit, added: map[string]bool{}}
	if f.changed, err = s.git.changedSince(s.ctx(), f.commit, s.folder.Config.root()); err != nil {
		return nil, err
	}
	for _, d := range differences {
		if d.Kind == Added {
			f.added[d.File.Path] = true
			continue
		}
		if err := f.follow(d); err != nil {
			return nil, err
		}
	}
	if err := f.followAdded(pushed.ID); err != nil {
		return nil, err
	}
	s.folder.State.Commit = f.commit
	slices.SortFunc(s.folder.State.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(f.paths)
	return f.paths, nil
}

// buildsError returns err, or else the conflict of a push of files that a build has pushed as they were in a commit.
func buildsError(paths []string, err error) error {
	if err != nil {
		return err
	}
	return &app.ConflictError{
		Message: "not pushed: a commit of this repository was pushed by a build since the last pull, with " +
			app.SanitizeLine(strings.Join(paths, ", ")),
		Hint: "wsctl pull",
	}
}

// newestBuild returns the newest revision of the space that was pushed from a clean tree at HEAD or an ancestor of HEAD since the folder
// was pulled, by somebody else than this folder. It is zero if there is none.
func (s *session) newestBuild() (api.HistoryEntry, error) {
	var none api.HistoryEntry
	list, err := s.client.Spaces.ListRevisions(s.ctx(), api.SpaceRevisionsInput{
		Space: s.space(), ListOptions: api.ListOptions{Limit: api.Some(50)},
		RevisionSourceFilter: api.RevisionSourceFilter{Source: s.folder.Config.Name},
	})
	if err != nil {
		return none, err
	}
	for _, r := range list.Items {
		if r.Source == nil || r.Source.Commit == "" || r.Source.Dirty {
			continue
		}
		if is, err := s.git.isAncestor(s.ctx(), r.Source.Commit); err != nil || !is { // a shallow clone does not have what was pulled then
			continue
		}
		if r.Source.Commit == s.folder.State.Commit {
			return none, nil
		}
		number, err := s.numberOf(s.folder.State.Revision)
		if err != nil || r.Number <= number {
			return none, err
		}
		return r, nil
	}
	return none, nil
}

// buildFollower bases the entries of a folder on a commit that was pushed.
type buildFollower struct {
	session *session
	commit  string
	changed map[string]bool // paths of the files that are not as in the commit
	added   map[string]bool // paths of the files without an entry
	paths   []string        // of the entries with another base
}

// follow bases an entry on the content that its file had in the commit.
func (f *buildFollower) follow(d Difference) error {
	isFile := d.Entry.Kind == api.ExportFile
	isAsCommitted := d.Kind == Same && !f.changed[d.File.Path]
	if isAsCommitted || len(d.Entry.IDs) != 1 || d.Entry.IsUndecided || !isFile && d.Entry.Kind != api.ExportPage {
		return nil
	}
	data, exists, err := f.content(d.Path())
	if err == nil && !exists {
		data, exists, err = f.content(d.Entry.Path)
	}
	if err != nil || !exists || hashOf(data) == d.Entry.SHA256 {
		return err
	}
	e := d.Entry
	switch {
	case isFile && d.Kind == Same: // pulled since the commit, or changed back in the folder
		e.IsUnknown = true
	case isFile || d.Kind == Deleted:
	default:
		if data, err = f.withPulled(d, data); err != nil {
			return err
		}
	}
	return f.set(e, data)
}

// content returns the content that the file at a path had in the commit. exists is false if there was none.
func (f *buildFollower) content(at string) (data []byte, exists bool, err error) {
	s := f.session
	return s.git.contentAt(s.ctx(), f.commit, path.Join(s.folder.Config.root(), at))
}

// withPulled returns the text that a file had in the commit, with the paragraphs that the file got by a pull, which the commit need not
// have.
func (f *buildFollower) withPulled(d Difference, committed []byte) ([]byte, error) {
	base, isKnown := f.session.folder.base(d.Entry)
	if !isKnown {
		return committed, nil
	}
	here, err := f.session.folder.Read(d.File.Path)
	if err != nil {
		return nil, err
	}
	return addParagraphs(committed, here, base), nil
}

// addParagraphs returns a text with the paragraphs of here that are in known and not in the text, each after the one that it follows in
// here.
func addParagraphs(text, here, known []byte) []byte {
	paragraphs, isKnown := splitParagraphs(text), map[string]bool{}
	for _, p := range splitParagraphs(known) {
		isKnown[p] = true
	}
	after, isChanged := 0, false
	for _, p := range splitParagraphs(here) {
		if i := slices.Index(paragraphs, p); i >= 0 {
			after = i + 1
		} else if isKnown[p] {
			paragraphs = slices.Insert(paragraphs, after, p)
			after, isChanged = after+1, true
		}
	}
	if !isChanged {
		return text
	}
	end := text[len(bytes.TrimRight(text, "\n")):]
	return append([]byte(strings.Join(paragraphs, "\n\n")), end...)
}

// splitParagraphs returns what empty lines separate in a text.
func splitParagraphs(text []byte) []string {
	if trimmed := strings.TrimRight(string(text), "\n"); trimmed != "" {
		return strings.Split(trimmed, "\n\n")
	}
	return nil
}

// followAdded makes entries of the files of the folder without one that the commit has: the space has them by now.
func (f *buildFollower) followAdded(revision string) error {
	if len(f.added) == 0 {
		return nil
	}
	x, err := f.session.export(0, revision)
	if err != nil {
		return err
	}
	state := f.session.folder.State
	known := map[string]bool{}
	for _, e := range state.Entries {
		known[e.Key()] = true
	}
	for _, e := range x.entries() {
		if !f.added[e.Path] || known[e.Key()] || len(e.IDs) != 1 {
			continue
		}
		data, exists, err := f.content(e.Path)
		if err != nil {
			return err
		}
		if !exists {
			continue
		}
		state.Entries = append(state.Entries, e)
		if err := f.set(e, data); err != nil {
			return err
		}
	}
	return nil
}

// set bases an entry on a content.
func (f *buildFollower) set(e Entry, data []byte) error {
	e.SHA256, e.Size, e.FileSize, e.FileTime = hashOf(data), len(data), 0, time.Time{} // the file is read again
	if err := f.session.folder.keepBase(e, data); err != nil {
		return err
	}
	entries := f.session.folder.State.Entries
	i := slices.IndexFunc(entries, func(other Entry) bool { return other.Key() == e.Key() })
	entries[i] = e
	f.paths = append(f.paths, e.Path)
	return nil
}
