package rest

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// bounded completes the caller of an installation's token by what bounds it now. It takes a trip, in which it is found
// out, too, that the token ended with the installation, or when the integration was unpublished.
func (p *Pipeline) bounded(ctx context.Context, caller *access.Caller, of *store.TokenInstallation) error {
	if of == nil {
		return nil
	}
	b := p.store.Pipeline()
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

// opened refuses the token of an installation what the scopes of its integration do not open.
func (c *Call) opened() error {
	at := c.Caller.Installation
	if at == nil {
		return nil
	}
	if openers := auth.Openers(c.Endpoint.Row); !at.Has(openers) {
		return auth.NotOpened(openers)
	}
	return nil
}
