package lifecycle

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// transferSides holds the records of a transfer in its two organizations. Each contains the events of its side, and
// both together determine the state.
type transferSides struct {
	own, other store.TransferredDocument
	record     txn.Record // stored form of own
	readAt     time.Time  // time at which deadlines are evaluated
}

func (t *transferSides) fields() *api.TransferFields { return &t.own.Fields }

// status returns the state of the transfer, derived from the states of both organizations.
func (t *transferSides) status() api.TransferState {
	given, taken := t.own.Private.State, t.other.Private.State // states in the giving and the receiving organization
	if t.own.Fields.Direction == api.TransferIn {
		given, taken = taken, given
	}
	switch {
	case given == api.TransferTakenBack || taken == api.TransferTakenBack:
		return api.TransferTakenBack
	case given != "":
		return given
	case taken == api.TransferReturned:
		return taken
	case !t.readAt.Before(t.own.Fields.TakeBackUntil.Time):
		return api.TransferFinal
	case taken != "":
		return taken
	}
	return api.TransferOpen
}

// otherSide returns the id of the other organization of a transfer.
func otherSide(f api.TransferFields) string {
	if f.Direction == api.TransferIn {
		return f.From
	}
	return f.To
}

// loadTransfer reads both records of a transfer.
func (s *Service) loadTransfer(ctx context.Context, org, id string) (*transferSides, error) {
	found, err := s.loadTransfers(ctx, org, []string{id})
	if err != nil || found[id] == nil {
		return nil, rest.NotFoundIfNil(err)
	}
	return found[id], nil
}

// loadTransfers reads transfers in two trips: the records of the organization and those of the other organizations.
func (s *Service) loadTransfers(ctx context.Context, org string, ids []string) (map[string]*transferSides, error) {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.TransferredKey(org, id) })
	if err != nil {
		return nil, err
	}
	found, there := map[string]*transferSides{}, make([]string, 0, len(records))
	for id, r := range records {
		t := &transferSides{record: r, readAt: s.Clock()}
		if err := t.own.Decode(r); err != nil {
			return nil, err
		}
		found[id], there = t, append(there, id)
	}
	others, err := rest.ReadRecords(ctx, s.Store, there, func(id string) redis.Key {
		return store.TransferredKey(otherSide(found[id].own.Fields), id)
	})
	if err != nil {
		return nil, err
	}
	for id, r := range others {
		if err := found[id].other.Decode(r); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (s *Service) listTransfers(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListTransfersInput,
) rest.Finish[api.Page[api.TransferRecord]] {
	w := r.NewPager(in.ListOptions, false)
	index := store.TransfersKey(in.Organization)
	members, count := b.Range(index, w.After, w.Size+1, false), b.Cardinality(index)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.TransferRecord]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		ids := members.Value()
		page, next := w.Cut(ids)
		found, err := s.loadTransfers(ctx, in.Organization, page)
		if err != nil {
			return none, err
		}
		items := make([][]byte, 0, len(page))
		for _, id := range page {
			if t := found[id]; t != nil {
				item, err := s.encodeTransfer(c, t)
				if err != nil {
					return none, err
				}
				items = append(items, item)
			}
		}
		total := count.Value()
		return rest.PageOf[api.TransferRecord](items, int(total), next)
	}
}

func (s *Service) getTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (rest.Result[api.TransferRecord], error) {
	t, err := s.loadTransfer(ctx, in.Organization, in.Transfer)
	if err != nil {
		return rest.Result[api.TransferRecord]{}, err
	}
	return s.transferResult(c, t)
}

// transferResult returns the response with a transfer. Its version combines those of both records, because the other
// organization changes the transfer without a write here.
func (s *Service) transferResult(c *rest.Call, t *transferSides) (rest.Result[api.TransferRecord], error) {
	data, err := s.encodeTransfer(c, t)
	return rest.Result[api.TransferRecord]{JSON: data, ID: t.own.Fields.ID}.WithVersion(rest.RecordVersion(t.record)), err
}

func (s *Service) encodeTransfer(c *rest.Call, t *transferSides) (data []byte, err error) {
	fields := t.own.Fields
	if fields.AskedAt.IsZero() {
		fields.AskedAt = t.other.Fields.AskedAt
	}
	public, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	asked := cmp.Or(t.own.Private.Asked, t.other.Private.Asked)
	c.Access(func(model *access.Model) {
		o := rest.ExtendObject(public).Set("state", t.status()).Set("transferredBy", s.View.Person(model, t.own.Private.User))
		if asked != "" {
			o = o.Set("askedBy", s.View.Person(model, asked))
		}
		data, err = o.Set("urls", api.LocationURLs{Location: s.PublicURL + "/v1/orgs/" + c.Org + "/transfers/" + fields.ID}).Bytes()
	})
	return data, err
}

// encodeTakenBack sets the result of a take-back as stored by the commit of the caller's organization.
func (s *Service) encodeTakenBack(c *rest.Call, tx *store.Tx, id string, answer *txn.Answer) error {
	d, err := tx.Transferred(c.Org, id)
	if err != nil {
		return err
	}
	if answer.Body, err = s.encodeTransfer(c, &transferSides{own: d}); err == nil {
		answer.Header = map[string]string{"Etag": rest.EntityTag(rest.RecordVersion(txn.Record{Version: d.Version}), answer.Body)}
	}
	return err
}
