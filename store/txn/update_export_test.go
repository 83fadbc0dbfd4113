package txn

import "docspace.dev/wsd/store/redis"

// RecordGuard returns a Guard that requires that a record has the version; 0 = absent.
func RecordGuard(record redis.Key, version int64) Guard {
	return Guard{record, Reading{Present: version > 0, Record: Record{Version: version}}}
}

// CardGuard returns a Guard that requires that an order, index or set has the number of members.
func CardGuard(key redis.Key, members int64) Guard {
	return Guard{key, Reading{Present: members > 0, count: members}}
}
