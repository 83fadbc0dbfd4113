-- Checks a read set and then applies writes. All commits use this script.
--
-- KEYS[1]  record of the operation; other keys are referenced by their index
-- ARGV[1]  'commit', or 'dry' to stop before the first write
-- ARGV[2]  expiry of the record of the operation, in milliseconds
-- ARGV[3]  replication id of the master that the preparation was written to;
--          '' = any master
-- ARGV[4]  number of checks
-- ARGV[5]  number of arguments for the usage of the organization, which follow
--          (see weigh); after them the checks and then the writes, each a
--          letter and its arguments
--
-- Returns {'ok'}, {'lost', n} if check n (from 1) failed, {'moved'} if this is
-- another master, {'replay', bytes} if the idempotency key already has an
-- answer, or {'full', resource, limit, usage} if the quota of the organization
-- is exceeded.
--
-- Redis does not roll back a failed script, so no operation after the first
-- write can fail: types are checked before, and all arguments are built by
-- commit.go. Documents are opaque bytes.

if redis.call('GET', KEYS[1]) then
  return {'ok'}
end

if ARGV[3] ~= '' and string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') ~= ARGV[3] then
  return {'moved'}
end

local at = 5 + ARGV[5]

local function take()
  at = at + 1
  return ARGV[at]
end

local function takeKey()
  return KEYS[tonumber(take())]
end

-- version returns the version prefix of a record; '0' = absent.
local function version(key)
  local head = redis.call('GETRANGE', key, 0, 24)
  if head == '' then
    return '0'
  end
  return string.match(head, '^(%d+) ') or '-'
end

-- adjacent reports whether left and right are members with at most self between them.
local function adjacent(key, left, right, self)
  if left ~= '' and not redis.call('ZSCORE', key, left) then
    return false
  end
  if right ~= '' and not redis.call('ZSCORE', key, right) then
    return false
  end
  local low, high = '-', '+'
  if left ~= '' then
    low = '(' .. left
  end
  if right ~= '' then
    high = '(' .. right
  end
  for _, member in ipairs(redis.call('ZRANGEBYLEX', key, low, high, 'LIMIT', 0, 2)) do
    if member ~= self then
      return false
    end
  end
  return true
end

local check = {
  -- record has version
  v = function()
    local key, want = takeKey(), take()
    return version(key) == want
  end,
  -- field has value
  f = function()
    local key, field, want = takeKey(), take(), take()
    return redis.call('HGET', key, field) == want
  end,
  -- field is absent
  a = function()
    local key, field = takeKey(), take()
    return redis.call('HEXISTS', key, field) == 0
  end,
  -- ZSET has cardinality
  z = function()
    local key, want = takeKey(), take()
    return tostring(redis.call('ZCARD', key)) == want
  end,
  -- SET has cardinality
  s = function()
    local key, want = takeKey(), take()
    return tostring(redis.call('SCARD', key)) == want
  end,
  -- members are neighbours
  n = function()
    local key, left, right, self = takeKey(), take(), take(), take()
    return adjacent(key, left, right, self)
  end,
  -- outbox can take more bytes without exceeding its limit
  m = function()
    local key, more, most = takeKey(), take(), take()
    return (tonumber(redis.call('HGET', key, 'bytes')) or 0) + more <= tonumber(most)
  end,
  -- key is absent or has type
  t = function()
    local key, want = takeKey(), take()
    local have = redis.call('TYPE', key)
    have = have.ok or have
    return have == 'none' or have == want
  end
}

-- use is the usage of the organization after the commit (usage.go). weigh computes
-- it and checks it against the quota; settle writes it.
local use

local function text(number)
  return string.format('%.0f', number)
end

