package revision

import (
	"context"
	"fmt"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/store/objects"
)

// mergeSummaries merges the SUMMARY.md of a source. It never conflicts: where both sides changed the same sentence, or one of the
// texts cannot be read, the newer one is used. isNewer is set if that is theirs.
func (w *Worktree) mergeSummaries(ctx context.Context, base, ours, theirs *SourceSummary, isNewer bool) (*SourceSummary, error) {
	newer := ours
	if isNewer {
		newer = theirs
	}
	switch {
	case base.Equal(ours):
		return theirs, nil
	case base.Equal(theirs), ours.Equal(theirs):
		return ours, nil
	case base == nil || ours == nil || theirs == nil:
		return newer, nil
	}
	var texts [3]content.Text
	for i, summary := range []*SourceSummary{base, ours, theirs} {
		markdown, err := w.Content.Object(ctx, summary.Text)
		if objects.IsLost(err) {
			return newer, nil
		}
		if err != nil {
			return nil, fmt.Errorf("summary of a source: %w", err)
		}
		if texts[i], err = content.Parse("summary", markdown, texts[0]); err != nil {
			return newer, nil //nolint:nilerr // too large to be merged
		}
	}
	merged, conflicts := merge.TextContext(ctx, "summary", texts[0], texts[1], texts[2])
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(conflicts) > 0 {
		return newer, nil
	}
	return &SourceSummary{Path: newer.Path, Text: w.Content.Stage(objects.NewBlob(merged.Markdown))}, nil
}

// Equal reports whether two summaries are the same. Either may be nil.
func (s *SourceSummary) Equal(other *SourceSummary) bool {
	if s == nil || other == nil {
		return s == other
	}
	return *s == *other
}
