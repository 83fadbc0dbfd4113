package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// standing is who judges a change request: the last verdict of each, and who was asked and has given none.
type standing struct {
	reviews []api.Review
	asked   []api.RequestedReviewer
	numbers map[string]int // of the revisions, by their ids: the first that was made in the request is 1
	changed map[string]int // how many pages changed since a revision that was reviewed
}

// loadReviews asks who judges the request.
func (p *request) loadReviews() tea.Cmd {
	client, at := p.Session.Client, p.at
	return p.reviews.Load(p.Session.Connection, func(ctx context.Context) (standing, error) {
		all, asked, err := client.Reviews(ctx, at)
		if err != nil {
			return standing{}, err
		}
		have := standing{lastOf(all), asked, map[string]int{}, map[string]int{}}
		revisions, _ := client.Revisions(ctx, at) // verdicts are worth showing without
		for i, r := range revisions {             // the newest come first
			have.numbers[r.ID] = len(revisions) - i
		}
		for _, r := range have.reviews {
			if _, known := have.changed[r.Revision]; known || !r.Outdated || len(have.changed) == manyCompared {
				continue
			}
			if since, err := client.Changes(ctx, at, r.Revision); err == nil {
				have.changed[r.Revision] = len(render.ProposedBy(since).Pages)
			}
		}
		return have, nil
	})
}

// manyCompared is how many reviewed revisions are compared with the present one.
const manyCompared = 5

// lastOf are the last verdicts of each reviewer; the newest come first.
func lastOf(all []api.Review) []api.Review {
	var out []api.Review
	for _, r := range all {
		if !slices.ContainsFunc(out, func(known api.Review) bool { return known.Reviewer.ID == r.Reviewer.ID }) {
			out = append(out, r)
		}
	}
	return out
}

// reviewKey begins the keys of the rows of reviews; the id of the reviewer ends them.
const reviewKey = "review/"

// reviewRows say who approved, who asks for changes, and who was asked: a row for each, with what was said.
func (p *request) reviewRows(width int) []components.Row {
	have := p.reviews.Latest
	rows := []components.Row{{Key: "reviews", Line: render.Section("Reviews").Cut(width), Skip: true}}
	add := func(who string, about components.Subject, lines []render.Line) {
		for i, line := range lines {
			rows = append(rows, components.Row{Key: reviewKey + who, Line: line, About: about, Skip: i > 0})
		}
	}
	for _, r := range have.reviews {
		var about components.Subject
		if r.Comment != nil {
			about.Comment = r.Comment.ID
		}
		add(r.Reviewer.ID, about, p.reviewLines(r, width))
	}
	for _, a := range have.asked {
		if slices.ContainsFunc(have.reviews, func(r api.Review) bool { return r.Reviewer.ID == a.User.ID }) {
			continue // the row of the review says it
		}
		left := render.Line{render.In(render.Fresh, "● "), render.Of(render.Style{Bold: true}, p.named(a.User)), render.In(render.Dim, " · review requested by "+p.named(a.RequestedBy)+", pending")}
		add(a.User.ID, components.Subject{}, joinColumns(left, nil, render.Line{render.In(render.Dim, p.Session.Ago(a.CreatedAt.Time))}, width))
	}
	if len(rows) == 1 {
		return nil
	}
	return append(rows, components.Row{Key: "reviews"})
}

// joinColumns puts facts at the right of a line where there is room for them, and else below it; nothing of them is cut that a line
// of their own has room for.
func joinColumns(left, facts, age render.Line, width int) []render.Line {
	right := age
	if len(facts) > 0 {
		right = render.Join(facts, render.Line{render.In(render.Dim, " · ")}, age)
	}
	if left.Width()+1+right.Width() <= width {
		return []render.Line{render.Columns(left, right, width)}
	}
	indent := render.Line{render.Plain("  ")}
	return append(render.Wrap(left, width, indent), render.Wrap(render.Join(indent, right), width, indent)...)
}

