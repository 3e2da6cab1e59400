-- Deletes the lock if the caller still holds it, and its place in the queue.
-- KEYS[1] lock, KEYS[2] queue, KEYS[3] until when each place is kept, ARGV[1] owner value. Returns how many locks it deleted.
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
