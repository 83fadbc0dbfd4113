package txn

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/store/redis"
)

//go:embed commit.lua
var commitSource string

// Limits of one transaction. What touches more is decided by one record and
// tidied by a job.
const (
	MaxKeys  = 1000
	MaxBytes = 4 << 20
)

const (
	opMemory     = 10 * time.Minute
	logKept      = 1000
	eventsKept   = 1_000_000
	maxEventPart = 64 // fields and values of one stream entry
)

// program is the call of the commit script while it is put together.
type program struct {
	keys    []string
	numbers map[redis.Key]string // key -> its number in KEYS
	args    []any                // behind the number of checks
	checks  []redis.Key          // what each check is about
	guards  int                  // how many of them, from the first, are guards
	types   int                  // how many of them stand before the checks of types
	room    int                  // which of them is about the outbox; 0 = none
	use     []any                // what it does to the use of the organization: see update.account
	held    []held               // sizes of spaces that the transaction names
	sizes   []held               // and those in which it stored objects
	size    int
	prefix  string
}

func newProgram(prefix string, op redis.Key) *program {
	p := &program{numbers: map[redis.Key]string{}, prefix: prefix}
	p.number(op)
	return p
}

// number declares a key and returns its number.
func (p *program) number(key redis.Key) string {
	key = key.Whole()
	if n, ok := p.numbers[key]; ok {
		return n
	}
	p.keys = append(p.keys, p.prefix+key.Name())
	p.size += len(p.prefix) + len(key.Name())
	n := strconv.Itoa(len(p.keys))
	p.numbers[key] = n
	return n
}

// push appends one check or write: opcode, key, arguments (string, []byte or
// Key).
func (p *program) push(opcode string, key redis.Key, args ...any) {
	p.args = append(p.args, opcode, p.number(key))
	for _, arg := range args {
		switch value := arg.(type) {
		case redis.Key:
			arg = p.number(value)
		case string:
			p.size += len(value)
		case []byte:
			p.size += len(value)
		}
		p.args = append(p.args, arg)
	}
}

// check appends a check. All checks stand before the first write.
func (p *program) check(opcode string, key redis.Key, args ...any) {
	p.checks = append(p.checks, key)
	p.push(opcode, key, args...)
}

// outcome is the script's answer: all zero when the commit was made.
type outcome struct {
	lost   int  // number of the check that failed, from 1
	moved  bool // the master is another one than the preparation was written to
	replay []byte
	full   *Exceeded
}

// fits refuses a program that is beyond the limits, before anything is sent.
func (p *program) fits() error {
	if len(p.keys) > MaxKeys || p.size > MaxBytes {
		return fmt.Errorf("%w: %d keys of %d, %d bytes of %d", ErrTooLarge, len(p.keys), MaxKeys, p.size, MaxBytes)
	}
	return nil
}

// run sends the program, once. It commits only in the generation, if one is
// given. With dry, nothing is written. Without, an error is an ErrUnknown unless
// it is certain that nothing was.
func (s *Store) run(ctx context.Context, p *program, generation string, dry bool) (outcome, error) {
	if err := ctx.Err(); err != nil {
		return outcome{}, redis.Wrap(ctx, err)
	}
	mode := "commit"
	if dry {
		mode, ctx = "dry", redis.Rehearsing(ctx)
	}
	args := append([]any{mode, opMemory.Milliseconds(), generation, len(p.checks), len(p.use) + 2*len(p.sizes)}, p.use...)
	for _, h := range p.sizes {
		args = append(args, h.space, h.size)
	}
	args = append(args, p.args...)
	redis.FailBefore("commit")
	reply, err := s.RunOnce(ctx, s.commit.Hash(), s.source, p.keys, args).Slice()
	redis.FailAfter("commit")
	if err != nil && !dry {
		return outcome{}, redis.WrapCommit(ctx, err)
	}
	if err != nil {
		return outcome{}, redis.Wrap(ctx, err)
	}
	return readOutcome(reply)
}

func readOutcome(reply []any) (outcome, error) {
	if len(reply) == 0 {
		return outcome{}, redis.Corrupt("empty answer of the commit script")
	}
	switch reply[0] {
	case "ok":
		return outcome{}, nil
	case "moved":
		return outcome{moved: true}, nil
	case "lost":
		if n, ok := reply[len(reply)-1].(int64); ok && n > 0 {
			return outcome{lost: int(n)}, nil
		}
	case "replay":
		if answer, ok := reply[len(reply)-1].(string); ok && len(reply) == 2 {
			return outcome{replay: []byte(answer)}, nil
		}
	case "full":
		if exceeded, ok := readExceeded(reply); ok {
			return outcome{full: exceeded}, nil
		}
	}
	return outcome{}, redis.Corrupt("unknown answer of the commit script: %v", reply)
}