// reviewLines are a verdict: of which revision, what has changed since, whether it was asked for again, and what was said.
func (p *request) reviewLines(r api.Review, width int) []render.Line {
	have := p.reviews.Latest
	sign, what := render.In(render.Added, "✓ "), " approved"
	lapsed := r.Status == api.ReviewApproved && r.Outdated
	switch {
	case lapsed:
		sign = render.In(render.Warning, "! ")
	case r.Status == api.ReviewChangesRequested:
		sign, what = render.In(render.Failure, "✗ "), " requested changes"
	}
	left := render.Line{sign, render.Of(render.Style{Bold: true}, p.named(r.Reviewer)), render.Plain(what)}
	if n := have.numbers[r.Revision]; n > 0 {
		left = append(left, render.In(render.Dim, fmt.Sprintf(" revision %d", n)))
	}
	if lapsed {
		left = append(left, render.In(render.Warning, ", no longer counts"))
	}
	if p.askedSince(r.Reviewer.ID) {
		left = append(left, render.In(render.Fresh, ", asked again"))
	}
	var facts render.Line
	switch n := have.changed[r.Revision]; {
	case r.Outdated && n > 0:
		facts = render.Line{render.In(render.Warning, render.Plural(n, "page")+" changed since")}
	case r.Outdated:
		facts = render.Line{render.In(render.Warning, "changed since")}
	}
	lines := joinColumns(left, facts, render.Line{render.In(render.Dim, p.Session.Ago(r.CreatedAt.Time))}, width)
	if c := r.Comment; c != nil {
		said := render.Line{render.Plain("  “" + render.Gist(c.Body.Markdown) + "”")}
		lines = append(lines, said.Cut(width))
	}
	return lines
}

// reviewBy is the last review of somebody.
func (p *request) reviewBy(user string) (api.Review, bool) {
	all := p.reviews.Latest.reviews
	at := slices.IndexFunc(all, func(r api.Review) bool { return r.Reviewer.ID == user })
	if at < 0 {
		return api.Review{}, false
	}
	return all[at], true
}

// saidBy is the comment of a review of one of some people, where it is an open thread; "" for none.
func (p *request) saidBy(users []api.User) string {
	for _, u := range users {
		r, ok := p.reviewBy(u.ID)
		if !ok || r.Comment == nil {
			continue
		}
		if len(p.threads.Shown(func(th *Thread) bool { return th.ID == r.Comment.ID && th.Status == api.CommentOpen })) > 0 {
			return r.Comment.ID
		}
	}
	return ""
}

// askedSince reports whether somebody was asked for a review and has given none since.
func (p *request) askedSince(user string) bool {
	r, reviewed := p.reviewBy(user)
	return slices.ContainsFunc(p.reviews.Latest.asked, func(a api.RequestedReviewer) bool {
		return a.User.ID == user && (!reviewed || a.CreatedAt.After(r.CreatedAt.Time))
	})
}

// ofReview is what opening the row of a review is called, and does.
func (p *request) ofReview(key string) (hint string, do func() tea.Cmd) {
	r, ok := p.reviewBy(strings.TrimPrefix(key, reviewKey))
	switch {
	case !ok:
		return "", nothing
	case r.Comment != nil && len(p.threads.Shown(func(th *Thread) bool { return th.ID == r.Comment.ID })) > 0:
		return "the thread", func() tea.Cmd { return p.goTo(page.CommentKey(r.Comment.ID)) }
	case r.Outdated && r.Revision != "":
		return "what changed since", func() tea.Cmd { return showSince(p.Session, p.at, r.Revision) }
	default:
		return "", nothing
	}
}

// awaitedHere are those whom i asks without more ado: whose verdict the check under the cursor waits for, or whose review stands there.
func (p *request) awaitedHere() []api.User {
	r, _ := p.Selected()
	if g, ok := p.checkOf(r.Key); ok {
		others, _ := render.Awaited(g, p.Session.Me.ID)
		return others
	}
	review, ok := p.reviewBy(strings.TrimPrefix(r.Key, reviewKey))
	if strings.HasPrefix(r.Key, reviewKey) && ok && review.Reviewer.ID != p.Session.Me.ID && review.Outdated {
		return []api.User{review.Reviewer}
	}
	return nil
}

// named is the name of somebody, to who reads it.
func (p *request) named(u api.User) string { return render.UserName(u, p.Session.Me.ID) }
