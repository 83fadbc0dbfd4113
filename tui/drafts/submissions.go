package drafts

import (
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

// Submission is a draft review as it is sent, once per id. It is stored from before it is sent until its outcome is
// known. It must not be edited, because retries have to send the same body.
type Submission struct {
	ID          string           `json:"id"`
	Target      remote.Target    `json:"place"`
	Number      int              `json:"number"` // number of the change request for display
	Body        api.ReviewSubmit `json:"body"`
	Drafts      []Draft          `json:"drafts"` // drafts in the order of Body
	Review      *Draft           `json:"review,omitempty"`
	SubmittedAt time.Time        `json:"frozenAt"`

	Replaces api.ReviewStatus `json:"replaces,omitempty"` // the user's verdict that it replaces
}

// Has reports whether a draft is part of the submission.
func (s Submission) Has(id string) bool {
	if s.Review != nil && s.Review.ID() == id {
		return true
	}
	return slices.ContainsFunc(s.Drafts, func(d Draft) bool { return d.ID() == id })
}

// Submissions stores submissions until their outcome is known.
type Submissions interface {
	// Freeze stores a submission before it is sent.
	Freeze(s Submission) error
	// Frozen returns the submissions with unknown outcome, oldest first.
	Frozen() ([]Submission, error)
	// Thaw removes a rejected submission, after which its drafts can be edited.
	Thaw(s Submission) error
	// Sent removes the drafts of a successful submission and then the submission. Texts written in the meantime are
	// kept.
	Sent(s Submission) error
}

// submissionsDir returns the directory of submissions.
func (dir Dir) submissionsDir() Dir { return Dir(filepath.Join(string(dir), "submissions")) }

// Freeze implements Submissions.
func (dir Dir) Freeze(s Submission) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = dir.submissionsDir().writeFile(s.ID+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep review: %w", err)
	}
	return nil
}

// Frozen implements Submissions.
func (dir Dir) Frozen() ([]Submission, error) {
	var all []Submission
	err := dir.submissionsDir().forEachFile(func(_ string, data []byte) {
		var s Submission
		if json.Unmarshal(data, &s) == nil {
			all = append(all, s)
		}
	})
	slices.SortFunc(all, func(a, b Submission) int { return a.SubmittedAt.Compare(b.SubmittedAt) })
	return all, err
}

// Thaw implements Submissions.
func (dir Dir) Thaw(s Submission) error {
	if err := os.Remove(dir.submissionsDir().path(s.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget review: %w", err)
	}
	return nil
}

// Sent implements Submissions. It removes the submission last, so after a crash it is sent again.
func (dir Dir) Sent(s Submission) error {
	all, err := dir.All()
	if err != nil {
		return err
	}
	posted := s.Drafts
	if s.Review != nil {
		posted = append(slices.Clone(posted), *s.Review)
	}
	for _, d := range all {
		if slices.ContainsFunc(posted, d.Equal) {
			if err := dir.Delete(d.ID()); err != nil {
				return err
			}
		}
	}
	return dir.Thaw(s)
}

// forEachFile calls take for every file of the directory with a known name. Unreadable files are skipped and not deleted.
func (dir Dir) forEachFile(take func(name string, data []byte)) error {
	entries, err := os.ReadDir(string(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read drafts: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(string(dir), entry.Name())); err == nil {
			take(entry.Name(), data)
		}
	}
	return nil
}
