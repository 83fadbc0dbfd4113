package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sync/errgroup"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// reviewState contains the last verdict of each reviewer, and the requested reviews without a verdict.
type reviewState struct {
	reviews            []api.Review
	requestedReviewers []api.RequestedReviewer
	revisionNumbers    map[string]int // numbers of the revisions by id, 1 for the first one of the request
	changedPages       map[string]int // number of pages changed since a reviewed revision
}

// loadReviews loads the reviews of the request.
func (p *requestPage) loadReviews() tea.Cmd {
	client, at := p.Session.Client, p.target
	return p.reviews.Load(p.Session.Connection, func(ctx context.Context) (reviewState, error) { return findReviews(ctx, client, at) })
}

// findReviews loads the reviews of a change request. The numbers of its revisions, and of the pages that changed since a
// review, are optional.
func findReviews(ctx context.Context, client remote.Client, at remote.Target) (reviewState, error) {
	have := reviewState{revisionNumbers: map[string]int{}, changedPages: map[string]int{}}
	var calls errgroup.Group
	calls.Go(func() (err error) {
		var all []api.Review
		all, have.requestedReviewers, err = client.Reviews(ctx, at)
		have.reviews = latestReviews(all)
		return err
	})
	calls.Go(func() error {
		revisions, _ := client.Revisions(ctx, at) // optional
		for i, r := range revisions {             // newest first
			have.revisionNumbers[r.ID] = len(revisions) - i
		}
		return nil
	})
	if err := calls.Wait(); err != nil {
		return reviewState{}, err
	}
	var outdated []string
	for _, r := range have.reviews {
		if r.Outdated && !slices.Contains(outdated, r.Revision) && len(outdated) < maxComparedRevisions {
			outdated = append(outdated, r.Revision)
		}
	}
	var mu sync.Mutex // for changedPages
	var comparisons sync.WaitGroup
	for _, revision := range outdated {
		comparisons.Go(func() {
			since, err := client.Changes(ctx, at, revision)
			if err != nil {
				return // optional
			}
			mu.Lock()
			defer mu.Unlock()
			have.changedPages[revision] = len(render.NewProposedChanges(since).Pages)
		})
	}
	comparisons.Wait()
	return have, nil
}

// maxComparedRevisions is the number of reviewed revisions that are compared with the present one.
const maxComparedRevisions = 5

// latestReviews returns the last review of each reviewer; all is sorted by time, newest first.
func latestReviews(all []api.Review) []api.Review {
	var out []api.Review
	for _, r := range all {
		if !slices.ContainsFunc(out, func(known api.Review) bool { return known.Reviewer.ID == r.Reviewer.ID }) {
			out = append(out, r)
		}
	}
	return out
}

// reviewKeyPrefix is the prefix of the keys of rows of reviews; the id of the reviewer follows.
const reviewKeyPrefix = "review/"

// reviewRows draws a row for each approval, request for changes and requested review, with the comment of the review.
func (p *requestPage) reviewRows(width int) []components.Row {
	have := p.reviews.Latest
	rows := []components.Row{{Key: "reviews", Line: render.Section("Reviews").Cut(width), Skip: true}}
	add := func(user string, about components.Subject, lines []render.Line) {
		for i, line := range lines {
			rows = append(rows, components.Row{Key: reviewKeyPrefix + user, Line: line, About: about, Skip: i > 0})
		}
	}
	for _, r := range have.reviews {
		var about components.Subject
		if r.Comment != nil {
			about.Comment = r.Comment.ID
		}
		add(r.Reviewer.ID, about, p.reviewLines(r, width))
	}
	for _, a := range have.requestedReviewers {
		if slices.ContainsFunc(have.reviews, func(r api.Review) bool { return r.Reviewer.ID == a.User.ID }) {
			continue // the row of the review includes the request
		}
		left := render.Line{
			render.In(render.Fresh, "● "), render.NewSpan(render.Style{Bold: true}, p.userName(a.User)), render.In(render.Dim,
				" · asked by "+p.userName(a.RequestedBy)+", no review yet"),
		}
		add(a.User.ID, components.Subject{}, joinColumns(left, nil, render.Line{
			render.In(render.Dim, p.Session.Ago(a.CreatedAt.Time)),
		}, width))
	}
	if len(rows) == 1 {
		return nil
	}
	return append(rows, components.Row{Key: "reviews"})
}

// joinColumns puts an age at the right of the first line, and facts before it if they fit, or else below.
func joinColumns(left, facts, age render.Line, width int) []render.Line {
	if len(facts) > 0 {
		right := render.Join(facts, render.Line{render.In(render.Dim, " · ")}, age)
		if left.Width()+1+right.Width() <= width {
			return []render.Line{render.Columns(left, right, width)}
		}
	}
	indent := render.Line{render.Plain("  ")}
	lines := render.Wrap(left, max(width-age.Width()-1, 1), indent)
	lines[0] = render.Columns(lines[0], age, width)
	if len(facts) > 0 {
		lines = append(lines, render.Wrap(render.Join(indent, facts), width, indent)...)
	}
	return lines
}

