package operations

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// reportExistingInvites says on standard error whose open invites a command changed instead of making new ones.
func (r *rowCommand) reportExistingInvites(answer []byte) {
	var invited api.Invited
	if r.dryRun || r.row.Name != api.CreateInvite.Name || json.Unmarshal(answer, &invited) != nil {
		return
	}
	if n := len(invited.Users); n > 0 {
		r.app.Infof("%s there already, and not invited: %s", memberWords(n), strings.Join(invited.Users, ", "))
	}
	for _, invite := range invited.Invites {
		if !invite.Existing {
			continue
		}
		role := "guest"
		if invite.Role != nil {
			role = string(*invite.Role)
		}
		remark := "its secret stays (--new-secret replaces it)"
		if invite.Secret != "" {
			remark = "it has a new secret"
		}
		r.app.Infof("%s had an open invite: its role is %s, %s", invite.Email, role, remark)
	}
}

// reportInviteSteps says on standard error how people accept the invites whose secrets are printed. The format name prints none.
func (r *rowCommand) reportInviteSteps(server string, format app.Format, answer []byte) {
	isInvite := r.row.Name == api.CreateInvite.Name || r.row.Name == api.CreateLinkInvite.Name
	if r.dryRun || !isInvite || format == app.FormatName {
		return
	}
	if strings.Contains(string(answer), `"secret"`) {
		r.app.Infof("people enter theirs at %s/account, or type: wsctl join --url %s", server, server)
	}
}

// memberWords returns the subject of a sentence about n members.
func memberWords(n int) string {
	if n == 1 {
		return "1 member is"
	}
	return app.Pluralize(n, "member") + " are"
}
