// Package setup has the commands about wsctl itself: the token that it uses and the settings that it keeps.
//
// main adds them to the root. It imports app, config, exit and output, and of client/api what says who one is.
package setup
