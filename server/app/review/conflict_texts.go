package review

import (
	"context"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
)

// textSide returns the side of a conflict whose value is a text. A nil value is absent.
func textSide(value *string) api.ConflictSide {
	if value == nil {
		return api.ConflictSide{Value: "Taken out.", Absent: true}
	}
	return api.ConflictSide{Value: *value}
}

// setTextSides sets the three texts of a conflict and the runs that each side changed.
func (d *description) setTextSides(ctx context.Context, c merge.Conflict) {
	d.setSides(textSide, c)
	d.Ours.Runs, d.Theirs.Runs = changedRuns(ctx, c.Base, c.Ours), changedRuns(ctx, c.Base, c.Theirs)
	if c.Base == nil {
		d.Base = nil
	}
	d.Proposed = c.Proposed
}

// describeText describes a passage that both sides changed.
func (d *describer) describeText(ctx context.Context, desc *description, c merge.Conflict) error {
	version, passage := oursVersion, c.Ours
	if passage == nil && c.Base != nil {
		version, passage = baseVersion, c.Base
	} else if passage == nil {
		version, passage = theirsVersion, c.Theirs
	}
	layout, err := d.pageText(ctx, version, c.Page)
	if err != nil {
		return err
	}
	at := layout.locate(c.Block, valueText(passage))
	desc.Place, desc.Before, desc.After = at.label, at.before, at.after
	desc.setTextSides(ctx, c)
	desc.traces = [2]trace{passageTrace(c.Page, c.Ours, c.Base), passageTrace(c.Page, c.Theirs, c.Base)}
	if d.describeOneSided(desc, c, at.noun) {
		return nil
	}
	did := "changed this " + at.noun + " differently"
	switch {
	case c.Base == nil:
		did = "added different texts at the same place"
	case c.Ours == nil:
		desc.Summary = d.actionsSentence("took this "+at.noun+" out", "changed it")
	case c.Theirs == nil:
		desc.Summary = d.actionsSentence("changed this "+at.noun, "took it out")
	}
	if desc.Summary == "" {
		desc.Summary = d.sharedActionSentence(did)
	}
	d.addTextAnswers(desc, c, at.noun)
	return nil
}

// addTextAnswers adds the answers to a conflict between two texts.
func (d *describer) addTextAnswers(desc *description, c merge.Conflict, noun string) {
	for side, value := range []*string{c.Ours, c.Theirs} {
		effect := "The " + noun + " reads as in " + d.Names[side]
		switch {
		case value == nil && c.Base != nil:
			effect = "The " + noun + " is left out, as in " + d.Names[side]
		case c.Base == nil:
			effect = "Only what " + d.Names[side] + " added is kept"
		}
		desc.addAnswer([]api.ResolutionTake{api.TakeOurs, api.TakeTheirs}[side], effect)
	}
	if c.Ours != nil && c.Theirs != nil {
		effect := "Both stay: first what " + d.Names[0] + " has, then what " + d.Names[1] + " has"
		if both := valueText(c.Proposed); !strings.HasPrefix(both, *c.Ours) || !strings.HasSuffix(both, *c.Theirs) {
			effect = "The words of both stay, as proposed"
		}
		desc.addAnswer(api.TakeBoth, effect)
	}
	desc.addAnswer(api.TakeText, "What you write is used instead")
}

// describeInserted describes blocks that both sides inserted in the same position.
func (d *describer) describeInserted(ctx context.Context, desc *description, c merge.Conflict) error {
	base, err := d.pageText(ctx, baseVersion, c.Page)
	if err != nil {
		return err
	}
	desc.Place = "at the top"
	n := base.blockIndex(c.Block)
	if n >= 0 {
		desc.Place = "after " + base.blockLabel(n)
		desc.Before = lastRunes(base.blockText(n))
	}
	sides, err := d.sideTexts(ctx, c.Page)
	if err != nil {
		return err
	}
	if !baseReplaced(c, base, n+1, sides) {
		c.Base = nil
		desc.After = nextCommonBlock(base, n, sides)
	}
	desc.setTextSides(ctx, c)
	desc.traces = [2]trace{passageTrace(c.Page, c.Ours, c.Base), passageTrace(c.Page, c.Theirs, c.Base)}
	if d.describeOneSided(desc, c, "passage") {
		return nil
	}
	desc.Summary = d.sharedActionSentence("added different texts at the same place")
	if c.Base != nil {
		desc.Summary = d.sharedActionSentence("changed this passage differently")
	}
	d.addTextAnswers(desc, c, "passage")
	return nil
}

