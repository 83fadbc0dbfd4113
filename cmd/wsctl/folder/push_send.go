package folder

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// batches divides the operations of a push into edits within the limits of the server.
func (p *Push) batches() (batches [][]operation) {
	size, operations := 0, p.operations
	if len(operations) > maxChanges {
		operations = append(p.releases(), operations...)
	}
	for _, o := range operations {
		last := len(batches) - 1
		if last < 0 || len(batches[last]) == maxChanges || size+o.size > maxEditBytes {
			batches, size = append(batches, nil), 0
			last++
		}
		batches[last] = append(batches[last], o)
		size += o.size
	}
	return batches
}

// releases returns operations that move pages to temporary paths, for the pages whose path another page takes earlier in the push.
// Two pages can have the same path within one edit only.
func (p *Push) releases() (releases []operation) {
	taken := map[string]bool{}
	for _, o := range p.operations {
		if o.was != "" && taken[o.was] {
			own := path.Join(path.Dir(o.was), o.change.Page+".md")
			releases = append(releases, operation{change: api.ContentChange{
				Operation: api.UpdatePage, Page: o.change.Page, SourceName: o.change.SourceName, Path: own,
			}})
		}
		taken[o.change.Path] = true
	}
	return releases
}

// send sends a push to a change request as one or more revisions. ids gets the ids of what was created, by its reference or path.
func (s *session) send(p *Push, request *api.ChangeRequest, ids map[string]string) error {
	head := request.Revision
	batches := p.batches()
	for i, batch := range batches {
		isPart := p.IsPart || i < len(batches)-1
		body := api.ContentEdit{Source: s.git.source(s.folder.Config.Name, isPart)}
		for _, o := range batch {
			change, err := s.folder.withContent(o)
			if err != nil {
				return err
			}
			body.Changes = append(body.Changes, withIDs(change, ids))
		}
		var response client.Response
		result, err := s.client.ChangeRequestContent.Edit(s.ctx(), api.EditContentInput{
			ChangeRequestRef: s.ref(request.Number), Body: body, Compat: api.Some(false),
		}, client.IfMatch(etag(head)), client.Capture(&response))
		if err != nil {
			return s.explain(err, request)
		}
		head = result.ChangeRequest.Revision
		noteIDs(batch, result, ids)
		if s.app.WantsProgress() && len(batches) > 1 {
			_, _ = fmt.Fprintf(s.app.Err, "\rsent %d of %d parts\x1b[K", i+1, len(batches)) // optional
		}
	}
	if s.app.WantsProgress() && len(batches) > 1 {
		_, _ = fmt.Fprint(s.app.Err, "\r\x1b[K") // optional
	}
	request.Revision = head
	return nil
}

// etag returns the If-Match for a change request whose content is a revision.
func etag(revision string) string { return `"0.` + revision + `"` }

// explain returns the error of a request whose content has moved since, and every other error as it is.
func (s *session) explain(err error, request *api.ChangeRequest) error {
	if wrong, ok := api.AsError(err); ok && wrong.Code == http.StatusPreconditionFailed {
		return &app.ConflictError{
			Message: fmt.Sprintf("not pushed: #%d was changed since the folder was last pulled or pushed", request.Number),
			Hint:    "wsctl pull",
		}
	}
	return err
}

// withContent returns the change of an operation with the bytes of its file. They are read only when they are sent, so that a push does
// not hold all of them. It returns an error if they are not those that were planned.
func (f *Folder) withContent(o operation) (api.ContentChange, error) {
	change := o.change
	if o.content.Path == "" {
		return change, nil
	}
	data, err := f.Read(o.content.Path)
	if err != nil {
		return change, err
	}
	if hashOf(data) != o.content.SHA256 {
		return change, &app.ConflictError{Message: o.content.Path + " was changed while it was pushed", Hint: "wsctl push sends the rest"}
	}
	if change.Operation != api.InsertFiles {
		if data, err = f.rebased(o, data); err != nil {
			return change, err
		}
		change.Document = &api.Document{Markdown: api.Some(string(data))}
		return change, nil
	}
	at := o.content.Path
	replaced := ""
	if len(change.Files) > 0 {
		replaced = change.Files[0].Replaces
	}
	change.Files = []api.FileInsert{{
		Name: path.Base(at), Path: at, Replaces: replaced, Base64: base64.StdEncoding.EncodeToString(data),
		ContentType: cmp.Or(mime.TypeByExtension(path.Ext(at)), http.DetectContentType(data)),
	}}
	return change, nil
}

// rebased returns the text that an operation sends for a file with the given text.
func (f *Folder) rebased(o operation, text []byte) ([]byte, error) {
	if o.rebased == "" {
		return text, nil
	}
	sent, known := f.base(Entry{ExportEntry: api.ExportEntry{SHA256: o.rebased}})
	if !known {
		return nil, fmt.Errorf("the text to send for %s is missing in %s; remove that, and push again", o.content.Path, dataName)
	}
	return sent, nil
}

