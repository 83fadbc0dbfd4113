-- The one write path: checks a read set, then applies writes.
--
-- KEYS[1]  memory of the operation; the other keys are named by their number
-- ARGV[1]  'commit', or 'dry' to stop before the first write
-- ARGV[2]  how long the operation is remembered, in milliseconds
-- ARGV[3]  number of checks; the checks and then the writes follow, each a
--          letter and its arguments
--
-- Answers {'ok'}, {'lost', n} when check n (from 1) does not hold, or
-- {'replay', bytes} when the idempotency key has an answer already.
--
-- A script is not rolled back when it fails, so nothing that can fail stands
-- behind the first write: types are checked, and all arguments were made by
-- commit.go. Documents are bytes here; they are never decoded.

if redis.call('GET', KEYS[1]) then
  return {'ok'}
end

local at = 3

local function take()
  at = at + 1
  return ARGV[at]
end

local function takeKey()
  return KEYS[tonumber(take())]
end

-- The version with which a record begins; '0' = absent.
local function version(key)
  local head = redis.call('GETRANGE', key, 0, 24)
  if head == '' then
    return '0'
  end
  return string.match(head, '^(%d+) ') or '-'
end

-- Whether left and right are members with nothing but self between them.
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
  -- key is absent or has type
  t = function()
    local key, want = takeKey(), take()
    local have = redis.call('TYPE', key)
    have = have.ok or have
    return have == 'none' or have == want
  end
}

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
  -- add to an order what is not there
  N = function()
    local key, score, member = takeKey(), take(), take()
    redis.call('ZADD', key, 'NX', score, member)
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
  -- append to a stream of about so many entries; few fields, so unpack is safe
  X = function()
    local key, kept, fields = takeKey(), take(), tonumber(take())
    local entry = {}
    for i = 1, fields do
      entry[i] = take()
    end
    redis.call('XADD', key, 'MAXLEN', '~', kept, '*', unpack(entry))
  end,
  -- write the cardinalities of indexes, as they are now, to a field
  C = function()
    local key, field, count = takeKey(), take(), tonumber(take())
    local cards = {}
    for i = 1, count do
      local command, index = take(), takeKey()
      cards[i] = tostring(redis.call(command, index))
    end
    redis.call('HSET', key, field, table.concat(cards, ' '))
  end,
  -- save the answer to an idempotency key
  I = function()
    local key, milliseconds, value = takeKey(), take(), take()
    redis.call('SET', key, value, 'PX', milliseconds)
  end
}

for n = 1, tonumber(ARGV[3]) do
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

if ARGV[1] == 'dry' then
  return {'ok'}
end

while at < #ARGV do
  write[take()]()
end
redis.call('SET', KEYS[1], '1', 'PX', ARGV[2])
return {'ok'}
