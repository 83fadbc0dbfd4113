package drafts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Draft is a text that the server does not have yet, with its destination. With Comment it is a reply or, with Edit, an edit;
// with Review it is the message of a review, with Conflict a decision, with Description the description of a change request.
// Otherwise it is a comment.
type Draft struct {
	Target  remote.Target `json:"place"`
	Page    string        `json:"page,omitempty"`
	Node    string        `json:"node,omitempty"`    // id of the block
	Quote   string        `json:"quote,omitempty"`   // commented words of the block; empty for the whole block
	Start   *int          `json:"start,omitempty"`   // byte offset of Quote in the block
	Comment string        `json:"comment,omitempty"` // comment to reply to or to edit
	Reply   string        `json:"reply,omitempty"`   // reply to edit
	Edit    bool          `json:"edit,omitempty"`    // replaces the text of Comment or Reply
	Review  bool          `json:"review,omitempty"`  // message of the review of the target

	Description bool `json:"description,omitempty"` // replaces the description of the target

	Verdict  api.ReviewStatus `json:"verdict,omitempty"`  // verdict of the review; older versions set it without Review
	Revision string           `json:"revision,omitempty"` // revision for which the text was written
	Conflict string           `json:"conflict,omitempty"` // conflict that the draft decides

	Take api.ResolutionTake `json:"take,omitempty"` // decision; empty if the decision is a text

	Suggestion *string           `json:"suggestion,omitempty"` // replacement for Original
	Original   string            `json:"original,omitempty"`   // with Edit, the text before the edit
	Weight     api.CommentWeight `json:"weight,omitempty"`
	Held       bool              `json:"held,omitempty"` // excluded from the next review

	Title     string    `json:"title,omitempty"` // title of the page
	About     string    `json:"about"`           // subject of the text for display
	Text      string    `json:"text"`
	Key       string    `json:"key"` // idempotency key of the write of this text
	StartedAt time.Time `json:"at,omitzero"`
}

// ID returns a key for the destination. There is one draft per destination.
func (d Draft) ID() string {
	d.About, d.Text, d.Key, d.Revision, d.Title, d.Take = "", "", "", "", "", ""
	d.Suggestion, d.Original, d.Weight, d.Held, d.StartedAt = nil, "", "", false, time.Time{}
	if d.Review {
		d.Verdict = ""
	}
	data, err := json.Marshal(d)
	if err != nil { // strings, numbers and booleans can always be marshaled
		return "draft"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Empty reports whether the draft has no content.
func (d Draft) Empty() bool {
	return strings.TrimSpace(d.Text) == "" && d.Suggestion == nil && !d.hasVerdict() && !d.Description && d.Take == ""
}

// hasVerdict reports whether the draft is a review with a verdict.
func (d Draft) hasVerdict() bool { return d.Review && d.Verdict != "" }

// IsUnsent reports whether the draft contains a text to be sent, unlike a verdict without a message and the decision of
// a conflict.
func (d Draft) IsUnsent() bool {
	return d.Conflict == "" && (d.Text != "" || d.Suggestion != nil)
}

// IsPostable reports whether the draft is a comment or a reply that is posted with a review.
func (d Draft) IsPostable() bool {
	return d.Target.ChangeRequest != "" && !d.Edit && !d.Review && !d.Description && d.Verdict == "" && d.Conflict == ""
}

// IsUnchanged reports whether the draft is an edit that leaves the text as it was.
func (d Draft) IsUnchanged() bool { return d.Edit && d.Original != "" && d.Text == d.Original }

// Equal reports whether two drafts have the same text and destination.
func (d Draft) Equal(other Draft) bool {
	return d.ID() == other.ID() && d.HasTexts(other) && d.Key == other.Key && d.Weight == other.Weight && d.Verdict == other.Verdict
}

// HasTexts reports whether both drafts have the same comment and the same suggestion.
func (d Draft) HasTexts(other Draft) bool {
	suggests := (d.Suggestion == nil) == (other.Suggestion == nil) && (d.Suggestion == nil || *d.Suggestion == *other.Suggestion)
	return d.Text == other.Text && suggests
}

// Journal stores drafts until the server has them. It must be safe for concurrent use.
type Journal interface {
	Save(d Draft) error
	// Delete removes a draft. A missing draft is not an error.
	Delete(id string) error
	// All returns the stored drafts, oldest first. Unreadable drafts are skipped and not deleted.
	All() ([]Draft, error)

	// Hold prevents others from writing a draft until release is called or the program exits. It returns ErrHeld if
	// another screen holds the draft.
	Hold(id string) (release func(), err error)

	// Discard removes a draft, which can be restored for a week.
	Discard(d Draft, at time.Time) error
	// Dropped returns the drafts that can be restored, latest first.
	Dropped(now time.Time) ([]DroppedDraft, error)
	// Restore restores a discarded draft. It returns ErrTaken if there is another draft for its destination.
	Restore(d DroppedDraft) error

	Submissions
	MarkJournal
}

// SortByStart sorts drafts by the time they were started.
func SortByStart(all []Draft) []Draft {
	slices.SortFunc(all, func(a, b Draft) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.About, b.About), cmp.Compare(a.ID(), b.ID()))
	})
	return all
}

// Dir is a directory with one file per draft. It is created when needed.
type Dir string

// Save implements Journal. It replaces the file atomically, so a crash leaves the old or the new text.
func (dir Dir) Save(d Draft) error {
	data, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		err = dir.writeFile(d.ID()+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return nil
}

// writeFile writes a file of the directory atomically.
func (dir Dir) writeFile(name string, data []byte) error {
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(string(dir), "new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(string(dir), name))
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the first error is returned
	}
	return err
}

func (dir Dir) path(id string) string { return filepath.Join(string(dir), id+".json") }

// Delete implements Journal.
func (dir Dir) Delete(id string) error {
	if err := os.Remove(dir.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget draft: %w", err)
	}
	return nil
}

// All implements Journal.
func (dir Dir) All() ([]Draft, error) {
	entries, err := os.ReadDir(string(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read drafts: %w", err)
	}
	var all []Draft
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(string(dir), entry.Name()))
		var d Draft
		if err == nil && json.Unmarshal(data, &d) == nil {
			all = append(all, dir.upgrade(d))
		}
	}
	return SortByStart(all), nil
}

// upgrade converts a draft of an older version: a verdict without Review becomes a review message.
func (dir Dir) upgrade(d Draft) Draft {
	if d.Verdict == "" || d.Review {
		return d
	}
	oldID := d.ID()
	d.Review = true
	if _, err := os.Stat(dir.path(d.ID())); errors.Is(err, fs.ErrNotExist) && dir.Save(d) == nil {
		_ = os.Remove(dir.path(oldID)) // stored under its new id
	}
	return d
}
