package page

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Approvers are those whose approval of a change request stands now; nobody where the server does not say.
func (s *Session) Approvers(at remote.Target) []api.User {
	if at.ChangeRequest == "" {
		return nil
	}
	all, _, err := s.Client.Reviews(s.Ctx, at)
	if err != nil {
		return nil // what is done is worth doing without
	}
	var known, out []api.User
	for _, r := range all { // the newest come first
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

// Against asks a question before something is written into a change request, below what the user should know: whose it is,
// and whose approval may lapse when they do it; it is "" where there is nothing to know.
func (s *Session) Against(at remote.Target, r api.ChangeRequest, doing, question string) string {
	said := s.Owner(r)
	if stands := s.Approvers(at); len(stands) > 0 {
		said = append(said, fmt.Sprintf("! %s approved it; when you %s, the approval may no longer count.", s.NamesOf(stands), doing))
	}
	if len(said) == 0 {
		return ""
	}
	return strings.Join(append(said, question), "\n")
}

// Owner is a line that names whose a change request is, none where it is the user's own.
func (s *Session) Owner(r api.ChangeRequest) []string {
	if r.CreatedBy.ID == s.Me.ID {
		return nil
	}
	return []string{fmt.Sprintf("#%d is a change request of %s.", r.Number, r.CreatedBy.DisplayName)}
}

// Lapsed says what an edit did to the approvals that stood before it, to be said behind what was done; nothing where there
// was none.
func (s *Session) Lapsed(at remote.Target, before []api.User) string {
	if len(before) == 0 {
		return ""
	}
	now := s.Approvers(at)
	gone := slices.DeleteFunc(slices.Clone(before), func(u api.User) bool {
		return slices.ContainsFunc(now, func(still api.User) bool { return still.ID == u.ID })
	})
	if len(gone) == 0 {
		return " · " + s.approvalOf(before) + " still counts"
	}
	return " · " + s.approvalOf(gone) + " no longer counts: i asks again"
}

// NamesOf are people, one after the other, to the user.
func (s *Session) NamesOf(users []api.User) string {
	all := make([]string, len(users))
	for i, u := range users {
		all[i] = s.NameOf(u)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}

// NameOf is what somebody is called to the user: you, if it is them.
func (s *Session) NameOf(u api.User) string {
	if u.ID == s.Me.ID && u.ID != "" {
		return "you"
	}
	return u.DisplayName
}

// approvalOf is the approval of some people, to the user.
func (s *Session) approvalOf(users []api.User) string {
	if len(users) == 1 && users[0].ID == s.Me.ID {
		return "your approval"
	}
	return "the approval of " + s.NamesOf(users)
}
