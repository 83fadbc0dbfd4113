// Package jobs leases the jobs that transactions schedule.
//
// It owns the lease, which makes the effect of a job come once however often it
// is begun, and the look for organizations that have something due. A job is
// scheduled by the transaction that makes it necessary (txn.Tx.Schedule), and
// taken out by the one that has its effect (Lease.Finish).
//
// The job runner of the server calls it through Store.Jobs; the job handlers hold
// and finish their lease. What the kinds of jobs are, it does not know. It may
// import store/redis, store/objects and store/txn.
package jobs
