"""Databases: record locks, direct I/O, many processes on the same files."""
from entry import Entry

POSTGRES = r"""
bin=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/initdb | tail -n 1)")
export PATH=$bin:$PATH PGDATA=$HOME/data PGHOST=$HOME PGDATABASE=postgres
start() { pg_ctl -w -t 60 -l server.log -o "-k $HOME -c listen_addresses= -c shared_buffers=2MB $1" start >/dev/null; }
initdb -U me --no-sync -A trust >log 2>&1 || { cat log >&2; exit 1; }
start '-c fsync=off' || { cat server.log >&2; exit 1; }
mapped postmaster "$(head -n 1 data/postmaster.pid)"; export PGUSER=me
pgbench -q -i -s 2 2>/dev/null && pgbench -c 4 -j 2 -t 200 2>noise | grep -E 'processed|failed'
psql -Atc 'select count(*), sum(abalance) = (select sum(bbalance) from pgbench_branches) from pgbench_accounts'
psql -Atc 'create table w as select g, md5(g::text) m from generate_series(1, 60000) g; create index on w (m);
analyze w'
psql -Atc "select count(*), md5(string_agg(m, '' order by g)) from w; select g from w where m = md5('4711')"
psql -Atc 'vacuum full pgbench_accounts' -c 'checkpoint' -c 'select count(*) from pgbench_history'
mkdir out; pg_dump -t w >dump && grep -v -e '^--' -e restrict dump | cksum; pg_ctl -w -m fast stop >/dev/null; echo $?
# Killed, and recovered from its log.
start ''
psql -Atc 'create table z as select * from w' ; pg_ctl -w -m immediate stop >/dev/null
start ''
psql -Atc "select count(*), md5(string_agg(m, '' order by g)) from z"; pg_ctl -w -m fast stop >/dev/null
pg_checksums -c >/dev/null 2>&1; echo $?; pg_controldata | grep state; grep -c -e PANIC -e FATAL server.log || true
"""

ENTRIES = [
    Entry("sqlite3", "select, index, vacuum, integrity_check, two writers at once, WAL", r"""
cp "$INPUT/table.sqlite" a.sqlite; chmod 600 a.sqlite; q() { sqlite3 -cmd '.timeout 60000' "$@"; }
q "file:$INPUT/table.sqlite?mode=ro&immutable=1" 'select count(*), sum(a), max(b) from t;
select sum(id) from t where a = 77'
q a.sqlite 'pragma mmap_size=100000000' 'select sum(length(b)) from t' 'pragma integrity_check'
for i in 1 2 3 4; do for n in $(seq 10); do q a.sqlite "insert into t (a, b) values ($i, $n)"; done & done; wait
q a.sqlite "select count(*) from t" "pragma journal_mode=wal" >/dev/null
for i in 1 2 3; do for n in $(seq 10); do q a.sqlite "update t set a = a + 1 where id = $n"; done & done; wait
q a.sqlite 'select sum(a) from t where id <= 10' 'select count(*) from t' 'pragma integrity_check' \
  'pragma wal_checkpoint(truncate)' vacuum
q a.sqlite .schema 'select a, b from t order by a, b' | cksum; mkdir out; q a.sqlite ".backup out/b.sqlite";
q out/b.sqlite 'pragma quick_check';
rm out/b.sqlite
""", needs=("sqlite3",), version="sqlite3 --version", reads=("sqlite3",)),
    Entry("PostgreSQL", "initdb, start, pgbench -i and run, pg_dump, vacuum full, immediate stop, recovery", POSTGRES,
          needs=("/usr/lib/postgresql/*/bin/initdb", "/usr/lib/postgresql/*/bin/pgbench"),
          version="/usr/lib/postgresql/*/bin/postgres --version", as_user=True, reads=("postgres",),
          mapped=("postmaster",), timeout_s=400),
    Entry("redis", "redis-server (jemalloc), RDB save and load, append-only file", r"""
port=$(free_port); redis() { redis-cli -p $port "$@"; }
serve() { redis-server --port $port --bind 127.0.0.1 --dir . --save '' --appendonly $1 >>log 2>&1 &
  wait_for redis ping; mapped redis $!; }
serve no; for i in $(seq 200); do echo "set key$i $(head -c $((i * 20)) "$INPUT/words" | cksum | tr ' ' _)";
done | redis >/dev/null
redis debug populate 20000 >/dev/null; redis -x set big <"$INPUT/words"; redis save; redis bgsave >/dev/null
redis dbsize; redis shutdown nosave; wait; serve no; redis dbsize; redis get key77; redis get big | cksum;
redis bgrewriteaof >/dev/null
redis shutdown save; wait; redis-check-rdb dump.rdb | grep -c OK; redis-cli -p $port ping 2>&1 | sed 's/.*: //'
serve yes; redis set other 1; redis shutdown; wait; serve yes; redis get other; redis shutdown; wait;
grep -ci -e crash -e error log
exit 0
""", needs=("redis-server", "redis-cli", "python3"), version="redis-server --version", mapped=("redis",)),
]
