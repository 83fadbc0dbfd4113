package store

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"
)

// OpenOn opens a store on a shared emulation. edit changes the source of the commit script.
func OpenOn(ctx context.Context, server *miniredis.Miniredis, config Config, edit func(source string) string) (*Store, error) {
	config.Memory, config.Emulation = true, server
	return open(ctx, config, edit)
}

//go:embed txn/put.lua
var putSource string

// StoresObjects reports whether a command runs the script that stores objects.
func StoresObjects(command goredis.Cmder) bool {
	args := command.Args()
	return command.Name() == "evalsha" && args[1] == goredis.NewScript(putSource).Hash() || command.Name() == "eval" && args[1] == putSource
}

//go:embed txn/claim.lua
var claimSource string

// AcceptClaim makes the reply to a command that claims a name that of a free name. Other commands are unchanged.
func AcceptClaim(command goredis.Cmder) {
	args := command.Args()
	if reply, ok := command.(*goredis.Cmd); ok && command.Name() == "eval" && args[1] == claimSource {
		reply.SetVal([]any{fmt.Sprint(args[4], " 1"), "1"})
	}
}
