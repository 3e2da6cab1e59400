-- Sets the lease anew if the caller still holds it. A lock that is gone is not made again: it was lost.
-- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms. Returns 1 when extended, 0 when it is gone or another's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
