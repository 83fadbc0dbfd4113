package tuitest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

func (f targetContent) Reattach(ctx context.Context, comment string, to api.CommentPlace, key string) error {
	_, err := f.write(ctx, "reattach", key, comment+" to "+to.Page+"/"+to.Node+formatQuote(to.Quote))
	return err
}

func (f targetContent) DeleteComment(ctx context.Context, comment, key string) error {
	again, err := f.write(ctx, "delete-comment", key, comment)
	if err != nil || again {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.CommentList = slices.DeleteFunc(f.CommentList, func(c api.Comment) bool { return c.ID == comment })
	return nil
}

func (f targetContent) DeleteReply(ctx context.Context, comment, reply, key string) error {
	again, err := f.write(ctx, "delete-reply", key, comment+"/"+reply)
	if err != nil || again {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ReplyLists[comment] = slices.DeleteFunc(f.ReplyLists[comment], func(r api.CommentReply) bool { return r.ID == reply })
	return nil
}

// NewComment returns an open comment by Grace.
func (f *Server) NewComment(id, body string, target api.CommentTarget) api.Comment {
	return api.Comment{
		CommentFields: api.CommentFields{
			ID: id, PostedAt: api.At(Clock.Add(-3 * time.Hour)), Body: api.CommentText{Markdown: body}, Status: api.CommentOpen,
		},
		PostedBy: NewUser("u_2", "Grace"), Target: target,
		Reactions: []api.Reaction{{Emoji: "👍", Count: 1, Users: []api.ReactionUser{{User: NewUser("u_1", "Ada")}}}},
	}
}

func (f targetContent) Comments(ctx context.Context, page string) ([]api.Comment, error) {
	if err := f.recordCall(ctx, "comments"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []api.Comment
	for _, c := range f.CommentList {
		onPage := c.Target.Page != nil && c.Target.Page.ID == page
		if c.Target.ChangeRequest == f.target.ChangeRequest && (page == "" || onPage) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (f targetContent) Replies(ctx context.Context, comment string) ([]api.CommentReply, error) {
	return f.ReplyLists[comment], f.recordCall(ctx, "replies")
}

func formatQuote(words string) string {
	if words == "" {
		return ""
	}
	return " “" + words + "”"
}

func (f targetContent) CreateComment(ctx context.Context, body api.CommentCreate, key string) (string, error) {
	id := "c_" + key
	again, err := f.write(ctx, "comment", key, body.Page+"/"+body.Node+formatQuote(body.Quote)+": "+body.Body.Text())
	if err != nil || again {
		return id, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	target := api.CommentTarget{Space: f.target.Space, ChangeRequest: f.target.ChangeRequest}
	if body.Page != "" {
		target.Page = &api.CommentPage{ID: body.Page, Title: body.Page}
	}
	if body.Node != "" {
		target.Node = &api.CommentNode{ID: body.Node}
	}
	f.CommentList = append(f.CommentList, f.NewComment(id, body.Body.Text(), target))
	return id, nil
}

func (f targetContent) UpdateComment(ctx context.Context, comment string, body api.CommentUpdate, key string) error {
	what := comment
	if body.Body != nil {
		what += " text " + body.Body.Text()
	}
	resolved, set := body.Resolved.Get()
	if set {
		what += fmt.Sprintf(" resolved %v", resolved)
	}
	outcome, came := body.Outcome.Get()
	if came {
		what += " " + string(outcome)
	}
	weight, weighed := body.Weight.Get()
	if !body.Weight.IsZero() {
		what += " weight " + string(weight)
	}
	what += strings.Join(body.AddedReactions, "+") + strings.Join(body.RemovedReactions, "-")
	again, err := f.write(ctx, "update-comment", key, what)
	if err != nil || again {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.CommentList {
		if f.CommentList[i].ID == comment && (weighed || !body.Weight.IsZero()) {
			f.CommentList[i].Weight = weight
		}
		if f.CommentList[i].ID == comment && set {
			f.CommentList[i].Outcome = outcome
			f.CommentList[i].Status = map[bool]api.CommentStatus{true: api.CommentResolved, false: api.CommentOpen}[resolved]
		}
	}
	return nil
}

func (f targetContent) CreateReply(ctx context.Context, comment string, body api.ReplyCreate, key string) (string, error) {
	id := "r_" + key
	again, err := f.write(ctx, "reply", key, comment+": "+body.Body.Text())
	if err != nil || again {
		return id, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	fields := api.ReplyFields{ID: id, PostedAt: api.At(Clock), Body: api.CommentText{Markdown: body.Body.Text()}}
	f.ReplyLists[comment] = append(f.ReplyLists[comment], api.CommentReply{ReplyFields: fields, PostedBy: NewUser("u_1", "Ada")})
	for i := range f.CommentList {
		if f.CommentList[i].ID == comment {
			f.CommentList[i].Replies++
		}
	}
	return id, nil
}

func (f targetContent) UpdateReply(ctx context.Context, comment, reply string, body api.ReplyUpdate, key string) error {
	what := comment + "/" + reply + strings.Join(body.AddedReactions, "+")
	if body.Body != nil {
		what += " text " + body.Body.Text()
	}
	_, err := f.write(ctx, "update-reply", key, what)
	return err
}
