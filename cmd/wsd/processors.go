package main

// processors returns the value of GOMAXPROCS for serving, given its variable, its present value and the number of processors.
//
// It is twice the number of processors, so that short requests do not queue behind large work in wsd, where a goroutine runs for
// up to ten milliseconds before another one has its turn, and a request needs several turns: the operating system shares the
// processors between threads instead, and prefers those that have waited. The value is kept if an operator has set it, or if it
// is less than the number of processors because a container has a quota: more threads would use the quota up at once, and stand
// still for the rest of each period.
func processors(variable string, present, available int) int {
	if variable != "" || present < available {
		return present
	}
	return 2 * available
}
