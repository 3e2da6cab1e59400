-- Takes a free lock for the last in its queue, or for a caller who finds the queue empty; others get a place at its end.
-- KEYS[1] lock, KEYS[2] queue: owner values by ticket, KEYS[3] until when each place is kept, by the server's clock.
-- ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] for how many ms a place is kept without asking again; 0: do not wait.
-- Returns 0 when it is refused, 1 when it is granted, 2 when the caller has a new place, 3 when it keeps the one it had.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now)) do
  redis.call('ZREM', KEYS[2], gone)
  redis.call('ZREM', KEYS[3], gone)
end
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if (last[1] == nil or last[1] == ARGV[1]) and redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  return 1
end
if tonumber(ARGV[3]) == 0 then
  return 0
end
local added = redis.call('ZADD', KEYS[2], 'NX', (last[2] or 0) + 1, ARGV[1])
redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 3 - added
