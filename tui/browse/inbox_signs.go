package browse

// Signs returns the signs of the rows with their meanings, for the help.
func (p *Inbox) Signs() [][2]string {
	return [][2]string{
		{"●#2", "it waits for you, or has news since your review"},
		{"+41 −4", "words added and removed"},
		{"✓9/9", "checks: all of them pass"},
		{"!8/10", "checks: 8 of 10 pass, and the others are only warnings"},
		{"✗7/11", "checks: 7 of 11 pass, and another one blocks a merge"},
		{"●3", "threads: 3 are open"},
		{"2/4", "read: 2 of 4 of its changes are read by you"},
		{"✓ ! ✗ you", "your verdict: you approved; approved, but it was edited since; you requested changes"},
		{"◌ ✓", "not read yet, or changed since you read it; read"},
		{"✎", "a draft on this machine, not sent yet"},
		{"…", "not computed yet"},
	}
}
