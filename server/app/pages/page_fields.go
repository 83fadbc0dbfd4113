package pages

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
)

// setFields applies the members of an operation that set fields of a page.
func (e *contentEditor) setFields(ctx context.Context, c *rest.Call, p *revision.Page, change api.ContentChange) error {
	if err := checkTypeFields(p.Type, change); err != nil {
		return err
	}
	if err := e.setSlug(p, change); err != nil {
		return err
	}
	change.Title.Apply(&p.Title)
	change.Emoji.Apply(&p.Emoji)
	change.Icon.Apply(&p.Icon)
	change.Hidden.Apply(&p.Hidden)
	change.NoIndex.Apply(&p.NoIndex)
	change.NoRobotsIndex.Apply(&p.NoRobotsIndex)
	change.Description.Apply(&p.Description)
	applyOptional(change.Layout, &p.Layout)
	if err := e.setComputed(ctx, c, p, change); err != nil {
		return err
	}
	if err := e.setCover(p, change); err != nil {
		return err
	}
	if err := e.setMetaLinks(p, change); err != nil {
		return err
	}
	if err := e.setTarget(p, change); err != nil {
		return err
	}
	return checkComplete(p)
}

// checkTypeFields rejects members that do not apply to the type of the page.
func checkTypeFields(kind api.PageType, change api.ContentChange) error {
	for _, m := range []struct {
		name  string
		given bool
		only  api.PageType
	}{
		{"description", !change.Description.IsZero(), api.PageDocument},
		{"layout", !change.Layout.IsZero(), api.PageDocument},
		{"cover", !change.Cover.IsZero(), api.PageDocument},
		{"metaLinks", !change.MetaLinks.IsZero(), api.PageDocument},
		{"target", change.Target != nil, api.PageLink},
		{"computed", change.Computed != nil, api.PageComputed},
	} {
		if m.given && kind != m.only {
			return api.InvalidField(m.name, "goes with pages of type %s only, not %s", m.only, kind)
		}
	}
	return nil
}

// checkComplete returns an error if a page lacks a field that its type requires.
func checkComplete(p *revision.Page) error {
	switch {
	case p.Type == api.PageLink && p.Target == nil:
		return api.InvalidField("target", "is required for a page of type link")
	case p.Type == api.PageComputed && p.Computed == nil:
		return api.InvalidField("computed", "is required for a page of type computed")
	}
	return nil
}

// applyOptional sets an optional field; null clears it.
func applyOptional[T any](o api.Optional[T], target **T) {
	if v, ok := o.Get(); ok {
		*target = &v
	} else if o.IsNull() {
		*target = nil
	}
}

// setComputed sets the source of a computed page. It requires permission to read specifications.
func (e *contentEditor) setComputed(ctx context.Context, c *rest.Call, p *revision.Page, change api.ContentChange) error {
	if change.Computed == nil {
		return nil
	}
	p.Computed = change.Computed
	c, name := c, change.Computed.Dependencies.Spec.Ref.Spec
	err := error(api.NotFound())
	if c.Caller.Role.AtLeast(api.RoleRead) {
		_, err = e.service.SpecByName(ctx, c.Org, name)
	}
	if rest.IsNotFound(err) {
		return api.InvalidField("computed.dependencies.spec.ref.spec",
			"%q is no OpenAPI specification of the organization that you may see", name)
	}
	return err
}

func (e *contentEditor) setCover(p *revision.Page, change api.ContentChange) error {
	applyOptional(change.Cover, &p.Cover)
	cover, ok := change.Cover.Get()
	if !ok {
		return nil
	}
	if err := e.setRef(&p.Cover.Ref, cover.Ref, "cover.ref"); err != nil || cover.RefDark == nil {
		return err
	}
	p.Cover.RefDark = &api.ContentRef{}
	return e.setRef(p.Cover.RefDark, *cover.RefDark, "cover.refDark")
}

// setMetaLinks sets the meta links, with refs replaced by ids.
func (e *contentEditor) setMetaLinks(p *revision.Page, change api.ContentChange) error {
	applyOptional(change.MetaLinks, &p.MetaLinks)
	links, ok := change.MetaLinks.Get()
	if !ok {
		return nil
	}
	if wrong := links.Validate(); len(wrong) > 0 {
		return revision.PrefixFields("metaLinks", api.Invalid(wrong...))
	}
	set := &api.PageMetaLinks{}
	if links.Canonical != nil {
		canonical := *links.Canonical
		canonical.Page, set.Canonical = e.resolve(canonical.Page), &canonical
	}
	for _, link := range links.Alternates {
		link.Page = e.resolve(link.Page)
		set.Alternates = append(set.Alternates, link)
	}
	p.MetaLinks = set
	if set.Canonical == nil && set.Alternates == nil {
		p.MetaLinks = nil
	}
	return nil
}

// setTarget sets the target of a link page.
func (e *contentEditor) setTarget(p *revision.Page, change api.ContentChange) error {
	if change.Target == nil {
		return nil
	}
	p.Target = &api.ContentRef{}
	return e.setRef(p.Target, *change.Target, "target")
}

// setRef sets a reference, with a ref of the request replaced by its id.
func (e *contentEditor) setRef(target *api.ContentRef, ref api.ContentRef, path string) error {
	if wrong := ref.Validate(); len(wrong) > 0 {
		return revision.PrefixFields(path, api.Invalid(wrong...))
	}
	ref.Page, ref.File = e.resolve(ref.Page), e.resolve(ref.File)
	*target = ref
	return nil
}

func (e *contentEditor) setSlug(p *revision.Page, change api.ContentChange) error {
	slug, ok := change.Slug.Get()
	if !ok {
		return nil
	}
	switch {
	case p.Type == api.PageLink:
		return api.InvalidField("slug", "does not go with a page of type link")
	case e.draft.SlugTaken(p.Parent, p.ID, slug):
		return api.InvalidField("slug", "%q is taken by another page with the same parent", slug)
	}
	p.Slug = slug
	return nil
}
