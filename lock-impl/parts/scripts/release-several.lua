-- Deletes those of several keys that the caller still holds. KEYS all keys, ARGV[1] owner value. Returns how many.
local deleted = 0
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then
    deleted = deleted + redis.call('DEL', key)
  end
end
return deleted
