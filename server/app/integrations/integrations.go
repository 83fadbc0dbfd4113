package integrations

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) integrationEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListIntegrations, auth.Public(), s.listIntegrations),
		rest.Read(api.GetIntegration, auth.Public(), s.getIntegration),
		rest.Op(api.PublishIntegration, auth.Self(), s.publishIntegration).WithScopeAdmin().On(rest.Integration),
		rest.Op(api.UnpublishIntegration, auth.Self(), s.unpublishIntegration).WithScopeAdmin().On(rest.Integration),
	}
}

// integration combines the record of an integration with the caller's membership in its owner.
type integration struct {
	store.IntegrationDocument
	publicPart []byte
	owner      orgs.Membership
	// canInstall is set if the caller has the role create in an organization.
	canInstall bool
}

// decodeIntegration decodes the result of a Future. It returns an error if there is no integration.
func decodeIntegration(r txn.Record, ok bool, err error) (integration, error) {
	i := integration{publicPart: r.Public}
	if err != nil || !ok {
		return i, rest.NotFoundIfNil(err)
	}
	if err := i.Decode(r); err != nil {
		return i, fmt.Errorf("integration: %w", err)
	}
	return i, nil
}

// ownedByCaller reports whether the caller is a member of the owner, and not a guest.
func (i integration) ownedByCaller() bool {
	return i.owner.IsMember && i.owner.Role.AtLeast(api.RoleRead)
}

// visible reports whether the caller may see the integration. Unlisted ones are visible to everyone who has the name.
func (i integration) visible() bool {
	return !i.Private.Unpublished && i.owner.Exists() && (i.Fields.Visibility != api.IntegrationPrivate || i.ownedByCaller())
}

// listed reports whether the list of the caller contains the integration: it is published, its owner exists, and it is public
// or owned by an organization of the caller.
func (i integration) listed() bool {
	return !i.Private.Unpublished && i.owner.Exists() && (i.Fields.Visibility == api.IntegrationPublic || i.ownedByCaller())
}

func (s *Service) integrationURL(name string) string { return s.PublicURL + "/v1/integrations/" + name }

// publicEndpoint returns the URL of an integration's code. It responds that wsd does not run the code.
func (s *Service) publicEndpoint(name string) string { return s.PublicURL + "/integrations/" + name }

// fileURL returns the URL of an integration's image or script, which is valid for an hour, or "" if there is none. It is not valid after
// the end of the reason.
func (s *Service) fileURL(reason access.Reason, manifest string) string {
	if manifest == "" {
		return ""
	}
	address := auth.SignedAddress{Space: store.IntegrationContent, Object: manifest, Reason: reason}
	return s.PublicURL + "/raw/" + s.Signer.Sign(address, auth.FileRounding)
}

// encodeIntegration returns the JSON of an integration as visible to a user. Only admins of the owner get the address of the script.
func (s *Service) encodeIntegration(i integration, user string) ([]byte, error) {
	owner, err := s.Orgs.EncodeVisible(i.owner)
	if err != nil {
		return nil, err
	}
	name := i.Fields.Name
	urls := api.IntegrationURLs{
		Location: s.integrationURL(name), App: s.View.AppURL("integrations", name), Icon: s.fileURL(access.Reason{}, i.Private.Icon),
		PublicEndpoint: s.publicEndpoint(name),
	}
	if i.owner.Role.AtLeast(api.RoleAdmin) {
		urls.Assets = s.fileURL(access.Reason{Organization: i.Private.Organization, Admin: user}, i.Private.Script)
	}
	previews := make([]string, len(i.Private.PreviewImages))
	for n, manifest := range i.Private.PreviewImages {
		previews[n] = s.fileURL(access.Reason{}, manifest)
	}
	return rest.ExtendObject(i.publicPart).
		Set("previewImages", previews).
		Set("owner", json.RawMessage(owner)).
		Set("urls", urls).
		Set("permissions", api.IntegrationPermissions{Admin: i.owner.Role.AtLeast(api.RoleAdmin), Install: i.canInstall}).
		Bytes()
}

func (s *Service) integrationResult(i integration, user string) (rest.Result[api.Integration], error) {
	data, err := s.encodeIntegration(i, user)
	return rest.Result[api.Integration]{JSON: data, ID: i.Fields.Name}.WithVersion(fmt.Sprint(i.Version)), err
}

