//go:build unix

package specprocess

import (
	"syscall"
	"time"
)

// limitCPU sets the CPU time after which the kernel kills this process, in whole seconds.
func limitCPU(most time.Duration) error {
	seconds := uint64(max(most/time.Second, 1))
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
}
