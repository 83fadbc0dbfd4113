package review

import (
	"context"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
)

// written is the value of a side that is a text.
func written(value *string) api.ConflictSide {
	if value == nil {
		return api.ConflictSide{Value: "Taken out.", Absent: true}
	}
	return api.ConflictSide{Value: *value}
}

// textSides puts texts on the wire, with the words that changed.
func (w *told) textSides(ctx context.Context, c merge.Conflict) {
	w.sides(written, c)
	w.Ours.Runs, w.Theirs.Runs = runsBetween(ctx, c.Base, c.Ours), runsBetween(ctx, c.Base, c.Theirs)
	if c.Base == nil {
		w.Base = nil
	}
	w.Proposed = c.Proposed
}

// text is a passage that both sides changed.
func (t *teller) text(ctx context.Context, w *told, c merge.Conflict) error {
	version, passage := inOurs, c.Ours
	if passage == nil && c.Base != nil {
		version, passage = inBase, c.Base
	} else if passage == nil {
		version, passage = inTheirs, c.Theirs
	}
	there, err := t.textOf(ctx, version, c.Page)
	if err != nil {
		return err
	}
	at := there.spot(c.Block, valueText(passage))
	w.Place, w.Before, w.After = at.place, at.before, at.after
	w.textSides(ctx, c)
	w.traces = [2]trace{hasPassage(c.Page, c.Ours, c.Base), hasPassage(c.Page, c.Theirs, c.Base)}
	if t.oneSided(w, c, at.noun) {
		return nil
	}
	did := "changed this " + at.noun + " differently"
	switch {
	case c.Base == nil:
		did = "added different texts at the same place"
	case c.Ours == nil:
		w.Summary = t.both("took this "+at.noun+" out", "changed it")
	case c.Theirs == nil:
		w.Summary = t.both("changed this "+at.noun, "took it out")
	}
	if w.Summary == "" {
		w.Summary = t.alike(did)
	}
	t.textAnswers(w, c, at.noun)
	return nil
}

// textAnswers are the answers to a conflict between two texts.
func (t *teller) textAnswers(w *told, c merge.Conflict, noun string) {
	for side, value := range []*string{c.Ours, c.Theirs} {
		effect := "The " + noun + " reads as in " + t.Names[side]
		switch {
		case value == nil && c.Base != nil:
			effect = "The " + noun + " is left out, as in " + t.Names[side]
		case c.Base == nil:
			effect = "Only what " + t.Names[side] + " added is kept"
		}
		w.answer([]api.ResolutionTake{api.TakeOurs, api.TakeTheirs}[side], effect)
	}
	if c.Ours != nil && c.Theirs != nil {
		effect := "Both stay: first what " + t.Names[0] + " has, then what " + t.Names[1] + " has"
		if both := valueText(c.Proposed); !strings.HasPrefix(both, *c.Ours) || !strings.HasSuffix(both, *c.Theirs) {
			effect = "The words of both stay, as proposed"
		}
		w.answer(api.TakeBoth, effect)
	}
	w.answer(api.TakeText, "What you write is used instead")
}

// inserted is blocks that both sides put in the same place.
func (t *teller) inserted(ctx context.Context, w *told, c merge.Conflict) error {
	was, err := t.textOf(ctx, inBase, c.Page)
	if err != nil {
		return err
	}
	w.Place = "at the top"
	n := was.block(c.Block)
	if n >= 0 {
		w.Place = "after " + was.place(n)
		w.Before = lastRunes(was.bytes(n))
	}
	sides, err := t.bothTexts(ctx, c.Page)
	if err != nil {
		return err
	}
	if !replaced(c, was, n+1, sides) {
		c.Base = nil
		w.After = following(was, n, sides)
	}
	w.textSides(ctx, c)
	w.traces = [2]trace{hasPassage(c.Page, c.Ours, c.Base), hasPassage(c.Page, c.Theirs, c.Base)}
	if t.oneSided(w, c, "passage") {
		return nil
	}
	w.Summary = t.alike("added different texts at the same place")
	if c.Base != nil {
		w.Summary = t.alike("changed this passage differently")
	}
	t.textAnswers(w, c, "passage")
	return nil
}

