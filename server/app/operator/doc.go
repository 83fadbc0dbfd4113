// Package operator implements the commands by which the operator of the server lists users, tokens and organizations, and
// ends the access of a user. It reads and writes the store without authentication; no route of the API leads here.
package operator
