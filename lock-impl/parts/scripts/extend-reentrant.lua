-- Sets the lease of a reentrant lock anew if the caller still holds it.
-- KEYS[1] lock, ARGV[1] owner, ARGV[2] lease in ms, ARGV[3] 'at-least' to leave a lease that lasts longer as it is.
-- Returns 1 when the lease lasts that long, 0 when the lock is gone or another's.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if ARGV[3] == 'at-least' and redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[2]) then
  return 1
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
