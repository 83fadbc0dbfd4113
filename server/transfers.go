package server

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// maxTransfer is how many collections and spaces move at once: each needs three keys of a transaction's thousand.
const maxTransfer = 250

// transferPlan is what a transfer is about to do.
type transferPlan struct {
	node    string
	to      *call    // the request as it is in the other organization
	nodes   []string // parents before what is in them
	trashed []string // deleted spaces of the collections: they stay
	entries []access.Dependency
	level   *api.Level // that the node has from the collections above it
	lost    api.TransferLoss
}

func (s *Server) transferSpace(ctx context.Context, c *call, in api.TransferSpaceInput) (Result[api.TransferredSpace], error) {
	return transfer[api.TransferredSpace](ctx, c, s, in.Space, in.Body.Organization)
}

func (s *Server) transferCollection(ctx context.Context, c *call, in api.TransferCollectionInput) (Result[api.TransferredCollection], error) {
	return transfer[api.TransferredCollection](ctx, c, s, in.Collection, in.Body.Organization)
}

// transfer moves a space, or a collection with all in it, to another organization: see store/transfers.go. What
// begins here any node can end.
func transfer[Out any](ctx context.Context, c *call, s *Server, node, to string) (Result[Out], error) {
	var none Result[Out]
	if err := s.answered(c); err != nil {
		return none, err
	}
	plan, err := s.planTransfer(ctx, c, node, to)
	if err != nil {
		return none, err
	}
	if err := s.beginTransfer(ctx, c, plan); err != nil {
		return none, err
	}
	if !c.dryRun {
		err := s.carryTransfer(ctx, c.org, node, func(tx *store.Tx, answer *store.Answer) error { return s.arrivedAnswer(tx, plan, answer) })
		if err != nil {
			return none, err
		}
	}
	body, version, err := s.showTransferred(ctx, c, plan)
	return Result[Out]{json: body, id: node}.versioned(version), err
}

// planTransfer checks what can be known before.
func (s *Server) planTransfer(ctx context.Context, c *call, node, to string) (*transferPlan, error) {
	if to == c.org {
		return nil, api.Errorf(http.StatusConflict, api.ReasonNoChange, "It is in this organization already: the transfer would change nothing.")
	}
	p := &transferPlan{node: node, to: c.in_(to)}
	if err := s.joinTarget(ctx, p.to); err != nil {
		return nil, err
	}
	var err error
	c.withShape(func(sh *access.Model) { err = p.collect(sh) })
	if err != nil {
		return nil, err
	}
	if err := s.findLosses(ctx, c, p); err != nil {
		return nil, err
	}
	return p, s.roomForTransfer(ctx, c, p)
}

// in_ is the request as it would be in another organization.
func (c *call) in_(org string) *call { //nolint:revive // in is a field
	other := *c
	other.org, other.guards = org, nil
	other.caller = &access.Caller{User: c.caller.User, Token: c.caller.Token, Scopes: c.caller.Scopes, Organization: c.caller.Organization}
	return &other
}

// joinTarget measures the caller in the organization that a transfer leads to.
func (s *Server) joinTarget(ctx context.Context, to *call) error {
	if to.caller.Organization == "" || to.caller.Organization == to.org {
		sh, err := s.freshShape(ctx, to.org)
		if err != nil {
			return err
		}
		to.shape = sh
		to.join()
	}
	if !to.caller.IsMember {
		return api.InvalidField("organization", "is not an organization that you belong to")
	}
	if !to.caller.Role.AtLeast(api.RoleCreate) {
		return forbidden(auth.Need{Role: api.RoleCreate}, "the other organization", to.caller.Role)
	}
	return nil
}

// collect finds what moves.
func (p *transferPlan) collect(sh *access.Model) error {
	n := sh.Node(p.node)
	if n == nil || n.Deleted != 0 {
		return untransferable("It is deleted.").WithHint("Restore it first.")
	}
	p.nodes, p.level = []string{p.node}, n.Level
	if level, ok := sh.OwnLevel(p.node); ok {
		p.level = level
	}
	for i := 0; i < len(p.nodes); i++ {
		id := p.nodes[i]
		at := sh.Node(id)
		p.entries = append(p.entries, access.Dependency{ID: id, Entry: at.Entry})
		p.lost.Teams = append(p.lost.Teams, slices.Collect(maps.Keys(at.Teams))...)
		if at.Moving {
			return store.ErrBusy
		}
		if err := unshown(sh, id); err != nil {
			return err
		}
		for _, kid := range sh.Children(id) {
			if sh.Node(kid).Deleted != 0 {
				p.trashed = append(p.trashed, kid)
			} else {
				p.nodes = append(p.nodes, kid)
			}
		}
	}
	if len(p.nodes)+len(p.trashed) > maxTransfer {
		return api.WrongState("The collection holds %d collections and spaces; at most %d can be transferred at once.", len(p.nodes)-1, maxTransfer-1).
			WithHint("Transfer the collections inside it first.")
	}
	return nil
}

func untransferable(format string, args ...any) *api.Error {
	return api.Errorf(http.StatusPreconditionFailed, api.ReasonPrecondition, format, args...)
}

