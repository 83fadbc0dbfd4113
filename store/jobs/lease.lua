-- Gives due jobs to one node for a while: nobody else gets them until then.
--
-- KEYS[1]  jobs by due time
-- KEYS[2]  job -> its lease: how often it was begun, and by whom
-- ARGV[1]  the time in milliseconds; '' = that of Redis
-- ARGV[2]  how long the lease lasts, in milliseconds
-- ARGV[3]  at most so many jobs
-- ARGV[4]  who
--
-- Answers the time at which something is due next ('' = never), and the jobs,
-- each with its lease.

local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
local past = string.format('%d', tonumber(now) + tonumber(ARGV[2]))

local answer = {''}
for _, job in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[3])) do
  local old = redis.call('HGET', KEYS[2], job) or ''
  local begun = tonumber(string.match(old, '^(%d+) ') or '0') + 1
  local lease = string.format('%d', begun) .. ' ' .. ARGV[4]
  redis.call('ZADD', KEYS[1], past, job)
  redis.call('HSET', KEYS[2], job, lease)
  answer[#answer + 1] = job
  answer[#answer + 1] = lease
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[2] then
  answer[1] = string.format('%d', tonumber(first[2]))
end
return answer
