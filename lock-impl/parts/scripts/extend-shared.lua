-- Sets the lease anew of what the owner holds of a semaphore or a read-write lock.
-- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] 'at-least' to leave a lease that lasts longer as it is.
-- Returns 1 when the lease lasts that long, 0 when it was over.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local over = now + ARGV[2] * 1000
local permit = 1
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1] .. ':1')
if not ends then
  return 0
end
if ARGV[3] == 'at-least' and tonumber(ends) >= over then
  return 1
end
while redis.call('ZSCORE', KEYS[1], ARGV[1] .. ':' .. permit) do
  redis.call('ZADD', KEYS[1], over, ARGV[1] .. ':' .. permit)
  permit = permit + 1
end
-- Only the one that stands alone can be the writer.
if redis.call('ZSCORE', KEYS[1], 'writer') then
  redis.call('ZADD', KEYS[1], over, 'writer')
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
