package folder

import (
	"net/http"
	"path"
	"slices"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/resolve"
)

// maxRevisions limits how many revisions of a space are looked at for what a commit is based on.
const maxRevisions = 1000

// adoptPushed gives a folder without a state that of a revision that was pushed from an ancestor of its commit. Pages that were pulled
// and committed since then are based on later texts. Files that neither the commit nor the folder has were not deleted: the folder of a
// build may lack what others have added.
func (s *session) adoptPushed(pushed api.HistoryEntry) error {
	id, initial, err := s.pushedRevision(pushed)
	if err != nil {
		return err
	}
	if err := s.adopt(id); err != nil {
		return err
	}
	s.folder.State.Commit = pushed.Source.Commit
	r := rebaser{session: s, pushed: pushed.Source.Commit, initial: initial}
	return r.rebaseAll()
}

// rebaseAll rebases the pages and files of the folder that differ from its state, and removes the entries of files that it never had.
func (r *rebaser) rebaseAll() error {
	s := r.session
	scan, err := s.folder.Scan(s.app.Now())
	if err != nil {
		return err
	}
	differences, _, err := s.folder.Compare(scan)
	if err != nil {
		return err
	}
	committed, err := s.git.paths(s.ctx(), r.pushed, s.folder.Config.root())
	if err != nil {
		return err
	}
	s.folder.State.dropMissing(differences, func(e Entry) bool { return !committed[e.Path] })
	differences = slices.DeleteFunc(differences, func(d Difference) bool { return !isEdited(d) })
	if len(differences) == 0 {
		return nil
	}
	if r.initial != "" {
		if r.commits, err = s.git.contents(s.ctx(), r.pushed, s.folder.Config.root()); err != nil {
			return err
		}
		if r.after, err = s.numberOf(r.initial); err != nil {
			return err
		}
	}
	for _, d := range differences {
		if _, err := r.rebase(d); err != nil {
			return err
		}
	}
	return nil
}

// isEdited reports whether a difference is the text of a page of one part, or the content of a picture or other file.
func isEdited(d Difference) bool {
	return (d.Kind == Modified || d.Kind == Moved) && (d.Entry.Kind == api.ExportPage || d.Entry.Kind == api.ExportFile) &&
		len(d.Entry.IDs) == 1 && d.File.SHA256 != d.Entry.SHA256
}

// pushedRevision returns the id of the revision that has the content of a commit that was pushed, and that of the revision of the space
// that its change request is based on. A merge may have what others had changed by then, too; the revision of its change request has
// not.
func (s *session) pushedRevision(pushed api.HistoryEntry) (id, initial string, err error) {
	if pushed.MergedFrom == nil {
		return pushed.ID, pushed.ID, nil
	}
	ref := s.ref(pushed.MergedFrom.Number)
	request, err := s.client.ChangeRequests.Get(s.ctx(), ref)
	if err != nil {
		return "", "", err
	}
	list, err := s.client.ChangeRequests.ListRevisions(s.ctx(), api.ChangeRequestRevisionsInput{
		ChangeRequestRef: ref, ListOptions: api.ListOptions{Limit: api.Some(50)},
		RevisionSourceFilter: api.RevisionSourceFilter{Source: s.folder.Config.Name},
	})
	if err != nil {
		return "", "", err
	}
	for _, r := range list.Items {
		switch {
		case r.Source == nil || r.Source.Commit != pushed.Source.Commit || r.Source.Dirty:
		case slices.Equal(pushed.Parents, []string{request.RevisionInitial, r.ID}): // nobody else had changed anything
			return pushed.ID, pushed.ID, nil
		default:
			return r.ID, request.RevisionInitial, nil
		}
	}
	return pushed.ID, pushed.ID, nil
}

