package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/config"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/term"
)

func tuiCommand(a *app.App) *cobra.Command {
	var request, theme string
	cmd := &cobra.Command{
		Use: "tui", Short: "Read and review on a screen: spaces, pages, change requests, comments, merges",
		Example: "  wsctl tui\n  wsctl tui --space $SPACE --change-request 2", Args: app.Exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return runScreen(a, cmd, request, theme) },
	}
	cmd.Flags().String("org", "", "`id` of the organization to begin with")
	cmd.Flags().String("space", "", "`id` of the space to begin with")
	cmd.Flags().StringVar(&request, "change-request", "", "`id` or number of the change request to begin with")
	cmd.Flags().StringVar(&theme, "theme", "auto", "light, dark, or auto: what COLORFGBG says, else dark")
	app.OneOf(cmd, "theme", []string{"auto", "light", "dark"})
	return cmd
}

func runScreen(a *app.App, cmd *cobra.Command, request, theme string) error {
	if !a.InTerminal || !a.OutTerminal {
		return exit.Usagef("the screen needs a terminal").WithHint("the other commands do without: wsctl commands lists them")
	}
	dark, ok := map[string]bool{"auto": term.Dark(a.Env("COLORFGBG")), "dark": true, "light": false}[theme]
	if !ok {
		return exit.Usagef("--theme must be auto, light or dark, not %q", theme)
	}
	a.Silence() // nothing may write over the screen
	settings, err := a.Settings(cmd)
	if err != nil {
		return err
	}
	token, err := settings.Token()
	if err != nil {
		return err
	}
	if request != "" && settings.Space.Text == "" {
		return exit.Usagef("--change-request needs --space")
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	model := tui.New(ctx, tui.Options{
		Client: screenClient{a.ClientWith(settings.URL.Text, token.Text), settings.IsReadOnly()},
		Drafts: tui.DraftDir(draftDir(a.Env, settings.URL.Text, token.Text)),
		Out:    a.Out, Dark: dark, Now: a.Now, NewKey: rand.Text, Edit: tui.Editor(editor(a.Env)),
		Organization: settings.Org.Text, Space: settings.Space.Text, ChangeRequest: request,
	})
	program := tea.NewProgram(model, tea.WithContext(ctx), tea.WithAltScreen(), tea.WithInput(a.In), tea.WithOutput(a.Out))
	go refresh(ctx, program)
	_, err = program.Run()
	return err
}

// refresh has the screen drawn again now and then: it says how long ago things were.
func refresh(ctx context.Context, program *tea.Program) {
	every := time.NewTicker(tui.Refresh)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			program.Send(tui.TimeMsg{})
		}
	}
}

// editor is the command line of the caller's editor.
func editor(env func(string) string) string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command := env(name); command != "" {
			return command
		}
	}
	return "vi"
}

// draftDir is where the unsent texts of one user for one server are kept: beside the configuration, because they
// are worth a backup.
func draftDir(env func(string) string, url, token string) string {
	user := token
	if parts := strings.Split(token, "_"); len(parts) == 4 { // wsd_<user>_<token id>_<secret>: a new token is the same user
		user = parts[1]
	}
	sum := sha256.Sum256([]byte(url + "\n" + user))
	return filepath.Join(config.Dir(env), "drafts", hex.EncodeToString(sum[:8]))
}

// screenClient is what the screen needs, out of the typed client: whole lists, and one method for the content of
// a space and that of a change request.
type screenClient struct {
	c        *client.Client
	readOnly bool // the profile is
}

// mayWrite refuses writes of a read-only profile before they are sent.
func (s screenClient) mayWrite() error {
	if !s.readOnly {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "this profile is read-only; nothing was sent").
		WithHint("wsctl config set read_only false")
}

var _ tui.Client = screenClient{}

