-- Removes objects of a space and subtracts their bytes from its size.
--
-- KEYS[1]  sizes of the space: see usage.go
-- KEYS[2]  HASH of the objects
-- ARGV     their hashes

-- stamp returns the time of a change in microseconds, later than all earlier changes.
local function stamp()
  local time = redis.call('TIME')
  local last = tonumber(redis.call('HGET', KEYS[1], 'changed') or '0')
  return string.format('%.0f', math.max(time[1] * 1000000 + time[2], last + 1))
end

local bytes = 0
for _, hash in ipairs(ARGV) do
  bytes = bytes + redis.call('HSTRLEN', KEYS[2], hash)
  redis.call('HDEL', KEYS[2], hash)
end
if bytes > 0 then
  redis.call('HINCRBY', KEYS[1], string.sub(KEYS[2], -2, -2), string.format('%.0f', -bytes))
  redis.call('HINCRBY', KEYS[1], 'all', string.format('%.0f', -bytes))
  redis.call('HSET', KEYS[1], 'changed', stamp())
end
return bytes
