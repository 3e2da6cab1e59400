-- Takes a read-write lock: holders are members of a sorted set whose score is the end of their lease by the server's clock.
-- A writer stands alone, with the member 'writer' beside its own.
-- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] 'shared' or 'exclusive'.
-- Returns 1 when it is taken, 0 when others hold it in a way that excludes this one.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZSCORE', KEYS[1], 'writer') then
  return 0
end
if ARGV[3] ~= 'shared' then
  if redis.call('ZCARD', KEYS[1]) > 0 then
    return 0
  end
  redis.call('ZADD', KEYS[1], now + ARGV[2] * 1000, 'writer')
end
redis.call('ZADD', KEYS[1], now + ARGV[2] * 1000, ARGV[1] .. ':1')
-- The key lasts as long as the lease that ends last.
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
