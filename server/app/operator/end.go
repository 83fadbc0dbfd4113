package operator

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
)

// EndOptions are the options of `wsd user end`.
type EndOptions struct {
	Anonymize   bool   // show texts of the user under "Former member"
	HandOver    string // id or e-mail address of a user who becomes admin where the user is the only one; "" = refuse
	FreeAddress bool   // give up the e-mail address, so that another account can have it
}

// EndPlan describes what `wsd user end` does, or did.
type EndPlan struct {
	User        string       `json:"user"`
	DisplayName string       `json:"displayName"`
	Email       string       `json:"email,omitzero"`
	Memberships []Membership `json:"memberships"` // that end
	HandOver    []Membership `json:"handOver"`    // those with a new admin
	Successor   string       `json:"successor,omitzero"`
	Tokens      int64        `json:"tokens"`
	Invites     int          `json:"invites"` // open invites and invite links that the user made
	Stays       []MadeThings `json:"stays"`   // what the user made that works without the account

	options EndOptions
	account store.WalkedUser
}

// PlanEnd returns what End would do with the account with an id or e-mail address. It returns a conflict if the user is the
// only admin of an organization and nobody was named to take over.
func (s Service) PlanEnd(ctx context.Context, idOrEmail string, o EndOptions) (e EndPlan, err error) {
	e = EndPlan{options: o, HandOver: []Membership{}}
	if e.User, err = s.accounts().FindUser(ctx, idOrEmail); err != nil {
		return e, err
	}
	if e.account, err = s.readUser(ctx, e.User); err != nil {
		return e, err
	}
	if e.account.Err != nil {
		return e, fmt.Errorf("user %s: %w", e.User, e.account.Err)
	}
	u := newUser(e.account)
	e.DisplayName, e.Email = u.DisplayName, u.Email
	memberships, err := s.organizationsOf(ctx, e.User)
	if err != nil {
		return e, err
	}
	e.Memberships = append([]Membership{}, memberships...)
	counted := []User{u}
	if err := s.countTokens(ctx, counted); err != nil {
		return e, err
	}
	e.Tokens = counted[0].Tokens
	for _, m := range memberships {
		count, err := orgs.CountInvitesOf(ctx, s.Store, m.Organization, e.User)
		if err != nil {
			return e, err
		}
		e.Invites += count
	}
	if e.Stays, err = s.madeBy(ctx, e.User, memberships); err != nil {
		return e, err
	}
	return e, s.planHandOver(ctx, &e)
}

// planHandOver sets the successor of a user who is the only admin of organizations, or returns an error that names them.
func (s Service) planHandOver(ctx context.Context, e *EndPlan) error {
	only := onlyAdminOf(e.Memberships)
	if e.options.HandOver != "" {
		var err error
		if e.Successor, err = s.findSuccessor(ctx, e.User, e.options.HandOver); err != nil {
			return err
		}
		e.HandOver = append(e.HandOver, only...)
		return nil
	}
	if len(only) == 0 {
		return nil
	}
	return api.WrongState("%s is the only admin of %s.", e.User, describeOrganizations(only)).
		WithHint("--hand-over USER makes somebody else an admin there. Or make another member an admin first, or delete the organization.")
}

// findSuccessor returns the id of the user who takes over.
func (s Service) findSuccessor(ctx context.Context, user, idOrEmail string) (string, error) {
	id, err := s.accounts().FindUser(ctx, idOrEmail)
	if err != nil {
		return "", err
	}
	u, err := s.readUser(ctx, id)
	switch {
	case err != nil:
		return "", err
	case u.Err != nil:
		return "", fmt.Errorf("user %s: %w", id, u.Err)
	case id == user:
		return "", api.InvalidField("hand-over", "must be another user than %s", user)
	case store.IsServiceAccount(id):
		return "", api.InvalidField("hand-over", "%s is a service account", id)
	case u.Private.IsDisabled():
		return "", api.InvalidField("hand-over", "the account of %s is disabled", id)
	}
	return id, nil
}

// describeOrganizations returns organizations as text: o_1 "Docs", o_2 "Side project".
func describeOrganizations(list []Membership) string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = fmt.Sprintf("%s %q", m.Organization, m.Title)
	}
	return strings.Join(names, ", ")
}

// formerMember is the name of an anonymized account.
const formerMember = "Former member"

// anonymize returns the fields of an account without anything about its person.
func anonymize(f api.UserFields) api.UserFields {
	return api.UserFields{Object: f.Object, ID: f.ID, DisplayName: formerMember, Type: f.Type}
}

// End ends an account as planned. It can be repeated after a failure, and with other options. Texts of the user stay.
func (s Service) End(ctx context.Context, e EndPlan) error {
	accounts := s.accounts()
	if err := s.handOver(ctx, e); err != nil {
		return err
	}
	if err := accounts.MarkEnded(ctx, e.User); err != nil {
		return err
	}
	fields := e.account.Fields
	if e.options.Anonymize {
		fields = anonymize(fields)
	}
	if err := accounts.EndMemberships(ctx, e.User, fields, e.options.Anonymize); err != nil {
		return err
	}
	if _, err := accounts.RevokeAllTokens(ctx, e.User); err != nil {
		return fmt.Errorf("revoke tokens: %w", err)
	}
	if e.options.Anonymize {
		if err := accounts.Anonymize(ctx, e.User, fields); err != nil {
			return err
		}
	}
	if e.options.FreeAddress {
		return accounts.FreeAddress(ctx, e.User)
	}
	return nil
}

// handOver makes the successor an admin.
func (s Service) handOver(ctx context.Context, e EndPlan) error {
	if len(e.HandOver) == 0 {
		return nil
	}
	u, err := s.readUser(ctx, e.Successor)
	if err != nil {
		return err
	}
	for _, m := range e.HandOver {
		user := orgs.NewMemberFields(u.UserDocument, m.Organization)
		if err := s.accounts().SetMember(ctx, m.Organization, user, api.RoleAdmin); err != nil {
			return fmt.Errorf("make %s an admin of %s: %w", e.Successor, m.Organization, err)
		}
	}
	return nil
}
