package main

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// shownRootTokens is how many tokens `wsd doctor` names: the oldest.
const shownRootTokens = 50

// rootTokens are the tokens that nothing bounds: each works until somebody revokes it.
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

// listRootTokens finds them; nil where there are none.
func listRootTokens(ctx context.Context, s *store.Store) (*rootTokens, error) {
	roots, count, err := s.RootTokens(ctx, shownRootTokens)
	if err != nil || count == 0 {
		return nil, err
	}
	found := &rootTokens{Count: count}
	for _, t := range roots {
		found.Oldest = append(found.Oldest, rootToken(t))
	}
	return found, nil
}

// print names them. Names are quoted: they are what users typed.
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
