package revision

import (
	"context"
	"errors"
	"slices"
	"testing"

	"docspace.dev/wsd/store/objects"
)

var errNoObject = errors.New("no object")

// emptySource is an objects.Source without objects. It records the hashes of the reads.
type emptySource struct{ reads []string }

func (s *emptySource) ReadObjects(_ context.Context, _ string, hashes []string) (map[string]objects.Object, error) {
	s.reads = append(s.reads, hashes...)
	return nil, errNoObject
}

func (s *emptySource) FetchObjects(_ context.Context, _ string, hashes []string) ([]objects.FetchResult, error) {
	s.reads = append(s.reads, hashes...)
	return nil, errNoObject
}

// TestVersionsAreReadInOrder checks that the versions of a merge are read in a fixed order, so that the same damage always
// gives the same error.
func TestVersionsAreReadInOrder(t *testing.T) {
	t.Parallel()
	revisions := [3]Revision{{Pages: "base"}, {Pages: "ours"}, {Pages: "theirs"}}
	for first := range revisions {
		for range 20 {
			source := &emptySource{}
			_, err := New(nil, 1<<20).Versions(t.Context(), objects.NewContent(source, "s_1"), revisions, nil)
			if want := []string{revisions[first].Pages}; !errors.Is(err, errNoObject) || !slices.Equal(source.reads, want) {
				t.Fatalf("reads %q, error %v, want only the reads %q", source.reads, err, want)
			}
		}
		revisions[first].Pages = "" // an empty tree is not read
	}
}
