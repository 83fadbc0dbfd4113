package servertest

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// NewNode returns a world without people on a shared Redis. Within a synctest bubble it uses the time of the bubble.
func NewNode(t *testing.T, emulation *miniredis.Miniredis, change ...func(*server.Options)) *World {
	t.Helper()
	return newNode(t, store.Config{Memory: true, Emulation: emulation}, change...)
}

// NewNodeWithSecrets returns a world without people on a shared Redis, with a server secret and an encryption key.
func NewNodeWithSecrets(t *testing.T, config store.Config, secret, key redis.Secret) *World {
	t.Helper()
	config.Memory, config.Secrets = true, []redis.Secret{secret, key}
	return newNode(t, config, func(o *server.Options) {
		o.Secret, o.OldSecret, o.Key, o.OldKey = secret.Value, secret.Old, key.Value, key.Old
	})
}

func newNode(t *testing.T, config store.Config, change ...func(*server.Options)) *World {
	t.Helper()
	w := &World{T: t, Users: map[string]api.UserFields{}, Tokens: map[string]string{}}
	config.Model = access.NewModel
	var err error
	w.Store, err = store.Open(t.Context(), config)
	w.Must(err)
	opened := w.Store // the function does not keep the world in memory
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	options := server.Options{
		Store: w.Store, PublicURL: PublicURL, Secret: []byte(ServerSecret),
		Log: slog.New(slog.NewTextHandler(TestLog{T: t}, &slog.HandlerOptions{Level: slog.LevelError})), Version: "test",
	}
	for _, apply := range change {
		apply(&options)
	}
	w.Server, err = server.New(options)
	w.Must(err)
	w.Handler = w.Server.Handler()
	return w
}

// NewNodes returns nodes that share a Redis and people.
func NewNodes(t *testing.T, count int, change ...func(*server.Options)) (nodes []*World) {
	t.Helper()
	emulation := miniredis.NewMiniRedis()
	emulation.ClockTTL(true)
	for range count {
		nodes = append(nodes, NewNode(t, emulation, change...))
	}
	w := nodes[0]
	w.People()
	w.Schema = EmittedDocument(t, w.Handler)
	for _, other := range nodes[1:] {
		other.Org, other.OtherOrg, other.Users, other.Tokens, other.Schema = w.Org, w.OtherOrg, w.Users, w.Tokens, w.Schema
	}
	return nodes
}

// StartJobs runs due jobs on nodes until stop is called.
func StartJobs(t *testing.T, nodes []*World) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, node := range nodes {
		running.Go(func() { node.Server.RunJobs(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}
