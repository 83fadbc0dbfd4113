package app

import (
	"cmp"
	"runtime/debug"
)

// released is the version of a release: `make release` sets it.
var released string

// Version is that of the release, else what the build recorded of the module.
func Version() string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		recorded = info.Main.Version
	}
	return cmp.Or(released, recorded, "(devel)")
}
