package server_test

import (
	"fmt"

	"docspace.dev/wsd/client/api"
)

// sample is what the sample organization of a world is made of: ids.
type sample struct {
	Guides, Nested string // collections, Nested is in Guides
	Handbook       string // space in Guides, locked, with pages
	Notes          string // space at the top, live, with a comment
	Trash          string // deleted space

	Pages map[string]string // of Handbook by title: Start, Install (below Start), Linux and Mac (below Install), Usage
	File  string            // of Handbook

	Merged       api.ChangeRequest // number 1 of Handbook: what brought the pages
	Request      api.ChangeRequest // number 2, open, with an edit of Usage and a new page; outdated since number 3
	RequestPage  string            // the new page of Request
	RequestFile  string            // the new file of Request
	Comment      api.Comment       // on a block of Usage in Handbook
	Reply        api.CommentReply  // to Comment
	OnRequest    api.Comment       // on Request
	RequestReply api.CommentReply  // to OnRequest
	Token        string            // of the admin, unused
}

const usageText = "# Usage\n\nFirst paragraph of the usage.\n\nSecond paragraph of the usage.\n"

// populate makes the sample organization.
func (w *world) populate() *sample {
	w.t.Helper()
	s := &sample{Pages: map[string]string{}}
	s.Guides = do(w, "admin", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Guides"}}).ID
	s.Nested = do(w, "admin", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Nested", Parent: s.Guides}}).ID
	s.Handbook = w.space("Handbook", s.Guides, "")
	s.Notes = w.space("Notes", "", api.EditLive)
	s.Trash = w.space("Trash", "", "")
	do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Trash})
	w.populateHandbook(s)
	w.populateRequest(s)
	w.populateComments(s)
	s.Token = do(w, "admin", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}}).ID
	return s
}

// space makes a space.
func (w *world) space(title, parent string, mode api.EditMode) string {
	w.t.Helper()
	return do(w, "admin", api.CreateSpace, api.CreateSpaceInput{
		Organization: w.org, Body: api.SpaceCreate{Title: title, Parent: parent, EditMode: mode},
	}).ID
}

// request starts a change request.
func (w *world) request(as, space, subject string) api.ChangeRequest {
	w.t.Helper()
	return do(w, as, api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space, Body: api.ChangeRequestCreate{Subject: subject}})
}

// ref names a change request.
func ref(r api.ChangeRequest) api.ChangeRequestRef {
	return api.ChangeRequestRef{Space: r.Space, ChangeRequest: r.ID}
}

// edit applies content operations to a change request.
func (w *world) edit(as string, r api.ChangeRequest, changes ...api.ContentChange) api.ContentResult {
	w.t.Helper()
	return do(w, as, api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: ref(r), Body: api.ContentEdit{Changes: changes}})
}

// merge merges a change request and expects no conflict.
func (w *world) merge(as string, r api.ChangeRequest) {
	w.t.Helper()
	result := do(w, as, api.MergeChangeRequest, ref(r))
	if result.Result != api.OutcomeMerge {
		w.t.Fatalf("merge of %s: %+v", r.ID, result)
	}
}

// insert is the operation that inserts a page with a text, below another if into is not "".
func insert(title, into, markdown string) api.ContentChange {
	c := api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{Markdown: markdown}}
	if into != "" {
		c.Into = api.Some(into)
	}
	return c
}

// update is the operation that replaces a page's text.
func update(page, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.UpdatePage, Page: page, Document: &api.Document{Markdown: markdown}}
}

// onePixel is a PNG image.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (w *world) populateHandbook(s *sample) {
	w.t.Helper()
	s.Merged = w.request("creator", s.Handbook, "First pages")
	made := w.edit("creator", s.Merged,
		named("start", insert("Start", "", "# Start\n\nWelcome.\n")),
		named("install", insert("Install", "start", "# Install\n\nOn every system.\n")),
		named("linux", insert("Linux", "install", "# Linux\n\nUse the package.\n")),
		named("mac", insert("Mac", "install", "# Mac\n\nUse the image.\n")),
		named("usage", insert("Usage", "", usageText)),
		api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "pixel.png", ContentType: "image/png", Base64: onePixel}}},
	)
	for i, title := range []string{"Start", "Install", "Linux", "Mac", "Usage"} {
		s.Pages[title] = made.Changes[i].Page.ID
	}
	s.File = made.InsertedFiles[0].File.ID
	w.merge("reviewer", s.Merged)
}

// named gives a page that is inserted a name within the request.
func named(name string, c api.ContentChange) api.ContentChange { c.Ref = name; return c }

func (w *world) populateRequest(s *sample) {
	w.t.Helper()
	s.Request = w.request("editor", s.Handbook, "Better usage")
	made := w.edit("editor", s.Request,
		update(s.Pages["Usage"], "# Usage\n\nFirst paragraph of the usage.\n\nSecond and better paragraph of the usage.\n"),
		insert("Windows", s.Pages["Install"], "# Windows\n\nUse the installer.\n"),
		api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "other.png", ContentType: "image/png", Base64: onePixel}}},
	)
	s.RequestPage, s.RequestFile = made.Changes[1].Page.ID, made.InsertedFiles[0].File.ID
	do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
		ChangeRequestRef: ref(s.Request), Body: api.ReviewRequest{Users: []string{w.users["reviewer"].ID}},
	})
	third := w.request("creator", s.Handbook, "Meanwhile")
	w.edit("creator", third, update(s.Pages["Start"], "# Start\n\nA warm welcome.\n"))
	w.merge("creator", third)
	s.Request = do(w, "editor", api.GetChangeRequest, ref(s.Request))
}

func (w *world) populateComments(s *sample) {
	w.t.Helper()
	usage := do(w, "reader", api.GetContentPage, api.PageInput{
		Space: s.Handbook, Page: s.Pages["Usage"], PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	s.Comment = do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: s.Handbook, Body: api.CommentCreate{
		Page: s.Pages["Usage"], Node: usage.Blocks[1].ID, Body: says("Is that so?"),
	}})
	s.Reply = do(w, "editor", api.CreateReply, api.CreateReplyInput{
		CommentRef: api.CommentRef{Space: s.Handbook, Comment: s.Comment.ID}, Body: api.ReplyCreate{Body: says("It is.")},
	})
	s.OnRequest = do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: ref(s.Request), Body: api.CommentCreate{Body: says("Good.")},
	})
	s.RequestReply = do(w, "editor", api.CreateChangeRequestReply, api.CreateChangeRequestReplyInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref(s.Request), Comment: s.OnRequest.ID},
		Body:                    api.ReplyCreate{Body: says("Thanks.")},
	})
}

func says(markdown string) api.CommentBody { return api.CommentBody{Markdown: markdown} }

// manySpaces makes n more spaces at the top.
func (w *world) manySpaces(n int) []string {
	w.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = w.space(fmt.Sprintf("Space %d", i), "", "")
	}
	return ids
}
