-- Gives back what the owner holds of a semaphore or a read-write lock.
-- KEYS[1] lock, ARGV[1] owner value. Returns 1 when the owner held, 0 when its lease was over.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local permits = 0
while redis.call('ZREM', KEYS[1], ARGV[1] .. ':' .. (permits + 1)) == 1 do
  permits = permits + 1
end
if permits == 0 then
  return 0
end
-- Only the one that stands alone can be the writer.
redis.call('ZREM', KEYS[1], 'writer')
return 1
