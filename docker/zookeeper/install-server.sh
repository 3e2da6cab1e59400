#!/bin/sh
# Installs ZooKeeper, and archives the classes that a server loads: mapped into memory they take a fraction of the time.
set -eu
export DEBIAN_FRONTEND=noninteractive

# The package of the server itself depends on a Java with windows and sound; the library has the server in it.
mkdir -p /usr/share/man/man1
apt-get update -q
apt-get install -qy --no-install-recommends libzookeeper-java openjdk-21-jre-headless
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/debconf/* /var/log/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/*
# A server that is used once, so that the classes of requests are in the archive too.
sh /usr/local/bin/run-server /usr/local/share/lockstorm/zoo.cfg \
  -XX:ArchiveClassesAtExit=/usr/local/share/lockstorm/classes.jsa &
server=$!
client=$(echo /usr/share/java/netty-*.jar | tr ' ' :)
for jar in zookeeper zookeeper-jute slf4j-api slf4j-nop commons-cli; do client=$client:/usr/share/java/$jar.jar; done
printf 'create -c /locks\ncreate -s -e /locks/a-\nls /locks\nget -w /locks\nquit\n' |
  java -cp "$client" org.apache.zookeeper.ZooKeeperMain -waitforconnection -timeout 30000 -server 127.0.0.1:2181
java -cp "$client" org.apache.zookeeper.client.FourLetterWordMain 127.0.0.1 2181 srvr
kill "$server"
wait "$server" || true
test -s /usr/local/share/lockstorm/classes.jsa
find /data -mindepth 1 -delete

# What the library could use and this server does not: an HTTP server with all its parts, and the client.
rm -rf /usr/share/maven-repo
find /usr/share/java -name '*.jar' |
  grep -vE '/(zookeeper|zookeeper-jute|slf4j-api|slf4j-simple|metrics-core|snappy-java|commons-io)(-[0-9.]+)?\.jar$' | xargs rm
