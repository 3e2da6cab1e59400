#!/bin/sh
# PID 1 of a PostgreSQL node: carries out /control/before-start, then becomes the server. The contract is in docker/README.md.
set -eu

files=/usr/local/share/lockstorm

before_start() {
  : >/control/before-start.done
  while read -r instruction rest || [ -n "$instruction" ]; do
    case $instruction in
      wipe)
        count=$(find /data -mindepth 1 -type f | wc -l)
        find /data -mindepth 1 -delete
        echo "lockstorm: wipe $count"
        echo "wipe $count" >>/control/before-start.done
        ;;
      *)
        echo "lockstorm: unknown instruction in before-start: $instruction $rest" >&2
        exit 64
        ;;
    esac
  done </control/before-start
  rm /control/before-start
}

role=${1:?the first argument is server}
shift
if [ "$role" != server ]; then
  echo "lockstorm: the first argument is server, not $role" >&2
  exit 64
fi

if [ -f /control/before-start ]; then before_start; fi

if [ ! -d /data/cluster ]; then
  # Moved when it is whole: a start that is killed in between must not leave half a cluster.
  rm -rf /data/new
  cp -a "$files/cluster" /data/new
  mv /data/new /data/cluster
fi

configuration=/control/node.conf
if [ -f "$configuration" ]; then exec >>/control/node.log 2>&1; else configuration=$files/postgresql.conf; fi

cd /data
exec setpriv --reuid node --regid node --clear-groups --bounding-set=-all --no-new-privs -- \
  env LD_PRELOAD=/usr/local/lib/lockstorm/clock.so LOCKSTORM_CLOCK=/control/clock-offset-us \
  postgres -D /data/cluster -c "config_file=$configuration" -c "hba_file=$files/pg_hba.conf" "$@"
