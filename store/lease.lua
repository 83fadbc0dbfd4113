-- Leases due jobs to one node.
--
-- KEYS[1]  jobs by due time
-- KEYS[2]  job -> its lease: number of attempts, holder, number of earlier leases that
--          were lost, and "released" if the holder has released it
-- KEYS[3]  permits of the organization by kind: see permit.lua
-- ARGV[1]  time in milliseconds; '' = the time of Redis
-- ARGV[2]  duration of the leases in milliseconds
-- ARGV[3]  holder
-- ARGV[4]  maximum number of waiting jobs to return
-- ARGV[5]  and following pairs: kind and maximum number of its jobs to lease;
--          'alone' = lease none, return due ones unless the permit is taken
--
-- Returns the next due time ('' = none), then the jobs, each with its lease, which
-- is '' for waiting jobs. Jobs of other kinds are skipped.

local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
local past = string.format('%d', tonumber(now) + tonumber(ARGV[2]))

-- The lease after an old one. An old one that is neither released nor of an earlier
-- build was lost.
local function nextLease(old, holder)
  local begun = tonumber(string.match(old, '^(%d+) ') or '0') + 1
  local lost, mark = string.match(old, '^%d+ %S+ (%d+)(.*)$')
  lost = tonumber(lost or '0')
  if mark == '' then
    lost = lost + 1
  end
  return string.format('%d', begun) .. ' ' .. holder .. ' ' .. string.format('%d', lost)
end

local function kindOf(job)
  return string.match(job, '^[^:]*')
end

local room, named = {}, {}
for i = 5, #ARGV, 2 do
  local kind = ARGV[i]
  if ARGV[i + 1] ~= 'alone' then
    room[kind] = tonumber(ARGV[i + 1])
  else
    local till = string.match(redis.call('HGET', KEYS[3], kind) or '', '^(%d+) ')
    if not till or tonumber(till) <= tonumber(now) then
      named[kind] = tonumber(ARGV[4])
    end
  end
end

local found, page, offset = {}, 500, 0
repeat
  local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', offset, page)
  for _, job in ipairs(due) do
    local kind = kindOf(job)
    if (room[kind] or 0) > 0 then
      room[kind] = room[kind] - 1
      found[#found + 1] = job
    elseif (named[kind] or 0) > 0 then
      named[kind] = named[kind] - 1
      found[#found + 1] = job
    end
  end
  offset = offset + page
until #due < page

local answer = {''}
for _, job in ipairs(found) do
  local lease = ''
  if room[kindOf(job)] then
    lease = nextLease(redis.call('HGET', KEYS[2], job) or '', ARGV[3])
    redis.call('ZADD', KEYS[1], past, job)
    redis.call('HSET', KEYS[2], job, lease)
  end
  answer[#answer + 1] = job
  answer[#answer + 1] = lease
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[2] then
  answer[1] = string.format('%d', tonumber(first[2]))
end
return answer
