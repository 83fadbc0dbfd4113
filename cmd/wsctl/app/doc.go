// Package app is one run of wsctl: the world that it runs in, the flags that every command has, the settings and the
// client that follow from them, what is printed for people and for programs, and how the run ends.
//
// main makes an App and hands it to the rooms that make commands. It imports config, output, exit and client, and knows
// no operation.
package app
