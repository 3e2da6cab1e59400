-- Takes a free lock and mints its fencing token, as acquire-fenced does; asked a second time with the same owner value,
-- because the reply was lost, it answers what it answered the first time.
-- KEYS[1] lock, KEYS[2] fence counter, ARGV[1] owner value, ARGV[2] lease in ms.
-- Returns {fencing token, 0}, or {-1, remaining lease in ms} when another holds it.
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  -- Nobody has won since, so the counter is still at this owner's token.
  return {tonumber(redis.call('GET', KEYS[2])), 0}
end
if holder then
  return {-1, redis.call('PTTL', KEYS[1])}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local fence = redis.pcall('INCR', KEYS[2])
if type(fence) == 'table' then
  redis.call('DEL', KEYS[1])
  return fence
end
return {fence, 0}
