-- Sets the lease of a reentrant lock anew if the caller still holds it.
-- KEYS[1] lock, ARGV[1] owner, ARGV[2] lease in ms. Returns 1 when extended, 0 when it is gone or another's.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
