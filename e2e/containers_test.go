package e2e

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/redis/go-redis/v9"
	"github.com/testcontainers/testcontainers-go"
	tcexec "github.com/testcontainers/testcontainers-go/exec"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

// containerTimeout limits the container operations of one test, including the first pull of an image.
const containerTimeout = 8 * time.Minute

// requireDocker skips the test with -short, without a container engine, and without an image of Redis. Where CI or
// WSD_REQUIRE_DOCKER is set, the last two fail it instead.
func requireDocker(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short runs no containers")
	}
	t.Cleanup(func() {
		if required := os.Getenv("CI") + os.Getenv("WSD_REQUIRE_DOCKER"); t.Skipped() && required != "" {
			t.Error("CI or WSD_REQUIRE_DOCKER is set, so this test must not be skipped")
		}
	})
	testcontainers.SkipIfProviderIsNotHealthy(t)
	if _, err := redisImage(); err != nil {
		t.Skip(err)
	}
}

// redisImage returns the image named by WSD_TEST_REDIS_IMAGE or else the official one. If that cannot be pulled, it
// builds an image from the local redis-server.
var redisImage = sync.OnceValues(func() (string, error) {
	if named := os.Getenv("WSD_TEST_REDIS_IMAGE"); named != "" {
		return named, nil
	}
	const official, local = "redis:7-alpine", "wsd-test-redis:local"
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return "", err
	}
	defer func() { _ = provider.Close() }()
	for _, image := range []string{official, local} {
		if _, err := provider.Client().ImageInspect(ctx, image); err == nil {
			return image, nil
		}
	}
	pulled := provider.PullImage(ctx, official)
	if pulled == nil {
		return official, nil
	}
	if out, err := exec.CommandContext(ctx, "bash", filepath.Join(root, ".ci", "redis-image"), local).CombinedOutput(); err != nil {
		return "", fmt.Errorf("no Redis image: %w; and none can be made here: %w\n%s", pulled, err, out)
	}
	return local, nil
})

// startRedis runs Redis on the network under the name redis. Its command line works with the official image and with
// one that contains only the binary.
func startRedis(ctx context.Context, t *testing.T, net *testcontainers.DockerNetwork) testcontainers.Container {
	t.Helper()
	image, err := redisImage()
	if err != nil {
		t.Fatal(err)
	}
	c, err := testcontainers.Run(ctx, image,
		network.WithNetwork([]string{"redis"}, net),
		testcontainers.WithExposedPorts("6379/tcp"),
		testcontainers.WithCmd("redis-server", "--protected-mode", "no", "--save", "", "--appendonly", "yes", "--appendfsync", "always",
			"--maxmemory-policy", "noeviction"),
		testcontainers.WithWaitStrategy(wait.ForAll(
			wait.ForLog("Ready to accept connections"),
			wait.ForListeningPort("6379/tcp").SkipInternalCheck(),
		)),
	)
	testcontainers.CleanupContainer(t, c)
	if err != nil {
		t.Fatalf("Redis from %s: %v", image, err)
	}
	return c
}

// startWSD runs the image of wsd as compose.yaml does: read-only, without capabilities, not as root.
func startWSD(ctx context.Context, t *testing.T, net *testcontainers.DockerNetwork) testcontainers.Container {
	t.Helper()
	c, err := testcontainers.Run(ctx, "",
		testcontainers.WithDockerfile(testcontainers.FromDockerfile{ContextArchive: imageContext(t), BuildLogWriter: io.Discard}),
		network.WithNetwork([]string{"wsd"}, net),
		testcontainers.WithExposedPorts("8080/tcp"),
		testcontainers.WithEnv(map[string]string{
			"WSD_REDIS_URL":  "redis://redis:6379/0",
			"WSD_SECRET":     "a secret that only this test knows",
			"WSD_PUBLIC_URL": "https://docs.example.com",
		}),
		testcontainers.WithHostConfigModifier(func(config *container.HostConfig) {
			config.ReadonlyRootfs = true
			config.CapDrop = []string{"ALL"}
			config.SecurityOpt = []string{"no-new-privileges"}
		}),
		testcontainers.WithWaitStrategyAndDeadline(time.Minute, wait.ForHTTP("/readyz").WithPort("8080/tcp")),
	)
	testcontainers.CleanupContainer(t, c)
	if err != nil {
		t.Fatalf("wsd: %v%s", err, logs(ctx, c))
	}
	return c
}

func logs(ctx context.Context, c testcontainers.Container) string {
	if c == nil {
		return ""
	}
	r, err := c.Logs(ctx)
	if err != nil {
		return ""
	}
	defer r.Close()
	text, _ := io.ReadAll(r)
	return "\n" + string(text)
}

// imageContext returns a build context that needs no registry: the last stage of the Dockerfile with a tar of the
// files that the first stage would build.
func imageContext(t *testing.T) io.ReadSeeker {
	t.Helper()
	dockerfile, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	const copied = "COPY --from=build --chown=65532:65532 /rootfs/ /\n"
	_, last, found := strings.Cut(string(dockerfile), "\nFROM scratch\n")
	if !found || strings.Count(last, copied) != 1 {
		t.Fatal("the Dockerfile has no last stage that copies /rootfs/ once")
	}
	last = "FROM scratch\n" + strings.Replace(last, copied, "ADD rootfs.tar /\n", 1)

	wsd, err := os.ReadFile(binary(t, "wsd"))
	if err != nil {
		t.Fatal(err)
	}
	rootfs := archive(t,
		file{"wsd", 0o755, wsd},
		file{"data/", 0o700, nil},
		file{"tmp/", 0o1777, nil},
		file{"etc/passwd", 0o644, []byte("wsd:x:65532:65532:wsd:/data:/sbin/nologin\n")},
	)
	return bytes.NewReader(archive(t, file{"Dockerfile", 0o644, []byte(last)}, file{"rootfs.tar", 0o644, rootfs}))
}

