#!/bin/sh
# An installed prefix works wherever it is moved. Usage: moved_prefix.sh CMAKE BUILD_FOLDER BIN_FOLDER
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --install "$2" --prefix "$folder/first" --component ahead >/dev/null
mv "$folder/first" "$folder/second"
preload=$("$folder/second/$3/ahead" run -- sh -c 'echo "$LD_PRELOAD"')
case $preload in
  "$folder/second/"*) test -f "$preload" ;;
  *) echo "LD_PRELOAD is '$preload'" >&2; exit 1 ;;
esac
