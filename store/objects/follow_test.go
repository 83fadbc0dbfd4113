package objects

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// recordingSource records how many objects are fetched at once.
type recordingSource struct {
	mapSource
	fetched []int
}

func (s *recordingSource) FetchObjects(ctx context.Context, space string, hashes []string) ([]FetchResult, error) {
	s.fetched = append(s.fetched, len(hashes))
	return s.mapSource.FetchObjects(ctx, space, hashes)
}

// TestFollowReadsPagesOfGivenSize checks that Follow reads and visits every object once, no more of them at once than given.
func TestFollowReadsPagesOfGivenSize(t *testing.T) {
	t.Parallel()
	objects := mapSource{}
	var leaves []string
	for n := range 7 {
		blob := NewBlob(fmt.Append(nil, n))
		objects[blob.Hash] = FetchResult{Object: blob}
		leaves = append(leaves, blob.Hash)
	}
	root := NewNode(append(leaves, leaves[0]), []byte("root"))
	objects[root.Hash] = FetchResult{Object: root}
	for size, want := range map[int][]int{1: {1, 1, 1, 1, 1, 1, 1, 1}, 3: {1, 3, 3, 1}, 64: {1, 7}} {
		source := &recordingSource{mapSource: objects}
		var visited []string
		reached, err := Follow(t.Context(), source, "s_1", []string{root.Hash}, size, func(page []string, found []FetchResult) error {
			if len(found) != len(page) {
				t.Errorf("size %d: %d objects of %d", size, len(found), len(page))
			}
			visited = append(visited, page...)
			return nil
		})
		if err != nil || len(reached) != len(objects) || !slices.Equal(source.fetched, want) {
			t.Errorf("size %d: reached %d in steps of %v, %v; want steps of %v", size, len(reached), source.fetched, err, want)
		}
		if all := append([]string{root.Hash}, leaves...); !slices.Equal(visited, all) {
			t.Errorf("size %d: visited %v, want %v", size, visited, all)
		}
	}
}
