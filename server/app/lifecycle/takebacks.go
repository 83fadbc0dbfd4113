package lifecycle

import (
	"context"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) transferEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.DuplicateSpace, auth.InSpace(api.RoleRead), s.duplicateSpace).Of(rest.Space),
		rest.Op(api.TransferSpace, auth.InSpace(api.RoleAdmin).OfOrganization().EvenDeleted(), s.transferSpace).Of(rest.Space),
		rest.Op(api.TransferCollection, auth.InCollection(api.RoleAdmin).OfOrganization(), s.transferCollection).Of(rest.Collection),
		rest.Read(api.ListTransfers, auth.InOrganization(api.RoleAdmin), s.listTransfers),
		rest.Op(api.GetTransfer, auth.InOrganization(api.RoleAdmin), s.getTransfer),
		rest.Op(api.TakeTransferBack, auth.InOrganization(api.RoleAdmin), s.takeBackTransfer).Of(rest.Transfer),
		rest.Op(api.AskTransfer, auth.InOrganization(api.RoleAdmin), s.askTransfer).Of(rest.Transfer),
		rest.Op(api.AgreeTransfer, auth.InOrganization(api.RoleAdmin), s.agreeTransfer).Of(rest.Transfer),
		rest.Write(api.RefuseTransfer, auth.InOrganization(api.RoleAdmin), s.refuseTransfer).Of(rest.Transfer),
		rest.Op(api.CopyTransfer, auth.InOrganization(api.RoleAdmin), s.copyTransfer).Of(rest.Transfer),
	}
}

// takeBackTransfer takes back what nobody has touched.
func (s *Service) takeBackTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (rest.Result[api.TransferRecord], error) {
	return s.takeBack(ctx, c, in, api.TransferOut)
}

// agreeTransfer gives back what was asked for.
func (s *Service) agreeTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (rest.Result[api.TransferRecord], error) {
	return s.takeBack(ctx, c, in, api.TransferIn)
}

// takeBack brings back what was transferred, at the wish of the side that gave it away, or with the agreement of the
// side that has it. It is a transfer in the other direction: what begins here any node can end.
func (s *Service) takeBack(ctx context.Context, c *rest.Call, in api.TransferRef, side api.TransferDirection) (none rest.Result[api.TransferRecord], err error) {
	t, err := s.openTransfer(ctx, c, in.Transfer, side)
	if err != nil {
		return none, err
	}
	switch state := t.state(); {
	case state == api.TransferTakenBack: // by somebody else, or by an earlier request that was not answered
		return s.transferResult(c, t)
	case side == api.TransferIn && state != api.TransferAsked:
		return none, api.WrongState("Nobody has asked to have it back.")
	}
	if err := s.returnable(ctx, c, t); err != nil {
		return none, err
	}
	err = s.beginTakeBack(ctx, c, t, side == api.TransferIn)
	if isRefusal(err) { // perhaps because somebody else has just done it
		if now, late := s.transferSides(ctx, c.Org, in.Transfer); late == nil && now.state() == api.TransferTakenBack {
			return s.transferResult(c, now)
		}
	}
	if err != nil || c.DryRun {
		return s.rehearsedTransfer(c, t, err)
	}
	err = s.carryTransfer(ctx, t.fields().To, t.fields().Content(), func(tx *store.Tx, answer *txn.Answer) error {
		return s.takenBackAnswer(c, tx, in.Transfer, answer)
	})
	if err != nil {
		return none, err
	}
	if t, err = s.transferSides(ctx, c.Org, in.Transfer); err != nil {
		return none, err
	}
	if t.state() != api.TransferTakenBack { // somebody else was at it, and was refused
		return none, txn.ErrBusy
	}
	return s.transferResult(c, t)
}

// openTransfer is how all begins that the two sides do with a transfer: a repeat gets its answer, and the other side is
// refused. Whether it is too late goes by the time of Redis.
func (s *Service) openTransfer(ctx context.Context, c *rest.Call, id string, side api.TransferDirection) (*transferSides, error) {
	if err := c.Answered(); err != nil {
		return nil, err
	}
	now, err := s.Store.Time(ctx, c.Org)
	if err != nil {
		return nil, err
	}
	t, err := s.transferSides(ctx, c.Org, id)
	if err != nil {
		return nil, err
	}
	t.at = now
	return t, t.onSide(side)
}

// returnable refuses what comes too late, and what matched does.
func (s *Service) returnable(ctx context.Context, c *rest.Call, t *transferSides) error {
	if err := t.underWay(); err != nil {
		return err
	}
	return s.matched(ctx, c)
}

