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

// maxTransferEntries is the maximum number of entries of a transfer: each needs three of a transaction's thousand keys.
const maxTransferEntries = 250

// transferPlan describes a transfer, checked before its first transaction.
type transferPlan struct {
	entry        string
	target       *rest.Call     // call in the receiving organization
	entries      []string       // parents before children
	trashed      []string       // deleted spaces of the collections, which stay
	children     map[string]int // numbers of children of the collections
	dependencies []access.Dependency
	level        *api.Level // inherited from the collections above
	losses       api.TransferLoss
}

func (s *Service) transferSpace(ctx context.Context, c *rest.Call, in api.TransferSpaceInput) (rest.Result[api.TransferredSpace], error) {
	return transfer[api.TransferredSpace](ctx, c, s, in.Space, in.Body.Organization)
}

func (s *Service) transferCollection(ctx context.Context, c *rest.Call,
	in api.TransferCollectionInput,
) (rest.Result[api.TransferredCollection], error) {
	return transfer[api.TransferredCollection](ctx, c, s, in.Collection, in.Body.Organization)
}

// transfer moves a space, or a collection with its contents, to another organization. Any node can complete it. The
// steps are described in store/transfers.go.
func transfer[Out any](ctx context.Context, c *rest.Call, s *Service, entry, to string) (none rest.Result[Out], err error) {
	if err := c.StoredAnswer(); err != nil {
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
		err := s.runTransfer(ctx, c.Org, entry, func(tx *store.Tx, answer *txn.Answer) error { return s.encodeArrival(tx, plan, answer) })
		if err != nil {
			return none, err
		}
	}
	body, version, err := s.loadTransferred(ctx, c, plan)
	return rest.Result[Out]{JSON: body, ID: entry}.WithVersion(version), err
}

// planTransfer returns the plan of a transfer, or an error if it is not possible.
func (s *Service) planTransfer(ctx context.Context, c *rest.Call, entry, to string) (*transferPlan, error) {
	if to == c.Org {
		return nil, api.Errorf(http.StatusConflict, api.ReasonNoChange,
			"It is in this organization already: the transfer would change nothing.")
	}
	p := &transferPlan{entry: entry, target: c.InOrganization(to), children: map[string]int{}}
	if err := s.resolveTargetCaller(ctx, p.target); err != nil {
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
	return p, s.checkTransferQuota(ctx, c, p)
}

// resolveTargetCaller determines the caller's role in the receiving organization.
func (s *Service) resolveTargetCaller(ctx context.Context, to *rest.Call) error {
	if to.Caller.Organization == "" || to.Caller.Organization == to.Org {
		model, err := s.reloadModel(ctx, to.Org)
		if err != nil {
			return err
		}
		to.LoadMembership(model)
	}
	if !to.Caller.IsMember {
		return api.InvalidField("organization", "is not an organization that you belong to")
	}
	if !to.Caller.Role.AtLeast(api.RoleCreate) {
		return rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the other organization", to.Caller.Role)
	}
	return nil
}

// collect adds the entries that move to the plan.
func (p *transferPlan) collect(model *access.Model) error {
	n := model.Entry(p.entry)
	if n == nil || model.TrashedRoot(p.entry) != "" {
		return notTransferableError("It is deleted.").WithHint("Restore it first.")
	}
	p.entries, p.level = []string{p.entry}, n.Level
	if level, ok := model.DefaultLevel(p.entry); ok {
		p.level = level
	}
	for i := 0; i < len(p.entries); i++ {
		id := p.entries[i]
		entry := model.Entry(id)
		p.dependencies = append(p.dependencies, access.Dependency{ID: id, Entry: entry.Stored})
		p.losses.Teams = append(p.losses.Teams, slices.Collect(maps.Keys(entry.Teams))...)
		if entry.Moving {
			return rest.TransferInProgressError()
		}
		if err := checkNotOnSite(model, id); err != nil {
			return err
		}
		p.children[id] = spaces.CountChildren(model, id)
		for _, child := range model.Children(id) {
			if model.Entry(child).Deleted != 0 {
				p.trashed = append(p.trashed, child)
			} else {
				p.entries = append(p.entries, child)
			}
		}
	}
	if len(p.entries)+len(p.trashed) > maxTransferEntries {
		return api.WrongState("The collection holds %d collections and spaces; at most %d can be transferred at once.", len(p.entries)-1,
			maxTransferEntries-1).
			WithHint("Transfer the collections inside it first.")
	}
	return nil
}

func notTransferableError(format string, args ...any) *api.Error {
	return api.Errorf(http.StatusPreconditionFailed, api.ReasonPrecondition, format, args...)
}

// findLosses adds to the plan the members, teams and reviewers that the receiving organization does not have.
func (s *Service) findLosses(ctx context.Context, c *rest.Call, p *transferPlan) error {
	known := map[string]bool{}
	p.target.Access(func(model *access.Model) { known = model.MemberIDs() })
	c.Access(func(model *access.Model) {
		for _, id := range p.entries {
			for _, user := range model.GrantedMembers(id) {
				if !known[user] {
					p.losses.Members = append(p.losses.Members, user)
				}
			}
		}
	})
	keys, _, err := s.transferKeys(ctx, c.Org, p.entries)
	if err != nil {
		return err
	}
	err = store.CopyRecords(ctx, s.Store, c.Org, keys, func(chunk []store.CopyResult) error {
		for _, copied := range chunk {
			reviewers, err := copied.Reviewers()
			if err != nil {
				return err
			}
			for _, user := range reviewers {
				if !known[user] {
					p.losses.Reviewers = append(p.losses.Reviewers, user)
				}
			}
		}
		return nil
	})
	for _, list := range []*[]string{&p.losses.Members, &p.losses.Teams, &p.losses.Reviewers} {
		slices.Sort(*list)
		*list = append([]string{}, slices.Compact(*list)...)
	}
	return err
}

// transferKeys returns the keys of the records of spaces, collections and all that belongs to them, and the entry of
// each key.
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

// beginTransfer closes the entries to writes, stores the transfer and schedules the job that resumes it. It returns an error if
// a transfer of the entry is in progress.
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
			if err := closeEntry(tx, c.Org, id, p.children[id]); err != nil {
				return err
			}
		}
		closed, _, err := tx.Record(store.EntryKey(c.Org, p.entry))
		if err != nil {
			return err
		}
		d, err := tx.Transfer(c.Org, p.entry)
		if err == nil && d.Version > 0 {
			err = rest.TransferInProgressError()
		}
		if err != nil {
			return err
		}
		d.Fields = store.TransferFields{Entry: p.entry, To: p.target.Org, Entries: p.entries}
		d.Private = store.TransferPrivate{
			Step: store.TransferClosing, User: c.Caller.User, DueAt: api.At(tx.Now().Add(s.JobLease())), Idempotency: c.Idempotency(),
			Level: p.level, Trashed: p.trashed, Epoch: closed.Version,
		}
		if d.Private.Record, err = newTransferRecord(tx, c.Org, d.Fields); err != nil {
			return err
		}
		tx.Schedule(c.Org, txn.JobName(store.TransferKind, p.entry), s.JobLease())
		return tx.PutTransfer(c.Org, d)
	})
}