// hasCreateRole reports whether the caller has the role create in one of the organizations.
func hasCreateRole(organizations map[string]orgs.Membership) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(organizations)), func(o orgs.Membership) bool {
		return o.Role.AtLeast(api.RoleCreate)
	})
}

// listIntegrations lists integrations. It reads all of them with their owners, because filters depend on their
// fields.
func (s *Service) listIntegrations(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListIntegrationsInput,
) rest.Finish[api.Page[api.Integration]] {
	w := r.NewPager(in.ListOptions, false, integrationFilters(in)...)
	members := b.Range(store.IntegrationsKey(), "", -1, false)
	mine := b.Range(store.UserOrganizationsKey(r.Principal), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Integration]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		names := members.Value()
		organizations := mine.Value()
		all, err := s.loadIntegrations(ctx, c.Caller, names, organizations)
		if err != nil {
			return none, err
		}
		found, sorted := map[string]integration{}, []string(nil)
		for _, i := range all {
			if i.listed() && matchesFilters(i, in) {
				found[i.Fields.Name] = i
				sorted = append(sorted, i.Fields.Name)
			}
		}
		page, next := w.Slice(sorted, strings.Compare)
		items := make([][]byte, len(page))
		for n, name := range page {
			if items[n], err = s.encodeIntegration(found[name], c.Caller.User); err != nil {
				return none, err
			}
		}
		return rest.PageOf[api.Integration](items, len(sorted), next)
	}
}

// loadIntegrations reads integrations by their index members, their owners and the caller's organizations in one
// pipeline.
func (s *Service) loadIntegrations(ctx context.Context, caller *access.Caller, members, mine []string) ([]integration, error) {
	organizations := slices.Clone(mine)
	records := make([]*txn.Future[txn.Record], len(members))
	for _, member := range members {
		_, owner := store.SplitOwnedMember(member)
		organizations = append(organizations, owner)
	}
	known, err := s.Orgs.LoadMemberships(ctx, caller, organizations, func(b *txn.Batch) {
		for n, member := range members {
			name, _ := store.SplitOwnedMember(member)
			records[n] = b.Record(store.IntegrationKey(name))
		}
	})
	if err != nil {
		return nil, err
	}
	creator := hasCreateRole(known)
	found := make([]integration, 0, len(members))
	for _, record := range records {
		i, err := decodeIntegration(record.Get())
		if api.IsReason(err, api.ReasonNotFound) {
			continue // unpublished since
		}
		if err != nil {
			return nil, err
		}
		i.owner, i.canInstall = known[i.Private.Organization], creator
		found = append(found, i)
	}
	slices.SortFunc(found, func(a, b integration) int { return strings.Compare(a.Fields.Name, b.Fields.Name) })
	return found, nil
}

// integrationFilters returns the filters of a list in the form to which its cursors are bound.
func integrationFilters(in api.ListIntegrationsInput) []string {
	return []string{
		in.Search, string(in.Category), in.BlockDomain, flagFilter(in.Blocks), flagFilter(in.ContentSources), in.Owner,
		string(in.Scope), string(in.Target),
	}
}

// flagFilter returns "true", "false", or "" for a flag that is absent.
func flagFilter(flag api.Optional[bool]) string {
	if value, ok := flag.Get(); ok {
		return strconv.FormatBool(value)
	}
	return ""
}

// matchesFilters reports whether an integration matches the filters of a list.
func matchesFilters(i integration, in api.ListIntegrationsInput) bool {
	f := i.Fields
	search := strings.ToLower(in.Search)
	blocks, byBlocks := in.Blocks.Get()
	sources, bySources := in.ContentSources.Get()
	return (strings.Contains(strings.ToLower(f.Name), search) || strings.Contains(strings.ToLower(f.Title), search)) &&
		(in.Category == "" || slices.Contains(f.Categories, in.Category)) &&
		(in.Scope == "" || slices.Contains(f.Scopes, in.Scope)) &&
		(in.Owner == "" || i.Private.Organization == in.Owner) &&
		(in.Target == "" || f.Target == in.Target || f.Target == api.TargetAll) &&
		(!byBlocks || blocks == (len(f.Blocks) > 0)) &&
		(!bySources || sources == (len(f.ContentSources) > 0)) &&
		(in.BlockDomain == "" || slices.ContainsFunc(f.Blocks, func(b api.IntegrationBlock) bool { return unfurls(b, in.BlockDomain) }))
}

