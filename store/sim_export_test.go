package store

import (
	"context"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/txn"
)

// OpenOn opens a store on a shared emulation. edit changes the source of the commit script.
func OpenOn(ctx context.Context, server *miniredis.Miniredis, config Config, edit func(source string) string) (*Store, error) {
	config.Memory, config.Emulation = true, server
	return open(ctx, config, edit)
}

// StoresObjects reports whether a command runs the script that stores objects.
func StoresObjects(command goredis.Cmder) bool { return txn.StoresObjects(command) }
