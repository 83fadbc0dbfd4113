package lifecycle

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// A repeat of the request that began a transfer gets the stored result. It is stored with the commit of the
// organization in which a repeat looks for it: the receiving one, or that of the admin who agreed to a return.

// idempotencyIn returns the idempotency key of a transfer if its result is stored in the organization, or else nil.
func idempotencyIn(org string, d store.TransferDocument) *txn.Idempotency {
	agreed := d.Private.Back != nil && d.Private.Back.Agreed
	if agreed == (org == d.Fields.To) {
		return nil
	}
	return d.Private.Idempotency
}

// setAnswer stores the result of a transfer. write encodes its body; it is nil for the job that resumes transfers.
func setAnswer(tx *store.Tx, org string, d store.TransferDocument, write func(*store.Tx, *txn.Answer) error) error {
	if idempotencyIn(org, d) == nil {
		return nil
	}
	answer := txn.Answer{Status: api.TransferSpace.Status, ID: answerSubject(d)}
	if write != nil {
		if err := write(tx, &answer); err != nil {
			return err
		}
	}
	tx.Answer(answer)
	return nil
}

// answerSubject returns the id in the result: that of the transferred entry, or of the transfer that is taken back.
func answerSubject(d store.TransferDocument) string {
	if d.Private.Back != nil {
		return d.Private.Back.Transfer
	}
	return d.Fields.Entry
}

// encodeArrival sets the result of a transfer as stored by the commit of its destination.
func (s *Service) encodeArrival(tx *store.Tx, p *transferPlan, answer *txn.Answer) error {
	to := p.target
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
		answer.Body, err = s.encodeTransferred(to, model, p, r.Public, head, counts)
	})
	answer.Header = map[string]string{"Etag": rest.EntityTag(rest.RecordVersion(r), answer.Body)}
	return err
}
