package rest

import (
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// errInTransfer is in the chain of TransferInProgressError.
var errInTransfer = errors.New("in transfer")

// TransferInProgressError returns the refusal of a write to an object that is being transferred to another organization.
func TransferInProgressError() error {
	e := Unavailable("It is being transferred to another organization; nothing was changed. Try again.")
	return fmt.Errorf("%w: %w", errInTransfer, &e)
}

// checkSecondTransfer returns err, the error of a request, or a conflict in its place if err is a TransferInProgressError and the
// request is itself a transfer. The request that began the transfer keeps the error when it is repeated, and gets the result later.
func (p *Pipeline) checkSecondTransfer(c *Call, err error) error {
	transfers := []string{api.TransferSpace.Name, api.TransferCollection.Name}
	if !errors.Is(err, errInTransfer) || !slices.Contains(transfers, c.Endpoint.Row.Name) {
		return err
	}
	if c.Idempotency() != nil {
		foreign, failure := p.isForeignTransfer(c)
		if failure != nil {
			return failure
		}
		if !foreign {
			return err
		}
	}
	return api.WrongState("It is already being transferred to another organization; nothing was changed.").
		WithHint("Try again when it has arrived.")
}

// isForeignTransfer reports whether the entry of the path, or a collection that contains it, is being transferred by another request
// than c, judging by the idempotency key.
func (p *Pipeline) isForeignTransfer(c *Call) (foreign bool, err error) {
	id, _ := c.entry()
	b, transfers := p.store.NewBatch(), []*txn.Future[txn.Record]{}
	c.Access(func(model *access.Model) {
		for _, entry := range model.PathDependencies(id) {
			transfers = append(transfers, b.Record(store.TransferKey(c.Org, entry.ID)))
		}
	})
	if err := b.Do(c.ctx); err != nil {
		return false, fmt.Errorf("transfer of %s: %w", id, err)
	}
	for _, transfer := range transfers {
		r, ok, err := transfer.Get()
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		var d store.TransferDocument
		if err := d.Decode(r); err != nil {
			return false, err
		}
		return d.Private.Idempotency == nil || d.Private.Idempotency.Key != c.Idempotency().Key, nil
	}
	return false, nil // it has arrived
}
