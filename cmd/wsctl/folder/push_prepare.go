package folder

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// prepare gives the folder its state and returns its change request, nil if it has none.
func (s *session) prepare(o pushOptions, take Side) (*api.ChangeRequest, error) {
	if err := s.restore(); err != nil {
		return nil, err
	}
	if len(s.unknown) > 0 && take != TakeFolder {
		if !o.dryRun { // so that a pull can mark the differences
			if err := s.folder.writeConfig(s.folder.State.Title); err != nil {
				return nil, err
			}
		}
		return nil, unknownTexts(s.unknown)
	}
	if err := s.checkCommit(); err != nil {
		return nil, err
	}
	if o.newRequest && (s.folder.State.Request == nil || s.folder.State.Creation == nil) { // not yet made
		creation := s.folder.State.Creation
		s.folder.State.Request = nil
		if err := s.adopt(s.folder.State.Revision); err != nil {
			return nil, err
		}
		s.folder.State.Creation = creation
		return nil, nil //nolint:nilnil // none
	}
	request, err := s.request()
	switch {
	case err != nil || request == nil:
		return nil, err
	case request.Status == api.StatusMerged && o.merge && !o.dryRun: // by a push that was interrupted then, or by somebody else
		return nil, s.pull(false, "")
	case request.Status == api.StatusMerged:
		return nil, &app.ConflictError{
			Message: fmt.Sprintf("#%d, to which this folder was pushed, was merged since", request.Number), Hint: "wsctl pull",
		}
	case request.Status == api.StatusArchived: // no base any more
		s.app.Infof("#%d was archived; its changes are sent again", request.Number)
		return nil, s.adopt(s.folder.State.Revision)
	case s.folder.State.Request.IsMerged:
		if o.dryRun {
			return request, nil
		}
		return request, s.takeSpace(request)
	case s.folder.State.Request.Unfinished:
		return request, s.resume(request)
	}
	return request, nil
}

// checkSendable returns an error if a file cannot be sent.
func (s *session) checkSendable() error {
	scan, err := s.folder.Scan(s.app.Now())
	if err != nil {
		return err
	}
	differences, _, err := s.folder.Compare(scan)
	if err != nil {
		return err
	}
	_, err = s.folder.PlanPush(differences, PushOptions{})
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return s.refusal(refused)
	}
	return err
}

// resume sets the state to the content of a change request whose push was interrupted, so that the rest is sent. It returns an error
// if somebody else has changed the request since, because the folder does not have that.
func (s *session) resume(request *api.ChangeRequest) error {
	s.app.Infof("going on with #%d", request.Number)
	if request.Revision == s.folder.State.Request.Revision {
		return nil
	}
	me, err := s.client.User.Get(s.ctx(), api.NoInput{})
	if err != nil {
		return err
	}
	revisions := client.All(s.ctx(), s.client.ChangeRequests.ListRevisions, api.ChangeRequestRevisionsInput{
		ChangeRequestRef: s.ref(request.Number), ListOptions: api.ListOptions{Limit: api.Some(100)},
	})
	for r, err := range revisions {
		if err != nil {
			return err
		}
		if r.ID == s.folder.State.Request.Revision {
			break
		}
		if r.Source == nil || r.Source.Name != s.folder.Config.Name || r.Author.ID != me.ID {
			return &app.ConflictError{
				Message: fmt.Sprintf("not pushed: #%d was changed since the push to it was interrupted", request.Number),
				Hint:    "wsctl pull",
			}
		}
	}
	return s.adoptRequest(request)
}

// adoptRequest sets the state to the content of a change request.
func (s *session) adoptRequest(request *api.ChangeRequest) error {
	base, creation := s.folder.State.Revision, s.folder.State.Creation
	x, err := s.export(request.Number, "")
	if err != nil {
		return err
	}
	if err := s.adoptExport(x); err != nil {
		return err
	}
	s.folder.State.Revision, s.folder.State.Creation = base, creation
	s.folder.State.Request = &Request{Number: request.Number, Revision: x.Revision, Unfinished: true}
	request.Revision = x.Revision
	return nil
}

