package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A transfer takes a space, or a collection with all in it, to another
// organization. Its record in the old organization says how far it is; any node
// goes on from there. Until the commit of the old organization the copy in the
// new one is seen by nobody, after it the original; nobody may write from the
// first step to the last. Content stays in the slot of its space. The home
// organization of an id, which the id contains, says where it is now.

// TransferKind is the kind of the jobs that go on with transfers.
const TransferKind = "transfer"

// TransferStep says how far a transfer is.
type TransferStep string

// The steps of a transfer.
const (
	TransferClosing TransferStep = "closing" // the original is closed to writes; what was written before may forbid the transfer
	TransferCopying TransferStep = "copying" // nothing forbids it; the original is being copied
	TransferLeft    TransferStep = "left"    // the original is gone for everybody, the copy not yet there
	TransferArrived TransferStep = "arrived" // the copy is what there is; the original is being removed
)

// TransferFields are what a transfer is about.
type TransferFields struct {
	Node  string   `json:"node"`  // what was asked for
	To    string   `json:"to"`    // organization
	Nodes []string `json:"nodes"` // it and all in it, parents before what is in them
}

// TransferPrivate is how far a transfer is, and for whom.
type TransferPrivate struct {
	Step        TransferStep     `json:"step"`
	User        string           `json:"user"`
	At          api.Time         `json:"at"`                // when a job goes on with it
	Level       *api.Level       `json:"level"`             // that the node has from the collections above it
	Trashed     []string         `json:"trashed,omitempty"` // deleted spaces of the collections: they stay
	Epoch       int64            `json:"epoch,omitzero"`    // grows with each transfer of the node: tells one from another
	Idempotency *txn.Idempotency `json:"idempotency,omitempty"`

	// Record is what will tell of the transfer when it is over: none of one that takes something back, or that was
	// begun before there were such records.
	Record *api.TransferFields `json:"record,omitempty"`
	Back   *TakeBack           `json:"back,omitempty"` // nil: it takes nothing back
}

// TakeBack says that a transfer takes back what an earlier one gave away.
type TakeBack struct {
	Transfer string   `json:"transfer"`
	Row      string   `json:"row"`               // the operation that began it
	Agreed   bool     `json:"agreed,omitzero"`   // by an admin of the organization that has it
	Rebuilt  []string `json:"rebuilt,omitempty"` // collections that were deleted there: they come back as they were
}

// Rebuilds reports whether a collection comes back that was deleted meanwhile.
func (b *TakeBack) Rebuilds(id string) bool { return b != nil && slices.Contains(b.Rebuilt, id) }

// TransferDocument is the document of a transfer.
type TransferDocument = Document[TransferFields, TransferPrivate]

// MovedFields say where something is.
type MovedFields struct {
	Node         string `json:"node"`
	Organization string `json:"organization"`
	Epoch        int64  `json:"epoch,omitzero"` // version of the record when it left for there
}

// MovedDocument is the document of a pointer.
type MovedDocument = Document[MovedFields, struct{}]

// PutMoved writes the shape entry of a pointer.
func (tx *Tx) PutMoved(d MovedDocument) error {
	entry, err := json.Marshal(map[string]string{"moved": d.Fields.Organization})
	if err != nil {
		return fmt.Errorf("shape of %s: %w", d.Fields.Node, err)
	}
	tx.Shape(d.Fields.Node, entry)
	return nil
}

// Point makes the home organization say where a space or collection is, which
// left with a version of its record. Whoever comes late, when it is here or has
// gone on, changes nothing.
func (tx *Tx) Point(home, node, to string, version int64) error {
	d, err := document[MovedFields, struct{}](tx, MovedKey(home, node))
	if err != nil || d.Fields.Epoch >= version {
		return err
	}
	state, there, err := tx.nodeState(home, node)
	if err != nil || there && !state.Hidden() {
		return err
	}
	d.Fields = MovedFields{Node: node, Organization: to, Epoch: version}
	if err := tx.PutMoved(d); err != nil {
		return err
	}
	_, err = put(tx, MovedKey(home, node), d)
	return err
}

// nodeState reads the state of a space or collection; there is false if there is
// none.
func (tx *Tx) nodeState(org, id string) (state NodeState, there bool, err error) {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		d, err := tx.Space(org, id)
		return d.Private.State, d.Version > 0, err
	}
	d, err := tx.Collection(org, id)
	return d.Private.State, d.Version > 0, err
}

// Unpoint forgets where something is that is nowhere any more.
func (tx *Tx) Unpoint(home, node string) error {
	_, there, err := tx.Record(MovedKey(home, node))
	if err == nil && there {
		tx.Delete(MovedKey(home, node))
		tx.Shape(node, nil)
	}
	return err
}

// Transfer reads a transfer.
func (tx *Tx) Transfer(org, node string) (TransferDocument, error) {
	return document[TransferFields, TransferPrivate](tx, TransferKey(org, node))
}

// PutTransfer writes a transfer.
func (tx *Tx) PutTransfer(org string, d TransferDocument) error {
	_, err := put(tx, TransferKey(org, d.Fields.Node), d)
	return err
}

