package screens

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// dropAction returns the action that drops the draft under the cursor, or deletes the user's comment or reply.
func (t *threadsPart) dropAction() components.Action {
	hint := "drop"
	if t.frame != nil { // nil frame: table of keys
		if _, ok := t.selectedDraft(); !ok { // posted texts are rarely deleted: no hint
			hint = ""
		}
	}
	return components.Action{
		Name: "drop", Keys: []string{"X"}, Help: page.DropHelp, Hint: hint, Do: t.drop, DisabledReason: t.notDroppableReason,
	}
}

// notDroppableReason returns the reason why there is no text of the user to drop or delete, or "".
func (t *threadsPart) notDroppableReason() string {
	if _, ok := t.selectedDraft(); ok {
		return ""
	}
	if th, _ := t.selectedThread(); th == nil {
		return "put the cursor on a draft or a comment of yours first"
	}
	if t.selectedAuthor().ID != t.frame.Session.Me.ID {
		return "only its author can delete it"
	}
	return ""
}

// selectedAuthor returns the author of the comment or the reply under the cursor.
func (t *threadsPart) selectedAuthor() api.User {
	th, reply := t.selectedThread()
	if reply != nil {
		return reply.PostedBy
	}
	return th.PostedBy
}

// drop drops the draft under the cursor, which can be undone, or deletes the posted text after confirmation.
func (t *threadsPart) drop() tea.Cmd {
	s := t.frame.Session
	if d, ok := t.selectedDraft(); ok {
		return page.Discard(s, d)
	}
	th, reply := t.selectedThread()
	content, comment := s.Client.Content(t.target), th.ID
	done := remote.ChangedMsg{Space: t.target.Space, Done: "comment deleted", Command: deleteCommand(t.target, comment, "")}
	question := "Delete your comment? " + t.deletionNote(th) + "It cannot be undone."
	write := func(ctx context.Context, key string) error { return content.DeleteComment(ctx, comment, key) }
	if reply != nil {
		id := reply.ID
		done.Done, done.Command, question = "reply deleted", deleteCommand(t.target, comment, id), "Delete your reply? It cannot be undone."
		write = func(ctx context.Context, key string) error { return content.DeleteReply(ctx, comment, id, key) }
	}
	return page.Ask(s, page.ConfirmMsg{Question: question, Yes: s.Write(done, write)})
}

// deletionNote lists what is deleted together with a comment.
func (t *threadsPart) deletionNote(th *commentThread) string {
	var by []api.User
	for _, r := range th.replies {
		if !slices.ContainsFunc(by, func(u api.User) bool { return u.ID == r.PostedBy.ID }) {
			by = append(by, r.PostedBy)
		}
	}
	names := t.frame.Session.UserNames(by)
	note := ""
	if th.Suggestion != nil {
		note = "What it suggests goes with it. "
	}
	switch n := len(th.replies); n {
	case 0:
		return note
	case 1:
		return note + fmt.Sprintf("The reply by %s goes with it. ", names)
	default:
		return note + fmt.Sprintf("The %s replies by %s go with it. ", render.Number(n), names)
	}
}

func deleteCommand(at remote.Target, comment, reply string) string {
	if reply != "" {
		return at.Command("replies", "change-request-replies", "delete", reply, "--comment", comment)
	}
	return at.Command("comments", "change-request-comments", "delete", comment)
}
