package txn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"docspace.dev/wsd/store/redis"
)

// Idempotency makes a commit replay its first answer to a repeated request.
type Idempotency struct {
	Key         string // hash of principal, operation and the caller's key; see ValidID
	Fingerprint string // hash of the request
	Save        bool   // save the body; false for answers that contain a secret
}

const (
	idempotencyRetention = 24 * time.Hour
	defaultMaxSavedBody  = 8 << 10 // bytes
)

// Answer is the answer of a commit, which is replayed to repeated requests.
type Answer struct {
	Status int
	Header map[string]string
	ID     string // resource created or changed; saved even without the body
	Body   []byte
}

// ReplayError is the error of an Update whose idempotency key already has an answer. The closure did not run, or its
// writes were discarded.
type ReplayError struct {
	Fingerprint string // fingerprint of the first request, for the caller to compare
	Answer      Answer
	Saved       bool // whether Answer has its body
}

// Error implements error.
func (r *ReplayError) Error() string {
	return fmt.Sprintf("store: answered before with status %d", r.Answer.Status)
}

// savedAnswer is the first line of the stored form; the body follows it.
type savedAnswer struct {
	Fingerprint string            `json:"fingerprint"`
	Status      int               `json:"status"`
	Header      map[string]string `json:"header,omitempty"`
	ID          string            `json:"id,omitempty"`
	Saved       bool              `json:"saved"`
}

// encodeAnswer returns the stored form of an answer. If save is false, only status, id and header are saved.
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

// decodeAnswer parses the stored form.
func decodeAnswer(data []byte) (*ReplayError, error) {
	head, body, found := bytes.Cut(data, []byte{'\n'})
	var saved savedAnswer
	if err := json.Unmarshal(head, &saved); err != nil || !found {
		return nil, redis.Corrupt("saved answer of an idempotency key")
	}
	return &ReplayError{
		Fingerprint: saved.Fingerprint,
		Answer:      Answer{Status: saved.Status, Header: saved.Header, ID: saved.ID, Body: body},
		Saved:       saved.Saved,
	}, nil
}
