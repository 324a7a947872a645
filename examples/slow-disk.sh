# What the examples share, to be sourced: where the built programs lie, a temporary folder that is gone at the end, and
# a slow disk mounted in it. AHEAD_BUILD names the build folder; without it that of quickstart is used.

build=${AHEAD_BUILD:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/release}
ahead=$build/cli/ahead
unset LD_PRELOAD

fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# 77 is what ctest takes for "skipped".
skip() { printf '%s: skipped: %s\n' "$(basename "$0")" "$*" >&2; exit 77; }

[[ -x $ahead ]] || fail "no $ahead: build first (./quickstart), or set AHEAD_BUILD"

unmount_slow_disk() {
  ! mountpoint -q "$scratch/disk" || "$build/bench/disk/ahead-disk" --unmount "$scratch/disk"
}

clean_up() {
  local status=$?
  set +e
  unmount_slow_disk || fusermount3 -uz "$scratch/disk"
  rm -rf --one-file-system "$scratch"
  exit "$status"
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/ahead-example.XXXXXX")
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$scratch/source" "$scratch/disk"

# Mounts $scratch/source at $scratch/disk as a slow disk; "$@" are options of ahead-disk. A second call mounts it
# afresh, with nothing of it cached.
mount_slow_disk() {
  [[ -r /dev/fuse && -w /dev/fuse ]] || skip "/dev/fuse cannot be opened by $(id -un)"
  unmount_slow_disk
  "$build/bench/disk/ahead-disk" "$scratch/source" "$scratch/disk" --model net "$@"
}
