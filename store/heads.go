package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ErrHeadMoved is returned by the apply function of a planned write if a head of its plan has moved.
var ErrHeadMoved = errors.New("store: the head has moved")

// Head is the current revision of a space or change request, the only mutable part of content. It contains the roots
// of the revision's maps, so that a page can be read without the revision.
type Head struct {
	Revision string
	Pages    string // root of the map of pages, "" = none
	Files    string // root of the map of files
	Links    string // root of the map of the pages' links
	MovedAt  time.Time
}

// String returns the stored form.
func (h Head) String() string {
	return strings.Join([]string{
		h.Revision, rootOrDash(h.Pages), rootOrDash(h.Files), strconv.FormatInt(h.MovedAt.UnixMilli(), 10), rootOrDash(h.Links),
	}, " ")
}

func rootOrDash(root string) string {
	if root == "" {
		return "-"
	}
	return root
}

// ParseHead parses the stored form; heads written before links were added have four words. It returns an ErrStale for
// an empty text, because a space without a head is being removed, and an ErrCorrupt for anything else.
func ParseHead(text string) (Head, error) {
	if text == "" {
		return Head{}, fmt.Errorf("%w: no head", redis.ErrStale)
	}
	parts := strings.Fields(text)
	if len(parts) == 4 {
		parts = append(parts, rootOrDash(""))
	}
	if len(parts) != 5 {
		return Head{}, fmt.Errorf("%w: head %q", redis.ErrCorrupt, text)
	}
	ms, err := strconv.ParseInt(parts[3], 10, 64)
	if err != nil {
		return Head{}, fmt.Errorf("%w: head %q: %w", redis.ErrCorrupt, text, err)
	}
	undash := func(root string) string { return strings.TrimPrefix(root, "-") }
	return Head{
		Revision: parts[0], Pages: undash(parts[1]), Files: undash(parts[2]), Links: undash(parts[4]), MovedAt: time.UnixMilli(ms).UTC(),
	}, nil
}

// Head reads the head of a space or change request; ok is false if there is none.
func (tx *Tx) Head(org, id string) (head Head, ok bool, err error) {
	text, ok, err := tx.Field(HeadsKey(org), id)
	if err != nil || !ok {
		return Head{}, false, err
	}
	head, err = ParseHead(text)
	return head, err == nil, err
}

// SearchKind is the kind of the job that updates the search index of a space.
const SearchKind = "search"

// searchDelay is the delay of jobs of SearchKind, so that one job handles several changes.
const searchDelay = 2 * time.Second

// MarkSearchStale marks the search index of a space as stale and schedules the job that updates it. A search may update it
// earlier.
func (tx *Tx) MarkSearchStale(org, space string) {
	tx.SetAdd(postings.StaleKey(org), space)
	tx.ScheduleOnce(org, txn.JobName(SearchKind, space), searchDelay)
}

// MarkSearchCurrent marks the search index of a space as current and removes the job.
func (tx *Tx) MarkSearchCurrent(org, space string) {
	tx.SetRemove(postings.StaleKey(org), space)
	tx.Unschedule(org, txn.JobName(SearchKind, space))
}

// SetHead sets the head of a space or change request. It marks the search index of a space as stale, except for a
// space without pages, which the next search handles. It requests new summaries of the change request, or of all
// those of the space.
func (tx *Tx) SetHead(org, id string, head Head) {
	tx.SetField(HeadsKey(org), id, head.String())
	if id != HeadSpace(id) {
		tx.RequestSummary(org, id, SummaryHeadMoved)
		return
	}
	if head.Pages == "" {
		tx.SetAdd(postings.StaleKey(org), id)
		return
	}
	tx.MarkSearchStale(org, id)
	tx.RequestSummary(org, id, SummarySpaceMoved)
}

// DropHead removes the head of a deleted space or change request, its summary and, for a space, the stale mark and the job of
// its search index.
func (tx *Tx) DropHead(org, id string) {
	tx.DeleteField(HeadsKey(org), id)
	tx.dropSummary(org, id)
	if id == HeadSpace(id) {
		tx.MarkSearchCurrent(org, id)
	}
}

// LoadSpaces returns the spaces of an organization that have a head. The search calls it once for each version of its index.
func (s *Store) LoadSpaces(ctx context.Context, org string) ([]string, error) {
	redis.FailBefore("heads.read")
	ids, err := s.Client.HKeys(ctx, s.Name(HeadsKey(org))).Result()
	redis.FailAfter("heads.read")
	spaces := slices.DeleteFunc(ids, func(id string) bool { return id != HeadSpace(id) })
	return spaces, redis.Wrap(ctx, err)
}

// LoadHeads returns the heads of a space and of its change requests by id.
func (s *Store) LoadHeads(ctx context.Context, org, space string) (map[string]Head, error) {
	redis.FailBefore("heads.read")
	texts, err := s.Client.HGetAll(ctx, s.Name(HeadsKey(org))).Result()
	redis.FailAfter("heads.read")
	if err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	heads := map[string]Head{}
	for id, text := range texts {
		if HeadSpace(id) != space {
			continue
		}
		if heads[id], err = ParseHead(text); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// ForgetContent removes the content of a space from the cache of this process.
func (s *Store) ForgetContent(space string) { s.Cache.ForgetSpace(space) }

// HeadSpace returns the space that contains the objects of a head. id is the field of HeadsKey: a space, or a change
// request `<space>-<number>`.
func HeadSpace(id string) string {
	space, _, _ := strings.Cut(id, "-")
	return space
}

// HeadRoots returns the hashes in a stored head: every word that is a hash, or a hash after a prefix such as that of
// a revision id.
func HeadRoots(head string) []string {
	var roots []string
	for word := range strings.FieldsSeq(head) {
		hash := word[strings.LastIndexByte(word, '_')+1:]
		if _, ok := objects.FirstByte(hash); ok {
			roots = append(roots, hash)
		}
	}
	return roots
}
