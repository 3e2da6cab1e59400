-- Deletes the lock if the caller still holds it (compare and delete, redis.io "Distributed locks with Redis").
-- KEYS[1] lock, ARGV[1] owner value. Returns 1 when deleted, 0 when it is gone or another's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
