// Package redis connects to the Redis that a store uses: by URL, as a supervised child, or in memory. It examines the server
// for Open and wsd doctor, waits for a server that is not ready, tracks masters, replicas and generations, and defines the form
// of keys and the errors that all store packages return. With the build tag failpoint, the process can be made to exit at
// marked points. The package defines keys and hash tags but does not depend on the data stored there.
package redis
