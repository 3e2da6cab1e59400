-- Takes permits of a semaphore, each a member of a sorted set whose score is the end of its lease by the server's clock.
-- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] permits to take, ARGV[4] permits in all.
-- Returns 1 when they are taken, 0 when too few are left.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) + ARGV[3] > tonumber(ARGV[4]) then
  return 0
end
for permit = 1, tonumber(ARGV[3]) do
  redis.call('ZADD', KEYS[1], now + ARGV[2] * 1000, ARGV[1] .. ':' .. permit)
end
-- The key lasts as long as the lease that ends last.
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
