package redis

import (
	"slices"
	"testing"
)

func TestDoctorVerdicts(t *testing.T) {
	t.Parallel()
	single, cluster := &Conn{Engine: Engine{Name: engineSingle}}, &Conn{Engine: Engine{Name: EngineCluster}}
	cases := []struct {
		check Check
		want  Verdict
	}{
		{checkVersion(map[string]string{"redis_version": "7.0.15"}), VerdictOK},
		{checkVersion(map[string]string{"redis_version": "10.1.0"}), VerdictOK},
		{checkVersion(map[string]string{"redis_version": "6.2.6"}), VerdictRefuse},
		{checkVersion(nil), VerdictRefuse},
		{single.checkMode(map[string]string{"redis_mode": "standalone"}), VerdictOK},
		{single.checkMode(map[string]string{"redis_mode": "cluster"}), VerdictRefuse},
		{cluster.checkMode(map[string]string{"redis_mode": "standalone"}), VerdictRefuse},
		{checkRole(map[string]string{"role": "slave"}), VerdictRefuse},
		{single.checkEviction(map[string]string{"maxmemory": "0", "maxmemory_policy": "allkeys-lru"}), VerdictWarn},
		{single.checkEviction(map[string]string{"maxmemory": "1", "maxmemory_policy": "volatile-ttl"}), VerdictRefuse},
		{single.checkEviction(map[string]string{"maxmemory": "1", "maxmemory_policy": "noeviction"}), VerdictOK},
		{(&Conn{config: Config{AllowEviction: true}}).checkEviction(map[string]string{"maxmemory": "1", "maxmemory_policy": "allkeys-lfu"}), VerdictWarn},
		{checkPersistence(map[string]string{"aof_enabled": "0"}), VerdictWarn},
		{checkHealth(map[string]string{"loading": "1"}), VerdictWarn},
		{checkHealth(map[string]string{"aof_last_write_status": "err"}), VerdictWarn},
		{checkHealth(map[string]string{"rdb_last_bgsave_status": "err"}), VerdictWarn},
		{single.checkReplicas(map[string]string{"connected_slaves": "0"}), VerdictOK},
		{single.checkReplicas(map[string]string{"connected_slaves": "1"}), VerdictWarn},
		{single.checkReplicas(map[string]string{"connected_slaves": "1", "min_slaves_good_slaves": "1"}), VerdictOK},
		{cluster.checkReplicas(map[string]string{"connected_slaves": "0"}), VerdictWarn},
		{cluster.checkReplicas(map[string]string{"connected_slaves": "1"}), VerdictWarn},
		{cluster.checkReplicas(map[string]string{"connected_slaves": "1", "min_slaves_good_slaves": "1"}), VerdictOK},
	}
	for i, c := range cases {
		if c.check.Verdict != c.want || (c.want != VerdictOK && c.check.Hint == "") {
			t.Errorf("case %d: %+v, want %s", i, c.check, c.want)
		}
	}
	merged := worst([]Check{{Name: "a", Verdict: VerdictWarn}, {Name: "b", Verdict: VerdictOK}}, []Check{{Name: "a", Verdict: VerdictInfo}, {Name: "b", Verdict: VerdictRefuse}, {Name: "c"}})
	if got := []Verdict{merged[0].Verdict, merged[1].Verdict}; len(merged) != 3 || !slices.Equal(got, []Verdict{VerdictWarn, VerdictRefuse}) {
		t.Errorf("merged %+v", merged)
	}
}
