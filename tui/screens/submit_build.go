package screens

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// The limits of a submission, as the server has them.
const (
	mostDrafts = 200
	mostBytes  = api.MaxSubmissionBytes
)

// unsaid is what a suggestion says of which its author said nothing.
const unsaid = "Suggested edit."

// build makes the submission of a review of a revision: what is said with it, with its verdict where the user may judge, and
// the drafts that are not held back.
func build(id string, at remote.Target, of api.ChangeRequest, own drafts.Draft, judges bool, pending []drafts.Draft) drafts.Submission {
	s := drafts.Submission{ID: id, Target: at, Number: of.Number, Body: api.ReviewSubmit{Revision: of.Revision}}
	if judges {
		s.Body.Status = own.Verdict
	}
	if own.Verdict != "" || own.Text != "" {
		s.Review = &own
	}
	if strings.TrimSpace(own.Text) != "" {
		s.Body.Comment = &api.CommentBody{Markdown: api.Some(own.Text)}
	}
	for _, d := range pending {
		if !d.Held {
			s.Drafts, s.Body.Drafts = append(s.Drafts, d), append(s.Body.Drafts, posted(d))
		}
	}
	return s
}

// posted is a draft as it is posted.
func posted(d drafts.Draft) api.ReviewDraft {
	var out api.ReviewDraft
	if d.Comment != "" {
		out.ReplyTo = d.Comment
		out.Body.Markdown = api.Some(d.Text)
		return out
	}
	out.Page, out.Node, out.Quote, out.Weight, out.Revision = d.Page, d.Node, d.Quote, d.Weight, d.Revision
	out.Body.Markdown = api.Some(d.Text)
	if d.Start != nil {
		out.Start = api.Some(*d.Start)
	}
	if d.Suggestion != nil {
		out.Suggestion = &api.SuggestionCreate{Markdown: *d.Suggestion}
		if strings.TrimSpace(d.Text) == "" {
			out.Body.Markdown = api.Some(unsaid)
		}
	}
	return out
}

// size is how many bytes of text a submission has.
func size(body api.ReviewSubmit) int {
	n := 0
	if body.Comment != nil {
		n = len(body.Comment.Text())
	}
	for _, d := range body.Drafts {
		n += len(d.Body.Text())
		if d.Suggestion != nil {
			n += len(d.Suggestion.Markdown)
		}
	}
	return n
}

// bytesOf writes a size for people.
func bytesOf(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return render.Plural(n, "byte")
	}
}

// tooMuch says why a submission is more than one can be, or nothing.
func tooMuch(body api.ReviewSubmit) string {
	switch n := size(body); {
	case len(body.Drafts) > mostDrafts:
		return fmt.Sprintf("%d drafts are %d more than one review takes: hold some back (space)", len(body.Drafts), len(body.Drafts)-mostDrafts)
	case n > mostBytes:
		return fmt.Sprintf("%s are more than the %s that one review takes: hold some back (space)", bytesOf(n), bytesOf(mostBytes))
	default:
		return ""
	}
}

// place says for people where a draft stands.
func place(d drafts.Draft) string {
	var parts []string
	if d.Comment != "" {
		parts = append(parts, "↳ "+d.About)
	}
	switch {
	case d.Title != "":
		parts = append(parts, render.Titled(d.Title))
	case d.Page == "" && d.Comment == "":
		parts = append(parts, "the change request")
	}
	switch {
	case d.Quote != "":
		parts = append(parts, "“"+render.Excerpt(d.Quote)+"”")
	case d.Node != "":
		parts = append(parts, strings.TrimPrefix(strings.TrimPrefix(d.About, "comment on "), "suggestion for "))
	case d.Page != "":
		parts = append(parts, "page")
	}
	return strings.Join(parts, " · ")
}

// verdictNames are the verdicts as they are chosen, none first.
var verdictNames = []struct {
	status api.ReviewStatus
	name   string
}{{"", "comment only"}, {api.ReviewApproved, "approve"}, {api.ReviewChangesRequested, "request changes"}}