// withIDs returns a change with the ids of what earlier edits created in the place of references.
func withIDs(c api.ContentChange, ids map[string]string) api.ContentChange {
	if id, ok := ids[c.Page]; ok {
		c.Page = id
	}
	if into, ok := c.Into.Get(); ok && ids[into] != "" {
		c.Into = api.Some(ids[into])
	}
	return c
}

// noteIDs notes the ids of what an edit created.
func noteIDs(batch []operation, result api.ContentResult, ids map[string]string) {
	for _, effect := range result.Changes {
		if effect.Ref != "" && effect.Page != nil {
			ids[effect.Ref] = effect.Page.ID
		}
		if effect.Ref != "" && effect.ReusableContent != nil {
			ids[effect.Ref] = effect.ReusableContent.ID
		}
	}
	for _, o := range batch {
		if (o.change.Operation == api.InsertPage || o.change.Operation == api.InsertReusableContent) && o.path != "" {
			ids[o.path] = ids[o.change.Ref]
		}
	}
	files := result.InsertedFiles
	for _, o := range batch {
		if o.change.Operation == api.InsertFiles && len(files) > 0 {
			ids[o.path], files = files[0].File.ID, files[1:]
		}
	}
}

// begin returns the change request to push to: the open one of the folder, or a new one that begins at the revision that the folder
// is based on. A creation that was interrupted is repeated, and makes no other one.
func (s *session) begin(request *api.ChangeRequest, subject string) (*api.ChangeRequest, error) {
	if isOpen(request) {
		if head := s.folder.State.Request.Revision; request.Revision != head && !s.folder.State.Request.Unfinished {
			return nil, s.explain(api.Errorf(http.StatusPreconditionFailed, api.ReasonConflict, "moved"), request)
		}
		return request, nil
	}
	isRepeated := s.folder.State.Creation != nil
	if !isRepeated {
		s.folder.State.Creation = &Creation{Key: rand.Text(), Subject: api.Shorten(subject, 100)}
	}
	if err := s.folder.writeConfig(s.folder.State.Title); err != nil {
		return nil, err
	}
	if err := s.folder.saveState(); err != nil {
		return nil, err
	}
	made, err := s.client.ChangeRequests.Create(s.ctx(), api.CreateChangeRequestInput{Space: s.space(), Body: api.ChangeRequestCreate{
		Subject: s.folder.State.Creation.Subject, Revision: s.folder.State.Revision, Pushing: true,
	}}, client.IdempotencyKey(s.folder.State.Creation.Key))
	if wrong, ok := api.AsError(err); ok && wrong.Code/100 == 4 { // none is made
		s.folder.State.Creation = nil
		return nil, errors.Join(err, s.folder.saveState())
	}
	if err != nil || !isRepeated {
		return &made, err
	}
	made, err = s.client.ChangeRequests.Get(s.ctx(), s.ref(made.Number)) // the answer may be that of an earlier creation
	if err == nil && !isOpen(&made) {
		s.folder.State.Creation = nil
		return s.begin(nil, subject)
	}
	return &made, err
}

// finish ends a push to a change request.
func (s *session) finish(request *api.ChangeRequest) error {
	_, err := s.client.ChangeRequests.Update(s.ctx(), api.UpdateChangeRequestInput{
		ChangeRequestRef: s.ref(request.Number), Body: api.ChangeRequestPatch{Pushing: api.Some(false)},
	})
	return err
}

// record sets the state of the folder to what was pushed.
func (s *session) record(p *Push, request *api.ChangeRequest, ids map[string]string) error {
	state := s.folder.State
	state.Request, state.Commit = &Request{Number: request.Number, Revision: request.Revision}, s.git.Commit
	state.Creation = nil
	kept := map[string]bool{} // hashes of texts
	for _, e := range state.Entries {
		kept[e.SHA256] = e.Kind != api.ExportFile
	}
	for i, e := range p.entries {
		for j, id := range e.IDs {
			if made, ok := ids[id]; ok {
				p.entries[i].IDs = append([]string{}, e.IDs...)
				p.entries[i].IDs[j] = made
			}
		}
		if e.Kind == api.ExportFile || e.SHA256 == "" {
			continue
		}
		if kept[e.SHA256] || s.folder.hasBase(e) {
			continue
		}
		data, err := s.folder.Read(e.Path)
		if err != nil {
			return err
		}
		if hashOf(data) == e.SHA256 {
			if err := s.folder.keepBase(e, data); err != nil {
				return err
			}
		}
	}
	state.Entries, state.Pages = p.entries, p.pages.list(ids)
	state.noteMoves(p.Changes)
	s.folder.noteTimes(state.Entries)
	return s.folder.saveState()
}

// subject returns the subject of the change request of a folder.
func (s *session) subject(message string) string {
	if message = strings.TrimSpace(message); message != "" {
		first, _, _ := strings.Cut(message, "\n")
		return first
	}
	return "Update from " + s.folder.Config.Name
}