// maxConflictRounds limits how often conflicts of a request with its space are decided, because each decision may show others.
const maxConflictRounds = 8

// takeSpace takes the content of the space into a change request that is in conflict with it, and the side of the space in each
// conflict, as the pull did that wrote the files. What was decided in the files is sent by the push. It returns an error if either was
// changed since that pull.
func (s *session) takeSpace(request *api.ChangeRequest) error {
	if err := s.checkSendable(); err != nil {
		return err
	}
	var decided []api.Resolution
	for range maxConflictRounds {
		result, err := s.client.ChangeRequests.Pull(s.ctx(), api.PullInput{ChangeRequestRef: s.ref(request.Number), Body: api.Pull{
			Resolutions: decided, Revision: s.folder.State.Request.Revision, SpaceRevision: s.folder.State.Revision,
		}})
		if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonConflict {
			return &app.ConflictError{
				Message: fmt.Sprintf("not pushed: #%d or its space was changed since the folder was last pulled", request.Number),
				Hint:    "wsctl pull",
			}
		}
		if err != nil {
			return err
		}
		if len(result.Conflicts) == 0 {
			if err := s.deleteRepeated(request); err != nil {
				return err
			}
			return s.adoptRequest(request)
		}
		for _, c := range result.Conflicts {
			decided = append(decided, api.Resolution{Conflict: c.ID, Take: api.TakeOurs})
		}
	}
	return &app.ConflictError{
		Message: fmt.Sprintf("not pushed: the conflicts of #%d with the space cannot be decided", request.Number),
		Hint:    fmt.Sprintf("wsctl change-requests get-conflicts %d --space %s", request.Number, s.space()),
	}
}

// deleteRepeated deletes the pages and files of a change request that were new in it at the path of what is new in the space as well: the
// file of the folder has both, and the page of the space stays.
func (s *session) deleteRepeated(request *api.ChangeRequest) error {
	before, err := s.export(0, s.folder.State.Request.Revision)
	if err != nil {
		return err
	}
	now, err := s.export(request.Number, "")
	if err != nil {
		return err
	}
	paths, newInSpace, inSpace := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, e := range before.entries() {
		paths[e.Key()] = e.Path
	}
	for _, e := range s.folder.State.Entries {
		inSpace[e.Key()] = true
		if paths[e.Key()] == "" && e.LocalPath == "" {
			newInSpace[e.Path] = true
		}
	}
	parents := map[string]bool{}
	for _, p := range now.Pages {
		parents[p.Parent] = true
	}
	var changes []api.ContentChange
	for _, e := range now.entries() {
		switch {
		case !newInSpace[paths[e.Key()]] || inSpace[e.Key()]:
		case e.Kind == api.ExportPage && !parents[e.IDs[0]]:
			changes = append(changes, api.ContentChange{Operation: api.DeletePage, Page: e.IDs[0]})
		case e.Kind == api.ExportFile:
			changes = append(changes, api.ContentChange{Operation: api.DeleteFiles, FileIDs: e.IDs})
		}
	}
	for batch := range slices.Chunk(changes, maxChanges) {
		result, err := s.client.ChangeRequestContent.Edit(s.ctx(), api.EditContentInput{
			ChangeRequestRef: s.ref(request.Number), Body: api.ContentEdit{Changes: batch}, Compat: api.Some(false),
		}, client.IfMatch(etag(now.Revision)))
		if err != nil {
			return s.explain(err, request)
		}
		now.Revision = result.ChangeRequest.Revision
	}
	return nil
}

// unknownTexts returns the error for files that differ from the space and have no text in common with it that is known.
func unknownTexts(paths []string) error {
	shown := strings.Join(paths[:min(len(paths), 10)], ", ")
	if more := len(paths) - 10; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	verb := "differ"
	if len(paths) == 1 {
		verb = "differs"
	}
	return &app.ConflictError{
		Message: fmt.Sprintf("not pushed: %s %s from the space, and no common text is known: %s",
			app.Pluralize(len(paths), "file"), verb, shown),
		Hint: "wsctl push --take folder sends yours; wsctl pull marks the differences in the files",
	}
}
