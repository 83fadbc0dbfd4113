package folder

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// historyName is the path of the history of a space in its exported folder.
const historyName = "wsctl.history.jsonl"

// historyLine is a line of an exported history.
type historyLine struct {
	Kind          historyKind `json:"kind"`
	ChangeRequest int         `json:"changeRequest,omitzero"` // number, 0 for what belongs to the space itself
	Comment       string      `json:"comment,omitzero"`       // id of the comment that a reply belongs to
	Value         any         `json:"value"`                  // as the server answers it
}

// historyKind is the kind of the value of a line.
type historyKind string

// Kinds of lines.
const (
	historyRevision      historyKind = "revision"
	historyChangeRequest historyKind = "change-request"
	historyReview        historyKind = "review"
	historyComment       historyKind = "comment"
	historyReply         historyKind = "reply"
)

// historyCounts are the numbers of what histories have.
type historyCounts struct{ revisions, requests, comments int }

func (c historyCounts) plus(other historyCounts) historyCounts {
	return historyCounts{c.revisions + other.revisions, c.requests + other.requests, c.comments + other.comments}
}

// String returns the counts for people.
func (c historyCounts) String() string {
	return strings.Join([]string{
		app.Pluralize(c.revisions, "revision"), app.Pluralize(c.requests, "change request"), app.Pluralize(c.comments, "comment"),
	}, ", ")
}

// historyWriter writes the history of a space as JSON lines: revisions, change requests with their revisions, reviews and comments, and
// the comments of the space.
type historyWriter struct {
	session *session
	lines   *json.Encoder
	counts  historyCounts
}

// exportHistory writes the history of the space of the session to a new file.
func (s *session) exportHistory(to string) (counts historyCounts, err error) {
	defer s.progress("reading the history")()
	file, err := os.OpenFile(filepath.Clean(to), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // documentation
	if errors.Is(err, fs.ErrExist) {
		return counts, app.Usagef("%s exists; nothing is overwritten", to)
	}
	if err != nil {
		return counts, fmt.Errorf("write %s: %w", to, err)
	}
	out := bufio.NewWriter(file)
	w := &historyWriter{session: s, lines: json.NewEncoder(out)}
	w.lines.SetEscapeHTML(false)
	err = w.writeSpace()
	return w.counts, errors.Join(err, out.Flush(), file.Sync(), file.Close())
}

// writeSpace writes the history of the space.
func (w *historyWriter) writeSpace() error {
	s := w.session
	revisions := client.All(s.ctx(), s.client.Spaces.ListRevisions, api.SpaceRevisionsInput{Space: s.space(), ListOptions: fullPages()})
	if err := writeAll(w, historyLine{Kind: historyRevision}, revisions, &w.counts.revisions, nil); err != nil {
		return err
	}
	for _, status := range api.ChangeRequestStatus("").Values() {
		requests := client.All(s.ctx(), s.client.ChangeRequests.List, api.ListChangeRequestsInput{
			Space: s.space(), ListOptions: fullPages(), Status: status,
		})
		if err := writeAll(w, historyLine{Kind: historyChangeRequest}, requests, &w.counts.requests, w.writeRequest); err != nil {
			return err
		}
	}
	comments := client.All(s.ctx(), s.client.Comments.List, api.ListCommentsInput{
		Space: s.space(), CommentFilters: api.CommentFilters{ListOptions: fullPages()},
	})
	return writeAll(w, historyLine{Kind: historyComment}, comments, &w.counts.comments, func(c api.Comment) error {
		if c.Replies == 0 {
			return nil
		}
		return writeAll(w, historyLine{Kind: historyReply, Comment: c.ID}, client.All(s.ctx(), s.client.Replies.List, api.ListRepliesInput{
			CommentRef: api.CommentRef{Space: s.space(), Comment: c.ID}, ListOptions: fullPages(),
		}), nil, nil)
	})
}

// writeRequest writes the history of a change request.
func (w *historyWriter) writeRequest(r api.ChangeRequest) error {
	s := w.session
	ref := s.ref(r.Number)
	err := writeAll(w, historyLine{Kind: historyRevision, ChangeRequest: r.Number},
		client.All(s.ctx(), s.client.ChangeRequests.ListRevisions, api.ChangeRequestRevisionsInput{
			ChangeRequestRef: ref, ListOptions: fullPages(),
		}), nil, nil)
	if err != nil {
		return err
	}
	err = writeAll(w, historyLine{Kind: historyReview, ChangeRequest: r.Number},
		client.All(s.ctx(), s.client.ChangeRequestReviews.List, api.ListReviewsInput{
			ChangeRequestRef: ref, ListOptions: fullPages(),
		}), nil, nil)
	if err != nil {
		return err
	}
	comments := client.All(s.ctx(), s.client.ChangeRequestComments.List, api.ListChangeRequestCommentsInput{
		ChangeRequestRef: ref, CommentFilters: api.CommentFilters{ListOptions: fullPages()},
	})
	line := historyLine{Kind: historyComment, ChangeRequest: r.Number}
	return writeAll(w, line, comments, &w.counts.comments, func(c api.Comment) error {
		if c.Replies == 0 {
			return nil
		}
		return writeAll(w, historyLine{Kind: historyReply, ChangeRequest: r.Number, Comment: c.ID},
			client.All(s.ctx(), s.client.ChangeRequestReplies.List, api.ListChangeRequestRepliesInput{
				ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: c.ID},
				ListOptions:             fullPages(),
			}), nil, nil)
	})
}

// fullPages are the options of a list that is read as a whole.
func fullPages() api.ListOptions { return api.ListOptions{Limit: api.Some(100)} }

// writeAll writes a line for each item of a list, counts it, and calls after with it.
func writeAll[T any](w *historyWriter, line historyLine, items iter.Seq2[T, error], count *int, after func(T) error) error {
	for item, err := range items {
		if err != nil {
			return err
		}
		line.Value = item
		if err := w.lines.Encode(line); err != nil {
			return fmt.Errorf("write the history: %w", err)
		}
		if count != nil {
			*count++
		}
		if after == nil {
			continue
		}
		if err := after(item); err != nil {
			return err
		}
	}
	return nil
}
