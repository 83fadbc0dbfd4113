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
		rest.Op(api.DuplicateSpace, auth.InSpace(api.RoleRead), s.duplicateSpace).On(rest.Space),
		rest.Op(api.TransferSpace, auth.InSpace(api.RoleAdmin).ByOwner().WithTrash(), s.transferSpace).On(rest.Space),
		rest.Op(api.TransferCollection, auth.InCollection(api.RoleAdmin).ByOwner(), s.transferCollection).On(rest.Collection),
		rest.Read(api.ListTransfers, auth.InOrganization(api.RoleAdmin), s.listTransfers),
		rest.Op(api.GetTransfer, auth.InOrganization(api.RoleAdmin), s.getTransfer),
		rest.Op(api.TakeTransferBack, auth.InOrganization(api.RoleAdmin), s.takeBackTransfer).On(rest.Transfer),
		rest.Op(api.AskTransfer, auth.InOrganization(api.RoleAdmin), s.askTransfer).On(rest.Transfer),
		rest.Op(api.AgreeTransfer, auth.InOrganization(api.RoleAdmin), s.agreeTransfer).On(rest.Transfer),
		rest.Write(api.RefuseTransfer, auth.InOrganization(api.RoleAdmin), s.refuseTransfer).On(rest.Transfer),
		rest.Op(api.CopyTransfer, auth.InOrganization(api.RoleAdmin), s.copyTransfer).On(rest.Transfer),
	}
}

// takeBackTransfer takes back entries that were not changed since their transfer.
func (s *Service) takeBackTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (rest.Result[api.TransferRecord], error) {
	return s.takeBack(ctx, c, in, api.TransferOut)
}

// agreeTransfer returns entries whose return was requested.
func (s *Service) agreeTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (rest.Result[api.TransferRecord], error) {
	return s.takeBack(ctx, c, in, api.TransferIn)
}

// takeBack returns transferred entries, for an admin of the giving organization or with the agreement of the
// receiving one. It is a transfer in the opposite direction; any node can complete it.
func (s *Service) takeBack(ctx context.Context, c *rest.Call, in api.TransferRef,
	side api.TransferDirection,
) (none rest.Result[api.TransferRecord], err error) {
	t, err := s.openTransfer(ctx, c, in.Transfer, side)
	if err != nil {
		return none, err
	}
	end, err := s.takeTurn(ctx, c)
	if err != nil {
		return none, err
	}
	defer end()
	switch state := t.status(); {
	case state == api.TransferTakenBack: // taken back by a concurrent request, or by an earlier one whose response was lost
		return s.completeTakeBack(ctx, c, t)
	case side == api.TransferIn && state != api.TransferAsked:
		return none, api.WrongState("Nobody has asked to have it back.")
	}
	if err := s.checkReturnable(ctx, c, t); err != nil {
		return none, err
	}
	begun, err := s.isTakeBackBegun(ctx, t.fields())
	if err == nil && !begun {
		err = s.beginTakeBack(ctx, c, t, side == api.TransferIn)
	}
	if isRefusal(err) { // a concurrent request may have completed the take-back
		if now, late := s.loadTransfer(ctx, c.Org, in.Transfer); late == nil && now.status() == api.TransferTakenBack {
			return s.completeTakeBack(ctx, c, now)
		}
	}
	if err != nil || c.DryRun {
		return s.dryRunResult(c, t, err)
	}
	write := func(tx *store.Tx, answer *txn.Answer) error { return s.encodeTakenBack(c, tx, in.Transfer, answer) }
	if begun { // the stored result is that of another request, perhaps of the other organization
		write = nil
	}
	if err := s.runTransfer(ctx, t.fields().To, t.fields().Content(), write); err != nil {
		return none, err
	}
	if t, err = s.loadTransfer(ctx, c.Org, in.Transfer); err != nil {
		return none, err
	}
	if t.status() != api.TransferTakenBack { // a concurrent take-back was in progress and failed
		return none, txn.ErrBusy
	}
	return s.transferResult(c, t)
}

// completeTakeBack runs the remaining steps of a take-back that has begun to return the entries, and returns the result.
func (s *Service) completeTakeBack(ctx context.Context, c *rest.Call, t *transferSides) (none rest.Result[api.TransferRecord], err error) {
	f := t.fields()
	begun, err := s.isTakeBackBegun(ctx, f)
	if err == nil && begun && !c.DryRun {
		if err = s.runTransfer(ctx, f.To, f.Content(), nil); err == nil {
			t, err = s.loadTransfer(ctx, c.Org, f.ID)
		}
	}
	if err != nil {
		return none, err
	}
	return s.transferResult(c, t)
}