// At makes the transfer part of the read set: it is ErrLeaseLost unless it is at
// the step.
func (tx *Tx) At(org, node string, step TransferStep) (TransferDocument, error) {
	d, err := tx.Transfer(org, node)
	if err == nil && (d.Version == 0 || d.Private.Step != step) {
		err = fmt.Errorf("%w: transfer of %s", txn.ErrLeaseLost, node)
	}
	return d, err
}

// Unswept is ErrBusy while objects of the space are being swept, and keeps a
// sweep from beginning before the commit.
func (tx *Tx) Unswept(org, space string) error {
	text, _, err := tx.Field(txn.EpochsKey(org), space)
	if err != nil {
		return err
	}
	if epoch, err := txn.ParseEpoch(text); err != nil || epoch%2 == 1 {
		return errors.Join(err, txn.ErrBusy)
	}
	return nil
}

// NodeKey is the record of a space or collection.
func NodeKey(org, id string) redis.Key {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		return SpaceKey(org, id)
	}
	return CollectionKey(org, id)
}

// EndTransfer ends a transfer, and its job.
func (tx *Tx) EndTransfer(org, node string) {
	tx.Delete(TransferKey(org, node))
	tx.Unschedule(org, txn.JobName(TransferKind, node))
}

// Copied is a record with its head, on its way to another organization.
type Copied struct {
	Key  redis.Key // in the old organization
	Head string

	record txn.Record
}

// Users are the identifiers of users that the record names.
func (c Copied) Users() []string {
	var users []string
	for _, half := range [][]byte{c.record.Private, c.record.Public} {
		for _, id := range userIDs.FindAll(half, -1) {
			users = append(users, string(id))
		}
	}
	slices.Sort(users)
	return slices.Compact(users)
}

var userIDs = regexp.MustCompile(`\bu_[0-9a-z]{14}\b`)

// Copy hands the records with the keys to fn, some at a time.
func (s *Store) Copy(ctx context.Context, org string, keys []redis.Key, fn func(chunk []Copied) error) error {
	return inChunks(keys, func(chunk []redis.Key) error {
		values, err := s.Read(ctx, withHeads(org, chunk))
		if err != nil {
			return err
		}
		copied, next := make([]Copied, 0, len(chunk)), len(chunk)
		for i, key := range chunk {
			c := Copied{Key: key, record: values[i].Record}
			if _, ok := headed(org, key.Name()); ok {
				c.Head = values[next].Text
				next++
			}
			if values[i].Present {
				copied = append(copied, c)
			}
		}
		return fn(copied)
	})
}

// Reviewers are the users who were asked for a review, if the record is a change
// request.
func (c Copied) Reviewers() ([]string, error) {
	if kind, _ := recordName(c.Key.Name()); kind != "cr" {
		return nil, nil
	}
	var d ChangeRequestDocument
	if err := d.Decode(c.record); err != nil {
		return nil, err
	}
	users := make([]string, len(d.Private.Reviewers))
	for i, reviewer := range d.Private.Reviewers {
		users[i] = reviewer.User
	}
	return users, nil
}

// Adoption says how an organization takes in what comes to it.
type Adoption struct {
	To       string
	Root     string          // what is transferred: it comes to the top
	Transfer string          // by which it comes
	Members  map[string]bool // of the organization: others are no reviewers there

	Kept  map[string]KeptPrivate // of what is taken back: it is placed as it was
	Teams map[string]bool        // of the organization: those get back what they had
}

// Adopt writes a copied record with all that it implies here, hidden, and with
// the version that it had.
func (tx *Tx) Adopt(a Adoption, c Copied) error {
	to := a.To
	kind, id := recordName(c.Key.Name())
	key := Organization(to).Key(redis.RecordKind, kind, id)
	if err := tx.Prefetch(withHeads(to, []redis.Key{key})...); err != nil {
		return err
	}
	if kind == "sp" || kind == "col" {
		if state, there, err := tx.nodeState(to, id); err != nil || there && state != NodeArriving { // another transfer has brought it
			return errors.Join(err, txn.ErrLeaseLost)
		}
	}
	if c.Head != "" {
		tx.SetField(HeadsKey(to), id, c.Head)
	}
	var err error
	switch kind {
	case "sp":
		err = tx.adoptSpace(a, c.record)
	case "col":
		err = tx.adoptCollection(a, c.record)
	case "cr":
		err = tx.adoptRequest(to, c.record, a.Members)
	case "cm":
		err = writeComment(tx, to, c.record)
	case "rp":
		err = writeReply(tx, to, c.record)
	case "rv":
		err = writeReview(tx, to, c.record)
	default:
		err = redis.Misuse("%s cannot be adopted", c.Key)
	}
	if err != nil {
		return err
	}
	return tx.SetVersion(key, c.record.Version)
}

