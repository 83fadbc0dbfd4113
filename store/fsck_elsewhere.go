package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// elsewhere checks what records imply on other slots: places in superset indexes,
// and claims of hostnames. Without the first somebody does not find what is theirs,
// without the second a hostname could be given away twice.
func (in *inspection) elsewhere(ctx context.Context, want *expectation) error {
	for page := range slices.Chunk(want.places, chunkFields) {
		if err := in.places(ctx, page); err != nil {
			return err
		}
	}
	for _, claim := range want.claims {
		held, ok, err := in.store.Claim(ctx, claim.key)
		switch {
		case err != nil:
			return err
		case !ok:
			in.add(claim.key.Name(), "", fmt.Sprintf("the hostname of %s is not claimed", claim.member), func(ctx context.Context) error { return in.claim(ctx, claim) })
		case held.Owner != claim.member:
			in.add(claim.key.Name(), "", fmt.Sprintf("the hostname of %s is claimed by %s", claim.member, held.Owner), nil)
		}
	}
	return nil
}

// places checks places in superset indexes.
func (in *inspection) places(ctx context.Context, places []registration) error {
	pipe, found := in.store.Client.Pipeline(), make([]*goredis.FloatCmd, len(places))
	for i, place := range places {
		found[i] = pipe.ZScore(ctx, in.store.Name(place.index), place.member)
	}
	if err := redis.Execute(ctx, "fsck.places", pipe); err != nil {
		return err
	}
	for i, place := range places {
		if errors.Is(found[i].Err(), goredis.Nil) {
			in.add(place.index.Name(), place.member, "is not in the index", func(ctx context.Context) error { return in.store.register(ctx, place) })
		}
	}
	return nil
}

// claim claims a name that nobody has.
func (in *inspection) claim(ctx context.Context, claim slot) error {
	value := claim.member + " " + strconv.FormatInt(in.store.Now().UnixMilli(), 10)
	redis.FailBefore("fsck.claim")
	taken, err := in.store.Client.SetNX(ctx, in.store.Name(claim.key), value, 0).Result()
	redis.FailAfter("fsck.claim")
	if err == nil && !taken {
		err = ErrExists
	}
	return redis.Wrap(ctx, err)
}

// noteElsewhere remembers what a record implies on other slots.
func (w *expectation) noteElsewhere(kind, id string, found Record) error {
	switch kind {
	case "mem":
		w.places = append(w.places, registration{index: UserOrganizationsKey(id), member: w.org})
	case "org":
		var d OrganizationDocument
		if err := d.Decode(found); err != nil {
			return err
		}
		for _, domain := range d.Fields.EmailDomains {
			w.places = append(w.places, registration{index: DomainKey(domain), member: w.org})
		}
		w.noteHostname(d.Fields.Hostname, w.org)
	case "site":
		var d SiteDocument
		if err := d.Decode(found); err != nil {
			return err
		}
		w.noteHostname(d.Fields.Hostname, w.org+"-"+id)
	}
	return nil
}

func (w *expectation) noteHostname(hostname, owner string) {
	if hostname != "" {
		w.claims = append(w.claims, slot{HostnameKey(hostname), owner})
	}
}
