-- Passes the lock from one owner to the next without freeing it, with a new lease and a new fencing token.
-- KEYS[1] lock, KEYS[2] fence counter, ARGV[1] present owner value, ARGV[2] next owner value, ARGV[3] lease in ms.
-- Returns the fencing token, or -1 when the lock is gone or another's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return -1
end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return fence
