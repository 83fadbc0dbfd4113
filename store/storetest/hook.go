package storetest

import (
	"context"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// SingleSlotHook returns a hook that fails the test if the keys of one command, or of one MULTI, are in different slots, which
// works on a single server and fails on a Cluster.
func SingleSlotHook(t testing.TB) goredis.Hook { return slotHook{t} }

type slotHook struct{ t testing.TB }

func (s slotHook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (s slotHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		s.check(command)
		return next(ctx, command)
	}
}

func (s slotHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		for _, command := range commands {
			s.check(command)
		}
		if len(commands) > 0 && commands[0].Name() == "multi" {
			s.check(commands...)
		}
		return next(ctx, commands)
	}
}

// check fails the test unless all keys are in one slot.
func (s slotHook) check(commands ...goredis.Cmder) {
	first, slot := "", -1
	for _, command := range commands {
		for _, key := range keys(command) {
			switch at := Slot(key); {
			case slot < 0:
				first, slot = key, at
			case at != slot:
				s.t.Errorf("%s spans slots: %q and %q", command.Name(), first, key)
				return
			}
		}
	}
}

// keylessCommands are the commands that the store sends without a key.
const keylessCommands = " hello ping info time config script cluster client select auth multi exec scan dbsize command "

// keys returns the keys of a command.
func keys(command goredis.Cmder) []string {
	args := make([]string, len(command.Args()))
	for i, arg := range command.Args() {
		switch value := arg.(type) {
		case string:
			args[i] = value
		case int:
			args[i] = strconv.Itoa(value)
		}
	}
	switch name := command.Name(); {
	case len(args) < 2 || strings.Contains(keylessCommands, " "+name+" "):
		return nil
	case name == "eval" || name == "evalsha":
		count, _ := strconv.Atoi(args[2])
		return args[3 : 3+count]
	case name == "del" || name == "unlink" || name == "exists" || name == "mget":
		return args[1:]
	case name == "memory":
		return args[2:3]
	default:
		return args[1:2]
	}
}

// Slot returns the Cluster slot of a key.
func Slot(key string) int {
	if _, rest, found := strings.Cut(key, "{"); found {
		if tag, _, closed := strings.Cut(rest, "}"); closed && tag != "" {
			key = tag
		}
	}
	crc := uint16(0)
	for _, c := range []byte(key) {
		crc ^= uint16(c) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc % 16384)
}

// Trips is a hook that counts round trips: commands and pipelines.
type Trips struct{ count atomic.Int64 }

// Count returns the number of trips since the last call.
func (n *Trips) Count() int { return int(n.count.Swap(0)) }

// DialHook implements redis.Hook.
func (n *Trips) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements redis.Hook.
func (n *Trips) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		n.count.Add(1)
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (n *Trips) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		n.count.Add(1)
		return next(ctx, commands)
	}
}
