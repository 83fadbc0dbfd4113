package drafts_test

import (
	"os"
	"testing"

	"docspace.dev/wsd/tui/drafts"
)

// TestEditsOnDisk checks that edits are on disk before the editor opens, byte for byte, and are removed when the server has the
// text.
func TestEditsOnDisk(t *testing.T) {
	t.Parallel()
	dir := drafts.Dir(t.TempDir())
	e := drafts.Edit{Page: "p", Title: "Page", Base: "a\r\nb", Key: "k"}
	kept, again, err := dir.Begin(e)
	if err != nil || again {
		t.Fatal(again, err)
	}
	if err := dir.Rewrite(kept, "c\n\n"); err != nil {
		t.Fatal(err)
	}
	kept.Target.ChangeRequest = "cr" // created in the meantime
	if err := dir.Keep(kept); err != nil {
		t.Fatal(err)
	}
	resumed, again, err := dir.Begin(e)
	if text, _ := dir.Written(resumed); err != nil || !again || text != "c\n\n" || resumed.Target.ChangeRequest != "cr" ||
		resumed.Base != e.Base {
		t.Errorf("%+v %v %v %q", resumed, again, err, text)
	}
	if err := dir.Drop(resumed); err != nil {
		t.Fatal(err)
	}
	if left, err := dir.Edits(); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// Written returns an error for an edit whose file was deleted or renamed, and not an empty text.
func TestDeletedTextOfEdit(t *testing.T) {
	t.Parallel()
	dir := drafts.Dir(t.TempDir())
	e, _, err := dir.Begin(drafts.Edit{Page: "p", Base: "text", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(e.Path); err != nil {
		t.Fatal(err)
	}
	if text, err := dir.Written(e); err == nil {
		t.Errorf("read %q", text)
	}
}
