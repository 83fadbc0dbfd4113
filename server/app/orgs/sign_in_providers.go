package orgs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// checkSSOAvailable returns an error if nobody can sign in by a provider.
func checkSSOAvailable(c *rest.Call) (err error) {
	c.Access(func(model *access.Model) {
		if len(model.Providers()) == 0 {
			err = api.WrongState("Single sign-on takes a provider by which an admin has signed in, and there is none.").
				WithHint("Add a provider, and sign in by it at the start address that it shows.")
		}
	})
	return err
}

// checkProviderRemains returns an error if single sign-on is required and nobody could sign in without a provider. Others by which people
// sign in are added to the read set, so that two cannot go at once. The identities of a deleted provider go with it, and with them what is
// required of single members.
func checkProviderRemains(c *rest.Call, tx *store.Tx, id string, isDeletion bool) error {
	o, err := tx.Organization(c.Org)
	if err != nil {
		return err
	}
	isRequired, others, isOne := o.Private.EnforcesSSO, []string(nil), false
	c.Access(func(model *access.Model) {
		isRequired = isRequired || model.RequiresSSO()
		isOne = model.HasProvider(id)
		others = slices.DeleteFunc(model.Providers(), func(other string) bool { return other == id })
		for _, p := range model.AllPersons() {
			isRequired = isRequired || !isDeletion && p.Member != nil && p.SSO && len(p.Member.Identities) > 0
		}
	})
	if !isRequired || !isOne {
		return nil
	}
	for _, other := range others {
		if _, there, err := tx.Field(txn.EntriesKey(c.Org), other); err != nil || there {
			return err
		}
	}
	return api.WrongState("Single sign-on is required, and this is the only provider by which people sign in.").
		WithHint("Stop requiring it of all members first (wsctl organizations update --sso=false). Where it is required of single " +
			"members, delete the provider instead.")
}

// checkProviderTeams returns errors for the members of settings that name teams which the organization does not have, and for repeats. The
// teams are added to the read set.
func checkProviderTeams(tx *store.Tx, org string, defaultTeam api.Optional[string], given api.Optional[[]api.ProviderTeam]) (
	wrong []api.FieldError, err error,
) {
	named := map[string]string{} // team by path
	if team, ok := defaultTeam.Get(); ok && team != "" {
		named["defaultTeam"] = team
	}
	teams, _ := given.Get()
	for i, t := range teams {
		if slices.Contains(teams[:i], t) {
			wrong = append(wrong, api.FieldError{Path: fmt.Sprintf("teams[%d]", i), Message: "repeats an earlier one"})
		}
		named[fmt.Sprintf("teams[%d].team", i)] = t.Team
	}
	existing, err := existingTeams(tx, org, slices.Collect(maps.Values(named)))
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(named)) {
		if !existing[named[path]] {
			wrong = append(wrong, api.FieldError{Path: path, Message: "is not a team of the organization"})
		}
	}
	return wrong, nil
}

// existingProviderTeams returns the teams of a provider without those that were deleted.
func existingProviderTeams(c *rest.Call, teams []api.ProviderTeam) []api.ProviderTeam {
	existing := []api.ProviderTeam{}
	c.Access(func(model *access.Model) {
		for _, t := range teams {
			if model.Team(t.Team) != nil {
				existing = append(existing, t)
			}
		}
	})
	return existing
}

// setDefaultTeam sets the default team of an encoded provider, unless it is deleted.
func (s *Service) setDefaultTeam(c *rest.Call, o *rest.Object, id string) (err error) {
	c.Access(func(model *access.Model) {
		if t := model.Team(id); t != nil {
			var team []byte
			team, err = s.EncodeTeam(model, c.Caller, t.TeamFields, len(model.TeamMembers(t.ID)))
			o.Set("defaultTeam", json.RawMessage(team))
		}
	})
	return err
}

// providerKey returns the key of the record of a SAML or OIDC provider.
func providerKey(org, id string) redis.Key {
	if strings.HasPrefix(id, store.OIDCProviderPrefix) {
		return store.OIDCProviderKey(org, id)
	}
	return store.SAMLProviderKey(org, id)
}

// listProviderLogins returns the data of a login page: the active SAML providers, then the active OIDC providers. Anyone may call
// it.
func (s *Service) listProviderLogins(
	_ context.Context, _ *rest.Request, b *txn.Batch, in api.OrganizationRef,
) rest.Finish[api.SSOLogins] {
	organization := b.Record(store.OrganizationKey(in.Organization))
	saml := b.Range(store.ActiveSAMLProvidersKey(in.Organization), "", maxSAMLProviders, false)
	oidc := b.Range(store.ActiveOIDCProvidersKey(in.Organization), "", maxOIDCProviders, false)
	return func(ctx context.Context, _ *rest.Call) (none rest.Result[api.SSOLogins], err error) {
		o, err := DecodeOrganization(organization)
		if err != nil || store.IsOrganizationGone(o) {
			return none, rest.NotFoundIfNil(err)
		}
		record, _, err := organization.Get()
		if err != nil {
			return none, err
		}
		ids := slices.Concat(saml.Value(), oidc.Value())
		records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return providerKey(in.Organization, id) })
		if err != nil {
			return none, err
		}
		logins := api.SSOLogins{Items: []api.SSOLogin{}}
		for _, id := range ids {
			r, ok := records[id]
			if !ok {
				continue
			}
			login, isActive, err := s.providerLogin(in.Organization, id, r)
			if err != nil {
				return none, err
			}
			if isActive {
				logins.Items = append(logins.Items, login)
			}
		}
		result, err := rest.Value(logins)
		return result.WithVersion(rest.RecordVersion(record)), err
	}
}

// providerLogin returns the entry of a provider on a login page. isActive is false if the provider is pending.
func (s *Service) providerLogin(org, id string, r txn.Record) (login api.SSOLogin, isActive bool, err error) {
	login = api.SSOLogin{ID: id, StartURL: s.StartURL(org, id)}
	if strings.HasPrefix(id, store.OIDCProviderPrefix) {
		var d store.OIDCProviderDocument
		err = d.Decode(r)
		login.Label, isActive = d.Fields.Label, d.Private.Tried != nil
		return login, isActive, err
	}
	var d store.SAMLProviderDocument
	err = d.Decode(r)
	login.Label, isActive = d.Fields.Label, d.Private.Tried != nil
	return login, isActive, err
}

// applyTeams sets the teams of a provider. An empty list is none.
func applyTeams(in api.Optional[[]api.ProviderTeam], teams *[]api.ProviderTeam) (changed bool) {
	given, ok := in.Get()
	if !ok || slices.Equal(given, *teams) {
		return false
	}
	*teams = given
	return true
}

// noteProviderTeams adds changed teams of a provider to the event of the call.
func noteProviderTeams(c *rest.Call, defaultBefore, defaultAfter string, before, after []api.ProviderTeam) {
	c.NoteChange("defaultTeam", defaultBefore, defaultAfter)
	if !slices.Equal(before, after) {
		c.NoteTextChange("teams")
	}
}