func (tx *Tx) adoptSpace(a Adoption, r txn.Record) error {
	var d SpaceDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Fields.Organization, d.Fields.DeletedAt = a.To, api.Time{}
	if err := a.settle(d.Fields.ID, &d.Fields.Parent, &d.Fields.DefaultLevel, &d.Private); err != nil {
		return err
	}
	tx.CountSpace(a.To, d.Fields.ID)
	_, err := tx.PutSpace(d)
	return err
}

func (tx *Tx) adoptCollection(a Adoption, r txn.Record) error {
	var d CollectionDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Fields.Organization = a.To
	if err := a.settle(d.Fields.ID, &d.Fields.Parent, &d.Fields.DefaultLevel, &d.Private); err != nil {
		return err
	}
	_, err := tx.PutCollection(d)
	return err
}

// settle gives what is adopted its place, and no teams but those that it had
// here before.
func (a Adoption) settle(id string, parent *string, level **api.Level, p *NodePrivate) error {
	p.State, p.Teams, p.Came = NodeArriving, nil, a.Transfer
	if kept, back := a.Kept[id]; back {
		if err := kept.restore(a, parent, level, p); err != nil {
			return err
		}
	}
	if id == a.Root {
		*parent, p.Order = "", ""
	}
	return nil
}

func (tx *Tx) adoptRequest(to string, r txn.Record, members map[string]bool) error {
	var d ChangeRequestDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Private.Reviewers = slices.DeleteFunc(d.Private.Reviewers, func(r Reviewer) bool { return !members[r.User] })
	_, err := tx.PutChangeRequest(to, d, "")
	return err
}

// LeaveNode takes a space or collection away from everybody in an organization.
func (tx *Tx) LeaveNode(org, id string) error {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		d, err := tx.Space(org, id)
		if err != nil || d.Version == 0 {
			return err
		}
		if !d.Fields.DeletedAt.IsZero() { // taken back from the trash
			tx.Unschedule(org, PurgeJob(id))
		}
		return tx.Leave(d)
	}
	d, err := tx.Collection(org, id)
	if err != nil || d.Version == 0 {
		return err
	}
	d.Private.State = NodeLeaving
	tx.Remove(kidsOf(org, d.Fields.Parent), txn.Member(d.Private.Order, id))
	_, err = tx.PutCollection(d)
	return err
}

// ArriveNode shows a space or collection that was adopted: one without a parent
// at the end of the top. If this is its home, no pointer is needed any more.
func (tx *Tx) ArriveNode(org, id string) error {
	if pointer := MovedKey(org, id); tx.Owns(pointer, redis.RecordKind) {
		if _, there, err := tx.Record(pointer); err != nil {
			return err
		} else if there {
			tx.Delete(pointer)
		}
	}
	if strings.HasPrefix(id, txn.SpacePrefix) {
		return tx.arriveSpace(org, id)
	}
	d, err := tx.Collection(org, id)
	if err != nil {
		return err
	}
	d.Private.State = ""
	if d.Fields.Parent == "" {
		if err := tx.PlaceCollection(&d, "", txn.Position{}); err != nil {
			return err
		}
	} else {
		tx.Add(kidsOf(org, d.Fields.Parent), txn.Member(d.Private.Order, id))
	}
	_, err = tx.PutCollection(d)
	return err
}

func (tx *Tx) arriveSpace(org, id string) error {
	d, err := tx.Space(org, id)
	if err != nil {
		return err
	}
	d.Private.State = ""
	if err := tx.HoldContent(id); err != nil {
		return err
	}
	if d.Fields.Parent == "" {
		if err := tx.PlaceSpace(&d, "", txn.Position{}); err != nil {
			return err
		}
	} else {
		tx.Add(kidsOf(org, d.Fields.Parent), txn.Member(d.Private.Order, id))
	}
	tx.SearchBehind(org, id)
	_, err = tx.PutSpace(d)
	return err
}

// Grant gives a member the grants that are about the contents.
func (tx *Tx) Grant(org, user string, contents []string, grants map[string]api.Role) error {
	member, err := tx.Member(org, user)
	if err != nil || member.Version == 0 {
		return err
	}
	changed := false
	for _, content := range contents {
		role, granted := grants[content]
		if !granted || member.Private.Grants[content] == role {
			continue
		}
		if member.Private.Grants == nil {
			member.Private.Grants = map[string]api.Role{}
		}
		member.Private.Grants[content], changed = role, true
	}
	if changed {
		_, err = tx.PutMember(org, member)
	}
	return err
}

// Introduce gives somebody who is not known in an organization a name there.
func (tx *Tx) Introduce(org string, user api.UserFields) error {
	_, known, err := tx.Field(txn.ShapesKey(org), user.ID)
	if err != nil || known {
		return err
	}
	return tx.putPerson(Person{User: user})
}

func writeMoved(tx *Tx, _ string, r txn.Record) error {
	var d MovedDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	return tx.PutMoved(d)
}

func writeTransfer(tx *Tx, org string, r txn.Record) error {
	var d TransferDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	tx.Schedule(org, txn.JobName(TransferKind, d.Fields.Node), 0)
	return nil
}
