-- Claims a unique name, or confirms a claim of the same owner.
-- KEYS[1] name; ARGV: owner, time in milliseconds ('' = that of Redis), claim of an earlier attempt of the same Update ('' = none).
-- Returns the claim, and '1' if it did not exist, or only as that of the earlier attempt. The claim of another owner is unchanged.
-- Each write of a claim has a later time than the one that it replaces, so that a release of the replaced one has no effect.
local current = redis.call('GET', KEYS[1])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
if current then
  local owner, written = string.match(current, '^(%S+) (%d+)$')
  if not owner or owner ~= ARGV[1] and current ~= ARGV[3] then
    return {current, '0'}
  end
  now = math.max(now, tonumber(written) + 1)
end
local claim = ARGV[1] .. ' ' .. string.format('%d', now)
redis.call('SET', KEYS[1], claim)
return {claim, (not current or current == ARGV[3]) and '1' or '0'}
