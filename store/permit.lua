-- Acquires, renews or releases a permit of an organization or a user.
--
-- KEYS[1]  name of the permit -> expiry (Unix ms) and holder
-- ARGV[1]  time in milliseconds; '' = the time of Redis
-- ARGV[2]  duration in milliseconds; 0 = release
-- ARGV[3]  name; ARGV[4] holder
--
-- Returns 1, or 0 if the permit has another holder.

local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
local till, who = string.match(redis.call('HGET', KEYS[1], ARGV[3]) or '', '^(%d+) (.*)$')
if till and who ~= ARGV[4] and tonumber(till) > tonumber(now) then
  return 0
end
if ARGV[2] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[3])
else
  redis.call('HSET', KEYS[1], ARGV[3], string.format('%d', tonumber(now) + tonumber(ARGV[2])) .. ' ' .. ARGV[4])
end
return 1
