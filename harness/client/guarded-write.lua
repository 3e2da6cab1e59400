-- One write to the guarded resource, judged and logged atomically.
-- KEYS: state of the resource (hash), log of all writes (stream)
-- ARGV: key, owner, fence ("" for none), data, basedOn ("" for none), fencing ("1": refuse stale fences),
-- versions ("1": refuse what is not based on the present position)
-- Returns {1 or 0 (accepted), position, largest fence accepted or ""}
local state, log = KEYS[1], KEYS[2]
local key, owner, fence, data, based_on, fencing, versions = unpack(ARGV)

local max = redis.call('HGET', state, 'fence')
local holder = redis.call('HGET', state, 'owner')
local position = tonumber(redis.call('HGET', state, 'position') or '0')

local stale = false
if fencing == '1' and fence ~= '' and max then
  local offered, largest = tonumber(fence), tonumber(max)
  stale = offered < largest or (offered == largest and owner ~= holder)
end
if versions == '1' and based_on ~= '' and tonumber(based_on) ~= position then
  stale = true
end

if not stale then
  position = position + 1
  redis.call('HSET', state, 'position', position, 'data', data)
  if fence ~= '' and (not max or tonumber(fence) >= tonumber(max)) then
    redis.call('HSET', state, 'fence', fence, 'owner', owner)
    max = fence
  end
end

local accepted = stale and 0 or 1
redis.call('XADD', log, '*', 'key', key, 'position', position, 'owner', owner, 'fence', fence,
  'data', data, 'basedOn', based_on, 'accepted', accepted)
return {accepted, position, max or ''}
