#!/bin/sh
# Installs one server under names that do not depend on which it is: server (a Sentinel when asked), cli.
set -eu
export DEBIAN_FRONTEND=noninteractive

case $1 in
  redis8) flavour=redis ;;
  redis7)
    flavour=redis
    # Redis 7.0 is in the release before: take its sources from those that are there.
    for sources in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
      [ -f "$sources" ] || continue
      extension=${sources##*.}
      sed 's/trixie/bookworm/g' "$sources" >"/etc/apt/sources.list.d/bookworm.$extension"
    done
    printf 'Package: redis-*\nPin: version 5:7.0.*\nPin-Priority: 1001\n' >/etc/apt/preferences.d/redis
    ;;
  valkey) flavour=valkey ;;
  *)
    echo "SERVER is redis8, redis7 or valkey, not $1" >&2
    exit 64
    ;;
esac

# Keeps the packages from starting anything while they are being installed.
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod +x /usr/sbin/policy-rc.d

apt-get update -q
apt-get install -qy --no-install-recommends "$flavour-server" "$flavour-tools" iptables iproute2
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/debconf/* /var/log/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/*

ln -s "$(command -v "$flavour-server")" /usr/local/bin/server
ln -s "$(command -v "$flavour-cli")" /usr/local/bin/cli

groupadd --system node
useradd --system --gid node --no-create-home --home-dir /data --shell /usr/sbin/nologin node
mkdir -p /data /control
chown node:node /data