-- expire subtracts expired answers from the usage, by the hour in which they were saved.
local function expire()
  local all = redis.call('HGETALL', use.kept)
  for i = 1, #all, 2 do
    local hour = tonumber(all[i])
    if hour <= use.hour - 25 or hour > use.hour + 1 then
      use.bytes = use.bytes - all[i + 1]
      use.expired[#use.expired + 1] = all[i]
    end
  end
end

-- contents returns the growth of the content of the spaces from argument n on. A
-- size is `<bytes> <time>`; sizes older than the stored one are ignored; '' removes
-- the space.
local function contents(n)
  local grown = 0
  for i = n, 5 + ARGV[5], 2 do
    local space, size = ARGV[i], ARGV[i + 1]
    local known = redis.call('HGET', use.key, space) or ''
    local bytes, changed = string.match(size, '^(%d+) (%d+)$')
    local had, before = string.match(known, '^(%d+) (%d+)$')
    if not before or not changed or tonumber(changed) >= tonumber(before) then
      grown = grown + (bytes or 0) - (had or 0)
      use.spaces[#use.spaces + 1] = {space, size}
    end
  end
  return grown
end

-- weigh checks the quota and returns a refusal or nil. Its arguments start at
-- ARGV[6]: keys of usage, quota and saved answers; the hour; default limits of
-- organizations without their own (0 = none); '' if nothing is refused, otherwise
-- the allowance by which records may grow beyond the quota; whether the
-- organization is created now; growth in bytes and records; size of the saved
-- answer and of its shortened form for an exhausted quota; bytes of content that a
-- dry run would store; spaces, each with its size.
local function weigh()
  local quota, slack, bytes, records = KEYS[tonumber(ARGV[7])], ARGV[12], tonumber(ARGV[14]), tonumber(ARGV[15])
  use = {key = KEYS[tonumber(ARGV[6])], kept = KEYS[tonumber(ARGV[8])], hour = tonumber(ARGV[9]), spaces = {}, expired = {}}
  local have = redis.call('HMGET', use.key, 'bytes', 'records', 'writes', 'counted')
  local limits = redis.call('HMGET', quota, 'bytes', 'records')
  local content = tonumber(ARGV[18]) + contents(19)
  local most = {bytes = tonumber(limits[1] or ARGV[10]), records = tonumber(limits[2] or ARGV[11])}
  use.counted = have[4] or ARGV[13] == '1'
  use.bytes, use.records, use.writes = tonumber(have[1] or '0'), tonumber(have[2] or '0') + records, tonumber(have[3] or '0') + 1
  local answer = tonumber(ARGV[16])
  local function over(more)
    return use.counted and most.bytes > 0 and use.bytes + more > most.bytes
  end
  if over(bytes + content + answer) or answer > 0 and redis.call('HEXISTS', use.kept, ARGV[9]) == 0 then
    expire()
  end
  if slack ~= '' and (records > 0 or content > 0 or bytes > tonumber(slack)) and over(math.max(bytes + content, 1)) then
    return {'full', 'bytes', text(most.bytes), text(use.bytes)}
  end
  if slack ~= '' and records > 0 and use.counted and most.records > 0 and use.records > most.records then
    return {'full', 'records', text(most.records), text(use.records - records)}
  end
  use.short = over(bytes + content + answer)
  if use.short then
    answer = tonumber(ARGV[17])
  end
  use.answer = answer
  use.bytes = use.bytes + bytes + content + answer
end

-- settle writes the usage computed by weigh.
local function settle()
  for _, hour in ipairs(use.expired) do
    redis.call('HDEL', use.kept, hour)
  end
  if use.answer > 0 then
    redis.call('HINCRBY', use.kept, text(use.hour), text(use.answer))
  end
  for _, held in ipairs(use.spaces) do
    if held[2] == '' then
      redis.call('HDEL', use.key, held[1])
    else
      redis.call('HSET', use.key, held[1], held[2])
    end
  end
  redis.call('HSET', use.key, 'bytes', text(use.bytes), 'records', text(use.records), 'writes', text(use.writes))
  if use.counted then
    redis.call('HSET', use.key, 'counted', '1')
  end
end

-- later returns the time now + after in milliseconds; now = '' is the time of Redis.
local function later(now, after)
  if now == '' then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return string.format('%d', now + after)
end

local write = {
  P = function()
    local key, value = takeKey(), take()
    redis.call('SET', key, value)
  end,
  D = function()
    redis.call('DEL', takeKey())
  end,
  F = function()
    local key, field, value = takeKey(), take(), take()
    redis.call('HSET', key, field, value)
  end,
  G = function()
    local key, field = takeKey(), take()
    redis.call('HDEL', key, field)
  end,
  Z = function()
    local key, score, member = takeKey(), take(), take()
    redis.call('ZADD', key, score, member)
  end,
  -- make a job due after a delay in milliseconds
  J = function()
    local key, now, after, job = takeKey(), take(), take(), take()
    redis.call('ZADD', key, later(now, after), job)
  end,
  -- make a job due unless it exists
  K = function()
    local key, now, after, job = takeKey(), take(), take(), take()
    redis.call('ZADD', key, 'NX', later(now, after), job)
  end,
  R = function()
    local key, member = takeKey(), take()
    redis.call('ZREM', key, member)
  end,
  S = function()
    local key, member = takeKey(), take()
    redis.call('SADD', key, member)
  end,
  T = function()
    local key, member = takeKey(), take()
    redis.call('SREM', key, member)
  end,
  -- append to a stream trimmed to about kept entries; few fields, so unpack is safe
  X = function()
    local key, kept, fields = takeKey(), take(), tonumber(take())
    local entry = {}
    for i = 1, fields do
      entry[i] = take()
    end
    redis.call('XADD', key, 'MAXLEN', '~', kept, '*', unpack(entry))
  end,
  -- remove the oldest entries of a stream: those before an id (MINID), or all
  -- but a number of them (MAXLEN)
  Y = function()
    local key, strategy, threshold = takeKey(), take(), take()
    redis.call('XTRIM', key, strategy, '=', threshold)
  end,
  -- write the current cardinalities of indexes to a field
  C = function()
    local key, field, count = takeKey(), take(), tonumber(take())
    local cards = {}
    for i = 1, count do
      local command, index = take(), takeKey()
      cards[i] = tostring(redis.call(command, index))
    end
    redis.call('HSET', key, field, table.concat(cards, ' '))
  end,
  -- add an object to an outbox and count its bytes
  O = function()
    local key, field, value = takeKey(), take(), take()
    local more = #value - redis.call('HSTRLEN', key, field)
    redis.call('HSET', key, field, value)
    redis.call('HINCRBY', key, 'bytes', more)
  end,
  -- remove an object from an outbox; delete the outbox if it is empty
  Q = function()
    local key, field = takeKey(), take()
    local less = redis.call('HSTRLEN', key, field)
    if redis.call('HDEL', key, field) == 1 then
      redis.call('HINCRBY', key, 'bytes', -less)
    end
    if redis.call('HLEN', key) == 1 then
      redis.call('DEL', key)
    end
  end,
  -- save the answer to an idempotency key, or its shortened form
  I = function()
    local key, milliseconds, value, short = takeKey(), take(), take(), take()
    if use and use.short then
      value = short
    end
    redis.call('SET', key, value, 'PX', milliseconds)
  end
}

for n = 1, tonumber(ARGV[4]) do
  local letter = take()
  if letter == 'i' then
    local answer = redis.call('GET', takeKey())
    if answer then
      return {'replay', answer}
    end
  elseif not check[letter]() then
    return {'lost', n}
  end
end

if ARGV[5] ~= '0' then
  local refused = weigh()
  if refused then
    return refused
  end
end

if ARGV[1] == 'dry' then
  return {'ok'}
end

if use then
  settle()
end

while at < #ARGV do
  write[take()]()
end
redis.call('SET', KEYS[1], '1', 'PX', ARGV[2])
return {'ok'}
