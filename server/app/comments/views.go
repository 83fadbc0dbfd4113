package comments

import (
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// commentView holds the inputs for encoding a comment.
type commentView struct {
	model    *access.Model
	call     *rest.Call
	tree     *revision.Tree // of the current content
	target   revision.Target
	format   api.Format
	location content.Location // of the text of the comment
}

// newObject returns an object with the stored members of a comment or reply. In document format it replaces *body by the
// body in that format.
func (v commentView) newObject(public []byte, fields any, body *api.CommentText) *rest.Object {
	if v.format != api.FormatDocument {
		return rest.ExtendObject(public)
	}
	tree := documents.Write(documents.Source{Text: content.Text{Markdown: []byte(body.Markdown)}})
	*body = api.CommentText{Document: &tree}
	data, err := json.Marshal(fields)
	if err != nil {
		return &rest.Object{Err: fmt.Errorf("encode the body of a comment: %w", err)}
	}
	return rest.ExtendObject(data)
}

func (s *Service) commentObject(v commentView, public []byte, d store.CommentDocument, replies string) *rest.Object {
	p := d.Private
	caller := v.call.Caller
	o := v.newObject(public, &d.Fields, &d.Fields.Body).
		Set("postedBy", s.View.Person(v.model, p.Author)).
		Set("reactions", s.reactionGroups(v.model, p.Reactions)).
		Set("replies", parseCount(replies)).
		SetIf(p.Repliers.Count() == parseCount(replies), "repliers", s.repliers(v.model, p.Repliers)).
		Set("target", commentTarget(v.tree, p, v.location))
	if p.ResolvedBy != "" {
		o.Set("resolvedBy", s.View.Person(v.model, p.ResolvedBy))
	}
	return o.
		Set("urls", api.LocationURLs{Location: s.commentURL(v.target, d.Fields.ID)}).
		Set("permissions", commentPermissions(caller, p.Author))
}

// maxRepliers is the number of repliers that are answered.
const maxRepliers = 20

// repliers returns the latest repliers of a comment.
func (s *Service) repliers(model *access.Model, all store.Repliers) []any {
	type replier struct {
		User      any      `json:"user"`
		Count     int      `json:"count"`
		UpdatedAt api.Time `json:"updatedAt"`
	}
	latest := []any{}
	for _, p := range all.Latest(maxRepliers) {
		latest = append(latest, replier{User: s.View.Person(model, p.User), Count: len(p.PostedAt), UpdatedAt: p.LatestAt()})
	}
	return latest
}

// parseCount parses a count; an empty one is 0.
func parseCount(text string) int {
	n := 0
	_, _ = fmt.Sscan(text, &n) // fsck reports damaged counts
	return n
}

func (s *Service) commentURL(target revision.Target, id string) string {
	return s.View.TargetURL(target) + "/comments/" + id
}

func commentPermissions(caller *access.Caller, author string) api.CommentPermissions {
	may := caller.ContentRole.AtLeast(api.RoleComment)
	return api.CommentPermissions{
		View: may, Reply: may, Edit: may && author == caller.User,
		Delete: author == caller.User || caller.ContentRole.AtLeast(api.RoleCreate),
	}
}

// commentTarget returns the target of a comment with its current state.
func commentTarget(t *revision.Tree, p store.CommentPrivate, found content.Location) api.CommentTarget {
	target := api.CommentTarget{Space: p.Space, ChangeRequest: p.Request, Review: p.Review, Revision: p.Revision}
	if p.Page == nil {
		return target
	}
	target.Page = &api.CommentPage{ID: p.Page.ID, Title: p.Page.Title, Path: p.Page.Path, Outdated: true}
	if now := t.Page(p.Page.ID); now != nil {
		*target.Page = api.CommentPage{
			ID: now.ID, Title: now.Name(), Emoji: now.Emoji, Icon: now.Icon, Path: t.Path(now.ID),
			CreatedAt: now.CreatedAt, UpdatedAt: now.UpdatedAt, Outdated: now.Text != p.Page.Text,
		}
	}
	if n := p.Node; n != nil {
		target.Node = &api.CommentNode{ID: n.ID, Preview: n.Preview}
		if found.State != "" {
			target.Anchor = commentAnchor(n, found)
		}
		target.Page.Outdated = found.State != content.Exact && found.State != content.Shifted
	}
	return target
}

// commentAnchor returns the current location of the text of a comment.
func commentAnchor(n *store.CommentedBlock, found content.Location) *api.CommentAnchor {
	a := &api.CommentAnchor{State: api.AnchorState(found.State), Score: found.Score, Quote: n.Quote, Before: n.Before, After: n.After}
	if found.State != content.Orphaned {
		a.Page, a.Node, a.Start, a.End = found.Page, found.Block, &found.Start, &found.End
	}
	return a
}

// reactionGroups groups reactions by emoji, in order of the first of each.
func (s *Service) reactionGroups(model *access.Model, given []store.Reaction) []any {
	type user struct {
		User      any      `json:"user"`
		ReactedAt api.Time `json:"reactedAt"`
	}
	type group struct {
		Emoji string `json:"emoji"`
		Count int    `json:"count"`
		Users []user `json:"users"`
	}
	groups := []any{}
	byEmoji := map[string]*group{}
	for _, r := range given {
		g, ok := byEmoji[r.Emoji]
		if !ok {
			g = &group{Emoji: r.Emoji}
			byEmoji[r.Emoji] = g
			groups = append(groups, g)
		}
		g.Count++
		g.Users = append(g.Users, user{User: s.View.Person(model, r.User), ReactedAt: r.AddedAt})
	}
	return groups
}
