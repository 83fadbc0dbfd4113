// Package demo fills an empty server with a sample organization: users, collections, spaces of real prose, an open
// change request with a discussion, and one that conflicts with its space. It drives the server's own HTTP handler, so
// that the demo has nothing that an API client could not make. It may import orgs and the store.
package demo

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
)

//go:embed content
var content embed.FS

// Result is what a visitor of the demo needs.
type Result struct {
	Organization  string
	Token         string // of the admin
	ReviewerToken string
	Open          string // space with the open change request, number 2
	Conflicting   string // space with the change request that conflicts, number 2
}

// script is content/demo.json.
type script struct {
	Organization   string       `json:"organization"`
	Users          []user       `json:"users"`
	Collections    []collection `json:"collections"`
	Spaces         []space      `json:"spaces"`
	ChangeRequests []request    `json:"changeRequests"`
}

type user struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Email       string `json:"email"`
}

type collection struct {
	Title  string   `json:"title"`
	Spaces []string `json:"spaces"` // directories
}

type space struct {
	Directory string `json:"directory"`
	Title     string `json:"title"`
	Emoji     string `json:"emoji"`
}

type request struct {
	Space    string    `json:"space"`
	Author   string    `json:"author"`
	Subject  string    `json:"subject"`
	Updates  []update  `json:"updates"`
	Inserts  []insert  `json:"inserts"`
	Then     []update  `json:"then"` // merged into the space while the request is open
	Comments []comment `json:"comments"`
}

type update struct {
	Page    string `json:"page"`
	File    string `json:"file"`
	Subject string `json:"subject"`
}

type insert struct {
	Parent string `json:"parent"`
	Title  string `json:"title"`
	File   string `json:"file"`
}

type comment struct {
	Author   string  `json:"author"`
	Page     string  `json:"page"`
	Quote    string  `json:"quote"`
	Text     string  `json:"text"`
	Resolved bool    `json:"resolved"`
	Replies  []reply `json:"replies"`
}

type reply struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}

// Load makes the sample organization. handler is the server's own.
func Load(ctx context.Context, s *store.Store, handler Handler) (Result, error) {
	data, err := content.ReadFile("content/demo.json")
	if err != nil {
		return Result{}, fmt.Errorf("demo: %w", err)
	}
	var sc script
	if err := json.Unmarshal(data, &sc); err != nil {
		return Result{}, fmt.Errorf("demo: demo.json: %w", err)
	}
	l := &loader{ctx: ctx, handler: handler, tokens: map[string]string{}, spaces: map[string]string{}, users: map[string]string{}}
	if err := l.accounts(orgs.Accounts{Store: s}, sc); err != nil {
		return Result{}, fmt.Errorf("demo: accounts: %w", err)
	}
	l.content(sc)
	if l.err != nil {
		return Result{}, fmt.Errorf("demo: %w", l.err)
	}
	result := Result{Organization: l.org, Token: l.tokens["admin"], ReviewerToken: l.tokens["reviewer"]}
	for _, r := range sc.ChangeRequests {
		if len(r.Then) > 0 {
			result.Conflicting = l.spaces[r.Space]
		} else {
			result.Open = l.spaces[r.Space]
		}
	}
	return result, nil
}

// loader keeps the first error and does nothing after it.
type loader struct {
	ctx     context.Context // lives as long as Load
	handler Handler
	org     string
	tokens  map[string]string // by user name
	users   map[string]string // user ids by name
	spaces  map[string]string // space ids by directory
	err     error
}

// roles of the demo's users by name.
var roles = map[string]api.Role{"admin": api.RoleAdmin, "reviewer": api.RoleReview}

