#!/bin/sh
# Installs PostgreSQL, and makes the database cluster that every server starts with: a copy takes less than an initdb.
set -eu
export DEBIAN_FRONTEND=noninteractive

# The package would make a cluster of its own, and start it.
apt-get update -q
apt-get install -qy --no-install-recommends postgresql-common
sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
apt-get install -qy --no-install-recommends postgresql-17
apt-get clean
# The compiler of queries is switched off, and as large as all the rest.
rm -rf /usr/lib/postgresql/17/lib/bitcode /usr/lib/postgresql/17/lib/llvmjit* /usr/lib/*/libLLVM* /usr/lib/*/libz3*
rm -rf /var/lib/apt/lists/* /var/cache/debconf/* /var/log/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/*

ln -s /usr/lib/postgresql/17/bin/postgres /usr/local/bin/postgres
mkdir -p /usr/local/share/lockstorm/cluster
chown node:node /usr/local/share/lockstorm/cluster
setpriv --reuid node --regid node --clear-groups -- /usr/lib/postgresql/17/bin/initdb \
  --pgdata /usr/local/share/lockstorm/cluster --username lockstorm --auth trust --encoding UTF8 --locale C --no-sync \
  --wal-segsize 1
