// Package demo fills an empty server with a sample organization: people and teams, spaces of real prose, a specification and
// a site, and change requests in every state, some of which wait for the reviewer. It drives the server's own HTTP handler,
// so that the demo has nothing that an API client could not make. It may import orgs and the store.
package demo

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
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

const (
	founder  = "imke"
	reviewer = "tomas"
	// beginning is when the first spaces were made.
	beginning = ago(21 * 24 * time.Hour)
)

// Load makes the sample organization. handler is the server's own; clock is what the server and its store go by, and tells
// the present when Load returns.
func Load(ctx context.Context, s *store.Store, handler Handler, clock *Clock) (Result, error) {
	defer clock.release()
	data, err := content.ReadFile("content/demo.json")
	if err != nil {
		return Result{}, fmt.Errorf("demo: %w", err)
	}
	var sc script
	if err := json.Unmarshal(data, &sc); err != nil {
		return Result{}, fmt.Errorf("demo: demo.json: %w", err)
	}
	l := &loader{
		ctx: ctx, handler: handler, clock: clock, start: clock.Now(), script: sc, tokens: map[string]string{}, users: map[string]string{},
		spaces: map[string]string{}, reusable: map[string]string{}, requests: map[string]string{}, comments: map[string]string{},
	}
	l.at(beginning)
	if err := l.accounts(orgs.Accounts{Store: s}); err != nil {
		return Result{}, fmt.Errorf("demo: accounts: %w", err)
	}
	l.everything()
	if l.err != nil {
		return Result{}, fmt.Errorf("demo: %w", l.err)
	}
	return Result{
		Organization: l.org, Token: l.tokens[founder], ReviewerToken: l.tokens[reviewer], Open: l.spaces["handbook"], Conflicting: l.spaces["runbook"],
	}, nil
}

// loader keeps the first error and does nothing after it.
type loader struct {
	ctx      context.Context // lives as long as Load
	handler  Handler
	clock    *Clock
	start    time.Time
	script   script
	org      string
	tokens   map[string]string // by user name
	users    map[string]string // user ids by name
	spaces   map[string]string // space ids by directory
	reusable map[string]string // ids by name
	requests map[string]string // ids of change requests by name
	comments map[string]string // ids by name
	err      error
}

func (l *loader) at(a ago) { l.clock.goTo(l.start.Add(-time.Duration(a))) }

func (l *loader) accounts(a orgs.Accounts) error {
	for _, u := range l.script.Users {
		user, err := a.User(l.ctx, u.Email, u.DisplayName)
		if err != nil {
			return err
		}
		if l.org == "" {
			if l.org, err = a.Organization(l.ctx, l.script.Organization, user); err != nil {
				return err
			}
		} else if err := a.Member(l.ctx, l.org, user, u.Role); err != nil {
			return err
		}
		l.users[u.Name] = user.ID
		if _, l.tokens[u.Name], err = a.Token(l.ctx, user.ID, orgs.TokenOptions{Name: "demo"}); err != nil {
			return err
		}
	}
	return nil
}

// event is one thing that happens at its time.
type event struct {
	ago ago
	do  func()
}

// everything happens in the order of its times: the spaces first, and the requests with their steps between each other, as
// they do where several people work.
func (l *loader) everything() {
	events := []event{{beginning, l.places}, {l.script.Site.Published, l.site}}
	for _, r := range l.script.Requests {
		events = append(events, event{r.Ago, func() { l.open(r) }})
		for _, s := range r.Steps {
			events = append(events, event{s.Ago, func() { l.step(r, s) }})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(b.ago, a.ago) })
	for _, e := range events {
		l.at(e.ago)
		e.do()
	}
}

// places makes teams, collections and spaces with their first edition.
func (l *loader) places() {
	for _, t := range l.script.Teams {
		call(l, founder, api.CreateTeam, l.org, api.TeamCreate{Title: t.Title, Members: l.ids(t.Members)})
	}
	collectionOf := map[string]string{}
	for _, c := range l.script.Collections {
		made := call(l, founder, api.CreateCollection, l.org, api.CollectionCreate{Title: c.Title})
		for _, directory := range c.Spaces {
			collectionOf[directory] = made.ID
		}
	}
	for _, s := range l.script.Spaces {
		space := call(l, founder, api.CreateSpace, l.org, api.SpaceCreate{Title: s.Title, Emoji: s.Emoji, Parent: collectionOf[s.Directory]})
		l.spaces[s.Directory] = space.ID
		l.firstEdition(s)
		if s.Approval {
			rules := api.MergeRules{Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleAllApproved}}}
			call(l, founder, api.UpdateSpace, space.ID, api.SpacePatch{MergeRules: api.Some(rules)})
		}
	}
}

// site publishes what customers read.
func (l *loader) site() {
	s := l.script.Site
	spaces := api.SpaceSelection{}
	for _, directory := range s.Spaces {
		spaces = append(spaces, l.spaces[directory])
	}
	made := call(l, founder, api.CreateSite, l.org, api.SiteCreate{Title: s.Title, Visibility: api.SitePublic, Spaces: spaces})
	call(l, founder, api.UpdateSite, l.org, api.SitePatch{Basename: api.Some(s.Basename), Hostname: api.Some(s.Hostname)}, made.ID)
	call(l, founder, api.PublishSite, l.org, nil, made.ID)
}

// ids are those of users by their names.
func (l *loader) ids(names []string) []string {
	ids := make([]string, 0, len(names))
	for _, name := range names {
		ids = append(ids, l.users[name])
	}
	return ids
}

func (l *loader) file(name string) []byte {
	data, err := content.ReadFile("content/" + name)
	if err != nil && l.err == nil {
		l.err = err
	}
	return data
}
