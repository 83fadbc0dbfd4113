package folder

import (
	"slices"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// rebaseFile bases a picture or other file on the last content of the space that it had in a commit, or has, as rebase bases pages on
// texts. Files are not merged: another content of the space since then is a conflict with that of the folder. found is false if the file
// never had a later content of the space.
func (r *rebaser) rebaseFile(d Difference) (found bool, err error) {
	if r.commits == nil {
		return r.rebaseReplaced(d)
	}
	s := r.session
	data, err := s.folder.Read(d.File.Path)
	if err != nil {
		return false, err
	}
	here, err := s.git.objectOf(s.ctx(), data)
	if err != nil {
		return false, err
	}
	there, err := r.fileObjects(d.Entry.IDs[0])
	if err != nil {
		return false, err
	}
	last := lastCommon(there, append(r.committed(d), here))
	switch {
	case last < 0:
		return r.rebaseReplaced(d)
	case there[last] != here:
		if data, err = s.git.object(s.ctx(), there[last]); err != nil {
			return false, err
		}
	}
	r.setBase(d, data)
	return true, nil
}

// rebaseReplaced bases a file on its content in the commit that was pushed last, if the space got another one in its place. If the folder
// has changed it since then, the file is not sent, as contents of files are not merged.
func (r *rebaser) rebaseReplaced(d Difference) (found bool, err error) {
	data, found, err := r.replaced(d)
	if err != nil || !found {
		return false, err
	}
	if hashOf(data) != d.File.SHA256 {
		r.session.unknown = append(r.session.unknown, d.File.Path)
		return true, nil
	}
	r.setBase(d, data)
	return true, nil
}

// setBase sets the content that the entry of a file is based on.
func (r *rebaser) setBase(d Difference, data []byte) {
	entries := r.session.folder.State.Entries
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.Key() == d.Entry.Key() })
	entries[i].SHA256, entries[i].Size = hashOf(data), len(data)
}

// fileObjects returns git's ids of the contents that a file of the space had in the revisions that are looked at, oldest first.
// Contents that did not come from a folder or an import have none.
func (r *rebaser) fileObjects(file string) (objects []string, err error) {
	s := r.session
	if r.later == nil {
		if r.later, err = s.revisionsAfter(r.after); err != nil {
			return nil, err
		}
	}
	for _, revision := range r.later {
		f, err := s.client.Revisions.GetFile(s.ctx(), api.RevisionFileInput{
			RevisionRef: api.RevisionRef{Space: s.space(), Revision: revision}, File: file,
		})
		if isNotFound(err) { // the revision does not have it, or is lost
			continue
		}
		if err != nil {
			return nil, err
		}
		if f.Git != nil && f.Git.OID != "" && (len(objects) == 0 || objects[len(objects)-1] != f.Git.OID) {
			objects = append(objects, f.Git.OID)
		}
	}
	return objects, nil
}

// revisionsAfter returns the ids of the revisions of the space with a greater number, oldest first; of the newest maxRevisions.
func (s *session) revisionsAfter(number int) (ids []string, err error) {
	revisions := client.All(s.ctx(), s.client.Spaces.ListRevisions, api.SpaceRevisionsInput{
		Space: s.space(), ListOptions: api.ListOptions{Limit: api.Some(100)},
	})
	for r, err := range revisions {
		if err != nil {
			return nil, err
		}
		if r.Number <= number || len(ids) == maxRevisions {
			break
		}
		if !r.Lost {
			ids = append(ids, r.ID)
		}
	}
	slices.Reverse(ids)
	return ids, nil
}
