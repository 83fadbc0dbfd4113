package repair

import (
	"context"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
)

// Result is the outcome of Check: the report of fsck, and the damages and drafts of the repair.
type Result struct {
	fsck.Report

	Damages []Damage
	Drafts  []string // ids of the change requests that the repair created
}

// Lines returns the result as lines of text.
func (r Result) Lines() (lines []string) {
	for _, finding := range r.Findings {
		lines = append(lines, finding.String())
	}
	for _, damage := range r.Damages {
		lines = append(lines, damage.String())
	}
	for _, note := range r.Notes {
		lines = append(lines, "note: "+note)
	}
	for _, id := range r.Drafts {
		lines = append(lines, "what is readable elsewhere is in the draft change request "+id)
	}
	return lines
}

// ConfirmFunc confirms the loss of content written by users, which affects lost of the damages. It returns an error to reject
// the loss.
type ConfirmFunc func(damages []Damage, lost int) error

// Check checks all data and determines the damage of unreadable content. With options.Repair it repairs the content, too, and
// checks everything once more. Before it discards content written by users it calls confirm, whose error ends the check without
// a repair of content. A nil confirm permits all.
func Check(ctx context.Context, s *store.Store, options fsck.Options, confirm ConfirmFunc) (r Result, err error) {
	if r.Report, err = fsck.Run(ctx, s, options); err != nil || len(r.Unreadable) == 0 {
		return r, err
	}
	plan, err := NewPlan(ctx, s, nil, r.Unreadable)
	if err != nil {
		return r, err
	}
	r.Damages = plan.Damages()
	if !options.Repair {
		return r, nil
	}
	if lost := plan.LostCount(); lost > 0 && confirm != nil {
		if err := confirm(r.Damages, lost); err != nil {
			return r, err
		}
	}
	if r.Drafts, err = plan.Apply(ctx); err != nil {
		return r, err
	}
	r.Report, err = fsck.Run(ctx, s, options)
	return r, err
}
