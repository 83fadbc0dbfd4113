package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// maxTransfer is how many collections and spaces move at once: each needs three keys of a transaction's thousand.
const maxTransfer = 250

// transferPlan is what a transfer is about to do.
type transferPlan struct {
	entry        string
	to           *rest.Call // the request as it is in the other organization
	entries      []string   // parents before what is in them
	trashed      []string   // deleted spaces of the collections: they stay
	dependencies []access.Dependency
	level        *api.Level // that it has from the collections above it
	lost         api.TransferLoss
}

func (s *Service) transferSpace(ctx context.Context, c *rest.Call, in api.TransferSpaceInput) (rest.Result[api.TransferredSpace], error) {
	return transfer[api.TransferredSpace](ctx, c, s, in.Space, in.Body.Organization)
}

func (s *Service) transferCollection(ctx context.Context, c *rest.Call, in api.TransferCollectionInput) (rest.Result[api.TransferredCollection], error) {
	return transfer[api.TransferredCollection](ctx, c, s, in.Collection, in.Body.Organization)
}

// transfer moves a space, or a collection with all in it, to another organization: see store.go. What
// begins here any node can end.
func transfer[Out any](ctx context.Context, c *rest.Call, s *Service, entry, to string) (none rest.Result[Out], err error) {
	if err := c.Answered(); err != nil {
		return none, err
	}
	plan, err := s.planTransfer(ctx, c, entry, to)
	if err != nil {
		return none, err
	}
	if err := s.beginTransfer(ctx, c, plan); err != nil {
		return none, err
	}
	if !c.DryRun {
		err := s.carryTransfer(ctx, c.Org, entry, func(tx *store.Tx, answer *txn.Answer) error { return s.arrivedAnswer(tx, plan, answer) })
		if err != nil {
			return none, err
		}
	}
	body, version, err := s.showTransferred(ctx, c, plan)
	return rest.Result[Out]{JSON: body, ID: entry}.Versioned(version), err
}

// planTransfer checks what can be known before.
func (s *Service) planTransfer(ctx context.Context, c *rest.Call, entry, to string) (*transferPlan, error) {
	if to == c.Org {
		return nil, api.Errorf(http.StatusConflict, api.ReasonNoChange, "It is in this organization already: the transfer would change nothing.")
	}
	p := &transferPlan{entry: entry, to: c.InOrganization(to)}
	if err := s.joinTarget(ctx, p.to); err != nil {
		return nil, err
	}
	var err error
	c.Access(func(model *access.Model) { err = p.collect(model) })
	if err != nil {
		return nil, err
	}
	if err := s.findLosses(ctx, c, p); err != nil {
		return nil, err
	}
	return p, s.roomForTransfer(ctx, c, p)
}

// joinTarget measures the caller in the organization that a transfer leads to.
func (s *Service) joinTarget(ctx context.Context, to *rest.Call) error {
	if to.Caller.Organization == "" || to.Caller.Organization == to.Org {
		model, err := s.freshShape(ctx, to.Org)
		if err != nil {
			return err
		}
		to.Enter(model)
	}
	if !to.Caller.IsMember {
		return api.InvalidField("organization", "is not an organization that you belong to")
	}
	if !to.Caller.Role.AtLeast(api.RoleCreate) {
		return rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the other organization", to.Caller.Role)
	}
	return nil
}

// collect finds what moves.
func (p *transferPlan) collect(model *access.Model) error {
	n := model.Entry(p.entry)
	if n == nil || model.Trashed(p.entry) != "" {
		return untransferable("It is deleted.").WithHint("Restore it first.")
	}
	p.entries, p.level = []string{p.entry}, n.Level
	if level, ok := model.OwnLevel(p.entry); ok {
		p.level = level
	}
	for i := 0; i < len(p.entries); i++ {
		id := p.entries[i]
		at := model.Entry(id)
		p.dependencies = append(p.dependencies, access.Dependency{ID: id, Entry: at.Stored})
		p.lost.Teams = append(p.lost.Teams, slices.Collect(maps.Keys(at.Teams))...)
		if at.Moving {
			return txn.ErrBusy
		}
		if err := unshown(model, id); err != nil {
			return err
		}
		for _, child := range model.Children(id) {
			if model.Entry(child).Deleted != 0 {
				p.trashed = append(p.trashed, child)
			} else {
				p.entries = append(p.entries, child)
			}
		}
	}
	if len(p.entries)+len(p.trashed) > maxTransfer {
		return api.WrongState("The collection holds %d collections and spaces; at most %d can be transferred at once.", len(p.entries)-1, maxTransfer-1).
			WithHint("Transfer the collections inside it first.")
	}
	return nil
}

func untransferable(format string, args ...any) *api.Error {
	return api.Errorf(http.StatusPreconditionFailed, api.ReasonPrecondition, format, args...)
}

// findLosses lists what the other organization does not know.
func (s *Service) findLosses(ctx context.Context, c *rest.Call, p *transferPlan) error {
	known := map[string]bool{}
	p.to.Access(func(model *access.Model) { known = model.MemberIDs() })
	c.Access(func(model *access.Model) {
		for _, id := range p.entries {
			for _, user := range model.Granted(id) {
				if !known[user] {
					p.lost.Members = append(p.lost.Members, user)
				}
			}
		}
	})
	keys, _, err := s.transferKeys(ctx, c.Org, p.entries)
	if err != nil {
		return err
	}
	err = store.Copy(ctx, s.Store, c.Org, keys, func(chunk []store.Copied) error {
		for _, copied := range chunk {
			reviewers, err := copied.Reviewers()
			if err != nil {
				return err
			}
			for _, user := range reviewers {
				if !known[user] {
					p.lost.Reviewers = append(p.lost.Reviewers, user)
				}
			}
		}
		return nil
	})
	for _, list := range []*[]string{&p.lost.Members, &p.lost.Teams, &p.lost.Reviewers} {
		slices.Sort(*list)
		*list = append([]string{}, slices.Compact(*list)...)
	}
	return err
}

