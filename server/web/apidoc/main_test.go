package apidoc_test

import (
	"testing"

	"docspace.dev/wsd/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }
