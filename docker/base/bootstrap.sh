#!/bin/sh
# Writes a minimal Debian 13 (trixie) as a tar archive to standard output, from Debian's package mirror alone: for a
# machine that reaches no container registry. Needs root and debootstrap; progress goes to standard error.
# Usage: bootstrap.sh [MIRROR], for example http://mirror.example/debian; without it, debootstrap's own.
set -eu

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM HUP

# mktemp's 0700 would become the image's root directory, which a server without privileges could not enter.
chmod 755 "$root"

debootstrap --variant=minbase trixie "$root" ${1:+"$1"} >&2

# What the official slim image leaves out too.
rm -rf "$root"/var/cache/apt/*.bin "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/var/log/* \
  "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/* "$root"/usr/share/info/*

# Without --one-file-system a file system that is still mounted inside would go along.
tar --create --one-file-system --numeric-owner --directory "$root" .