func checkNotBusy(busy bool) error {
	if busy {
		return txn.ErrBusy
	}
	return nil
}

// closeEntry closes one space or collection to writes. It returns ErrStale if a collection does not have the number of children
// in the plan: the model may be more recent than the plan.
func closeEntry(tx *store.Tx, org, id string, children int) error {
	err := store.RequireNoSweep(tx, org, id)
	if err == nil && !access.IsSpace(id) {
		err = spaces.CheckChildCount(tx, org, id, children)
	}
	if err != nil {
		return err
	}
	return changeEntry(tx, org, id, func(_ **api.Level, p *store.EntryPrivate) { p.State = store.EntryMoving })
}

// loadTransferred reads the entry for the response of a transfer or its dry run.
func (s *Service) loadTransferred(ctx context.Context, c *rest.Call, p *transferPlan) (body []byte, version string, err error) {
	target := p.target
	if c.DryRun {
		target = c
	} else if target.Model, err = s.reloadModel(ctx, target.Org); err != nil {
		return nil, "", err
	}
	b := s.Store.NewBatch()
	record := b.Record(spaces.RecordKeys(target.Org, []string{p.entry})[0])
	head, counts := b.Field(store.HeadsKey(target.Org), p.entry), b.Field(txn.CountsKey(target.Org), p.entry)
	if err := b.Do(ctx); err != nil {
		return nil, "", err
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return nil, "", errors.Join(err, checkNotBusy(!ok))
	}
	headText := head.Value()
	countsText := counts.Value()
	target.Access(func(model *access.Model) {
		if c.DryRun {
			r.Public, err = publicPartAfterTransfer(r.Public, p.target.Org)
		}
		if err == nil {
			body, err = s.encodeTransferred(target, model, p, r.Public, headText, countsText)
		}
	})
	return body, rest.RecordVersion(r), err
}

// publicPartAfterTransfer returns the public part of an entry as it will be at the top level of another organization.
func publicPartAfterTransfer(public []byte, org string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(public, &fields); err != nil {
		return nil, err
	}
	delete(fields, "parent")
	fields["organization"], _ = json.Marshal(org)
	return json.Marshal(fields)
}

// encodeTransferred returns the JSON of the response of a transfer.
func (s *Service) encodeTransferred(c *rest.Call, model *access.Model, p *transferPlan, public []byte, head,
	counts string,
) ([]byte, error) {
	if !access.IsSpace(p.entry) {
		return s.Spaces.EncodeCollection(p.entry, public, model.Role(c.Caller, p.entry)).Set("dropped", p.losses).Bytes()
	}
	state, err := view.ParseSpaceState(head, counts)
	if err != nil {
		return nil, err
	}
	return s.View.Space(c, model, p.entry, public, state).Set("dropped", p.losses).Bytes()
}
