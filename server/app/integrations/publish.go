package integrations

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// version is a published version of an integration, stored as an object. The record refers to the latest version, and
// each version to the previous one.
type version struct {
	Version     int      `json:"version"`
	PublishedAt api.Time `json:"publishedAt"`
	PublishedBy string   `json:"publishedBy"`
	definition
}

// definition holds the published data except for the secrets.
type definition struct {
	Runtime       api.IntegrationRuntime `json:"runtime"`
	Script        string                 `json:"script"` // hash of the manifest, as in Icon and PreviewImages
	Icon          string                 `json:"icon,omitzero"`
	PreviewImages []string               `json:"previewImages,omitzero"`
	Fields        api.IntegrationFields  `json:"fields"` // without the version
}

// digest returns a hash that is equal for equal definitions.
func (d definition) digest() (string, error) {
	data, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("integration: %w", err)
	}
	return objects.Hash(data), nil
}

// object returns the version in its stored form, with a reference to the previous one.
func (v version) object(previous string) (objects.Object, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return objects.Object{}, fmt.Errorf("integration: %w", err)
	}
	return objects.NewNode(append([]string{previous, v.Script, v.Icon}, v.PreviewImages...), data), nil
}

// publication is a validated publish request.
type publication struct {
	owner   orgs.Membership
	content *objects.Content // script and images
	definition
	digest        string
	secrets       map[string]string // in plain text
	sealedSecrets map[string]string
}

func (s *Service) publishIntegration(ctx context.Context, c *rest.Call, in api.PublishIntegrationInput) (none rest.Result[api.Integration],
	err error,
) {
	owner, err := s.Orgs.ResolveMembership(ctx, c, in.Body.Organization)
	if err != nil {
		return none, err
	}
	if !owner.IsMember {
		return none, organizationNotFoundError()
	}
	if !owner.Role.AtLeast(api.RoleAdmin) {
		return none, rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "the organization", owner.Role)
	}
	p, err := s.newPublication(ctx, in, owner)
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.Integration], error) {
		return s.publish(c, tx, in.Integration, p)
	})
}

// newPublication validates a publish request.
func (s *Service) newPublication(ctx context.Context, in api.PublishIntegrationInput, owner orgs.Membership) (publication, error) {
	body := in.Body
	content := s.Store.Content(store.IntegrationContent)
	p := publication{owner: owner, content: content, secrets: map[string]string{}, sealedSecrets: map[string]string{}}
	var wrong []api.FieldError
	if body.Icon != "" {
		p.Icon, wrong = revision.StageImage(content, "icon", body.Icon)
	}
	for n, image := range body.PreviewImages {
		manifest, bad := revision.StageImage(content, fmt.Sprintf("previewImages[%d]", n), image)
		p.PreviewImages, wrong = append(p.PreviewImages, manifest), append(wrong, bad...)
	}
	if len(wrong) > 0 {
		return p, api.Invalid(wrong...)
	}
	p.Runtime = body.Runtime
	if p.Runtime == "" {
		p.Runtime = api.RuntimeV1
	}
	p.Script = revision.NewFile(content, "", "script.js", "text/javascript; charset=utf-8", []byte(body.Script)).Manifest
	p.Fields = body.Fields(in.Integration, 0)
	for name, secret := range body.Secrets {
		sealed, err := s.Sealer.Encrypt(ctx, string(secret), auth.IntegrationSecretPurpose(in.Integration, name)...)
		if err != nil {
			return p, err
		}
		p.secrets[name], p.sealedSecrets[name] = string(secret), sealed
	}
	var err error
	p.digest, err = p.definition.digest()
	return p, err
}

// publish stores the next version, or nothing if it equals the latest one.
func (s *Service) publish(c *rest.Call, tx *store.Tx, name string, p publication) (none rest.Result[api.Integration], err error) {
	now, err := tx.Integration(name)
	if err != nil {
		return none, err
	}
	if now.Version != 0 && now.Private.Organization != p.owner.ID {
		return none, api.Errorf(http.StatusConflict, api.ReasonConflict, "The name %s is taken by another organization.", name)
	}
	changed := now.Version == 0 || now.Private.Unpublished || now.Private.Digest != p.digest ||
		!s.secretsEqual(name, now.Private.Secrets, p.secrets)
	if changed {
		if now, err = s.nextVersion(c, tx, now, p); err != nil {
			return none, err
		}
		if _, err := tx.PutIntegration(now); err != nil {
			return none, err
		}
	}
	i, err := decodeIntegration(tx.Record(store.IntegrationKey(name)))
	if err != nil {
		return none, err
	}
	i.owner, i.canInstall = p.owner, true
	result, err := s.integrationResult(i, c.Caller.User)
	result.Unchanged = !changed
	return result, err
}

// nextVersion returns the document of the next version and stores the objects that it refers to.
func (s *Service) nextVersion(c *rest.Call, tx *store.Tx, now store.IntegrationDocument, p publication) (store.IntegrationDocument, error) {
	v := version{
		Version: now.Fields.Version + 1, PublishedAt: api.At(tx.Now()), PublishedBy: c.Caller.User, definition: p.definition,
	}
	object, err := v.object(now.Private.Latest)
	if err != nil {
		return now, err
	}
	tx.Objects(store.IntegrationContent, append(p.content.Staged(), object)...)
	now.Fields = p.Fields
	now.Fields.Version = v.Version
	now.Private = store.IntegrationPrivate{
		Organization: p.owner.ID, Withdrawn: now.Private.Withdrawn, Icon: p.Icon, PreviewImages: p.PreviewImages, Script: p.Script,
		Latest: object.Hash, Digest: p.digest, Secrets: p.sealedSecrets, PublishedBy: c.Caller.User,
	}
	return now, nil
}

// secretsEqual compares sealed secrets with plain ones. Secrets that the current key cannot open differ.
func (s *Service) secretsEqual(integration string, sealed, plain map[string]string) bool {
	if !slices.Equal(slices.Sorted(maps.Keys(sealed)), slices.Sorted(maps.Keys(plain))) {
		return false
	}
	for name, text := range sealed {
		if secret, err := s.Sealer.Decrypt(text, auth.IntegrationSecretPurpose(integration, name)...); err != nil || secret != plain[name] {
			return false
		}
	}
	return true
}
