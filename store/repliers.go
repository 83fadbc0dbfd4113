package store

import (
	"cmp"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// Replier is a user with replies to a comment.
type Replier struct {
	User     string     `json:"user"`
	PostedAt []api.Time `json:"at"` // time of each reply, in chronological order
}

// Repliers are the users with replies to a comment, in the order of their ids. They are stored with the comment, by the transaction
// that writes or deletes a reply. Comments of builds that do not know them have none, and such a build may leave those of other replies:
// they are valid if Count is the number of replies.
type Repliers []Replier

// NewRepliers returns the authors of replies.
func NewRepliers(replies []ReplyDocument) (r Repliers) {
	for _, d := range replies {
		if d.Private.Author != "" { // the record of a lost reply is empty
			r = r.with(d)
		}
	}
	return r
}

// Count returns the number of replies.
func (r Repliers) Count() (n int) {
	for _, p := range r {
		n += len(p.PostedAt)
	}
	return n
}

// Latest returns at most n repliers, the one with the latest reply first.
func (r Repliers) Latest(n int) []Replier {
	latest := slices.SortedStableFunc(slices.Values(r), func(a, b Replier) int { return b.LatestAt().Compare(a.LatestAt().Time) })
	return latest[:min(n, len(latest))]
}

// LatestAt returns the time of the latest reply of the user.
func (r Replier) LatestAt() api.Time { return r.PostedAt[len(r.PostedAt)-1] }

// Equal reports whether two lists have the same users and times.
func (r Repliers) Equal(other Repliers) bool {
	return slices.EqualFunc(r, other, func(a, b Replier) bool {
		return a.User == b.User && slices.EqualFunc(a.PostedAt, b.PostedAt, func(x, y api.Time) bool { return x.Equal(y.Time) })
	})
}

func (r Repliers) find(user string) (at int, found bool) {
	return slices.BinarySearchFunc(r, user, func(p Replier, user string) int { return cmp.Compare(p.User, user) })
}

func findTime(times []api.Time, t api.Time) (at int, found bool) {
	return slices.BinarySearchFunc(times, t, func(a, b api.Time) int { return a.Compare(b.Time) })
}

// with returns the repliers after a reply was added.
func (r Repliers) with(d ReplyDocument) Repliers {
	at, found := r.find(d.Private.Author)
	if !found {
		return slices.Insert(slices.Clone(r), at, Replier{User: d.Private.Author, PostedAt: []api.Time{d.Fields.PostedAt}})
	}
	changed := slices.Clone(r)
	times := changed[at].PostedAt
	place, _ := findTime(times, d.Fields.PostedAt)
	changed[at].PostedAt = slices.Insert(slices.Clone(times), place, d.Fields.PostedAt)
	return changed
}

// without returns the repliers after a reply was deleted.
func (r Repliers) without(d ReplyDocument) Repliers {
	at, found := r.find(d.Private.Author)
	if !found {
		return r
	}
	place, found := findTime(r[at].PostedAt, d.Fields.PostedAt)
	switch {
	case !found:
		return r
	case len(r[at].PostedAt) == 1:
		return slices.Delete(slices.Clone(r), at, at+1)
	}
	changed := slices.Clone(r)
	changed[at].PostedAt = slices.Delete(slices.Clone(changed[at].PostedAt), place, place+1)
	return changed
}

// PutNewReply writes a new reply to a comment with its index, and adds it to the repliers of the comment, which was read in the same
// transaction and whose repliers are valid.
func (tx *Tx) PutNewReply(org string, comment CommentDocument, r ReplyDocument) (txn.Record, error) {
	if err := tx.PutRepliers(org, comment, comment.Private.Repliers.with(r)); err != nil {
		return txn.Record{}, err
	}
	return tx.PutReply(org, r)
}

// DeleteCountedReply deletes a reply to a comment like DeleteReply, and removes it from the repliers of the comment, which was read in
// the same transaction and whose repliers are valid.
func (tx *Tx) DeleteCountedReply(org string, comment CommentDocument, r ReplyDocument) error {
	tx.DeleteReply(org, r)
	return tx.PutRepliers(org, comment, comment.Private.Repliers.without(r))
}

// PutRepliers writes a comment that was read in the same transaction with other repliers.
func (tx *Tx) PutRepliers(org string, comment CommentDocument, repliers Repliers) error {
	comment.Private.Repliers = repliers
	_, err := PutDocument(tx, CommentKey(org, comment.Fields.ID), comment)
	return err
}
