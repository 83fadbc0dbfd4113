// Package transfers moves a space or collection to another organization.
//
// It owns the steps of the move, each of which is part of a transaction: a record
// in the old organization says how far it is (At), one in the new that something
// is coming (Expect); the records are copied (Copy) and written there hidden
// (Adopt); the old organization lets go (LeaveEntry), the new one shows what came
// (ArriveEntry), and the home organization says where it is now (Point). What a
// node left that went on too late belongs to nothing (Orphan).
//
// The server decides which step is next, and who may; a job goes on where a node
// stopped. The records' documents are in package store. It may import store and
// the rooms below it, and store/owned.
package transfers
