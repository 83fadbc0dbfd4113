package screens_test

import (
	"testing"

	"docspace.dev/wsd/tui/tuitest"
)

func TestChangesSinceLastReview(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("d")
	s.Want(t, "you have not reviewed it: all of it is new to you", "Changed pages (3)")
	s = tuitest.StartPrepared(tuitest.ReviewOptions, 100, 40, func(s *tuitest.Screen) { s.Server.Reviewed = true })
	s.Want(t, "Changed pages (3)", "Quick start")
	s.Keys("d")
	s.Want(t, "Changed since your last review (1)", "Power and battery")
	s.Keys("enter")
	s.Want(t, "(1 of 1)", "since your last review", "[-Old-]")
	s.Keys("esc", "d")
	s.Want(t, "Changed pages (3)")
}

// TestNoChangesSinceReview checks that a page without changes since the review is shown as unchanged and not as "edited since".
func TestNoChangesSinceReview(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *tuitest.Screen) { addLongPage(s); s.Server.UnchangedSinceReview, s.Server.Reviewed = true, true }, 100, 60)
	s.Want(t, "~ Quick start · edited", "!Nothing here changed")
	s.Keys("d")
	s.Want(t, "Nothing here changed since your last review; d shows all.", "!edited since", "12 blocks unchanged")
	s.Keys("d")
	s.Want(t, "~ Quick start · edited", "!Nothing here changed", "something else")
}

// TestTimelineEditOpensItsChanges checks that an edit in the timeline opens the changes of the page since the preceding
// revision, and that d shows all changes.
func TestTimelineEditOpensItsChanges(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("/", `"edited Quick start`, "enter", "esc", "enter")
	s.Want(t, "Quick start · edited since revision 2", "--since r_2", "d all changes")
	s.Keys("d")
	s.Want(t, "everything that it changes on this page", "!since revision 2")
	s.Keys("d")
	s.Want(t, "Quick start · edited since revision 2", "--since r_2")
	s.Keys("esc", "gg", "J", "enter", "d")
	s.Want(t, "you have not reviewed it: all of it is new to you")
}

// TestSinceReviewLabel checks that the label of d names its result and is shown only if there is a review, and that a verdict
// shows all changes again.
func TestSinceReviewLabel(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 160, 50)
	s.Want(t, "!d since my review")
	s = tuitest.StartPrepared(tuitest.ReviewOptions, 160, 50, func(s *tuitest.Screen) { s.Server.Reviewed = true })
	s.Want(t, "d since my review", "Changed pages (3)")
	s.Keys("enter")
	s.Want(t, "d since my review")
	s.Keys("d")
	s.Want(t, "only what changed since")
	s.Keys("j")
	s.Want(t, "d all changes", "!d since my review")
	s.Keys("esc", "d", "j")
	s.Want(t, "Changed since your last review (1)", "d all changes")
	s.Keys("a", "ctrl+s", "ctrl+s")
	s.Want(t, "✓ approved", "Changed pages (3)")
}
