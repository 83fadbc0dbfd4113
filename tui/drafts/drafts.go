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

// Draft is a text that the server does not have yet, and where it shall go: a comment, with
// Comment a reply, with Review what is said with a review as a whole, with Conflict a decision, with Description what a
// change request is for.
type Draft struct {
	Target  remote.Target `json:"place"`
	Page    string        `json:"page,omitempty"`
	Node    string        `json:"node,omitempty"`    // the block commented on
	Quote   string        `json:"quote,omitempty"`   // the words of it commented on; empty for all
	Start   *int          `json:"start,omitempty"`   // where they begin in the block, in bytes
	Comment string        `json:"comment,omitempty"` // the comment replied to, or edited
	Reply   string        `json:"reply,omitempty"`   // the reply edited
	Edit    bool          `json:"edit,omitempty"`    // replaces the text of Comment or Reply
	Review  bool          `json:"review,omitempty"`  // is said with the review of the target

	Description bool `json:"description,omitempty"` // replaces that of the target

	Verdict  api.ReviewStatus `json:"verdict,omitempty"`  // of the review; drafts of earlier builds have it without Review
	Revision string           `json:"revision,omitempty"` // that it was written on
	Conflict string           `json:"conflict,omitempty"` // the conflict of a merge that it decides

	Take api.ResolutionTake `json:"take,omitempty"` // how, where not with the text

	Suggestion *string           `json:"suggestion,omitempty"` // what to write in place of Original
	Original   string            `json:"original,omitempty"`
	Weight     api.CommentWeight `json:"weight,omitempty"`
	Held       bool              `json:"held,omitempty"` // not to be sent with the next review

	Title string    `json:"title,omitempty"` // of the page
	About string    `json:"about"`           // for people: what the text is about
	Text  string    `json:"text"`
	Key   string    `json:"key"` // idempotency key of the write with this text
	At    time.Time `json:"at,omitzero"`
}

// ID names what the draft is about; there is one draft of each.
func (d Draft) ID() string {
	d.About, d.Text, d.Key, d.Revision, d.Title, d.Take = "", "", "", "", "", ""
	d.Suggestion, d.Original, d.Weight, d.Held, d.At = nil, "", "", false, time.Time{}
	if d.Review {
		d.Verdict = ""
	}
	data, err := json.Marshal(d)
	if err != nil { // strings, numbers and bools always marshal
		return "draft"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Empty reports whether the draft says nothing at all.
func (d Draft) Empty() bool {
	return strings.TrimSpace(d.Text) == "" && d.Suggestion == nil && !d.ownVerdict() && !d.Description && d.Take == ""
}

// ownVerdict reports whether the draft is a review with a verdict.
func (d Draft) ownVerdict() bool { return d.Review && d.Verdict != "" }

// Waits reports whether the draft is a text that waits to be sent: neither a verdict without a word nor a decision of a
// conflict is.
func (d Draft) Waits() bool {
	return d.Conflict == "" && (d.Text != "" || d.Suggestion != nil)
}

// Posted reports whether the draft is a comment or a reply that a review of its change request posts.
func (d Draft) Posted() bool {
	return d.Target.ChangeRequest != "" && !d.Edit && !d.Review && !d.Description && d.Verdict == "" && d.Conflict == ""
}

// Same reports whether two drafts are the same text at the same place.
func (d Draft) Same(other Draft) bool {
	suggests := (d.Suggestion == nil) == (other.Suggestion == nil) && (d.Suggestion == nil || *d.Suggestion == *other.Suggestion)
	return d.ID() == other.ID() && d.Text == other.Text && d.Key == other.Key && d.Weight == other.Weight && d.Verdict == other.Verdict && suggests
}

// Journal keeps drafts until the server has them. It is called from several goroutines.
type Journal interface {
	Save(d Draft) error
	// Delete forgets a draft; one that is not there is no error.
	Delete(id string) error
	// All returns what is kept, the first written first; a draft that cannot be read is left out and left alone.
	All() ([]Draft, error)

	// Hold keeps others from writing a draft, until release is called or the program ends; ErrHeld if another screen has it.
	Hold(id string) (release func(), err error)

	// Discard throws a draft away; it can be fetched back for a week.
	Discard(d Draft, at time.Time) error
	// Dropped are those that can be fetched back, the last first.
	Dropped(now time.Time) ([]Dropped, error)
	// Restore fetches one back; ErrTaken if another was written at its place.
	Restore(d Dropped) error

	Submissions
	Marking
}

// Put puts drafts in the order in which they were begun.
func Put(all []Draft) []Draft {
	slices.SortFunc(all, func(a, b Draft) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.About, b.About), cmp.Compare(a.ID(), b.ID()))
	})
	return all
}

// Dir keeps each draft in a file of a directory, which is made when it is needed.
type Dir string

// Save implements journal: the file is replaced as a whole, so that a crash leaves the old or the new text.
func (dir Dir) Save(d Draft) error {
	data, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		err = dir.replace(d.ID()+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return nil
}

// replace writes a file of the directory as a whole.
func (dir Dir) replace(name string, data []byte) error {
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
		_ = os.Remove(file.Name()) // the first error says what is wrong
	}
	return err
}

func (dir Dir) path(id string) string { return filepath.Join(string(dir), id+".json") }

// Delete implements journal.
func (dir Dir) Delete(id string) error {
	if err := os.Remove(dir.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget draft: %w", err)
	}
	return nil
}

// All implements journal.
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
			all = append(all, dir.upgraded(d))
		}
	}
	return Put(all), nil
}

// upgraded is a draft as this build keeps it: a verdict of earlier builds is what is said with a review.
func (dir Dir) upgraded(d Draft) Draft {
	if d.Verdict == "" || d.Review {
		return d
	}
	was := d.ID()
	d.Review = true
	if _, err := os.Stat(dir.path(d.ID())); errors.Is(err, fs.ErrNotExist) && dir.Save(d) == nil {
		_ = os.Remove(dir.path(was)) // it is there under its new name
	}
	return d
}
