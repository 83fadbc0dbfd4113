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
// of its commit, else of a pushed revision with its texts. isKnown is false for a folder that counts as never pushed.
func (s *session) restore() (isKnown bool, err error) {
	if s.folder.State != nil {
		return true, nil
	}
	if s.git.Commit != "" {
		if known, err := s.restoreRequest(); err != nil || known {
			return known, err
		}
	}
	list, err := s.client.Spaces.ListRevisions(s.ctx(), api.SpaceRevisionsInput{
		Space: s.space(), ListOptions: api.ListOptions{Limit: api.Some(50)},
		RevisionSourceFilter: api.RevisionSourceFilter{Source: s.folder.Config.Name},
	})
	if err != nil {
		return false, err
	}
	if s.git.Commit != "" {
		base, err := s.basedOn(list.Items)
		if err != nil {
			return false, err
		}
		if base.ID != "" {
			return true, s.adopt(base.ID)
		}
	}
	return s.restoreTexts(list.Items)
}

// restoreTexts gives a folder the state of the oldest revision that is needed so that its files have the texts of the space or of a
// revision since: a file that equals an earlier revision of its page begins there. It sets s.unknown to the files whose texts are
// those of none. isKnown is false if no file has the text of one of the pushed revisions alone.
func (s *session) restoreTexts(pushed []api.HistoryEntry) (isKnown bool, err error) {
	if len(pushed) == 0 {
		return false, nil
	}
	scan, err := s.folder.Scan(s.app.Now())
	if err != nil {
		return false, err
	}
	search := textSearch{hashes: map[string]string{}, paths: map[string]bool{}}
	for at, file := range scan.Files {
		search.hashes[at] = file.SHA256
	}
	var base *Export
	for i := -1; i < min(len(pushed), maxBases) && len(search.hashes) > 0; i++ {
		revision := "" // the space
		if i >= 0 {
			revision = pushed[i].ID
		}
		x, err := s.export(0, revision)
		if err != nil {
			return false, err
		}
		if search.find(x) && i >= 0 {
			base = x
		}
	}
	if base == nil {
		return false, nil
	}
	s.unknown = search.unknown()
	s.app.Infof("no pushed commit is known here: the folder is based on revision %d, whose texts it has", base.Number)
	return true, s.adoptExport(base)
}

// textSearch is a search for the revisions that the files of a folder are based on.
type textSearch struct {
	hashes map[string]string // of the files whose text was not found, by path
	paths  map[string]bool   // paths that a revision has
}

// find finds the files that have the text of a revision, and reports whether there are some that were not found before.
func (t textSearch) find(x *Export) (found bool) {
	for _, e := range x.entries() {
		t.paths[e.Path] = true
		if hash, ok := t.hashes[e.Path]; ok && (hash == e.SHA256 || e.Kind == api.ExportSummary) {
			delete(t.hashes, e.Path)
			found = found || hash == e.SHA256
		}
	}
	return found
}

// unknown returns the paths of files that a revision has with other texts only, sorted.
func (t textSearch) unknown() (paths []string) {
	for at := range t.hashes {
		if t.paths[at] {
			paths = append(paths, at)
		}
	}
	slices.Sort(paths)
	return paths
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
// if HEAD is an ancestor of what was pushed last.
func (s *session) basedOn(revisions []api.HistoryEntry) (api.HistoryEntry, error) {
	for i, r := range revisions {
		if r.Source == nil || r.Source.Commit == "" {
			continue
		}
		if i == 0 && r.Source.Commit != s.git.Commit {
			older, err := s.git.contains(s.ctx(), "HEAD", r.Source.Commit)
			if err == nil && older {
				return api.HistoryEntry{}, s.olderCommit(r.Source.Commit)
			}
		}
		if r.Source.Dirty {
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
	base, err := s.basedOn(list.Items)
	if err != nil || base.ID == "" {
		return false, err
	}
	if err := s.adopt(base.ID); err != nil {
		return false, err
	}
	s.folder.State.Revision = request.RevisionInitial
	s.folder.State.Request = &Request{Number: request.Number, Revision: base.ID, Unfinished: request.Pushing != nil}
	return true, nil
}

