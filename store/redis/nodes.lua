-- Updates the list of serving nodes: the newest data format that each supports, and the secrets that it holds.
--
-- KEYS[1]  `<format> <node> <label> <fingerprint>...` by lease expiry
-- ARGV[1]  time in milliseconds; '' = the time of Redis
-- ARGV[2]  member whose lease is renewed; '' = none
-- ARGV[3]  duration of the lease in milliseconds
--
-- Returns the members whose lease has not expired, each followed by the time at which it expires.

local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[2] ~= '' then
  redis.call('ZADD', KEYS[1], string.format('%d', tonumber(now) + tonumber(ARGV[3])), ARGV[2])
end
return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
