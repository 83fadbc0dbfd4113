package screens

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/text"
)

// standing is who judges a change request: the last verdict of each, and who was asked and has given none.
type standing struct {
	reviews []api.Review
	asked   []api.RequestedReviewer
	numbers map[string]int // of the revisions, by their ids
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
		for _, r := range revisions {
			have.numbers[r.ID] = r.Number
		}
		for _, r := range have.reviews {
			if _, known := have.changed[r.Revision]; known || !r.Outdated || len(have.changed) == manyCompared {
				continue
			}
			if since, err := client.Changes(ctx, at, r.Revision); err == nil {
				have.changed[r.Revision] = len(changes.ProposedBy(since).Pages)
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

// reviewRows say who approved, who asks for changes, and who was asked.
func (p *request) reviewRows(width int) []components.Row {
	have := p.reviews.Latest
	var lines []text.Line
	for _, r := range have.reviews {
		lines = append(lines, p.reviewLine(r, width))
	}
	for _, a := range have.asked {
		if slices.ContainsFunc(have.reviews, func(r api.Review) bool { return r.Reviewer.ID == a.User.ID }) {
			continue
		}
		left := text.Line{text.In(text.Fresh, "● "), text.Of(text.Style{Bold: true}, p.named(a.User)), text.In(text.Dim, " asked by "+p.named(a.RequestedBy)+", no verdict yet")}
		lines = append(lines, text.Columns(left, text.Line{text.In(text.Dim, p.Session.Ago(a.CreatedAt.Time))}, width))
	}
	if len(lines) == 0 {
		return nil
	}
	rows := []components.Row{{Key: "reviews", Line: text.Section("Reviews").Cut(width), Skip: true}}
	for _, line := range lines {
		rows = append(rows, components.Row{Key: "reviews", Line: line, Skip: true})
	}
	return append(rows, components.Row{Key: "reviews"})
}

func (p *request) reviewLine(r api.Review, width int) text.Line {
	sign, what := text.In(text.Added, "✓ "), " approved"
	have := p.reviews.Latest
	if r.Status == api.ReviewChangesRequested {
		sign, what = text.In(text.Failure, "✗ "), " asks for changes"
		if r.Reviewer.ID == p.Session.Me.ID {
			what = " ask for changes"
		}
	}
	left := text.Line{sign, text.Of(text.Style{Bold: true}, p.named(r.Reviewer)), text.Plain(what)}
	if n := have.numbers[r.Revision]; n > 0 {
		left = append(left, text.In(text.Dim, fmt.Sprintf(" revision %d", n)))
	}
	right := text.Line{text.In(text.Dim, p.Session.Ago(r.CreatedAt.Time))}
	switch n := have.changed[r.Revision]; {
	case r.Outdated && n > 0:
		right = append(text.Line{text.In(text.Warning, text.Plural(n, "page")+" changed since · ")}, right...)
	case r.Outdated:
		right = append(text.Line{text.In(text.Warning, "changed since · ")}, right...)
	}
	return text.Columns(left, right, width)
}

// named is the name of somebody, to who reads it.
func (p *request) named(u api.User) string {
	if u.ID == p.Session.Me.ID {
		return "you"
	}
	return u.DisplayName
}
