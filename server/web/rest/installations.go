package rest

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// loadInstallation sets the limits of the caller if the token belongs to an installation. This takes a trip, and returns an
// unauthenticated error if the installation was removed or the integration unpublished.
func (p *Pipeline) loadInstallation(ctx context.Context, caller *access.Caller, of *store.TokenInstallation) error {
	if of == nil {
		return nil
	}
	b := p.store.NewBatch()
	integration, installation := b.Record(store.IntegrationKey(of.Integration)), b.Record(store.InstallationKey(of.ID))
	selected := store.QueueSelection(b, of.ID)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read the token's installation: %w", err)
	}
	var i store.IntegrationDocument
	var at store.InstallationDocument
	record, published, err := integration.Get()
	if err == nil && published {
		err = i.Decode(record)
	}
	if err != nil {
		return fmt.Errorf("integration of the token: %w", err)
	}
	record, installed, err := installation.Get()
	if err == nil && installed {
		err = at.Decode(record)
	}
	if err != nil {
		return fmt.Errorf("installation of the token: %w", err)
	}
	if !installed || !published || i.Private.Unpublished || i.Private.Withdrawn != of.Withdrawn {
		return auth.Unauthenticated()
	}
	takes := func(what api.IntegrationTarget) bool {
		return i.Fields.Target == api.TargetAll || i.Fields.Target == what
	}
	caller.Installation = &access.Installation{ID: of.ID, Scopes: i.Fields.Scopes}
	if s := selected(); takes(api.TargetSpace) {
		caller.Installation.AllSpaces, caller.Installation.Selected = at.Fields.SpaceSelection == api.SelectAll, s.Spaces
	}
	if s := selected(); takes(api.TargetSite) {
		caller.Installation.AllSites = at.Fields.SiteSelection == api.SelectAll
		caller.Installation.Selected = append(caller.Installation.Selected, s.Sites...)
	}
	return nil
}

// checkInstallation returns an error if the caller is an installation and the scopes of its integration do not include the
// operation.
func (c *Call) checkInstallation() error {
	at := c.Caller.Installation
	if at == nil {
		return nil
	}
	if openers := auth.ScopesFor(c.Endpoint.Row); !at.HasAnyScope(openers) {
		return auth.MissingScope(openers)
	}
	return nil
}