// reviewLines draws a verdict: its revision, the changes since, whether it was requested again, and its comment.
func (p *requestPage) reviewLines(r api.Review, width int) []render.Line {
	have := p.reviews.Latest
	sign, verdict := render.In(render.Added, "✓ "), " approved"
	outdated := r.Status == api.ReviewApproved && r.Outdated
	switch {
	case outdated:
		sign = render.In(render.Warning, "! ")
	case r.Status == api.ReviewChangesRequested:
		sign, verdict = render.In(render.Failure, "✗ "), " requested changes"
	}
	left := render.Line{sign, render.NewSpan(render.Style{Bold: true}, p.userName(r.Reviewer)), render.Plain(verdict)}
	if n := have.revisionNumbers[r.Revision]; n > 0 {
		left = append(left, render.In(render.Dim, fmt.Sprintf(" revision %d", n)))
	}
	if outdated {
		left = append(left, render.In(render.Warning, ", no longer counts"))
	}
	if p.wasAskedSince(r.Reviewer.ID) {
		left = append(left, render.In(render.Fresh, ", asked again"))
	}
	var facts render.Line
	switch n := have.changedPages[r.Revision]; {
	case r.Outdated && n > 0:
		facts = render.Line{render.In(render.Warning, render.Plural(n, "page")+" changed since")}
	case r.Outdated:
		facts = render.Line{render.In(render.Warning, "changed since")}
	}
	lines := joinColumns(left, facts, render.Line{render.In(render.Dim, p.Session.Ago(r.CreatedAt.Time))}, width)
	if c := r.Comment; c != nil {
		excerpt := render.Line{render.Plain("  “" + render.Gist(c.Body.Markdown) + "”")}
		lines = append(lines, excerpt.Cut(width))
	}
	return lines
}

// reviewBy returns the last review of a user.
func (p *requestPage) reviewBy(user string) (api.Review, bool) {
	all := p.reviews.Latest.reviews
	at := slices.IndexFunc(all, func(r api.Review) bool { return r.Reviewer.ID == user })
	if at < 0 {
		return api.Review{}, false
	}
	return all[at], true
}

// threadOfReview returns the id of the comment of a review by one of users if it is an open thread, or "".
func (p *requestPage) threadOfReview(users []api.User) string {
	for _, u := range users {
		r, ok := p.reviewBy(u.ID)
		if !ok || r.Comment == nil {
			continue
		}
		if len(p.threads.filter(func(th *commentThread) bool { return th.ID == r.Comment.ID && th.Status == api.CommentOpen })) > 0 {
			return r.Comment.ID
		}
	}
	return ""
}

// wasAskedSince reports whether a review was requested from a user after the user's last one.
func (p *requestPage) wasAskedSince(user string) bool {
	r, reviewed := p.reviewBy(user)
	return slices.ContainsFunc(p.reviews.Latest.requestedReviewers, func(a api.RequestedReviewer) bool {
		return a.User.ID == user && (!reviewed || a.CreatedAt.After(r.CreatedAt.Time))
	})
}

// reviewAction returns the hint and the action for opening the row of a review.
func (p *requestPage) reviewAction(key string) (hint string, do func() tea.Cmd) {
	r, ok := p.reviewBy(strings.TrimPrefix(key, reviewKeyPrefix))
	switch {
	case !ok:
		return "", noop
	case r.Comment != nil && len(p.threads.filter(func(th *commentThread) bool { return th.ID == r.Comment.ID })) > 0:
		return "the thread", func() tea.Cmd { return p.selectRow(page.CommentKey(r.Comment.ID)) }
	case r.Outdated && r.Revision != "":
		return "what changed since", func() tea.Cmd { return showSince(p.Session, p.target, r.Revision) }
	default:
		return "", noop
	}
}

// awaitedReviewers returns the users from whom the key i requests a review without offering a choice: those whose verdict the
// check under the cursor waits for, or the reviewer of the row.
func (p *requestPage) awaitedReviewers() []api.User {
	r, _ := p.Selected()
	if g, ok := p.checkByKey(r.Key); ok {
		others, _ := render.AwaitedReviewers(g, p.Session.Me.ID)
		return others
	}
	review, ok := p.reviewBy(strings.TrimPrefix(r.Key, reviewKeyPrefix))
	if strings.HasPrefix(r.Key, reviewKeyPrefix) && ok && review.Reviewer.ID != p.Session.Me.ID && review.Outdated {
		return []api.User{review.Reviewer}
	}
	return nil
}

// userName returns the name of a user as it is shown to the user of the screen.
func (p *requestPage) userName(u api.User) string { return render.UserName(u, p.Session.Me.ID) }