type file struct {
	name    string // path of a file, or of a directory if it ends with a slash
	mode    int64
	content []byte
}

func archive(t *testing.T, files ...file) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Uid: 65532, Gid: 65532, Size: int64(len(f.content))}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// runInContainer runs a command in a container and returns its output. It fails the test if the exit code is not 0.
func runInContainer(ctx context.Context, t *testing.T, c testcontainers.Container, command ...string) string {
	t.Helper()
	code, r, err := c.Exec(ctx, command, tcexec.Multiplexed())
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	out, err := io.ReadAll(r)
	if err != nil || code != 0 {
		t.Fatalf("%v: status %d, %v\n%s", command, code, err, out)
	}
	return string(out)
}

func newPrivateNetwork(ctx context.Context, t *testing.T) *testcontainers.DockerNetwork {
	t.Helper()
	net, err := network.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	testcontainers.CleanupNetwork(t, net)
	return net
}

func endpoint(ctx context.Context, t *testing.T, c testcontainers.Container, port, scheme string) string {
	t.Helper()
	url, err := c.PortEndpoint(ctx, port, scheme)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func TestRedisContainer(t *testing.T) {
	t.Parallel()
	requireDocker(t)
	ctx, cancel := context.WithTimeout(t.Context(), containerTimeout)
	defer cancel()
	c := startRedis(ctx, t, newPrivateNetwork(ctx, t))
	rdb := redis.NewClient(&redis.Options{Addr: endpoint(ctx, t, c, "6379/tcp", "")})
	defer func() { _ = rdb.Close() }()
	if err := rdb.Ping(ctx).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestContainersKeepAcknowledgedWrites writes a page through the shipped image with the real wsctl, then kills the
// server and Redis. The page is still there, byte for byte.
func TestContainersKeepAcknowledgedWrites(t *testing.T) {
	t.Parallel()
	requireDocker(t)
	ctx, cancel := context.WithTimeout(t.Context(), containerTimeout)
	defer cancel()
	net := newPrivateNetwork(ctx, t)
	rdb := startRedis(ctx, t, net)
	first := startWSD(ctx, t, net)
	runInContainer(ctx, t, first, "/wsd", "ready", "--for", "read") // health check of compose.yaml
	if user := imageConfig(ctx, t, first).User; user != "65532:65532" {
		t.Errorf("the image runs as %q", user)
	}

	var made struct {
		Token string `json:"token"`
	}
	out := runInContainer(ctx, t, first, "/wsd", "init", "--user", "admin@example.com", "--org", "docs", "-o", "json")
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&made); err != nil || made.Token == "" { // the line of the log follows
		t.Fatalf("wsd init printed %q: %v", out, err)
	}
	admin := client{binary(t, "wsctl"), endpoint(ctx, t, first, "8080/tcp", "http"), made.Token, t.TempDir()}
	const text = "# Kettle\n\nDescale it in *March*.\r\n\r\nNo final newline"
	space, page := writePage(ctx, t, admin, text)

	if err := testcontainers.TerminateContainer(first, testcontainers.StopTimeout(0)); err != nil {
		t.Fatal(err)
	}
	second := startWSD(ctx, t, net)
	admin.url = endpoint(ctx, t, second, "8080/tcp", "http")
	if got := readPage(ctx, t, admin, space, page); got != text {
		t.Errorf("after the server was killed the page reads %q, want %q", got, text)
	}

	restart(ctx, t, rdb)
	if got := readPage(ctx, t, admin, space, page); got != text {
		t.Errorf("after Redis was killed the page reads %q, want %q", got, text)
	}
	runInContainer(ctx, t, second, "/wsd", "fsck")
}

// writePage creates a page in a new space through a change request and returns the ids of both.
func writePage(ctx context.Context, t *testing.T, c client, text string) (space, page string) {
	t.Helper()
	operations, err := json.Marshal(map[string]any{"changes": []any{
		map[string]any{"operation": "insert_page", "title": "Kettle", "document": map[string]any{"markdown": text}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	space = c.runWord(ctx, t, "spaces", "create", "--title", "Kitchen", "-o", "json", "--jq", ".id")
	request := c.runWord(ctx, t, "change-requests", "create", "--space", space, "--subject", "Kettle", "-o", "json", "--jq", ".number")
	c.run(ctx, t, string(operations), "change-request-content", "edit", "--space", space, "--change-request", request, "-F", "-")
	c.run(ctx, t, "", "change-requests", "merge", request, "--space", space)
	page = c.runWord(ctx, t, "content", "list-pages", "--space", space, "-o", "json", "--jq", ".pages[0].id")
	return space, page
}

func readPage(ctx context.Context, t *testing.T, c client, space, page string) string {
	t.Helper()
	return c.run(ctx, t, "", "content", "get-page", page, "--space", space, "--raw")
}

// restart kills a container with SIGKILL and starts it again with the same files.
func restart(ctx context.Context, t *testing.T, c testcontainers.Container) {
	t.Helper()
	timeout := time.Duration(0)
	if err := c.Stop(ctx, &timeout); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

func imageConfig(ctx context.Context, t *testing.T, c testcontainers.Container) *container.Config {
	t.Helper()
	state, err := c.Inspect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return state.Config
}
