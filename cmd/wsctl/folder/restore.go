package folder

import (
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// maxBases limits how many pushed revisions a folder without a state is compared with.
const maxBases = 8

// restore gives a folder without a state the one of the revision that it is based on: of the newest that was pushed from an ancestor
// of its commit, else of one with its texts.
func (s *session) restore() error {
	if s.folder.State != nil {
		return nil
	}
	if s.git.Commit != "" {
		if found, err := s.restoreRequest(); err != nil || found {
			return err
		}
	}
	list, err := s.client.Spaces.ListRevisions(s.ctx(), api.SpaceRevisionsInput{
		Space: s.space(), ListOptions: api.ListOptions{Limit: api.Some(50)},
		RevisionSourceFilter: api.RevisionSourceFilter{Source: s.folder.Config.Name},
	})
	if err != nil {
		return err
	}
	if s.git.Commit != "" {
		base, err := s.basedOn(list.Items, false)
		if err != nil {
			return err
		}
		if base.ID != "" {
			return s.adoptPushed(base)
		}
	}
	return s.restoreTexts(list.Items)
}

// restoreTexts gives a folder the state of the newest revision so that each of its files has the text or the path of a page since then,
// if there is one: a file that equals an earlier revision of its page begins there, and a page that was
// committed with the text of one.
func (s *session) restoreTexts(pushed []api.HistoryEntry) error {
	scan, err := s.folder.Scan(s.app.Now())
	if err != nil {
		return err
	}
	search := textSearch{
		session: s, scan: scan, hashes: map[string]string{}, paths: map[string]bool{}, found: map[string]*Export{},
		moved: map[string]*Export{}, searched: map[string]bool{},
	}
	for at, file := range scan.Files {
		search.hashes[at] = file.SHA256
	}
	if err := search.run(pushed); err != nil {
		return err
	}
	search.findMoved()
	if search.base.Revision != search.head {
		s.app.Infof("the folder is based on revision %d, whose texts it has", search.base.Number)
	}
	if err := s.adoptExport(search.base); err != nil {
		return err
	}
	if err := search.adoptFound(); err != nil {
		return err
	}
	differences, _, err := s.folder.Compare(scan)
	if err != nil {
		return err
	}
	committed := rebaser{session: s}
	if s.git.Commit != "" {
		if committed.commits, err = s.git.contents(s.ctx(), "", s.folder.Config.root()); err != nil {
			return err
		}
	}
	for _, d := range differences {
		_, isUnknown := search.hashes[d.File.Path]
		switch {
		case d.Kind == Deleted: // see dropMissing
		case isUnknown && d.Entry.Path != "" && d.Entry.SHA256 != d.File.SHA256 && d.Entry.Kind != api.ExportSummary:
			known := false
			if committed.commits != nil && isEdited(d) {
				if known, err = committed.rebase(d); err != nil {
					return err
				}
			}
			if !known {
				s.unknown = append(s.unknown, d.Entry.Path)
			}
		}
	}
	s.folder.State.dropMissing(differences, func(Entry) bool { return true })
	return nil
}

// dropMissing removes the entries without a file that the folder never had, as far as is known: nothing tells that they were deleted.
func (s *State) dropMissing(differences []Difference, wasNever func(Entry) bool) {
	for _, d := range differences {
		if d.Kind == Deleted && wasNever(d.Entry) {
			s.Missing = append(s.Missing, d.Entry.Key())
		}
	}
	s.Entries = slices.DeleteFunc(s.Entries, func(e Entry) bool { return slices.Contains(s.Missing, e.Key()) })
}

// textSearch is a search for the revision that a folder without a state is based on.
type textSearch struct {
	session  *session
	scan     Scan
	hashes   map[string]string  // of the files whose text was not found, by path
	paths    map[string]bool    // paths that a revision has
	found    map[string]*Export // newest revision with the text of a file at its path
	moved    map[string]*Export // newest revision with the text of a file at a path that the folder does not have, by path of the file
	head     string             // revision of the space
	searched map[string]bool    // ids of revisions
	base     *Export            // the oldest revision that has a text or a path of the folder that no newer one has
}

// run searches the space, its newest pushed revisions, if there are pages with texts that are not found its newest revisions, and if
// there are pages at unknown paths older ones.
func (t *textSearch) run(pushed []api.HistoryEntry) error {
	head, err := t.session.export(0, "")
	if err != nil {
		return err
	}
	t.head, t.base, t.searched[head.Revision] = head.Revision, head, true
	t.find(head)
	for _, r := range pushed[:min(len(pushed), maxBases)] {
		if err := t.findIn(r.ID); err != nil {
			return err
		}
	}
	if len(pushed) < maxBases && t.hasUnknown() {
		if err := t.searchNewest(); err != nil {
			return err
		}
	}
	return t.searchPaths()
}

// searchNewest searches the newest revisions of the space until all texts are found.
func (t *textSearch) searchNewest() error {
	newest, err := t.session.client.Spaces.ListRevisions(t.session.ctx(), api.SpaceRevisionsInput{
		Space: t.session.space(), ListOptions: api.ListOptions{Limit: api.Some(maxBases)},
	})
	if err != nil {
		return err
	}
	for _, r := range newest.Items {
		if !t.hasUnknown() {
			break
		}
		if err := t.findIn(r.ID); err != nil {
			return err
		}
	}
	return nil
}

// findIn searches a revision, unless it was searched or all texts are found.
func (t *textSearch) findIn(revision string) error {
	if t.searched[revision] || len(t.hashes) == 0 {
		return nil
	}
	x, err := t.session.export(0, revision)
	if err != nil {
		return err
	}
	t.searched[revision] = true
	t.find(x)
	return nil
}

// find finds the files that have the text of a revision at their path, and notes those that have it at a path that no revision has.
func (t *textSearch) find(x *Export) {
	gone := map[string]bool{} // hashes of what the folder has at no path
	for _, e := range x.entries() {
		if _, ok := t.scan.Files[e.Path]; !ok {
			gone[e.SHA256] = true
		}
		hash, isOpen := t.hashes[e.Path]
		if isOpen && (hash == e.SHA256 || !t.paths[e.Path]) {
			t.setBase(x)
		}
		if isOpen && hash == e.SHA256 {
			delete(t.hashes, e.Path)
			t.found[e.Path] = x
		}
		t.paths[e.Path] = true
	}
	for at, hash := range t.hashes {
		if gone[hash] && t.moved[at] == nil {
			t.moved[at] = x
		}
	}
}

// findMoved finds the files whose path no revision has and whose text is at a path that the folder does not have.
func (t *textSearch) findMoved() {
	for at, x := range t.moved {
		if _, isOpen := t.hashes[at]; isOpen && !t.paths[at] {
			delete(t.hashes, at)
			t.setBase(x)
		}
	}
}

// adoptFound gives the entries of files that have a later text of their page than the base that text: the folder has not changed them.
// So do files that have it at a later path of their page, whatever the folder has at the earlier one, unless that is a text of the page.
func (t *textSearch) adoptFound() error {
	folder := t.session.folder
	at := map[string]string{} // paths of the newest texts that were found, by key of the entry
	for name, x := range t.found {
		j := slices.IndexFunc(x.Entries, func(e api.ExportEntry) bool { return e.Path == name })
		key := Entry{ExportEntry: x.Entries[j]}.Key()
		if other, isKnown := at[key]; !isKnown || t.found[other].Number < x.Number {
			at[key] = name
		}
	}
	for i, e := range folder.State.Entries {
		name := e.Path
		if t.found[name] == nil {
			name = at[e.Key()]
		}
		x := t.found[name]
		if x == nil || x == t.base || t.scan.Files[name].SHA256 == e.SHA256 && name == e.Path {
			continue
		}
		j := slices.IndexFunc(x.Entries, func(other api.ExportEntry) bool { return other.Path == name })
		later := Entry{ExportEntry: x.Entries[j]}
		if later.Key() != e.Key() {
			continue
		}
		data, err := x.Data(later.ExportEntry)
		if err != nil {
			return err
		}
		if err := folder.keepBase(later, data); err != nil {
			return err
		}
		folder.State.Entries[i] = later
	}
	return nil
}

// setBase makes a revision the base unless an older one is.
func (t *textSearch) setBase(x *Export) {
	if x.Number < t.base.Number {
		t.base = x
	}
}

// hasUnknown reports whether a file is at the path of a page and has the text of none of its revisions.
func (t *textSearch) hasUnknown() bool {
	for at := range t.hashes {
		if t.paths[at] {
			return true
		}
	}
	return false
}

// checkCommit returns an error if the commit that is checked out is older than the one that the folder was pushed from last.
func (s *session) checkCommit() error {
	pushed := s.folder.State.Commit
	if pushed == "" || s.git.Commit == "" || pushed == s.git.Commit {
		return nil
	}
	if older, err := s.git.contains(s.ctx(), "HEAD", pushed); err != nil || !older {
		return nil //nolint:nilerr // a commit that is not known here is not newer
	}
	return s.olderCommit(pushed)
}

func (s *session) olderCommit(pushed string) error {
	return &app.ConflictError{
		Message: fmt.Sprintf("the commit %.12s is older than %.12s, which was pushed last", s.git.Commit, pushed),
		Hint:    "check out a newer commit",
	}
}

// basedOn returns the newest of the revisions that was pushed from a clean tree at HEAD or an ancestor of HEAD. It returns an error
// if HEAD is an ancestor of what was pushed later. Of an unfinished push any revision counts, as it is to be completed.
func (s *session) basedOn(revisions []api.HistoryEntry, isUnfinished bool) (api.HistoryEntry, error) {
	for _, r := range revisions {
		if r.Source == nil || r.Source.Commit == "" {
			continue
		}
		if r.Source.Commit != s.git.Commit {
			older, err := s.git.contains(s.ctx(), "HEAD", r.Source.Commit)
			if err == nil && older {
				return api.HistoryEntry{}, s.olderCommit(r.Source.Commit)
			}
		}
		if r.Source.Dirty && !isUnfinished {
			continue
		}
		if is, err := s.git.isAncestor(s.ctx(), r.Source.Commit); err != nil || is {
			return r, err
		}
	}
	return api.HistoryEntry{}, nil
}

// restoreRequest looks for an unfinished change request of the caller that was pushed from this folder and branch.
func (s *session) restoreRequest() (bool, error) {
	me, err := s.client.User.Get(s.ctx(), api.NoInput{})
	if err != nil {
		return false, err
	}
	for _, status := range []api.ChangeRequestStatus{api.StatusDraft, api.StatusOpen} {
		list, err := s.client.ChangeRequests.List(s.ctx(), api.ListChangeRequestsInput{
			Space: s.space(), Status: status, ChangeRequestPeople: api.ChangeRequestPeople{Creator: me.ID},
			ListOptions: api.ListOptions{Limit: api.Some(20)},
		})
		if err != nil {
			return false, err
		}
		for _, request := range list.Items {
			if known, err := s.restoreFrom(request); err != nil || known {
				return known, err
			}
		}
	}
	return false, nil
}

func (s *session) restoreFrom(request api.ChangeRequest) (bool, error) {
	list, err := s.client.ChangeRequests.ListRevisions(s.ctx(), api.ChangeRequestRevisionsInput{
		ChangeRequestRef: s.ref(request.Number), ListOptions: api.ListOptions{Limit: api.Some(50)},
		RevisionSourceFilter: api.RevisionSourceFilter{Source: s.folder.Config.Name, Branch: s.git.Branch},
	})
	if err != nil {
		return false, err
	}
	base, err := s.basedOn(list.Items, request.Pushing != nil)
	if err != nil || base.ID == "" {
		return false, err
	}
	if err := s.adopt(base.ID); err != nil {
		return false, err
	}
	if request.Pushing == nil {
		r := rebaser{session: s, pushed: base.Source.Commit}
		if err := r.rebaseAll(); err != nil {
			return false, err
		}
	}
	s.folder.State.Revision = request.RevisionInitial
	s.folder.State.Request = &Request{Number: request.Number, Revision: base.ID, Unfinished: request.Pushing != nil}
	return true, nil
}