// numberOf returns the number of a revision of the space, that of the oldest one that is looked at if it is older.
func (s *session) numberOf(id string) (number int, err error) {
	looked := 0
	revisions := client.All(s.ctx(), s.client.Spaces.ListRevisions, api.SpaceRevisionsInput{
		Space: s.space(), ListOptions: api.ListOptions{Limit: api.Some(100)},
	})
	for r, err := range revisions {
		if err != nil {
			return 0, err
		}
		number = r.Number
		if looked++; r.ID == id || looked == maxRevisions {
			break
		}
	}
	return number, nil
}

// rebaser finds the texts and contents of the space that the pages and files of a checkout are based on.
type rebaser struct {
	session *session
	pushed  string              // commit that the state was pushed from, "" if none is known
	initial string              // id of the revision of the space that its change request is based on; "" if it is not merged
	commits map[string][]string // ids of the contents that each path had, in the order of the commits; nil if they do not matter
	after   int                 // number of a revision; only later texts of the space are looked for
	later   []string            // ids of the revisions of the space after that, oldest first; nil before they are read
}

// rebase bases a page on the last text of the space that its file had in a commit, or has: what was pulled is no change of the folder,
// and what was changed in the space since then is not undone. Without such a text, the page is based on the content of the commit that
// was pushed last, if something else was sent in its place. found is false if there is none either.
func (r *rebaser) rebase(d Difference) (found bool, err error) {
	if d.Entry.Kind == api.ExportFile {
		return r.rebaseFile(d)
	}
	var text []byte
	isNewest := false
	if r.commits != nil {
		if text, isNewest, err = r.lastPulled(d); err != nil {
			return false, err
		}
	}
	if text == nil {
		if text, found, err = r.replaced(d); err != nil || !found {
			return false, err
		}
	}
	f := r.session.folder
	i := slices.IndexFunc(f.State.Entries, func(e Entry) bool { return e.Key() == d.Entry.Key() })
	e := f.State.Entries[i]
	e.SHA256, e.Size = hashOf(text), len(text)
	if err := f.keepBase(e, text); err != nil {
		return false, err
	}
	if e.SHA256 != d.File.SHA256 && !isNewest { // else it is sent as it is
		if err := r.setRebased(&e, d, text); err != nil {
			return false, err
		}
	}
	f.State.Entries[i] = e
	return true, nil
}

// setRebased sets the text of an entry that is sent in the place of its file: the changes of the file since the given text, applied to
// the text of the revision that the folder is based on. Without such a text, the page is not sent.
func (r *rebaser) setRebased(e *Entry, d Difference, text []byte) error {
	f := r.session.folder
	ours, err := f.Read(d.File.Path)
	if err != nil {
		return err
	}
	base, isKnown := f.base(d.Entry)
	sent, conflicts := mergeText(r.session.ctx(), text, ours, base, Labels{})
	if !isKnown || conflicts > 0 {
		r.session.unknown = append(r.session.unknown, d.File.Path)
		return nil
	}
	e.Rebased = hashOf(sent)
	return f.writeFile(f.top, path.Join(baseName, e.Rebased), sent, false)
}

