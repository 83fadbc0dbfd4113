package server

import (
	"maps"
	"slices"
	"strconv"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/server/web/metrics"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/redis"
)

// emitFunc sends a value of a family with the values of its labels.
type emitFunc = func(value float64, labels ...string)

// gauge returns a family of gauges, and counter one of counters.
func gauge(name, help string, labels ...string) metrics.Family {
	return metrics.Family{Name: name, Help: help, Labels: labels}
}

func counter(name, help string, labels ...string) metrics.Family {
	return metrics.Family{Name: name, Help: help, Labels: labels, IsCounter: true}
}

// addFamilies adds the metrics of jobs, and those that are read by each scrape, from memory only.
func (s *Server) addFamilies() {
	if s.measures == nil {
		return
	}
	m := s.measures
	m.jobKinds = slices.Sorted(maps.Keys(s.jobKinds()))
	m.jobs = m.registry.NewJobs(m.jobKinds)
	s.addReadinessFamilies()
	s.addRedisFamilies()
	s.addTransactionFamilies()
	s.addBudgetFamilies()
	s.addCacheFamilies()
	s.addConnectionFamilies()
	s.addJobFamilies()
}

// flag returns 1 if is is true, otherwise 0.
func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (s *Server) addReadinessFamilies() {
	r := s.measures.registry
	r.Read(gauge("wsd_ready", "1 if /readyz reports that the node can write, or read.", "for"), func(emit emitFunc) {
		seen := s.store.Condition()
		emit(flag(s.ready(seen, false).Status != statusUnavailable), probeWrite)
		emit(flag(s.ready(seen, true).Status != statusUnavailable), probeRead)
	})
	r.Read(gauge("wsd_readiness", "1 for the status that /readyz reports, 0 for the others.", "status"), func(emit emitFunc) {
		now := s.ready(s.store.Condition(), false).Status
		for _, status := range []string{statusReady, statusWarning, statusUnavailable} {
			emit(flag(status == now), status)
		}
	})
	r.Read(gauge("wsd_readiness_reason", "1 for each reason of the status that /readyz reports, 0 for the others.", "reason"),
		func(emit emitFunc) {
			now := s.ready(s.store.Condition(), false).Reasons
			for _, reason := range append(slices.Clone(redis.CheckNames), reasonStopping) {
				emit(flag(slices.Contains(now, reason)), reason)
			}
		})
	r.Read(gauge("wsd_upgrade_pending", "1 while the data waits for a newer form that all nodes know."), func(emit emitFunc) {
		emit(flag(s.store.PendingUpgrade() != nil))
	})
	r.Read(gauge("wsd_removals_held", "1 while nothing is removed because of its age, since a clock is not plausible."),
		func(emit emitFunc) { emit(flag(s.store.IsRemovalHeld())) })
}

func (s *Server) addRedisFamilies() {
	add := func(f metrics.Family, value func(redis.Figures) int64) {
		s.measures.registry.Read(f, func(emit emitFunc) {
			if n := value(s.store.Figures()); n >= 0 {
				emit(float64(n))
			}
		})
	}
	add(gauge("wsd_redis_memory_used_bytes", "Memory of Redis in use, of the master that is fullest."),
		func(f redis.Figures) int64 { return f.UsedMemory })
	add(gauge("wsd_redis_memory_limit_bytes", "The maxmemory of that master; 0 is no limit."),
		func(f redis.Figures) int64 { return f.MaxMemory })
	add(gauge("wsd_redis_replicas", "Connected replicas, of the master that has the fewest."),
		func(f redis.Figures) int64 { return f.Replicas })
	add(gauge("wsd_redis_replication_lag_bytes", "Bytes that the replica that is furthest behind lacks."),
		func(f redis.Figures) int64 { return f.ReplicationLag })
}

func (s *Server) addTransactionFamilies() {
	r := s.measures.registry
	r.Read(counter("wsd_commits_total", "Committed transactions."), func(emit emitFunc) { emit(float64(s.store.Counts().Commits)) })
	r.Read(counter("wsd_transaction_reruns_total", "Transactions that ran again because what they had read was changed."),
		func(emit emitFunc) { emit(float64(s.store.Counts().Reruns)) })
	r.Read(counter("wsd_transaction_failures_total", "Transactions that failed because of others or of Redis.", "reason"),
		func(emit emitFunc) {
			counts := s.store.Counts()
			emit(float64(counts.Stale), "stale")
			emit(float64(counts.Busy), "busy")
			emit(float64(counts.Unknown), "unknown")
		})
}

