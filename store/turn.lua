-- Lets one at a time do something for an organization, or for a person.
--
-- KEYS[1]  of what -> until when (Unix ms), and who is at it
-- ARGV[1]  the time in milliseconds; '' = that of Redis
-- ARGV[2]  how long the turn lasts, in milliseconds; 0 = it ends
-- ARGV[3]  of what; ARGV[4] who
--
-- Answers 1, or 0 if somebody else is at it.

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
