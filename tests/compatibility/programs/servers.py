"""Servers and copying over connections."""
from entry import Entry


def nginx(sendfile, more):
    what = f"serves files on loopback to curl, sendfile {sendfile}{', ' + more if more else ''}; ranges"
    return Entry("nginx", what, f"""
port=$(free_port); cat >conf <<END
error_log $HOME/log; pid $HOME/pid; worker_processes 2; events {{ worker_connections 200; }}
http {{ access_log off; sendfile {sendfile}; {more + ';' if more else ''} client_body_temp_path b; proxy_temp_path p;
fastcgi_temp_path f;
uwsgi_temp_path u; scgi_temp_path s; server {{ listen 127.0.0.1:$port; root $INPUT; autoindex on; }} }}
END
""" + r"""
nginx -p "$HOME" -c "$HOME/conf" -e "$HOME/log" || exit 1
wait_for curl -sf http://127.0.0.1:$port/words; mapped nginx "$(cat pid)";
get() { curl -s "http://127.0.0.1:$port/$1" "${@:2}"; }
for f in random words sparse tree/folder1/file1 tree/folder2/file2; do get $f | cmp - "$INPUT/$f" && echo $f; done
get random -r 4000000-4999999 | cksum; get random -r -70000 | cksum; get random -r 5-9,100000-200000 | wc -c;
get none | grep -c 404
for i in $(seq 12); do get random | md5sum & done | sort | uniq -c; get tree/folder1/ | grep -c file; wait
kill -HUP "$(cat pid)"; get words | cksum; kill -QUIT "$(cat pid)"; gone() { [ ! -e pid ]; }; wait_for gone &&
sed 's/.*\[/[/;s/\].*: \*[0-9]*/]/;s/, host.*//' log
""", needs=("nginx", "curl", "python3"), version="nginx -v", mapped=("nginx",), as_user=True, compare_stderr=False)


ENTRIES = [
    nginx("on", ""),
    nginx("off", ""),
    nginx("on", "aio threads"),
    nginx("off", "directio 1m"),
    Entry("python3", "http.server to curl, 8 at a time", r"""
port=$(free_port); python3 -m http.server --bind 127.0.0.1 --directory "$INPUT" $port >log 2>&1 & pid=$!
wait_for curl -sf http://127.0.0.1:$port/words; mapped server $pid
for i in 1 2 3 4 5 6 7 8; do curl -s http://127.0.0.1:$port/random | md5sum & jobs[i]=$!; done | sort -u
kill $pid; wait
""", needs=("python3", "curl"), version="python3 --version", mapped=("server",)),
    Entry("rsync", "copy, --inplace --no-whole-file, --append, --checksum, through a pipe to another rsync", r"""
mkdir out; rsync -a "$INPUT/tree" "$INPUT/random" out/; cp out/random old;
dd if="$INPUT/words" of=old bs=1000 seek=3000 conv=notrunc 2>/dev/null
rsync --inplace --no-whole-file -t "$INPUT/random" old && cmp old "$INPUT/random";
head -c 3000001 "$INPUT/random" >part
rsync --append "$INPUT/random" part && cmp part "$INPUT/random"; head -c 200000 "$INPUT/random" >part
rsync --append-verify "$INPUT/random" part && cmp part "$INPUT/random"; echo more >>out/tree/folder1/file1
rsync -aic --delete "$INPUT/tree/" out/tree/ | sort; rsync -a --whole-file "$INPUT/tree/" whole/ &&
diff -r whole "$INPUT/tree"
rsync -rn --out-format=%n -c "$INPUT/" out/ | sort | cksum
rsync -a -e 'sh -c '\''shift; exec "$@"'\'' --' --rsync-path=rsync "localhost:$INPUT/tree/" remote/ &&
diff -r remote "$INPUT/tree"
rsync -a --sparse "$INPUT/sparse" . && cmp sparse "$INPUT/sparse"; rsync -a "$INPUT/none" . 2>&1 | wc -l
""", needs=("rsync",), version="rsync --version", reads=("rsync",)),
    Entry("sshd", "sshd and ssh on loopback: a pipe, scp, sftp, rsync over it", r"""
ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f key && cp key.pub keys &&
port=$(free_port)
cat >conf <<END
Port $port
ListenAddress 127.0.0.1
HostKey $HOME/host
AuthorizedKeysFile $HOME/keys
PidFile $HOME/pid
StrictModes no
UsePAM no
Subsystem sftp internal-sftp
END
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
/usr/sbin/sshd -f conf -E log || exit 1
wait_for test -s pid; mapped sshd "$(cat pid)"; mkdir out
o="-q -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -F none -i key"
ssh $o -p $port 127.0.0.1 "cksum <$INPUT/random; exit 5"; echo $?; ssh $o -p $port 127.0.0.1 cksum <"$INPUT/words"
scp $o -P $port "127.0.0.1:$INPUT/random" out/a; scp -O $o -P $port "127.0.0.1:$INPUT/words" out/b
rsync -a -e "ssh $o -p $port" "127.0.0.1:$INPUT/tree" out; kill "$(cat pid)"; eval "$(ssh-agent)" >/dev/null;
ssh-add -q key; ssh-add -l | wc -l
ssh-agent -k >/dev/null
""", needs=("/usr/sbin/sshd", "ssh", "rsync"), version="ssh -V", mapped=("sshd",), reads=("sshd", "ssh")),
    Entry("git", "clone, log, grep, blame, repack, gc, fsck, bisect run, worktree, bundle", r"""
export GIT_AUTHOR_DATE="@9 +0000" GIT_COMMITTER_DATE="@9 +0000" GIT_CONFIG_GLOBAL=$HOME/config;
git config --global safe.directory '*'
git config --global user.email e; git config --global user.name n; git config --global core.packedGitWindowSize 64k
mkdir out; git clone -q --no-hardlinks "$INPUT/repository" a && cd a || exit 1; git log --stat --format=%s | cksum;
git status --short; git fsck 2>&1 | sort
git grep -c the | sort | cksum; git blame -s folder1/file1 | cut -c 9- | cksum; git archive HEAD | cksum;
git diff HEAD~3 --shortstat
git -c gc.auto=0 gc -q --prune=now && git fsck --full 2>&1 | sort;
git cat-file --batch-all-objects --batch-check | sort | cksum
git bisect start -q HEAD HEAD~5 2>/dev/null >&2;
git bisect run sh -c '! test -e random4' 2>&1 | grep 'first bad'| cut -c 41-; git bisect reset -q 2>/dev/null
git worktree add -q ../w HEAD~2 2>/dev/null; ls ../w; git bundle create -q ../b main &&
git clone -q -b main ../b ../c && git -C ../c rev-parse HEAD^{tree}
git checkout -q -b x HEAD~4 && git merge -q -m m main && git rev-parse HEAD^{tree}; git stash list; git clean -ndx;
git verify-pack .git/objects/pack/*.idx; echo $?
git clone -q "file://$INPUT/repository" ../d && git -C ../d rev-parse HEAD^{tree};
git index-pack --verify ../d/.git/objects/pack/*.pack | wc -c
""", needs=("git",), inputs=("repository",), version="git --version", reads=("git",), compare_stderr=False),
]
