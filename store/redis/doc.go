// Package redis is the connection to the Redis that a store runs on.
//
// It owns the ways to run one (by URL, as a supervised child, in memory), the
// examination that Open and wsd doctor make, the waiting for one that is not
// ready, what is known of its masters and replicas, the time of Redis, the form
// of a key, and the errors that every room of the store returns. With the build
// tag failpoint, a process dies at the places that are marked here.
//
// The rooms of the store call it; a request never does. It knows keys and hash
// tags and not what is stored there. It may import no other package of this
// module.
package redis
