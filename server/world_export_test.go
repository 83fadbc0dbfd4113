package server

import "docspace.dev/wsd/client/api"

// Row is the contract's row of a mount, for tests.
func (e Endpoint) Row() api.Row { return e.row }

// Need is the mount's need as the route table shows it, for tests.
func (e Endpoint) Need() string { return e.need.String() }

// Remount replaces what a server serves, for tests of single mounts. It panics as New does when a row is wrong.
func (s *Server) Remount(endpoints ...Endpoint) {
	compiler := api.NewCompiler()
	s.endpoints = nil
	for _, e := range endpoints {
		s.endpoints = append(s.endpoints, e.compile(compiler))
	}
}

// WithoutNeed is the mount as it would be if its need had been forgotten, for tests.
func (e Endpoint) WithoutNeed() Endpoint { e.need = Need{}; return e }

// WithRow is the mount on another row, for tests.
func (e Endpoint) WithRow(row api.Row) Endpoint { e.row = row; return e }
