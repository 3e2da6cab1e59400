#!/bin/sh
# PID 1 of a node: carries out /control/before-start, then becomes the server. The contract is in docker/README.md.
set -eu

# What was done before this start, for whoever asks whether a fault took effect.
report() {
  echo "lockstorm: $*"
  echo "$*" >>/control/before-start.done
}

before_start() {
  : >/control/before-start.done
  while read -r instruction file bytes || [ -n "$instruction" ]; do
    case $instruction in
      wipe)
        files=$(find /data -mindepth 1 -type f | wc -l)
        find /data -mindepth 1 -delete
        report "wipe $files"
        ;;
      truncate)
        size=$(stat -c %s "/data/$file")
        # A file that shrank meanwhile, by a rewrite, is left alone: truncate would pad it with zeros.
        if [ "$size" -gt "$bytes" ]; then truncate -s "$bytes" "/data/$file"; fi
        report "truncate $file $size $(stat -c %s "/data/$file")"
        ;;
      *)
        echo "lockstorm: unknown instruction in before-start: $instruction" >&2
        exit 64
        ;;
    esac
  done </control/before-start
  rm /control/before-start
}

role=${1:?the first argument is server or sentinel}
shift
case $role in
  server) ;;
  # One program is both; by this it knows, since it goes by a name of ours.
  sentinel) set -- --sentinel "$@" ;;
  *)
    echo "lockstorm: the first argument is server or sentinel, not $role" >&2
    exit 64
    ;;
esac

if [ -f /control/before-start ]; then before_start; fi

# Server and Sentinel rewrite their configuration file, and a restarted one must find what it wrote: hence a copy.
if [ -f /control/node.conf ] && [ ! -f /data/node.conf ]; then cp /control/node.conf /data/node.conf; fi
if [ -f /data/node.conf ]; then set -- /data/node.conf "$@"; fi

chown -R node:node /data
cd /data
exec setpriv --reuid node --regid node --clear-groups --bounding-set=-all --no-new-privs -- \
  env LD_PRELOAD=/usr/local/lib/lockstorm/clock.so LOCKSTORM_CLOCK=/control/clock-offset-us \
  /usr/local/bin/server "$@" --protected-mode no
