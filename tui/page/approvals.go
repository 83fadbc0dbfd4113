package page

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Approvers returns the users whose approval of a change request counts now. It returns nil if the reviews cannot be
// loaded.
func (s *Session) Approvers(at remote.Target) []api.User {
	if at.ChangeRequest == "" {
		return nil
	}
	all, _, err := s.Client.Reviews(s.Ctx, at)
	if err != nil {
		return nil // optional: the write proceeds without them
	}
	var known, out []api.User
	for _, r := range all { // newest first
		if slices.ContainsFunc(known, func(u api.User) bool { return u.ID == r.Reviewer.ID }) {
			continue
		}
		known = append(known, r.Reviewer)
		if r.Status == api.ReviewApproved && !r.Outdated {
			out = append(out, r.Reviewer)
		}
	}
	return out
}

// ConfirmQuestion returns the question to confirm before a write to a change request: it names the author and the approvals
// that may lapse, followed by question. It returns "" if there is nothing to confirm. doing completes "when you".
func (s *Session) ConfirmQuestion(at remote.Target, r api.ChangeRequest, doing, question string) string {
	lines := s.OwnerLines(r)
	if approvers := s.Approvers(at); len(approvers) > 0 {
		lines = append(lines, fmt.Sprintf("! %s approved it; when you %s, the approval may no longer count.",
			s.UserNames(approvers), doing))
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(append(lines, question), "\n")
}

// OwnerLines returns a line that names the author of a change request, or nil for the user's own.
func (s *Session) OwnerLines(r api.ChangeRequest) []string {
	if r.CreatedBy.ID == s.Me.ID {
		return nil
	}
	return []string{fmt.Sprintf("#%d is a change request of %s.", r.Number, r.CreatedBy.DisplayName)}
}

// ApprovalNote returns the effect of an edit on the approvals before it, as a suffix for the report of the edit, or "" if
// there were none.
func (s *Session) ApprovalNote(at remote.Target, before []api.User) string {
	if len(before) == 0 {
		return ""
	}
	now := s.Approvers(at)
	lapsed := slices.DeleteFunc(slices.Clone(before), func(u api.User) bool {
		return slices.ContainsFunc(now, func(still api.User) bool { return still.ID == u.ID })
	})
	if len(lapsed) == 0 {
		return " · " + s.approvalText(before) + " still counts"
	}
	return " · " + s.approvalText(lapsed) + " no longer counts: i asks again"
}

// UserNames returns the names of users as an enumeration.
func (s *Session) UserNames(users []api.User) string {
	all := make([]string, len(users))
	for i, u := range users {
		all[i] = s.UserName(u)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}

// UserName returns the name of a user, or "you" for the user of the session.
func (s *Session) UserName(u api.User) string {
	if u.ID == s.Me.ID && u.ID != "" {
		return "you"
	}
	return u.DisplayName
}

// approvalText returns a phrase for the approval of users.
func (s *Session) approvalText(users []api.User) string {
	if len(users) == 1 && users[0].ID == s.Me.ID {
		return "your approval"
	}
	return "the approval of " + s.UserNames(users)
}
