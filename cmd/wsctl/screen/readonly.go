package screen

import (
	"context"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// errReadOnly returns the error of a write under a read-only profile.
func errReadOnly() error {
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "this profile is read-only; nothing was sent").
		WithHint("wsctl config set read_only false")
}

// readOnlyServer rejects all writes of a remote.Client without sending them.
type readOnlyServer struct{ remote.Client }

func (s readOnlyServer) Content(at remote.Target) remote.Content {
	return readOnlyContent{s.Client.Content(at)}
}

func (readOnlyServer) Merge(context.Context, remote.Target, string, string) (api.MergeResult, error) {
	return api.MergeResult{}, errReadOnly()
}

func (readOnlyServer) Submit(context.Context, remote.Target, string, api.ReviewSubmit) (api.Submission, error) {
	return api.Submission{}, errReadOnly()
}

func (readOnlyServer) Mark(context.Context, remote.Target, api.ReadingUpdate, string) (api.Reading, error) {
	return api.Reading{}, errReadOnly()
}

func (readOnlyServer) Apply(context.Context, remote.Target, string, []string, string) (api.SuggestionsApplied, error) {
	return api.SuggestionsApplied{}, errReadOnly()
}

func (readOnlyServer) Pull(context.Context, remote.Target, string, []api.Resolution, string) (api.MergeResult, error) {
	return api.MergeResult{}, errReadOnly()
}

func (readOnlyServer) CreateRequest(context.Context, string, string, string) (api.ChangeRequest, error) {
	return api.ChangeRequest{}, errReadOnly()
}

func (readOnlyServer) UpdateRequest(context.Context, remote.Target, api.ChangeRequestPatch, string) error {
	return errReadOnly()
}

func (readOnlyServer) AskForReview(context.Context, remote.Target, string, string) error {
	return errReadOnly()
}

func (readOnlyServer) Edit(context.Context, remote.Target, []api.ContentChange, string, string) error {
	return errReadOnly()
}

func (readOnlyServer) SaveQueries(context.Context, string, []api.SavedQuery, string) error {
	return errReadOnly()
}

func (readOnlyServer) Look(context.Context, remote.Target, string, string) error {
	return errReadOnly()
}

// readOnlyContent rejects all writes of a remote.Content without sending them.
type readOnlyContent struct{ remote.Content }

func (readOnlyContent) CreateComment(context.Context, api.CommentCreate, string) (string, error) {
	return "", errReadOnly()
}

func (readOnlyContent) UpdateComment(context.Context, string, api.CommentUpdate, string) error {
	return errReadOnly()
}

func (readOnlyContent) Reattach(context.Context, string, api.CommentPlace, string) error {
	return errReadOnly()
}

func (readOnlyContent) CreateReply(context.Context, string, api.ReplyCreate, string) (string, error) {
	return "", errReadOnly()
}

func (readOnlyContent) UpdateReply(context.Context, string, string, api.ReplyUpdate, string) error {
	return errReadOnly()
}

func (readOnlyContent) DeleteComment(context.Context, string, string) error { return errReadOnly() }

func (readOnlyContent) DeleteReply(context.Context, string, string, string) error {
	return errReadOnly()
}