func (s *Server) addBudgetFamilies() {
	limiters := s.slow.ByBudget()
	limiters["body-bytes"] = s.rest.LargeBodies()
	add := func(f metrics.Family, value func(*budgets.FairLimiter) float64) {
		f.Labels = []string{"budget"}
		s.measures.registry.Read(f, func(emit emitFunc) {
			for name, limiter := range limiters {
				emit(value(limiter), name)
			}
		})
	}
	add(gauge("wsd_budget_used_bytes", "Bytes that work and bodies in progress hold of a budget."), func(l *budgets.FairLimiter) float64 {
		held, _ := l.Use()
		return float64(held)
	})
	add(gauge("wsd_budget_limit_bytes", "Size of a budget."), func(l *budgets.FairLimiter) float64 { return float64(l.Size()) })
	add(gauge("wsd_budget_waiting", "Work and bodies that wait for their turn."), func(l *budgets.FairLimiter) float64 {
		_, waiting := l.Use()
		return float64(waiting)
	})
	add(counter("wsd_budget_waits_total", "Waits for a turn that have ended."),
		func(l *budgets.FairLimiter) float64 { return float64(l.Counts().Waits) })
	add(counter("wsd_budget_wait_seconds_total", "Time of these waits."),
		func(l *budgets.FairLimiter) float64 { return l.Counts().Waited.Seconds() })
	add(counter("wsd_budget_refusals_total", "Waits that ended after turn-wait, with 503 and the reason busy."),
		func(l *budgets.FairLimiter) float64 { return float64(l.Counts().Refusals) })
}

func (s *Server) addCacheFamilies() {
	caches := map[string]func() cache.Stats{
		"objects": s.store.Cache.Stats, "models": s.store.ModelCacheStats, "trees": s.revisions.TreeStats, "links": s.links.Graphs.Stats,
		"places": s.comments.Locations.Stats, "pdfs": s.files.PDFs.Stats, "specs": s.readings.Caches.Stats, "search": s.search.Cache.Stats,
	}
	add := func(f metrics.Family, value func(cache.Stats) int64) {
		f.Labels = []string{"cache"}
		s.measures.registry.Read(f, func(emit emitFunc) {
			for name, stats := range caches {
				emit(float64(value(stats())), name)
			}
		})
	}
	add(counter("wsd_cache_hits_total", "Values that were found in a cache."), func(c cache.Stats) int64 { return c.Hits })
	add(counter("wsd_cache_misses_total", "Values that were not found in a cache."), func(c cache.Stats) int64 { return c.Misses })
	add(counter("wsd_cache_evictions_total", "Values that were dropped because a cache was full."),
		func(c cache.Stats) int64 { return c.Evictions })
	add(gauge("wsd_cache_entries", "Values in a cache."), func(c cache.Stats) int64 { return int64(c.Len) })
	add(gauge("wsd_cache_bytes", "Memory of a cache."), func(c cache.Stats) int64 { return c.Bytes })
	add(gauge("wsd_cache_limit_bytes", "Budget of a cache."), func(c cache.Stats) int64 { return c.Budget })
}

func (s *Server) addConnectionFamilies() {
	r := s.measures.registry
	add := func(f metrics.Family, emitUse func(use listen.Use, emit emitFunc)) {
		r.Read(f, func(emit emitFunc) {
			if l := s.measures.listener.Load(); l != nil {
				emitUse(l.Use(), emit)
			}
		})
	}
	add(gauge("wsd_http_connections", "Open connections of clients."),
		func(use listen.Use, emit emitFunc) { emit(float64(use.Connections)) })
	add(gauge("wsd_http_connections_limit", "The budget connections."), func(use listen.Use, emit emitFunc) { emit(float64(use.Limit)) })
	add(gauge("wsd_http_requests_arriving", "Requests whose header or body has not arrived completely."),
		func(use listen.Use, emit emitFunc) { emit(float64(use.Unread)) })
	add(counter("wsd_http_connection_refusals_total", "Connections and requests refused before they were read, by status.", "status"),
		func(use listen.Use, emit emitFunc) {
			for _, status := range listen.RefusalStatuses {
				emit(float64(use.Refused[status]), strconv.Itoa(status))
			}
		})
	r.Read(gauge("wsd_event_streams", "Open streams of events."), func(emit emitFunc) {
		open, _ := s.events.Streams.Use()
		emit(float64(open))
	})
	r.Read(gauge("wsd_event_streams_limit", "The budget streams."), func(emit emitFunc) { emit(float64(s.budgets.Streams)) })
	r.Read(counter("wsd_event_stream_refusals_total", "Streams that were refused because there were too many."), func(emit emitFunc) {
		_, refused := s.events.Streams.Use()
		emit(float64(refused))
	})
}

func (s *Server) addJobFamilies() {
	add := func(f metrics.Family, value func(store.DueJobs) float64) {
		f.Labels = []string{"kind"}
		s.measures.registry.Read(f, func(emit emitFunc) {
			due := s.measures.dueJobs.Load()
			if due == nil {
				return
			}
			for _, kind := range s.measures.jobKinds {
				emit(value((*due)[kind]), kind)
			}
		})
	}
	add(gauge("wsd_jobs_due", "Jobs of all organizations that are due and that no node runs."),
		func(due store.DueJobs) float64 { return float64(due.Count) })
	add(gauge("wsd_jobs_due_age_seconds", "Time for which the oldest of these jobs has been due."),
		func(due store.DueJobs) float64 { return due.Age.Seconds() })
}