func (l *loader) accounts(a orgs.Accounts, sc script) error {
	for _, u := range sc.Users {
		user, err := a.User(l.ctx, u.Email, u.DisplayName)
		if err != nil {
			return err
		}
		if l.org == "" {
			if l.org, err = a.Organization(l.ctx, sc.Organization, user); err != nil {
				return err
			}
		} else if err := a.Member(l.ctx, l.org, user, roles[u.Name]); err != nil {
			return err
		}
		l.users[u.Name] = user.ID
		if _, l.tokens[u.Name], err = a.Token(l.ctx, user.ID, orgs.TokenOptions{Name: "demo"}); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) content(sc script) {
	collectionOf := map[string]string{}
	for _, c := range sc.Collections {
		made := call(l, "admin", api.CreateCollection, l.org, api.CollectionCreate{Title: c.Title})
		for _, directory := range c.Spaces {
			collectionOf[directory] = made.ID
		}
	}
	for _, s := range sc.Spaces {
		space := call(l, "admin", api.CreateSpace, l.org, api.SpaceCreate{Title: s.Title, Emoji: s.Emoji, Parent: collectionOf[s.Directory]})
		l.spaces[s.Directory] = space.ID
		l.firstEdition(s.Directory, space.ID)
	}
	for _, r := range sc.ChangeRequests {
		l.request(r)
	}
}

// entryLine is a line of SUMMARY.md: indentation, title, file.
var entryLine = regexp.MustCompile(`^(\s*)\* \[(.+)\]\((.+)\)\s*$`)

// firstEdition brings the pages of a directory into a space: by a change request that is merged, as everything in a
// locked space.
func (l *loader) firstEdition(directory, space string) {
	var changes []api.ContentChange
	var above []string // refs by depth
	for line := range strings.SplitSeq(l.file(directory+"/SUMMARY.md"), "\n") {
		m := entryLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		depth, ref := len(m[1])/2, fmt.Sprintf("page-%d", len(changes))
		change := api.ContentChange{
			Operation: api.InsertPage, Ref: ref, Slug: api.Some(slug(m[3])), Document: &api.Document{Markdown: l.file(directory + "/" + m[3])},
		}
		if depth > 0 && depth <= len(above) {
			change.Into = api.Some(above[depth-1])
		}
		above = append(above[:min(depth, len(above))], ref)
		changes = append(changes, change)
	}
	l.merged("admin", space, "First edition", changes)
}

// slug is the path segment of a file: README.md is named by its directory.
func slug(file string) string {
	name := strings.TrimSuffix(path.Base(file), ".md")
	if name != "README" {
		return strings.ToLower(name)
	}
	if dir := path.Dir(file); dir != "." {
		return path.Base(dir)
	}
	return "welcome"
}

func (l *loader) file(name string) string {
	data, err := content.ReadFile("content/" + name)
	if err != nil && l.err == nil {
		l.err = err
	}
	return string(data)
}

// merged makes a change request with changes and merges it.
func (l *loader) merged(author, space, subject string, changes []api.ContentChange) {
	made := call(l, author, api.CreateChangeRequest, space, api.ChangeRequestCreate{Subject: subject})
	call(l, author, api.EditChangeRequestContent, space, api.ContentEdit{Changes: changes}, made.ID)
	call(l, author, api.MergeChangeRequest, space, nil, made.ID)
}

// request makes an open change request with its discussion.
func (l *loader) request(r request) {
	space := l.spaces[r.Space]
	made := call(l, r.Author, api.CreateChangeRequest, space, api.ChangeRequestCreate{Subject: r.Subject})
	changes := l.updates(r.Author, space, r.Updates)
	for _, in := range r.Inserts {
		change := api.ContentChange{Operation: api.InsertPage, Title: api.Some(in.Title), Document: &api.Document{Markdown: l.file(in.File)}}
		if in.Parent != "" {
			change.Into = api.Some(l.page(r.Author, space, in.Parent).ID)
		}
		changes = append(changes, change)
	}
	call(l, r.Author, api.EditChangeRequestContent, space, api.ContentEdit{Changes: changes}, made.ID)
	reviewer := "reviewer"
	if r.Author == reviewer {
		reviewer = "admin"
	}
	call(l, r.Author, api.RequestChangeRequestReview, space, api.ReviewRequest{Users: []string{l.users[reviewer]}}, made.ID)
	for _, then := range r.Then {
		l.merged("admin", space, then.Subject, l.updates("admin", space, []update{then}))
	}
	for _, c := range r.Comments {
		l.comment(space, made.ID, c)
	}
}

func (l *loader) updates(as, space string, updates []update) []api.ContentChange {
	var changes []api.ContentChange
	for _, u := range updates {
		changes = append(changes, api.ContentChange{
			Operation: api.UpdatePage, Page: l.page(as, space, u.Page).ID, Document: &api.Document{Markdown: l.file(u.File)},
		})
	}
	return changes
}

// page finds a page of the space by its path.
func (l *loader) page(as, space, pagePath string) api.RevisionPage {
	return call(l, as, api.GetContentPageByPath, space, nil, pagePath)
}

// comment posts a comment on the block that holds the quoted sentence, with its replies.
func (l *loader) comment(space, request string, c comment) {
	page := call(l, c.Author, api.GetChangeRequestContentPageByPath, space, nil, request, c.Page+"?format=markdown")
	body := api.CommentCreate{Page: page.ID, Body: api.CommentBody{Markdown: c.Text}}
	if page.Markdown != nil {
		at := strings.Index(*page.Markdown, c.Quote)
		for _, block := range page.Blocks {
			if block.Start <= at && at < block.End {
				body.Node = block.ID
			}
		}
	}
	made := call(l, c.Author, api.CreateChangeRequestComment, space, body, request)
	for _, r := range c.Replies {
		call(l, r.Author, api.CreateChangeRequestReply, space, api.ReplyCreate{Body: api.CommentBody{Markdown: r.Text}}, request, made.ID)
	}
	if c.Resolved {
		call(l, c.Author, api.UpdateChangeRequestComment, space, api.CommentUpdate{Resolved: api.Some(true)}, request, made.ID)
	}
}
