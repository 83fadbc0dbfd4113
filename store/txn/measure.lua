-- Counts the bytes of the objects in one part of a space, the 16 keys whose
-- names end in `<part>0` to `<part>f`, and corrects its size.
--
-- KEYS[1]  sizes of the space: see usage.go; the other keys contain objects
-- ARGV[1]  the part
--
-- Returns the bytes.

-- stamp returns the time of a change in microseconds, later than all earlier changes.
local function stamp()
  local time = redis.call('TIME')
  local last = tonumber(redis.call('HGET', KEYS[1], 'changed') or '0')
  return string.format('%.0f', math.max(time[1] * 1000000 + time[2], last + 1))
end

local bytes = 0
for i = 2, #KEYS do
  for _, hash in ipairs(redis.call('HKEYS', KEYS[i])) do
    bytes = bytes + redis.call('HSTRLEN', KEYS[i], hash)
  end
end
if bytes > 0 or redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', bytes))
  local all, sizes = 0, redis.call('HGETALL', KEYS[1])
  for i = 1, #sizes, 2 do
    if #sizes[i] == 1 then
      all = all + sizes[i + 1]
    end
  end
  redis.call('HSET', KEYS[1], 'all', string.format('%.0f', all))
  redis.call('HSET', KEYS[1], 'changed', stamp())
end
return bytes