// isTakeBackBegun reports whether a take-back of the transfer is in progress.
func (s *Service) isTakeBackBegun(ctx context.Context, f *api.TransferFields) (bool, error) {
	d, err := s.readTransfer(ctx, f.To, f.Content())
	return d.Version > 0 && d.Private.Back != nil && d.Private.Back.Transfer == f.ID, err
}

// openTransfer reads a transfer for an operation of the given side. It returns the stored result of a repeated
// request, and an error for the other side. Deadlines are compared with the time of Redis.
func (s *Service) openTransfer(ctx context.Context, c *rest.Call, id string, side api.TransferDirection) (*transferSides, error) {
	if err := c.StoredAnswer(); err != nil {
		return nil, err
	}
	now, err := s.Store.Time(ctx, c.Org)
	if err != nil {
		return nil, err
	}
	t, err := s.loadTransfer(ctx, c.Org, id)
	if err != nil {
		return nil, err
	}
	t.readAt = now
	return t, t.checkSide(side)
}

// checkReturnable returns an error if a transfer cannot be returned any more, or the error of checkPreconditions.
func (s *Service) checkReturnable(ctx context.Context, c *rest.Call, t *transferSides) error {
	if err := t.checkOpen(); err != nil {
		return err
	}
	return s.checkPreconditions(ctx, c)
}

// checkPreconditions checks If-Match and the caller's access before anything changes in the other organization.
func (s *Service) checkPreconditions(ctx context.Context, c *rest.Call) error {
	return s.Store.Update(ctx, c.Shard(), txn.UpdateOptions{DryRun: true, Guards: c.Guards}, c.Match)
}

// dryRunResult returns the result of a dry run: err, or the unchanged transfer.
func (s *Service) dryRunResult(c *rest.Call, t *transferSides, err error) (rest.Result[api.TransferRecord], error) {
	if err != nil {
		return rest.Result[api.TransferRecord]{}, err
	}
	return s.transferResult(c, t)
}

// askTransfer requests the return from the other organization. It stores the request in that organization first, so that it can
// be answered, and then in the caller's.
func (s *Service) askTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (none rest.Result[api.TransferRecord], err error) {
	t, err := s.openTransfer(ctx, c, in.Transfer, api.TransferOut)
	if err == nil {
		err = s.checkReturnable(ctx, c, t)
	}
	if err == nil && t.status() == api.TransferPassedOn {
		err = passedOnError(in.Transfer)
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
			return rest.NotFoundIfNil(err)
		}
		if d.Private.State != "" && d.Private.State != api.TransferRefused && d.Private.State != api.TransferAsked {
			return redis.ErrStale
		}
		if err := store.AddPerson(tx, to, asker); err != nil {
			return err
		}
		d.Private.State, d.Private.Asked, d.Fields.AskedAt = api.TransferAsked, c.Caller.User, api.At(tx.Now())
		tx.Event(c.ForeignEvent(tx, in.Transfer))
		_, err = tx.PutTransferred(to, d)
		return err
	})
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.TransferRecord], error) {
		d, err := tx.Transferred(c.Org, in.Transfer)
		if err != nil || d.Version == 0 {
			return none, rest.NotFoundIfNil(err)
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

// refuseTransfer records that the receiving organization refuses to return a transfer. The giving organization can still take a
// copy.
func (s *Service) refuseTransfer(ctx context.Context, c *rest.Call, tx *store.Tx, in api.TransferRef) (none rest.Result[api.TransferRecord],
	err error,
) {
	d, err := tx.Transferred(c.Org, in.Transfer)
	if err != nil || d.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	t := &transferSides{own: d, readAt: s.Clock()}
	if err := t.checkSide(api.TransferIn); err != nil {
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

// checkSide returns an error unless the transfer has the given direction for the caller's organization.
func (t *transferSides) checkSide(side api.TransferDirection) error {
	switch {
	case t.own.Fields.Direction == side:
		return nil
	case side == api.TransferOut:
		return api.WrongState("It was transferred to this organization: only the one that gave it away can ask for it, take it back or " +
			"take a copy.")
	}
	return api.WrongState("It was transferred from this organization: the other one agrees or refuses.")
}

// checkOpen returns an error if a transfer is final, returned or copied.
func (t *transferSides) checkOpen() error {
	switch t.status() {
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

// passedOnError returns the error of a return that is not possible because the other organization has transferred the entry
// further.
func passedOnError(id string) error {
	return api.WrongState("The other organization has it no more: it was transferred on.").WithHint(
		"Take a copy of it as it was: wsctl transfers copy %s", id)
}

// isRefusal reports whether err is an API error with status 409 or 412: the requested operation is not possible, as opposed to
// a failure.
func isRefusal(err error) bool {
	e, ok := api.AsError(err)
	return ok && (e.Code == http.StatusConflict || e.Code == http.StatusPreconditionFailed)
}
