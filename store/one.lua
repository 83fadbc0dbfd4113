-- Leases one job to a node if it is due.
--
-- KEYS, ARGV[1], ARGV[2], ARGV[3]  as in lease.lua; ARGV[4] job
--
-- Returns its lease, or '' if it is not due.

-- The lease after an old one: as in lease.lua.
local function nextLease(old, holder)
  local begun = tonumber(string.match(old, '^(%d+) ') or '0') + 1
  local lost, mark = string.match(old, '^%d+ %S+ (%d+)(.*)$')
  lost = tonumber(lost or '0')
  if mark == '' then
    lost = lost + 1
  end
  return string.format('%d', begun) .. ' ' .. holder .. ' ' .. string.format('%d', lost)
end

local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
local due = redis.call('ZSCORE', KEYS[1], ARGV[4])
if not due or tonumber(due) > tonumber(now) then
  return ''
end
local lease = nextLease(redis.call('HGET', KEYS[2], ARGV[4]) or '', ARGV[3])
redis.call('ZADD', KEYS[1], string.format('%d', tonumber(now) + tonumber(ARGV[2])), ARGV[4])
redis.call('HSET', KEYS[2], ARGV[4], lease)
return lease