// all reads a list to its end.
func all[In, T any](ctx context.Context, list client.ListFunc[In, T], in In) ([]T, error) {
	var items []T
	for item, err := range client.All(ctx, list, in) {
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// many asks for the most items at a time.
func many() api.ListOptions { return api.ListOptions{Limit: api.Some(api.MaxLimit)} }

func requestRef(at tui.Place) api.ChangeRequestRef {
	return api.ChangeRequestRef{Space: at.Space, ChangeRequest: at.ChangeRequest}
}

func (s screenClient) User(ctx context.Context) (api.User, error) {
	return s.c.User.Get(ctx, api.NoInput{})
}

func (s screenClient) Organizations(ctx context.Context) ([]api.Organization, error) {
	return all(ctx, s.c.Organizations.List, api.ListOrganizationsInput{ListOptions: many()})
}

func (s screenClient) Collections(ctx context.Context, organization string) ([]api.Collection, error) {
	return all(ctx, s.c.Collections.List, api.ListCollectionsInput{Organization: organization, ListOptions: many()})
}

func (s screenClient) Spaces(ctx context.Context, organization string) ([]api.Space, error) {
	return all(ctx, s.c.Spaces.List, api.ListSpacesInput{Organization: organization, ListOptions: many()})
}

func (s screenClient) Space(ctx context.Context, id string) (api.Space, error) {
	return s.c.Spaces.Get(ctx, api.GetSpaceInput{Space: id})
}

func (s screenClient) Pages(ctx context.Context, at tui.Place) ([]api.RevisionPage, error) {
	if at.ChangeRequest == "" {
		tree, err := s.c.Content.ListPages(ctx, api.GetContentInput{Space: at.Space})
		return tree.Pages, err
	}
	tree, err := s.c.ChangeRequestContent.ListPages(ctx, api.ChangeRequestContentInput{ChangeRequestRef: requestRef(at)})
	return tree.Pages, err
}

func (s screenClient) Page(ctx context.Context, at tui.Place, page string) (api.RevisionPage, error) {
	options := api.PageOptions{Format: api.FormatMarkdown}
	if at.ChangeRequest == "" {
		return s.c.Content.GetPage(ctx, api.PageInput{Space: at.Space, Page: page, PageOptions: options})
	}
	return s.c.ChangeRequestContent.GetPage(ctx, api.ChangeRequestPageInput{ChangeRequestRef: requestRef(at), Page: page, PageOptions: options})
}

func (s screenClient) ChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, error) {
	return all(ctx, s.c.ChangeRequests.List, api.ListChangeRequestsInput{Space: space, ListOptions: many(), Status: status})
}

func (s screenClient) ChangeRequest(ctx context.Context, at tui.Place) (api.ChangeRequest, error) {
	return s.c.ChangeRequests.Get(ctx, requestRef(at))
}

func (s screenClient) Changes(ctx context.Context, at tui.Place, since string) (api.SemanticChanges, error) {
	return s.c.ChangeRequests.GetChanges(ctx, api.ChangeRequestChangesInput{
		ChangeRequestRef: requestRef(at), SinceOptions: api.SinceOptions{Since: since}, ChangesOptions: api.ChangesOptions{Limit: api.Some(api.MaxLimit)},
	})
}

func (s screenClient) Diff(ctx context.Context, at tui.Place, page, since string) (api.DocumentDiff, error) {
	d, err := s.c.ChangeRequests.Diff(ctx, api.ChangeRequestDiffInput{
		ChangeRequestRef: requestRef(at), SinceOptions: api.SinceOptions{Since: since}, DiffOptions: api.DiffOptions{Page: page},
	})
	if err != nil || len(d.Documents) == 0 {
		return api.DocumentDiff{}, err
	}
	return d.Documents[0], nil
}

func (s screenClient) Merge(ctx context.Context, at tui.Place, key string) (api.MergeResult, error) {
	if err := s.mayWrite(); err != nil {
		return api.MergeResult{}, err
	}
	return s.c.ChangeRequests.Merge(ctx, api.MergeInput{ChangeRequestRef: requestRef(at)}, client.IdempotencyKey(key))
}

func (s screenClient) Mergeability(ctx context.Context, at tui.Place) (api.Mergeability, error) {
	return s.c.ChangeRequests.GetMergeability(ctx, requestRef(at))
}

func (s screenClient) Review(ctx context.Context, at tui.Place, body api.ReviewCreate, key string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	_, err := s.c.ChangeRequestReviews.Create(ctx, api.CreateReviewInput{ChangeRequestRef: requestRef(at), Body: body}, client.IdempotencyKey(key))
	return err
}

func (s screenClient) Pull(ctx context.Context, at tui.Place, resolutions []api.Resolution, key string) (api.MergeResult, error) {
	if err := s.mayWrite(); err != nil {
		return api.MergeResult{}, err
	}
	in := api.PullInput{ChangeRequestRef: requestRef(at), Body: api.Pull{Resolutions: resolutions}}
	return s.c.ChangeRequests.Pull(ctx, in, client.IdempotencyKey(key))
}

func (s screenClient) Comments(ctx context.Context, at tui.Place, page string) ([]api.Comment, error) {
	filters := api.CommentFilters{ListOptions: many(), TargetPage: page}
	if at.ChangeRequest == "" {
		return all(ctx, s.c.Comments.List, api.ListCommentsInput{Space: at.Space, CommentFilters: filters})
	}
	return all(ctx, s.c.ChangeRequestComments.List, api.ListChangeRequestCommentsInput{ChangeRequestRef: requestRef(at), CommentFilters: filters})
}

func (s screenClient) Replies(ctx context.Context, at tui.Place, comment string) ([]api.CommentReply, error) {
	if at.ChangeRequest == "" {
		return all(ctx, s.c.Replies.List, api.ListRepliesInput{CommentRef: commentRef(at, comment), ListOptions: many()})
	}
	in := api.ListChangeRequestRepliesInput{ChangeRequestCommentRef: requestCommentRef(at, comment), ListOptions: many()}
	return all(ctx, s.c.ChangeRequestReplies.List, in)
}

func commentRef(at tui.Place, comment string) api.CommentRef {
	return api.CommentRef{Space: at.Space, Comment: comment}
}

func requestCommentRef(at tui.Place, comment string) api.ChangeRequestCommentRef {
	return api.ChangeRequestCommentRef{ChangeRequestRef: requestRef(at), Comment: comment}
}

func (s screenClient) CreateComment(ctx context.Context, at tui.Place, body api.CommentCreate, key string) (string, error) {
	if err := s.mayWrite(); err != nil {
		return "", err
	}
	if at.ChangeRequest == "" {
		made, err := s.c.Comments.Create(ctx, api.CreateCommentInput{Space: at.Space, Body: body}, client.IdempotencyKey(key))
		return made.ID, err
	}
	in := api.CreateChangeRequestCommentInput{ChangeRequestRef: requestRef(at), Body: body}
	made, err := s.c.ChangeRequestComments.Create(ctx, in, client.IdempotencyKey(key))
	return made.ID, err
}

func (s screenClient) UpdateComment(ctx context.Context, at tui.Place, comment string, body api.CommentUpdate, key string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	if at.ChangeRequest == "" {
		_, err := s.c.Comments.Update(ctx, api.UpdateCommentInput{CommentRef: commentRef(at, comment), Body: body}, client.IdempotencyKey(key))
		return err
	}
	in := api.UpdateChangeRequestCommentInput{ChangeRequestCommentRef: requestCommentRef(at, comment), Body: body}
	_, err := s.c.ChangeRequestComments.Update(ctx, in, client.IdempotencyKey(key))
	return err
}

func (s screenClient) CreateReply(ctx context.Context, at tui.Place, comment string, body api.ReplyCreate, key string) (string, error) {
	if err := s.mayWrite(); err != nil {
		return "", err
	}
	if at.ChangeRequest == "" {
		made, err := s.c.Replies.Create(ctx, api.CreateReplyInput{CommentRef: commentRef(at, comment), Body: body}, client.IdempotencyKey(key))
		return made.ID, err
	}
	in := api.CreateChangeRequestReplyInput{ChangeRequestCommentRef: requestCommentRef(at, comment), Body: body}
	made, err := s.c.ChangeRequestReplies.Create(ctx, in, client.IdempotencyKey(key))
	return made.ID, err
}

func (s screenClient) UpdateReply(ctx context.Context, at tui.Place, comment, reply string, body api.ReplyUpdate, key string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	if at.ChangeRequest == "" {
		in := api.UpdateReplyInput{ReplyRef: api.ReplyRef{CommentRef: commentRef(at, comment), Reply: reply}, Body: body}
		_, err := s.c.Replies.Update(ctx, in, client.IdempotencyKey(key))
		return err
	}
	ref := api.ChangeRequestReplyRef{ChangeRequestCommentRef: requestCommentRef(at, comment), Reply: reply}
	_, err := s.c.ChangeRequestReplies.Update(ctx, api.UpdateChangeRequestReplyInput{ChangeRequestReplyRef: ref, Body: body}, client.IdempotencyKey(key))
	return err
}
