#!/bin/sh
# Becomes the ZooKeeper server of the configuration file $1. Further arguments are options of the JVM.
set -eu
configuration=$1
shift

classpath=
for jar in zookeeper zookeeper-jute slf4j-api slf4j-simple metrics-core snappy-java commons-io; do
  classpath=$classpath:/usr/share/java/$jar.jar
done
log=-Dorg.slf4j.simpleLogger

# A small and short life: one collector thread, the quick compiler alone, no files for tools to attach to.
exec java -Xms16m -Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData "$@" \
  "$log.logFile=System.out" "$log.showDateTime=true" "$log.dateTimeFormat=HH:mm:ss.SSS" "$log.showShortLogName=true" \
  -cp "${classpath#:}" org.apache.zookeeper.server.ZooKeeperServerMain "$configuration"