// sideTexts returns the texts of a page on both sides.
func (d *describer) sideTexts(ctx context.Context, page string) (sides [2]*textLayout, err error) {
	for i, version := range []int{oursVersion, theirsVersion} {
		if sides[i], err = d.pageText(ctx, version, page); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

// baseReplaced reports whether the blocks at the position of an insertion were replaced. Blocks that were moved away
// have conflicts of their own.
func baseReplaced(c merge.Conflict, base *textLayout, from int, sides [2]*textLayout) bool {
	for _, block := range base.Blocks[from:] {
		if !strings.Contains(valueText(c.Base), string(content.TrimEnd(base.Bytes(block)))) {
			return false
		}
		if sides[0].blockIndex(block.ID) < 0 || sides[1].blockIndex(block.ID) < 0 {
			return true
		}
	}
	return false
}

// nextCommonBlock returns the beginning of the first block after the nth one that follows it on both sides.
func nextCommonBlock(base *textLayout, n int, sides [2]*textLayout) string {
	for i, block := range base.Blocks[n+1:] {
		follows := true
		for _, side := range sides {
			at := side.blockIndex(block.ID)
			follows = follows && at >= 0 && (n < 0 || at > side.blockIndex(base.Blocks[n].ID))
		}
		if follows {
			return firstRunes(base.blockText(n + 1 + i))
		}
	}
	return ""
}

// describeDeletedBlock describes a block that one side deleted and the other changed or moved.
func (d *describer) describeDeletedBlock(ctx context.Context, desc *description, c merge.Conflict) error {
	base, err := d.pageText(ctx, baseVersion, c.Page)
	if err != nil {
		return err
	}
	noun := "block"
	if n := base.blockIndex(c.Block); n >= 0 {
		desc.Place, noun = base.blockLabel(n), blockNoun(base.Blocks[n].Kind)
	}
	desc.setSides(func(value *string) api.ConflictSide {
		if value == nil {
			return api.ConflictSide{Value: "Deleted.", Absent: true}
		}
		return api.ConflictSide{Value: *value}
	}, c)
	desc.Ours.Runs, desc.Theirs.Runs = changedRuns(ctx, c.Base, c.Ours), changedRuns(ctx, c.Base, c.Theirs)
	text := valueText(c.Ours) + valueText(c.Theirs)
	did := "changed"
	if text == valueText(c.Base) {
		did = "moved"
	}
	d.describeDeletion(desc, c, deletion{
		object: "this " + noun, otherAction: did + " it", subject: "the " + noun, condition: "as it was " + did, changed: did == "changed",
	})
	desc.traces = [2]trace{blockTrace(c.Page, c.Block, c.Ours != nil), blockTrace(c.Page, c.Block, c.Theirs != nil)}
	return nil
}

// deletion holds the phrases that describe an item deleted on one side.
type deletion struct {
	object, otherAction string // the deleted item, and the action of the other side, as in: changed it
	subject, condition  string // the item in an answer, and its state if it stays, as in: with the changes
	deleteEffect        string // further effects of the deletion
	restoreEffect       string // further effects of restoring the item
	changed             bool   // the other side changed the item, and the deletion drops these changes
}

// describeDeletion sets the summary and the two answers of a deletion.
func (d *describer) describeDeletion(desc *description, c merge.Conflict, del deletion) {
	without := func(side int) string {
		if !del.changed {
			return del.deleteEffect
		}
		return "; what " + d.Names[side] + " changed in it is left out" + del.deleteEffect
	}
	if c.Ours == nil {
		desc.Summary = d.actionsSentence("deleted "+del.object, del.otherAction)
		desc.addAnswer(api.TakeOurs, capitalize(del.subject)+" stays deleted"+without(1))
		desc.addAnswer(api.TakeTheirs, capitalize(del.subject)+" comes back, "+del.condition+" in "+d.Names[1]+del.restoreEffect)
		return
	}
	desc.Summary = toSentence(d.Names[1] + " deleted " + del.object + "; " + d.Names[0] + " " + del.otherAction)
	desc.addAnswer(api.TakeOurs, capitalize(del.subject)+" stays, "+del.condition+" in "+d.Names[0]+del.restoreEffect)
	desc.addAnswer(api.TakeTheirs, capitalize(del.subject)+" is deleted"+without(0))
}

// describeMovedBlock describes a block that both sides moved.
func (d *describer) describeMovedBlock(ctx context.Context, desc *description, c merge.Conflict) error {
	var places [3]string
	noun, words := "block", ""
	for version, before := range []*string{c.Base, c.Ours, c.Theirs} {
		layout, err := d.pageText(ctx, version, c.Page)
		if err != nil {
			return err
		}
		places[version] = layout.afterLabel(valueText(before))
		if n := layout.blockIndex(c.Block); version == baseVersion && n >= 0 {
			desc.Place, noun = layout.blockLabel(n), blockNoun(layout.Blocks[n].Kind)
			words = ": " + Quote(firstRunes(layout.blockText(n)))
		}
	}
	desc.Base = &api.ConflictSide{Value: capitalize(places[baseVersion])}
	desc.Ours, desc.Theirs = api.ConflictSide{
		Value: capitalize(places[oursVersion]),
	}, api.ConflictSide{Value: capitalize(places[theirsVersion])}
	desc.Summary = d.sharedActionSentence("moved this " + noun + " to different places" + words)
	desc.addAnswer(api.TakeOurs, "The "+noun+" is "+places[oursVersion])
	desc.addAnswer(api.TakeTheirs, "The "+noun+" is "+places[theirsVersion])
	desc.traces = [2]trace{blockPositionTrace(c.Page, c.Block), blockPositionTrace(c.Page, c.Block)}
	return nil
}

// valueText returns the text of a value, or "" if it is nil.
func valueText(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
