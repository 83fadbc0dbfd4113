// Package budgets holds every limit of work, bytes and turns in one table: what one request, one caller, one
// organization and one node may use before wsd refuses.
//
// It owns the numbers and how operators change them; the rooms that spend them own what happens at the limit. The
// server and cmd/wsd read it. It imports no other package of this module.
package budgets
