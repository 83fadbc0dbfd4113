package main

import (
	"context"
	"fmt"
	"io"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// shownRootTokens is how many tokens `wsd doctor` names: the oldest.
const shownRootTokens = 50

// listRootTokens names the tokens that nothing bounds: each works until somebody revokes it. Names are quoted: they are
// what users typed.
func listRootTokens(ctx context.Context, w io.Writer, s *store.Store) error {
	roots, count, err := s.RootTokens(ctx, shownRootTokens)
	if err != nil || count == 0 {
		return err
	}
	fmt.Fprintf(w, "%-6s  %-22s %d never expire and end with no other\n", redis.VerdictInfo, "tokens", count)
	for _, t := range roots {
		fmt.Fprintf(w, "%-6s  %-22s %s of %s, %q, made %s\n", "", "", t.ID, t.User, t.Name, t.MadeAt)
	}
	if more := count - len(roots); more > 0 {
		fmt.Fprintf(w, "%-6s  %-22s and %d more\n", "", "", more)
	}
	_, err = fmt.Fprintf(w, "%-6s  %-22s give tokens an end (expiresAt), rotate them, and delete those that nobody uses\n", "", "")
	return err
}
