package screens

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// The server's limits for a submission.
const (
	maxDrafts = 200
	maxBytes  = api.MaxSubmissionBytes
)

// defaultSuggestionText is the text of a suggestion without a comment.
const defaultSuggestionText = "Suggested edit."

// buildSubmission returns the submission of a review of a revision: its text, its verdict if the user may give one,
// and the drafts that are not held back.
func buildSubmission(
	id string, at remote.Target, request api.ChangeRequest, own drafts.Draft, withVerdict bool, pending []drafts.Draft,
) drafts.Submission {
	s := drafts.Submission{ID: id, Target: at, Number: request.Number, Body: api.ReviewSubmit{Revision: request.Revision}}
	if withVerdict {
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
			s.Drafts, s.Body.Drafts = append(s.Drafts, d), append(s.Body.Drafts, reviewDraft(d))
		}
	}
	return s
}

// reviewDraft converts a draft into the form of the API.
func reviewDraft(d drafts.Draft) api.ReviewDraft {
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
			out.Body.Markdown = api.Some(defaultSuggestionText)
		}
	}
	return out
}

// textSize returns the number of bytes of the texts of a submission.
func textSize(body api.ReviewSubmit) int {
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

// formatBytes formats a size.
func formatBytes(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return render.Plural(n, "byte")
	}
}

// tooLargeReason returns the reason why a submission exceeds the limits, or "".
func tooLargeReason(body api.ReviewSubmit) string {
	switch n := textSize(body); {
	case len(body.Drafts) > maxDrafts:
		return fmt.Sprintf("%d drafts are %d more than one review takes: hold some back (space)", len(body.Drafts),
			len(body.Drafts)-maxDrafts)
	case n > maxBytes:
		return fmt.Sprintf("%s are more than the %s that one review takes: hold some back (space)", formatBytes(n), formatBytes(maxBytes))
	default:
		return ""
	}
}

// draftLocation describes the location of a draft.
func draftLocation(d drafts.Draft) string {
	var parts []string
	if d.Comment != "" {
		parts = append(parts, "↳ "+d.About)
	}
	switch {
	case d.Title != "":
		parts = append(parts, render.DisplayTitle(d.Title))
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

// verdictNames are the verdicts in the order of the choice, starting with none.
var verdictNames = []struct {
	status api.ReviewStatus
	name   string
}{{"", "comment only"}, {api.ReviewApproved, "approve"}, {api.ReviewChangesRequested, "request changes"}}

// verdictName returns the name of a verdict in the choice.
func verdictName(status api.ReviewStatus) string {
	for _, v := range verdictNames {
		if v.status == status {
			return v.name
		}
	}
	return string(status)
}

// earlierVerdictName returns the name of a verdict that the user gave before, or "".
func earlierVerdictName(status api.ReviewStatus) string {
	return map[api.ReviewStatus]string{api.ReviewApproved: "your approval", api.ReviewChangesRequested: "your request for changes"}[status]
}

// summarize counts the posts of a submission, for instance "2 comments and 1 reply", or returns "". The text of a
// verdict does not count as a comment.
func summarize(body api.ReviewSubmit) string {
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

// doneText describes a sent submission: its verdict, the number of posts, and the earlier verdict that it replaces.
func doneText(s drafts.Submission) string {
	posted := summarize(s.Body)
	verdict := map[api.ReviewStatus]string{api.ReviewApproved: "approved", api.ReviewChangesRequested: "requested changes"}[s.Body.Status]
	if verdict == "" {
		return posted + " posted"
	}
	if posted != "" {
		verdict += ", with " + posted
	}
	if was := earlierVerdictName(s.Replaces); was != "" {
		verdict += " · this takes the place of " + was
	}
	return verdict
}

// submissionName returns the name of a submission that has not arrived yet.
func submissionName(s drafts.Submission) string {
	if s.Body.Status == "" {
		return fmt.Sprintf("what you wrote on #%d", s.Number)
	}
	return fmt.Sprintf("your review of #%d", s.Number)
}

// describeError returns an error whose fields are named by the drafts on the screen.
func describeError(err error, s drafts.Submission) error {
	apiErr, ok := api.AsError(err)
	if !ok || len(apiErr.Fields) == 0 {
		return err
	}
	described := *apiErr
	described.Fields = nil
	var lines []string
	for _, f := range apiErr.Fields {
		if d, part, ok := refusedDraft(f, s); ok {
			lines = append(lines, fmt.Sprintf("%s: %s %s", draftLocation(d), part, f.Message))
			continue
		}
		lines = append(lines, remote.FieldName(f.Path)+" "+f.Message)
	}
	described.Message = strings.Join(lines, "; ")
	return &described
}

// refusedDraft returns the draft that a field error is about, and the name of its part.
func refusedDraft(f api.FieldError, s drafts.Submission) (d drafts.Draft, part string, ok bool) {
	at := -1
	if _, err := fmt.Sscanf(f.Path, "drafts[%d]", &at); err != nil || at < 0 || at >= len(s.Drafts) {
		return drafts.Draft{}, "", false
	}
	_, rest, _ := strings.Cut(f.Path, "].")
	return s.Drafts[at], remote.FieldName(rest), true
}

// submitCommand returns the wsctl command that sends a submission whose content is in a file.
func submitCommand(s drafts.Submission) string {
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