// unfurls reports whether a block has a pattern for links to a domain, such as https://*.example.com/**.
func unfurls(b api.IntegrationBlock, domain string) bool {
	return slices.ContainsFunc(b.URLUnfurl, func(pattern string) bool {
		_, rest, hasScheme := strings.Cut(pattern, "://")
		if !hasScheme {
			rest = pattern
		}
		host, _, _ := strings.Cut(rest, "/")
		ok, err := path.Match(strings.ToLower(host), strings.ToLower(domain))
		return err == nil && ok
	})
}

func (s *Service) getIntegration(ctx context.Context, r *rest.Request, b *txn.Batch, in api.IntegrationRef) rest.Finish[api.Integration] {
	record := b.Record(store.IntegrationKey(in.Integration))
	mine := b.Range(store.UserOrganizationsKey(r.Principal), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.Integration], error) {
		i, err := decodeIntegration(record.Get())
		if err != nil {
			return rest.Result[api.Integration]{}, maskNotFound(c, err)
		}
		organizations := mine.Value()
		known, err := s.Orgs.LoadMemberships(ctx, c.Caller, append([]string{i.Private.Organization}, organizations...), nil)
		if err != nil {
			return rest.Result[api.Integration]{}, err
		}
		i.owner, i.canInstall = known[i.Private.Organization], hasCreateRole(known)
		if !i.visible() {
			return rest.Result[api.Integration]{}, maskNotFound(c, api.NotFound())
		}
		return s.integrationResult(i, c.Caller.User)
	}
}

// maskNotFound replaces not_found with an authentication error for callers without a token, whether or not the
// object exists.
func maskNotFound(c *rest.Call, err error) error {
	if c.Caller.User == "" && api.IsReason(err, api.ReasonNotFound) {
		return auth.Unauthenticated()
	}
	return err
}

// unpublishIntegration unpublishes an integration. Its record and versions are kept, so that no other organization can publish
// under a name that is installed.
func (s *Service) unpublishIntegration(ctx context.Context, c *rest.Call, in api.IntegrationRef) (rest.Result[api.None], error) {
	if _, err := s.loadOwnIntegration(ctx, c, in.Integration); err != nil {
		return rest.Result[api.None]{}, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.None], error) {
		i, err := tx.Integration(in.Integration)
		if err != nil || i.Version == 0 || i.Private.Unpublished {
			return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
		}
		return rest.None(in.Integration), tx.UnpublishIntegration(i)
	})
}

// loadIntegration reads an integration with the caller's memberships in its owner and in other organizations.
func (s *Service) loadIntegration(ctx context.Context, c *rest.Call, name string, others ...string) (i integration,
	known map[string]orgs.Membership, err error,
) {
	b := s.Store.NewBatch()
	record := b.Record(store.IntegrationKey(name))
	if err := b.Do(ctx); err != nil {
		return i, nil, fmt.Errorf("read integration: %w", err)
	}
	if i, err = decodeIntegration(record.Get()); err != nil {
		return i, nil, err
	}
	known, err = s.Orgs.LoadMemberships(ctx, c.Caller, append(others, i.Private.Organization), nil)
	i.owner = known[i.Private.Organization]
	return i, known, err
}

// loadOwnIntegration reads an integration of an organization that the caller administers. The commit does not check
// the membership again, because it is in another shard.
func (s *Service) loadOwnIntegration(ctx context.Context, c *rest.Call, name string) (integration, error) {
	i, _, err := s.loadIntegration(ctx, c, name)
	switch {
	case err != nil:
		return i, err
	case !i.visible() && i.owner.Role.AtLeast(api.RoleAdmin): // the integration is not published any more
		return i, api.NotFound()
	case !i.visible():
		return i, rest.Withhold(api.NotFound())
	case !i.owner.Role.AtLeast(api.RoleAdmin):
		return i, rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "the organization that owns the integration", i.owner.Role)
	}
	return i, nil
}

// organizationNotFoundError returns the error for an organization in a request body that does not exist or does not
// have the caller as a member.
func organizationNotFoundError() error {
	return rest.Withhold(api.NotFound().WithHint("organization: name one of yours."))
}
