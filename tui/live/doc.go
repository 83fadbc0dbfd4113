// Package live asks the server again and again what others do: in the change request that is shown, and how many concern the
// user.
//
// The app has one Watch, tells it what is shown, hands it every message and the ticks of a clock, and says what it learns.
// Nothing that is shown changes by it. It imports remote, client/api and Bubble Tea.
package live