// transferKeys are the records of spaces and collections with all that belongs to them, and which of these each is of.
func (s *Service) transferKeys(ctx context.Context, org string, entries []string) (keys []redis.Key, of map[redis.Key]string, err error) {
	keys, of = spaces.RecordKeys(org, entries), map[redis.Key]string{}
	for i, id := range entries {
		of[keys[i]] = id
	}
	for _, id := range entries {
		if !access.IsSpace(id) {
			continue
		}
		ownedKeys, err := store.Records(ctx, s.Store, org, id)
		if err != nil {
			return nil, nil, err
		}
		for _, key := range ownedKeys {
			of[key] = id
		}
		keys = append(keys, ownedKeys...)
	}
	return keys, of, nil
}

// beginTransfer closes what moves to writes.
func (s *Service) beginTransfer(ctx context.Context, c *rest.Call, p *transferPlan) error {
	options := txn.UpdateOptions{DryRun: c.DryRun, Guards: c.Guards, Prefetch: spaces.RecordKeys(c.Org, p.entries)}
	return s.Store.Update(ctx, store.Organization(c.Org), options, func(tx *store.Tx) error {
		if err := c.Match(tx); err != nil {
			return err
		}
		if err := c.Recheck(tx, p.dependencies); err != nil {
			return err
		}
		for _, id := range p.entries {
			if err := s.closeEntry(c, tx, id); err != nil {
				return err
			}
		}
		closed, _, err := tx.Record(store.EntryKey(c.Org, p.entry))
		if err != nil {
			return err
		}
		d, err := tx.Transfer(c.Org, p.entry)
		if err != nil || d.Version > 0 {
			return errors.Join(err, busyIf(d.Version > 0))
		}
		d.Fields = store.TransferFields{Entry: p.entry, To: p.to.Org, Entries: p.entries}
		d.Private = store.TransferPrivate{
			Step: store.TransferClosing, User: c.Caller.User, At: api.At(tx.Now().Add(s.JobLease())), Idempotency: c.Idempotency(),
			Level: p.level, Trashed: p.trashed, Epoch: closed.Version,
		}
		if d.Private.Record, err = newTransferRecord(tx, c.Org, d.Fields); err != nil {
			return err
		}
		tx.Schedule(c.Org, txn.JobName(store.TransferKind, p.entry), s.JobLease())
		return tx.PutTransfer(c.Org, d)
	})
}

func busyIf(busy bool) error {
	if busy {
		return txn.ErrBusy
	}
	return nil
}

// closeEntry closes one space or collection.
func (s *Service) closeEntry(c *rest.Call, tx *store.Tx, id string) error {
	err := store.Unswept(tx, c.Org, id)
	if !access.IsSpace(id) {
		err = s.Spaces.ChildrenListed(c, tx, id)
	}
	if err != nil {
		return err
	}
	return changeEntry(tx, c.Org, id, func(_ **api.Level, p *store.EntryPrivate) { p.State = store.EntryMoving })
}

// showTransferred reads what a transfer, or its rehearsal, answers.
func (s *Service) showTransferred(ctx context.Context, c *rest.Call, p *transferPlan) (body []byte, version string, err error) {
	at := p.to
	if c.DryRun {
		at = c
	} else if at.Model, err = s.freshShape(ctx, at.Org); err != nil {
		return nil, "", err
	}
	b := s.Store.Pipeline()
	record := b.Record(spaces.RecordKeys(at.Org, []string{p.entry})[0])
	head, counts := b.Field(store.HeadsKey(at.Org), p.entry), b.Field(txn.CountsKey(at.Org), p.entry)
	if err := b.Do(ctx); err != nil {
		return nil, "", err
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return nil, "", errors.Join(err, busyIf(!ok))
	}
	headText := head.Value()
	countsText := counts.Value()
	at.Access(func(model *access.Model) {
		if c.DryRun {
			r.Public, err = movedPublic(r.Public, p.to.Org)
		}
		if err == nil {
			body, err = s.transferredBody(at, model, p, r.Public, headText, countsText)
		}
	})
	return body, rest.RecordVersion(r), err
}

// movedPublic is the public half of a space or collection as it will be at the top of another organization.
func movedPublic(public []byte, org string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(public, &fields); err != nil {
		return nil, err
	}
	delete(fields, "parent")
	fields["organization"], _ = json.Marshal(org)
	return json.Marshal(fields)
}

// transferredBody writes out what a transfer answers.
func (s *Service) transferredBody(c *rest.Call, model *access.Model, p *transferPlan, public []byte, head, counts string) ([]byte, error) {
	if !access.IsSpace(p.entry) {
		return s.Spaces.CollectionObject(p.entry, public, model.Role(c.Caller, p.entry)).Set("dropped", p.lost).Bytes()
	}
	state, err := view.ParseSpaceState(head, counts)
	if err != nil {
		return nil, err
	}
	return s.View.Space(c, model, p.entry, public, state).Set("dropped", p.lost).Bytes()
}
