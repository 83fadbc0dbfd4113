package main

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// maxRootTokens is the maximum number of root tokens that the doctor lists, oldest first.
const maxRootTokens = 50

// rootTokens describes the tokens that have no expiry and no parent token: they are valid until revoked.
type rootTokens struct {
	Count  int         `json:"count"`
	Oldest []rootToken `json:"oldest"`
}

type rootToken struct {
	ID     string   `json:"id"`
	User   string   `json:"user"`
	Name   string   `json:"name"`
	MadeAt api.Time `json:"madeAt"`
}

// listRootTokens returns the root tokens, or nil if there are none.
func listRootTokens(ctx context.Context, s *store.Store) (*rootTokens, error) {
	roots, count, err := s.RootTokens(ctx, maxRootTokens)
	if err != nil || count == 0 {
		return nil, err
	}
	found := &rootTokens{Count: count}
	for _, t := range roots {
		found.Oldest = append(found.Oldest, rootToken(t))
	}
	return found, nil
}

// print writes the tokens by line. It quotes their names, which are user input.
func (t *rootTokens) print(line func(verdict redis.Verdict, name, message string)) {
	if t == nil {
		return
	}
	line(redis.VerdictInfo, "tokens", fmt.Sprintf("%d never expire and end with no other", t.Count))
	for _, one := range t.Oldest {
		line("", "", fmt.Sprintf("%s of %s, %q, made %s", one.ID, one.User, one.Name, one.MadeAt))
	}
	if more := t.Count - len(t.Oldest); more > 0 {
		line("", "", fmt.Sprintf("and %d more", more))
	}
	line("", "", "give tokens an end (expiresAt), rotate them, and delete those that nobody uses")
}