// findLosses lists what the other organization does not know.
func (s *Server) findLosses(ctx context.Context, c *call, p *transferPlan) error {
	known := map[string]bool{}
	p.to.withShape(func(sh *access.Model) { known = sh.MemberIDs() })
	c.withShape(func(sh *access.Model) {
		for _, id := range p.nodes {
			for _, user := range sh.Granted(id) {
				if !known[user] {
					p.lost.Members = append(p.lost.Members, user)
				}
			}
		}
	})
	keys, _, err := s.transferKeys(ctx, c.org, p.nodes)
	if err != nil {
		return err
	}
	err = s.store.Copy(ctx, c.org, keys, func(chunk []store.Copied) error {
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

// transferKeys are the records of nodes with all that belongs to them, and which node each is of.
func (s *Server) transferKeys(ctx context.Context, org string, nodes []string) (keys []redis.Key, of map[redis.Key]string, err error) {
	keys, of = recordKeys(org, nodes), map[redis.Key]string{}
	for i, id := range nodes {
		of[keys[i]] = id
	}
	for _, id := range nodes {
		if !access.IsSpace(id) {
			continue
		}
		belongings, err := s.store.Belongings(ctx, org, id)
		if err != nil {
			return nil, nil, err
		}
		for _, key := range belongings {
			of[key] = id
		}
		keys = append(keys, belongings...)
	}
	return keys, of, nil
}

// beginTransfer closes what moves to writes.
func (s *Server) beginTransfer(ctx context.Context, c *call, p *transferPlan) error {
	options := store.UpdateOptions{DryRun: c.dryRun, Guards: c.guards, Prefetch: recordKeys(c.org, p.nodes)}
	return s.store.Update(ctx, store.Organization(c.org), options, func(tx *store.Tx) error {
		if err := c.match(tx); err != nil {
			return err
		}
		if err := c.hold(tx, p.entries); err != nil {
			return err
		}
		for _, id := range p.nodes {
			if err := s.closeNode(c, tx, id); err != nil {
				return err
			}
		}
		closed, _, err := tx.Record(store.NodeKey(c.org, p.node))
		if err != nil {
			return err
		}
		d, err := tx.Transfer(c.org, p.node)
		if err != nil || d.Version > 0 {
			return errors.Join(err, busyIf(d.Version > 0))
		}
		d.Fields = store.TransferFields{Node: p.node, To: p.to.org, Nodes: p.nodes}
		d.Private = store.TransferPrivate{
			Step: store.TransferClosing, User: c.caller.User, At: api.At(tx.Now().Add(s.jobLease())), Idempotency: c.idempotency(),
			Level: p.level, Trashed: p.trashed, Epoch: closed.Version,
		}
		if d.Private.Record, err = newTransferRecord(tx, c.org, d.Fields); err != nil {
			return err
		}
		tx.Schedule(c.org, store.JobName(store.TransferKind, p.node), s.jobLease())
		return tx.PutTransfer(c.org, d)
	})
}

func busyIf(busy bool) error {
	if busy {
		return store.ErrBusy
	}
	return nil
}

// closeNode closes one space or collection.
func (s *Server) closeNode(c *call, tx *store.Tx, id string) error {
	err := tx.Unswept(c.org, id)
	if !access.IsSpace(id) {
		err = s.childrenListed(c, tx, id)
	}
	if err != nil {
		return err
	}
	return changeNode(tx, c.org, id, func(_ **api.Level, p *store.NodePrivate) { p.State = store.NodeMoving })
}

// showTransferred reads what a transfer, or its rehearsal, answers.
func (s *Server) showTransferred(ctx context.Context, c *call, p *transferPlan) (body []byte, version string, err error) {
	at := p.to
	if c.dryRun {
		at = c
	} else if at.shape, err = s.freshShape(ctx, at.org); err != nil {
		return nil, "", err
	}
	b := s.store.Pipeline()
	record := b.Record(recordKeys(at.org, []string{p.node})[0])
	head, counts := b.Field(store.HeadsKey(at.org), p.node), b.Field(store.CountsKey(at.org), p.node)
	if err := b.Do(ctx); err != nil {
		return nil, "", err
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return nil, "", errors.Join(err, busyIf(!ok))
	}
	headText, _, _ := head.Get()
	countsText, _, _ := counts.Get()
	at.withShape(func(sh *access.Model) {
		if c.dryRun {
			r.Public, err = movedPublic(r.Public, p.to.org)
		}
		if err == nil {
			body, err = s.transferredBody(at, sh, p, r.Public, headText, countsText)
		}
	})
	return body, recordVersion(r), err
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
func (s *Server) transferredBody(c *call, sh *access.Model, p *transferPlan, public []byte, head, counts string) ([]byte, error) {
	if !access.IsSpace(p.node) {
		return s.collectionObject(p.node, public, sh.Role(c.caller, p.node)).set("dropped", p.lost).bytes()
	}
	state, err := parseSpaceState(head, counts)
	if err != nil {
		return nil, err
	}
	return s.spaceObject(c, sh, p.node, public, state).set("dropped", p.lost).bytes()
}
