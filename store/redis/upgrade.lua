-- Counts how long all serving nodes have supported a format that the data does not have.
--
-- KEYS[1]  format, since, known and after: see PendingUpgrade
-- ARGV[1]  the format
-- ARGV[2]  since of the count that the caller continues; '' = it continues none
-- ARGV[3]  duration that the caller has measured, in milliseconds
-- ARGV[4]  time of the caller in milliseconds
-- ARGV[5]  duration after which the data gets the format, in milliseconds
--
-- Returns since and the longest duration that any node has measured. A count of another format is replaced. A duration
-- of a count that has ended is ignored.

if redis.call('HGET', KEYS[1], 'format') ~= ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'format', ARGV[1], 'since', ARGV[4], 'known', '0')
elseif redis.call('HGET', KEYS[1], 'since') == ARGV[2]
  and tonumber(redis.call('HGET', KEYS[1], 'known')) < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'known', ARGV[3])
end
redis.call('HSET', KEYS[1], 'after', ARGV[5])
return redis.call('HMGET', KEYS[1], 'since', 'known')