// verdictName is a verdict as it is chosen.
func verdictName(status api.ReviewStatus) string {
	for _, v := range verdictNames {
		if v.status == status {
			return v.name
		}
	}
	return string(status)
}

// earlierVerdict is what the user calls a verdict that they gave; "" for none.
func earlierVerdict(status api.ReviewStatus) string {
	return map[api.ReviewStatus]string{api.ReviewApproved: "your approval", api.ReviewChangesRequested: "your request for changes"}[status]
}

// tally counts what is posted: "2 comments and 1 reply", or nothing. What is said with a verdict is no comment beside it.
func tally(body api.ReviewSubmit) string {
	comments, replies := 0, 0
	for _, d := range body.Drafts {
		if d.ReplyTo != "" {
			replies++
		} else {
			comments++
		}
	}
	if body.Status == "" && body.Comment != nil {
		comments++
	}
	var parts []string
	if comments > 0 {
		parts = append(parts, render.Plural(comments, "comment"))
	}
	switch {
	case replies == 1:
		parts = append(parts, "1 reply")
	case replies > 1:
		parts = append(parts, fmt.Sprintf("%d replies", replies))
	}
	return strings.Join(parts, " and ")
}

// done says what was sent, and which verdict does not count any more.
func done(s drafts.Submission) string {
	posted := tally(s.Body)
	what := map[api.ReviewStatus]string{api.ReviewApproved: "approved", api.ReviewChangesRequested: "requested changes"}[s.Body.Status]
	if what == "" {
		return posted + " posted"
	}
	if posted != "" {
		what += ", with " + posted
	}
	if was := earlierVerdict(s.Replaces); was != "" {
		what += " · this takes the place of " + was
	}
	return what
}

// called is what a submission is called until it has arrived.
func called(s drafts.Submission) string {
	if s.Body.Status == "" {
		return fmt.Sprintf("what you wrote on #%d", s.Number)
	}
	return fmt.Sprintf("your review of #%d", s.Number)
}

// inWords is an error with the drafts and the parts of them as the screen calls them.
func inWords(err error, s drafts.Submission) error {
	wrong, ok := api.AsError(err)
	if !ok || len(wrong.Fields) == 0 {
		return err
	}
	said := *wrong
	said.Fields = nil
	var lines []string
	for _, f := range wrong.Fields {
		if d, of, is := draftOf(f, s); is {
			lines = append(lines, fmt.Sprintf("%s: %s %s", place(d), of, f.Message))
			continue
		}
		lines = append(lines, remote.Field(f.Path)+" "+f.Message)
	}
	said.Message = strings.Join(lines, "; ")
	return &said
}

// draftOf is the draft that a refusal is about, and what of it.
func draftOf(f api.FieldError, s drafts.Submission) (d drafts.Draft, of string, is bool) {
	at := -1
	if _, err := fmt.Sscanf(f.Path, "drafts[%d]", &at); err != nil || at < 0 || at >= len(s.Drafts) {
		return drafts.Draft{}, "", false
	}
	_, rest, _ := strings.Cut(f.Path, "].")
	return s.Drafts[at], remote.Field(rest), true
}

// command is the wsctl command that sends a submission, with what it says in a file.
func command(s drafts.Submission) string {
	words := []string{"submit", s.ID}
	if s.Body.Status != "" {
		words = append(words, "--status", string(s.Body.Status))
	}
	if s.Body.Revision != "" {
		words = append(words, "--revision", s.Body.Revision)
	}
	if len(s.Body.Drafts) > 0 || s.Body.Comment != nil {
		words = append(words, "--data", "review.json")
	}
	return s.Target.Command("", "change-request-reviews", words...)
}

// SubmitCommands are one of each that the room names, for a test that wsctl has them.
func SubmitCommands() []string {
	body := api.ReviewSubmit{Status: api.ReviewApproved, Revision: "r", Comment: &api.CommentBody{}}
	return []string{command(drafts.Submission{ID: "i", Target: remote.Target{Space: "s", ChangeRequest: "2"}, Body: body})}
}
