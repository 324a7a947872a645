#!/bin/sh
# The manual page has no errors of roff. Usage: manual.sh PAGE. Status 77: nothing here that can tell.
set -eu
page=$1
checked=no
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning "$page"
  checked=yes
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
  said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l -Tutf8 "$page" 2>&1 >/dev/null)
  if [ -n "$said" ]; then
    echo "$said" >&2
    exit 1
  fi
  checked=yes
fi
if [ "$checked" = no ]; then
  echo "neither mandoc nor man with groff is installed"
  exit 77
fi
