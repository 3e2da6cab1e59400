-- Takes a free lock for the first in its queue, or for a caller who finds the queue empty; others get a place at its end.
-- The queue is ordered by the times until which places are kept, which change whenever a waiter asks.
-- KEYS[1] lock, KEYS[2] queue: owner values by the server's clock, in microseconds.
-- ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] for how many ms a place is kept without asking again; 0: do not wait.
-- Returns 0 when it is refused, 1 when it is granted, 2 when the caller has a new place, 3 when it keeps the one it had.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if (first == nil or first == ARGV[1]) and redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 1
end
if tonumber(ARGV[3]) == 0 then
  return 0
end
local added = redis.call('ZADD', KEYS[2], now + ARGV[3] * 1000, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 3 - added
