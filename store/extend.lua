-- Postpones the time at which a leased job becomes due again, if the lease is valid.
--
-- KEYS, ARGV[1], ARGV[2]  as in lease.lua; ARGV[3] job, ARGV[4] its lease,
-- ARGV[5] its lease from now on
--
-- Returns 1, or 0 if the lease was lost.

if redis.call('HGET', KEYS[2], ARGV[3]) ~= ARGV[4] then
  return 0
end
local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('ZADD', KEYS[1], string.format('%d', tonumber(now) + tonumber(ARGV[2])), ARGV[3])
if ARGV[5] ~= ARGV[4] then
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[5])
end
return 1
