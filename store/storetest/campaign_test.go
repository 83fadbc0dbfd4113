package storetest

import "testing"

func TestCampaignSizes(t *testing.T) {
	for name, c := range map[string]struct {
		campaign, runs, percent, seed string

		size    int
		anySeed bool
		skipped bool // LongCampaign skips the test
	}{
		"go test":                {size: 3, skipped: true},
		"RUNS without campaign":  {runs: "7", size: 3, skipped: true},
		"sample":                 {campaign: "sample", size: 3},
		"shorter sample":         {campaign: "sample", runs: "2", size: 2},
		"engines":                {campaign: "engines", size: 3},
		"full":                   {campaign: "growth", size: 500, anySeed: true},
		"all":                    {campaign: "all", size: 500, anySeed: true},
		"RUNS":                   {campaign: "growth", runs: "20", size: 20, anySeed: true},
		"PERCENT":                {campaign: "growth", percent: "10", seed: "1", size: 50},
		"PERCENT below a sample": {campaign: "growth", percent: "0", seed: "1", size: 3},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range map[string]string{
				campaignVariable: c.campaign, runsVariable: c.runs, percentVariable: c.percent, seedVariable: c.seed,
			} {
				t.Setenv(variable, value)
			}
			size, seed, asked := campaign(t, "growth", 3, 500)
			if size != c.size || !c.anySeed && seed != sampleSeed || asked == c.skipped {
				t.Errorf("size %d, seed %d, asked %v, want %d, %d, %v", size, seed, asked, c.size, sampleSeed, !c.skipped)
			}
		})
	}
}
