package store

import (
	"context"
	"slices"
)

// UnknownKeys returns the names, without prefix, of keys of this store that are not in the catalogue.
func (s *Store) UnknownKeys(ctx context.Context) ([]string, error) {
	names, err := s.Scan(ctx)
	if err != nil {
		return nil, err
	}
	find := CatalogueMatcher()
	return slices.DeleteFunc(names, func(name string) bool {
		_, known := find(name)
		return known
	}), nil
}
