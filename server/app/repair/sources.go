package repair

import (
	"context"
	"maps"
	"slices"

	"docspace.dev/wsd/server/core/revision"
)

// readSources sets the map of sources if all of it is readable. Without the map, the next import of each source starts from
// scratch. The loss is reported if records of the map are unreadable, because they prevent imports and merges; a lost text of a
// removed page is reported with the history.
func (hp *headPlan) readSources(ctx context.Context) error {
	root := hp.current.Sources
	if root == "" {
		return nil
	}
	whole, err := hp.content.Readable(ctx, []string{root})
	if err != nil {
		return err
	}
	if whole {
		hp.sources = root
		return nil
	}
	records, err := hp.content.Survey(ctx, root)
	if err == nil && len(records.Unreadable) > 0 {
		hp.report(Damage{
			Kind: DamagedSources, ID: records.Unreadable[0], GivenUp: true, Outcome: "the next import of each source starts from scratch",
		}, records.Unreadable...)
	}
	return err
}

// readSpecs sets the versions of specifications whose documents are readable, and reports the others, whose pages use the
// newest version of their specification.
func (hp *headPlan) readSpecs(ctx context.Context) error {
	hp.specs = map[string]revision.SpecVersion{}
	for _, slug := range slices.Sorted(maps.Keys(hp.current.Specs)) {
		v := hp.current.Specs[slug]
		whole, err := hp.content.Readable(ctx, []string{v.Bundle})
		if err != nil {
			return err
		}
		if whole {
			hp.specs[slug] = v
			continue
		}
		broken, err := hp.content.Broken(ctx, []string{v.Bundle})
		if err != nil {
			return err
		}
		hp.report(Damage{Kind: DamagedSpec, ID: v.Version, Name: slug, Outcome: "its pages are those of its newest version"}, broken...)
	}
	return nil
}