// bothTexts are the texts of a page on both sides.
func (t *teller) bothTexts(ctx context.Context, page string) (sides [2]*layout, err error) {
	for i, version := range []int{inOurs, inTheirs} {
		if sides[i], err = t.textOf(ctx, version, page); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

// replaced reports whether what stood in the place of an insertion is gone: what was moved from there is told by itself.
func replaced(c merge.Conflict, was *layout, from int, sides [2]*layout) bool {
	for _, block := range was.Blocks[from:] {
		if !strings.Contains(valueText(c.Base), string(content.TrimEnd(was.Bytes(block)))) {
			return false
		}
		if sides[0].block(block.ID) < 0 || sides[1].block(block.ID) < 0 {
			return true
		}
	}
	return false
}

// following is the beginning of the next block that stands after the nth one on both sides.
func following(was *layout, n int, sides [2]*layout) string {
	for i, block := range was.Blocks[n+1:] {
		follows := true
		for _, side := range sides {
			at := side.block(block.ID)
			follows = follows && at >= 0 && (n < 0 || at > side.block(was.Blocks[n].ID))
		}
		if follows {
			return firstRunes(was.bytes(n + 1 + i))
		}
	}
	return ""
}

// deletedBlock is a block that one side deleted, and the other changed or moved.
func (t *teller) deletedBlock(ctx context.Context, w *told, c merge.Conflict) error {
	was, err := t.textOf(ctx, inBase, c.Page)
	if err != nil {
		return err
	}
	noun := "block"
	if n := was.block(c.Block); n >= 0 {
		w.Place, noun = was.place(n), nounOf(was.Blocks[n].Kind)
	}
	w.sides(func(value *string) api.ConflictSide {
		if value == nil {
			return api.ConflictSide{Value: "Deleted.", Absent: true}
		}
		return api.ConflictSide{Value: *value}
	}, c)
	w.Ours.Runs, w.Theirs.Runs = runsBetween(ctx, c.Base, c.Ours), runsBetween(ctx, c.Base, c.Theirs)
	kept := valueText(c.Ours) + valueText(c.Theirs)
	did := "changed"
	if kept == valueText(c.Base) {
		did = "moved"
	}
	t.deletion(w, c, deletion{what: "this " + noun, did: did + " it", stays: "the " + noun, with: "as it was " + did, changed: did == "changed"})
	w.traces = [2]trace{blockIn(c.Page, c.Block, c.Ours != nil), blockIn(c.Page, c.Block, c.Theirs != nil)}
	return nil
}

// deletion is what a conflict is about that one side has deleted.
type deletion struct {
	what, did   string // what the one side deleted; what the other did, as in: changed it
	stays, with string // what it is called in an answer; how it is when it stays, as in: with what was changed
	gone        string // what comes with leaving it deleted
	lasting     string // what comes back with it, and what does not
	changed     bool   // it was, and with it goes what was changed
}

// deletion puts a deletion in words: who did what, and the two answers.
func (t *teller) deletion(w *told, c merge.Conflict, d deletion) {
	without := func(side int) string {
		if !d.changed {
			return d.gone
		}
		return "; what " + t.Names[side] + " changed in it is left out" + d.gone
	}
	if c.Ours == nil {
		w.Summary = t.both("deleted "+d.what, d.did)
		w.answer(api.TakeOurs, capital(d.stays)+" stays deleted"+without(1))
		w.answer(api.TakeTheirs, capital(d.stays)+" comes back, "+d.with+" in "+t.Names[1]+d.lasting)
		return
	}
	w.Summary = sentence(t.Names[1] + " deleted " + d.what + "; " + t.Names[0] + " " + d.did)
	w.answer(api.TakeOurs, capital(d.stays)+" stays, "+d.with+" in "+t.Names[0]+d.lasting)
	w.answer(api.TakeTheirs, capital(d.stays)+" is deleted"+without(0))
}

// movedBlock is a block that both sides moved.
func (t *teller) movedBlock(ctx context.Context, w *told, c merge.Conflict) error {
	var places [3]string
	noun, words := "block", ""
	for version, before := range []*string{c.Base, c.Ours, c.Theirs} {
		there, err := t.textOf(ctx, version, c.Page)
		if err != nil {
			return err
		}
		places[version] = there.behind(valueText(before))
		if n := there.block(c.Block); version == inBase && n >= 0 {
			w.Place, noun = there.place(n), nounOf(there.Blocks[n].Kind)
			words = ": " + Quoted(firstRunes(there.bytes(n)))
		}
	}
	w.Base = &api.ConflictSide{Value: capital(places[inBase])}
	w.Ours, w.Theirs = api.ConflictSide{Value: capital(places[inOurs])}, api.ConflictSide{Value: capital(places[inTheirs])}
	w.Summary = t.alike("moved this " + noun + " to different places" + words)
	w.answer(api.TakeOurs, "The "+noun+" is "+places[inOurs])
	w.answer(api.TakeTheirs, "The "+noun+" is "+places[inTheirs])
	w.traces = [2]trace{blockBefore(c.Page, c.Block), blockBefore(c.Page, c.Block)}
	return nil
}

// valueText is the text of a value; absent is empty.
func valueText(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
