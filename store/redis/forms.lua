-- Keeps the list of serving nodes and the forms that they know.
--
-- KEYS[1]  `<form> <node>` by the end of its lease
-- ARGV[1]  the time in milliseconds; '' = that of Redis
-- ARGV[2]  a member whose lease begins anew; '' = none
-- ARGV[3]  how long the lease lasts, in milliseconds
--
-- Answers the members whose lease is not over.

local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[2] ~= '' then
  redis.call('ZADD', KEYS[1], string.format('%d', tonumber(now) + tonumber(ARGV[3])), ARGV[2])
end
return redis.call('ZRANGE', KEYS[1], 0, -1)
