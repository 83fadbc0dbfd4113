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

// Limits of one transaction. Larger changes commit one record and leave the cleanup to a job.
const (
	MaxKeys  = 1000
	MaxBytes = 4 << 20
)

const (
	opRetention   = 10 * time.Minute
	maxLogEntries = 1000
	// DefaultMaxEvents is the default number of events kept of each organization, user and integration.
	DefaultMaxEvents = 1_000_000
	maxEventPart     = 64 // fields and values of one stream entry
)

// program is a call of the commit script while it is assembled.
type program struct {
	keys              []string
	keyIndexes        map[redis.Key]string // key -> its index in KEYS
	args              []any                // arguments after the number of checks
	checks            []redis.Key          // key of each check
	guardCount        int                  // number of guards, which are the first checks
	checksBeforeTypes int                  // number of checks before the type checks
	outboxCheck       int                  // number of the outbox check; 0 = none
	usage             []any                // changes to the organization's usage: see update.account
	contentSizes      []contentSize        // content sizes that the transaction sets
	sizes             []contentSize        // sizes of the spaces in which the transaction stored objects
	size              int
	prefix            string
}

func newProgram(prefix string, op redis.Key) *program {
	p := &program{keyIndexes: map[redis.Key]string{}, prefix: prefix}
	p.keyIndex(op)
	return p
}

// keyIndex adds a key to KEYS if necessary and returns its index.
func (p *program) keyIndex(key redis.Key) string {
	key = key.WithoutField()
	if n, ok := p.keyIndexes[key]; ok {
		return n
	}
	p.keys = append(p.keys, p.prefix+key.Name())
	p.size += len(p.prefix) + len(key.Name())
	n := strconv.Itoa(len(p.keys))
	p.keyIndexes[key] = n
	return n
}

// push appends one check or write. Arguments are of type string, []byte or Key.
func (p *program) push(opcode string, key redis.Key, args ...any) {
	p.args = append(p.args, opcode, p.keyIndex(key))
	for _, arg := range args {
		switch value := arg.(type) {
		case redis.Key:
			arg = p.keyIndex(value)
		case string:
			p.size += len(value)
		case []byte:
			p.size += len(value)
		}
		p.args = append(p.args, arg)
	}
}

// check appends a check. All checks precede the first write.
func (p *program) check(opcode string, key redis.Key, args ...any) {
	p.checks = append(p.checks, key)
	p.push(opcode, key, args...)
}

// outcome is the script's reply. It is zero if the transaction was committed.
type outcome struct {
	failedCheck   int  // number of the failed check, from 1
	masterChanged bool // the preparation was written to another master
	replay        []byte
	quotaError    *QuotaError
}

// checkSize returns ErrTooLarge if the program exceeds the limits. It is called before anything is sent.
func (p *program) checkSize() error {
	if len(p.keys) > MaxKeys || p.size > MaxBytes {
		return fmt.Errorf("%w: %d keys of %d, %d bytes of %d", ErrTooLarge, len(p.keys), MaxKeys, p.size, MaxBytes)
	}
	return nil
}

// sendScript sends the program once. If generation is not empty, the script commits only in that generation. If dry is set,
// nothing is written; otherwise an error is an ErrUnknown unless it is certain that nothing was written.
func (s *Store) sendScript(ctx context.Context, p *program, generation string, dry bool) (outcome, error) {
	if err := ctx.Err(); err != nil {
		return outcome{}, redis.Wrap(ctx, err)
	}
	mode := "commit"
	if dry {
		mode, ctx = "dry", redis.WithDryRun(ctx)
	}
	args := append([]any{mode, opRetention.Milliseconds(), generation, len(p.checks), len(p.usage) + 2*len(p.sizes)}, p.usage...)
	for _, h := range p.sizes {
		args = append(args, h.space, h.size)
	}
	args = append(args, p.args...)
	redis.FailBefore("commit")
	reply, err := s.RunOnce(ctx, s.commitScript.Hash(), s.commitSource, p.keys, args).Slice()
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
		return outcome{masterChanged: true}, nil
	case "lost":
		if n, ok := reply[len(reply)-1].(int64); ok && n > 0 {
			return outcome{failedCheck: int(n)}, nil
		}
	case "replay":
		if answer, ok := reply[len(reply)-1].(string); ok && len(reply) == 2 {
			return outcome{replay: []byte(answer)}, nil
		}
	case "full":
		if exceeded, ok := readQuotaError(reply); ok {
			return outcome{quotaError: exceeded}, nil
		}
	}
	return outcome{}, redis.Corrupt("unknown answer of the commit script: %v", reply)
}
