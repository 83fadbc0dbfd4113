package lifecycle

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// A repeat of the request that began a transfer gets its answer. It is kept with the commit of the organization in
// which a repeat looks for it: that to which the thing comes, or that of the admin who agreed to give it back.

// answeredIn is the key of the answer, if it is kept in the organization.
func answeredIn(org string, d store.TransferDocument) *txn.Idempotency {
	agreed := d.Private.Back != nil && d.Private.Back.Agreed
	if agreed == (org == d.Fields.To) {
		return nil
	}
	return d.Private.Idempotency
}

// answerTransfer keeps the answer. write makes its body; the job that goes on with a transfer has none.
func answerTransfer(tx *store.Tx, org string, d store.TransferDocument, write func(*store.Tx, *txn.Answer) error) error {
	if answeredIn(org, d) == nil {
		return nil
	}
	answer := txn.Answer{Status: api.TransferSpace.Status, ID: answerOf(d)}
	if write != nil {
		if err := write(tx, &answer); err != nil {
			return err
		}
	}
	tx.Answer(answer)
	return nil
}

// answerOf names what a repeat of the request is told of: what was transferred, or the transfer that is taken back.
func answerOf(d store.TransferDocument) string {
	if d.Private.Back != nil {
		return d.Private.Back.Transfer
	}
	return d.Fields.Entry
}

// arrivedAnswer is the answer of a transfer as its commit leaves it.
func (s *Service) arrivedAnswer(tx *store.Tx, p *transferPlan, answer *txn.Answer) error {
	to := p.to
	head, _, err := tx.Field(store.HeadsKey(to.Org), p.entry)
	if err != nil {
		return err
	}
	counts, _, err := tx.Field(txn.CountsKey(to.Org), p.entry)
	if err != nil {
		return err
	}
	r, _, err := tx.Record(spaces.RecordKeys(to.Org, []string{p.entry})[0])
	if err != nil {
		return err
	}
	to.Access(func(model *access.Model) {
		model = model.With(p.entry, store.Entry{Level: p.level, Creator: to.Caller.User})
		answer.Body, err = s.transferredBody(to, model, p, r.Public, head, counts)
	})
	answer.Header = map[string]string{"Etag": rest.EntityTag(rest.RecordVersion(r), answer.Body)}
	return err
}