// matched checks If-Match, and that the caller still may, before anything happens in another organization.
func (s *Service) matched(ctx context.Context, c *rest.Call) error {
	return s.Store.Update(ctx, c.Shard(), txn.UpdateOptions{DryRun: true, Guards: c.Guards}, c.Match)
}

// rehearsedTransfer is what a dry run answers: the record as it is.
func (s *Service) rehearsedTransfer(c *rest.Call, t *transferSides, err error) (rest.Result[api.TransferRecord], error) {
	if err != nil {
		return rest.Result[api.TransferRecord]{}, err
	}
	return s.transferResult(c, t)
}

// askTransfer asks the admins of the other organization: first there, so that whoever is asked can answer, then here.
func (s *Service) askTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (none rest.Result[api.TransferRecord], err error) {
	t, err := s.openTransfer(ctx, c, in.Transfer, api.TransferOut)
	if err == nil {
		err = s.returnable(ctx, c, t)
	}
	if err != nil {
		return none, err
	}
	to := t.fields().To
	asker := api.UserFields{}
	c.Access(func(model *access.Model) {
		if p := model.Member(c.Caller.User); p != nil {
			asker = p.User
		}
	})
	err = s.Store.Update(ctx, store.Organization(to), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		d, err := tx.Transferred(to, in.Transfer)
		if err != nil || d.Version == 0 {
			return rest.Missing(err)
		}
		if d.Private.State != "" && d.Private.State != api.TransferRefused && d.Private.State != api.TransferAsked {
			return redis.ErrStale
		}
		if err := store.Introduce(tx, to, asker); err != nil {
			return err
		}
		d.Private.State, d.Private.Asked, d.Fields.AskedAt = api.TransferAsked, c.Caller.User, api.At(tx.Now())
		tx.Event(c.Event(tx, in.Transfer))
		_, err = tx.PutTransferred(to, d)
		return err
	})
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.TransferRecord], error) {
		d, err := tx.Transferred(c.Org, in.Transfer)
		if err != nil || d.Version == 0 {
			return none, rest.Missing(err)
		}
		d.Private.Asked, d.Fields.AskedAt = c.Caller.User, api.At(tx.Now())
		record, err := tx.PutTransferred(c.Org, d)
		if err != nil {
			return none, err
		}
		t.own, t.record = d, record
		t.other.Private.State = api.TransferAsked
		return s.transferResult(c, t)
	})
}

// refuseTransfer says no. Who asked can still take a copy.
func (s *Service) refuseTransfer(ctx context.Context, c *rest.Call, tx *store.Tx, in api.TransferRef) (none rest.Result[api.TransferRecord], err error) {
	d, err := tx.Transferred(c.Org, in.Transfer)
	if err != nil || d.Version == 0 {
		return none, rest.Missing(err)
	}
	t := &transferSides{own: d, at: s.Clock()}
	if err := t.onSide(api.TransferIn); err != nil {
		return none, err
	}
	if d.Private.State != api.TransferAsked {
		return none, api.WrongState("Nobody has asked to have it back.")
	}
	d.Private.State = api.TransferRefused
	if t.record, err = tx.PutTransferred(c.Org, d); err != nil {
		return none, err
	}
	t.own = d
	return s.transferResult(c, t)
}

// onSide refuses what is for the other side to do.
func (t *transferSides) onSide(side api.TransferDirection) error {
	switch {
	case t.own.Fields.Direction == side:
		return nil
	case side == api.TransferOut:
		return api.WrongState("It was transferred to this organization: only the one that gave it away can ask for it, take it back or take a copy.")
	}
	return api.WrongState("It was transferred from this organization: the other one agrees or refuses.")
}

// underWay refuses what comes too late.
func (t *transferSides) underWay() error {
	switch t.state() {
	case api.TransferFinal:
		return api.WrongState("It could be taken back until %s.", t.fields().TakeBackUntil)
	case api.TransferTakenBack, api.TransferReturned:
		return api.WrongState("It is back already.")
	case api.TransferCopied:
		return api.WrongState("A copy of it was taken already: %s.", t.fields().Copy)
	case api.TransferOpen, api.TransferAsked, api.TransferRefused, api.TransferPassedOn:
	}
	return nil
}

// isRefusal reports whether an error is for the caller: what was asked for is not possible.
func isRefusal(err error) bool {
	e, ok := api.AsError(err)
	return ok && (e.Code == http.StatusConflict || e.Code == http.StatusPreconditionFailed)
}