// lastPulled returns the last text of a page in the space, later than those that the folder is based on, that its file had in a commit
// or has, nil if there is none. Both histories are followed in their order, as the same text may be in one of them twice. Where the file
// was edited before it was committed, it is the text of which the file has most. isNewest reports whether the page has that text now.
func (r *rebaser) lastPulled(d Difference) (text []byte, isNewest bool, err error) {
	s := r.session
	list, err := s.client.Pages.ListRevisions(s.ctx(), api.PageRevisionsInput{
		Space: s.space(), Page: d.Entry.IDs[0], ListOptions: api.ListOptions{Limit: api.Some(100)},
	})
	if isNotFound(err) { // it was deleted
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	ours, err := s.folder.Read(d.File.Path)
	if err != nil {
		return nil, false, err
	}
	here, err := s.git.objectOf(s.ctx(), ours)
	if err != nil {
		return nil, false, err
	}
	contents := append(r.committed(d), here)
	var texts [][]byte
	var objects []string
	for _, revision := range slices.Backward(list.Items) {
		if revision.Number <= r.after || revision.Lost {
			continue
		}
		there, err := s.textAt(revision.ID, d.Entry)
		if err != nil {
			return nil, false, err
		}
		object, err := s.git.objectOf(s.ctx(), there)
		if err != nil {
			return nil, false, err
		}
		texts, objects = append(texts, there), append(objects, object)
	}
	last := lastCommon(objects, contents)
	if base, isKnown := s.folder.base(d.Entry); last < 0 && isKnown && r.pushed != "" {
		last = mostContained(texts, base, ours)
	}
	if last < 0 {
		return nil, false, nil
	}
	return texts[last], last == len(texts)-1, nil
}

// replaced returns the content that a file had in the commit that was pushed last, if something else was sent in its place.
func (r *rebaser) replaced(d Difference) (data []byte, found bool, err error) {
	if r.pushed == "" {
		return nil, false, nil
	}
	s := r.session
	data, exists, err := s.git.contentAt(s.ctx(), r.pushed, path.Join(s.folder.Config.root(), d.Entry.Path))
	return data, exists && hashOf(data) != d.Entry.SHA256, err
}

// committed returns the ids of the contents that a file had in commits, in their order.
func (r *rebaser) committed(d Difference) []string {
	contents := slices.Clone(r.commits[d.Entry.Path])
	if d.Entry.Path != d.File.Path {
		contents = append(contents, r.commits[d.File.Path]...)
	}
	return contents
}

func isNotFound(err error) bool {
	wrong, ok := api.AsError(err)
	return ok && wrong.Code == http.StatusNotFound
}

// lastCommon returns the index in a of the end of the longest common subsequence of a and b, the last one if there are several. It
// returns -1 if they have nothing in common.
func lastCommon(a, b []string) (last int) {
	last = -1
	longest, lengths := 0, make([]int, len(b)+1) // of the common subsequences of the elements before
	for i := range a {
		diagonal := 0
		for j := range b {
			above := lengths[j+1]
			if a[i] == b[j] {
				if diagonal+1 >= longest {
					longest, last = diagonal+1, i
				}
				lengths[j+1] = max(above, diagonal+1)
			} else {
				lengths[j+1] = max(above, lengths[j])
			}
			diagonal = above
		}
	}
	return last
}

// mostContained returns the index of the text with most paragraphs that are new since base and all in a file, the last one if there are
// several. It returns -1 if there is none.
func mostContained(texts [][]byte, base, file []byte) (index int) {
	index = -1
	known, here := paragraphsOf(base), paragraphsOf(file)
	most := 1
	for i, text := range texts {
		added, isContained := 0, true
		for p := range paragraphsOf(text) {
			if !known[p] {
				added++
				isContained = isContained && here[p]
			}
		}
		if isContained && added >= most {
			index, most = i, added
		}
	}
	return index
}

func paragraphsOf(text []byte) map[string]bool {
	paragraphs := map[string]bool{}
	for _, p := range splitParagraphs(text) {
		paragraphs[p] = true
	}
	return paragraphs
}

// textAt returns the text of a page in a revision as a pull writes it, nil if it had none.
func (s *session) textAt(revision string, e Entry) ([]byte, error) {
	page, err := s.client.Revisions.GetPage(s.ctx(), api.RevisionPageInput{
		RevisionRef: api.RevisionRef{Space: s.space(), Revision: revision}, Page: e.IDs[0],
		PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	if isNotFound(err) { // the revision deleted it
		return nil, nil
	}
	if err != nil || page.Markdown == nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, entry := range s.folder.State.Entries {
		for _, id := range entry.IDs {
			paths[id] = entry.Path
		}
	}
	return resolve.WriteRelative([]byte(*page.Markdown), e.Path, paths), nil
}
