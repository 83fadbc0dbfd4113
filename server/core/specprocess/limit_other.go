//go:build !unix

package specprocess

import "time"

// limitCPU does nothing on systems without a limit of CPU time.
func limitCPU(time.Duration) error { return nil }
