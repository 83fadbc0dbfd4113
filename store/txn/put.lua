-- Stores immutable objects of a space and counts their bytes.
--
-- KEYS[1]  sizes of the space: see usage.go; the other keys contain objects
-- ARGV[1]  maximum number of new bytes; '' = no limit
-- ARGV[2]  'generation' to return that of the master; then for each object:
--          index of its key, hash, bytes
--
-- Returns {bytes of the space, time of this change, new bytes, generation}, or
-- {'full'} if nothing was written.

-- stamp returns the time of a change in microseconds, later than all earlier changes.
local function stamp()
  local time = redis.call('TIME')
  local last = tonumber(redis.call('HGET', KEYS[1], 'changed') or '0')
  return string.format('%.0f', math.max(time[1] * 1000000 + time[2], last + 1))
end

local function part(key)
  return string.sub(key, -2, -2)
end

local added, grown = 0, {}
for i = 3, #ARGV, 3 do
  local key, hash = KEYS[tonumber(ARGV[i])], ARGV[i + 1]
  local more = #ARGV[i + 2] - redis.call('HSTRLEN', key, hash)
  added = added + more
  grown[part(key)] = (grown[part(key)] or 0) + more
end
if ARGV[1] ~= '' and added > tonumber(ARGV[1]) then
  return {'full'}
end
for i = 3, #ARGV, 3 do
  redis.call('HSET', KEYS[tonumber(ARGV[i])], ARGV[i + 1], ARGV[i + 2])
end
for name, more in pairs(grown) do
  if more ~= 0 then
    redis.call('HINCRBY', KEYS[1], name, string.format('%.0f', more))
  end
end
local all = redis.call('HINCRBY', KEYS[1], 'all', string.format('%.0f', added))
local changed = stamp()
redis.call('HSET', KEYS[1], 'changed', changed)
local generation = ''
if ARGV[2] ~= '' then
  generation = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''
end
return {string.format('%.0f', all), changed, string.format('%.0f', added), generation}
