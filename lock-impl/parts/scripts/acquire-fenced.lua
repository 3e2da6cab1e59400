-- Takes a free lock and mints its fencing token in the same step, only after winning.
-- KEYS[1] lock, KEYS[2] fence counter (no expiry, same hash slot), ARGV[1] owner value, ARGV[2] lease in ms.
-- Returns the fencing token, or -1 when the lock is held.
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return -1
end
local fence = redis.pcall('INCR', KEYS[2])
if type(fence) == 'table' then
  -- The counter is no number. Without a token there is no grant: an error reply must mean that nothing happened.
  redis.call('DEL', KEYS[1])
end
return fence
