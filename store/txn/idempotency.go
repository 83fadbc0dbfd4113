package txn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"docspace.dev/wsd/store/redis"
)

// Idempotency makes a commit answer a repeated request as it answered the first.
type Idempotency struct {
	Key         string // hash of principal, operation and the caller's key; see ValidID
	Fingerprint string // hash of the request
	Save        bool   // save the body; false for answers with a secret in them
}

const (
	idempotencyMemory = 24 * time.Hour
	defaultKeptAnswer = 8 << 10
)

// Answer is what a commit answers: what an idempotent repeat gets.
type Answer struct {
	Status int
	Header map[string]string
	ID     string // what was made or changed; kept even where the body is not
	Body   []byte
}

// Replay is the error of an Update whose idempotency key has an answer already.
// The closure did not run, or its writes were dropped.
type Replay struct {
	Fingerprint string // of the first request; the caller compares
	Answer      Answer
	Saved       bool // whether the answer has its body
}

// Error implements error.
func (r *Replay) Error() string {
	return fmt.Sprintf("store: answered before with status %d", r.Answer.Status)
}

// savedAnswer is the first line of the stored form; the body stands behind it.
type savedAnswer struct {
	Fingerprint string            `json:"fingerprint"`
	Status      int               `json:"status"`
	Header      map[string]string `json:"header,omitempty"`
	ID          string            `json:"id,omitempty"`
	Saved       bool              `json:"saved"`
}

// encodeAnswer returns the stored form of an answer. With save false, only
// status, id and header are kept.
func encodeAnswer(fingerprint string, answer Answer, save bool) ([]byte, error) {
	head, err := json.Marshal(savedAnswer{fingerprint, answer.Status, answer.Header, answer.ID, save})
	if err != nil {
		return nil, fmt.Errorf("store: encode answer: %w", err)
	}
	head = append(head, '\n')
	if save {
		head = append(head, answer.Body...)
	}
	return head, nil
}

// decodeAnswer reads the stored form.
func decodeAnswer(data []byte) (*Replay, error) {
	head, body, found := bytes.Cut(data, []byte{'\n'})
	var saved savedAnswer
	if err := json.Unmarshal(head, &saved); err != nil || !found {
		return nil, redis.Corrupt("saved answer of an idempotency key")
	}
	return &Replay{
		Fingerprint: saved.Fingerprint,
		Answer:      Answer{Status: saved.Status, Header: saved.Header, ID: saved.ID, Body: body},
		Saved:       saved.Saved,
	}, nil
}
