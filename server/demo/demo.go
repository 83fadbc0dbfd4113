// Package demo fills an empty server with a sample organization: users and teams, spaces, a specification, a site,
// and change requests in every state, some of which wait for a review. It uses the server's HTTP handler only, so
// everything in the demo can also be created by an API client.
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

// Result contains the ids and tokens for using the demo.
type Result struct {
	Organization  string
	Token         string // of the admin
	ReviewerToken string
	Open          string // id of the space with the open change request, number 2
	Conflicting   string // id of the space with the conflicting change request, number 2
}

const (
	founder  = "imke"
	reviewer = "tomas"
	// beginning is the time before the start of the demo at which the first spaces are created.
	beginning = ago(21 * 24 * time.Hour)
)

// Load creates the sample organization. handler is the server's handler; clock is the clock of the server and its store, and is
// reset to the present time when Load returns.
func Load(ctx context.Context, s *store.Store, handler Handler, clock *Clock) (Result, error) {
	defer clock.reset()
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
		spaces: map[string]string{}, reusables: map[string]string{}, requests: map[string]string{}, comments: map[string]string{},
	}
	l.setTime(beginning)
	if err := l.createAccounts(orgs.Accounts{Store: s}); err != nil {
		return Result{}, fmt.Errorf("demo: accounts: %w", err)
	}
	l.runEvents()
	if l.err != nil {
		return Result{}, fmt.Errorf("demo: %w", l.err)
	}
	return Result{
		Organization: l.org, Token: l.tokens[founder], ReviewerToken: l.tokens[reviewer], Open: l.spaces["handbook"],
		Conflicting: l.spaces["runbook"],
	}, nil
}

// loader creates the sample. It stores the first error and does nothing after it.
type loader struct {
	ctx       context.Context // context of the call of Load
	handler   Handler
	clock     *Clock
	start     time.Time
	script    script
	org       string
	tokens    map[string]string // by user name
	users     map[string]string // user ids by name
	spaces    map[string]string // space ids by directory
	reusables map[string]string // ids by name
	requests  map[string]string // ids of change requests by name
	comments  map[string]string // ids by name
	err       error
}

func (l *loader) setTime(a ago) { l.clock.set(l.start.Add(-time.Duration(a))) }

func (l *loader) createAccounts(a orgs.Accounts) error {
	for _, u := range l.script.Users {
		user, err := a.EnsureUser(l.ctx, u.Email, u.DisplayName)
		if err != nil {
			return err
		}
		if l.org == "" {
			if l.org, err = a.EnsureOrganization(l.ctx, l.script.Organization, user); err != nil {
				return err
			}
		} else if err := a.SetMember(l.ctx, l.org, user, u.Role); err != nil {
			return err
		}
		l.users[u.Name] = user.ID
		if _, l.tokens[u.Name], err = a.CreateToken(l.ctx, user.ID, orgs.TokenOptions{Name: "demo"}); err != nil {
			return err
		}
	}
	return nil
}

// event is an action with its time.
type event struct {
	ago ago
	do  func()
}

// runEvents performs all events in the order of their times: first the creation of spaces, then the change requests with
// their steps interleaved.
func (l *loader) runEvents() {
	events := []event{{beginning, l.createSpaces}, {l.script.Site.Published, l.createSite}}
	for _, r := range l.script.Requests {
		events = append(events, event{r.Ago, func() { l.createRequest(r) }})
		for _, s := range r.Steps {
			events = append(events, event{s.Ago, func() { l.runStep(r, s) }})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(b.ago, a.ago) })
	for _, e := range events {
		l.setTime(e.ago)
		e.do()
	}
}

// createSpaces creates teams, collections, and spaces with their first pages.
func (l *loader) createSpaces() {
	for _, t := range l.script.Teams {
		call(l, founder, api.CreateTeam, l.org, api.TeamCreate{Title: t.Title, Members: l.userIDs(t.Members)})
	}
	collectionOf := map[string]string{}
	for _, c := range l.script.Collections {
		made := call(l, founder, api.CreateCollection, l.org, api.CollectionCreate{Title: c.Title})
		for _, directory := range c.Spaces {
			collectionOf[directory] = made.ID
		}
	}
	for _, s := range l.script.Spaces {
		space := call(l, founder, api.CreateSpace, l.org, api.SpaceCreate{
			Title: s.Title, Emoji: s.Emoji, Parent: collectionOf[s.Directory],
		})
		l.spaces[s.Directory] = space.ID
		l.addFirstEdition(s)
		if s.Approval {
			rules := api.MergeRules{Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleAllApproved}}}
			call(l, founder, api.UpdateSpace, space.ID, api.SpacePatch{MergeRules: api.Some(rules)})
		}
	}
}

// createSite creates and publishes a public site with the spaces that the script lists for it.
func (l *loader) createSite() {
	s := l.script.Site
	spaces := api.SpaceSelection{}
	for _, directory := range s.Spaces {
		spaces = append(spaces, l.spaces[directory])
	}
	made := call(l, founder, api.CreateSite, l.org, api.SiteCreate{Title: s.Title, Visibility: api.SitePublic, Spaces: spaces})
	call(l, founder, api.UpdateSite, l.org, api.SitePatch{Basename: api.Some(s.Basename), Hostname: api.Some(s.Hostname)}, made.ID)
	call(l, founder, api.PublishSite, l.org, nil, made.ID)
}

// userIDs returns the ids of users by name.
func (l *loader) userIDs(names []string) []string {
	ids := make([]string, 0, len(names))
	for _, name := range names {
		ids = append(ids, l.users[name])
	}
	return ids
}

func (l *loader) readFile(name string) []byte {
	data, err := content.ReadFile("content/" + name)
	if err != nil && l.err == nil {
		l.err = err
	}
	return data
}
