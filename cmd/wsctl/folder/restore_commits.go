package folder

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// maxLaterRevisions limits how many revisions after the one that was pushed a commit is compared with.
const maxLaterRevisions = 8

// adoptPushed gives a folder without a state that of a revision that was pushed from an ancestor of its commit, or of a later one: the
// newest so that each change up to it was pulled and committed since. Otherwise what was pulled would be sent again, and what was
// deleted in the space since then would come back.
func (s *session) adoptPushed(base api.HistoryEntry) error {
	id, err := s.pushedRevision(base)
	if err != nil {
		return err
	}
	found, err := s.export(0, id)
	if err != nil {
		return err
	}
	list, err := s.client.Spaces.ListRevisions(s.ctx(), api.SpaceRevisionsInput{
		Space: s.space(), ListOptions: api.ListOptions{Limit: api.Some(maxLaterRevisions)},
	})
	if err != nil {
		return err
	}
	scan, err := s.folder.Scan(s.app.Now())
	if err != nil {
		return err
	}
	objects, err := s.git.objects(s.ctx(), base.Source.Commit)
	if err != nil {
		return err
	}
	for _, later := range slices.Backward(list.Items) {
		if later.Number < base.Number || later.ID == id || later.Lost {
			continue
		}
		x, err := s.export(0, later.ID)
		if err != nil {
			return err
		}
		if has, err := s.hasChanges(found, x, scan, objects); err != nil {
			return err
		} else if !has {
			break
		}
		found = x
	}
	return s.adoptExport(found)
}

// pushedRevision returns the id of the revision that has the content of a commit that was pushed. A merge has what the space had by then,
// too; the revision of its change request has not.
func (s *session) pushedRevision(pushed api.HistoryEntry) (id string, err error) {
	if pushed.MergedFrom == nil {
		return pushed.ID, nil
	}
	list, err := s.client.ChangeRequests.ListRevisions(s.ctx(), api.ChangeRequestRevisionsInput{
		ChangeRequestRef: s.ref(pushed.MergedFrom.Number), ListOptions: api.ListOptions{Limit: api.Some(50)},
		RevisionSourceFilter: api.RevisionSourceFilter{Source: s.folder.Config.Name},
	})
	if err != nil {
		return "", err
	}
	for _, r := range list.Items {
		if r.Source != nil && r.Source.Commit == pushed.Source.Commit && !r.Source.Dirty {
			return r.ID, nil
		}
	}
	return pushed.ID, nil
}

// hasChanges reports whether a folder has what a later revision changed, or one of its commits does, whose objects are given.
func (s *session) hasChanges(earlier, later *Export, scan Scan, objects map[string]bool) (bool, error) {
	before := map[string]string{}
	for _, e := range earlier.entries() {
		before[e.Path] = e.SHA256
	}
	for _, e := range later.entries() {
		was := before[e.Path]
		delete(before, e.Path)
		if isSummary(e) || was == e.SHA256 || scan.Files[e.Path].SHA256 == e.SHA256 {
			continue
		}
		data, err := later.Data(e.ExportEntry)
		if err != nil {
			return false, err
		}
		if object, err := s.git.objectOf(s.ctx(), data); err != nil || !objects[object] {
			return false, err
		}
	}
	for at := range before { // was deleted or moved
		if _, isHere := scan.Files[at]; isHere {
			return false, nil
		}
	}
	return true, nil
}
