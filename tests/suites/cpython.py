"""CPython's own regression tests, as Debian packages them: a unit is one test file, a case one test method."""
import collections
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import command
import unit

NAME = "cpython"
PYTHON = "/usr/bin/python3"
SECONDS = 900

# Robust on a loaded machine and fast: together a quarter of a minute.
SELECTED = """file fileio os posix mmap fcntl shutil tempfile select epoll fork1 thread pty gzip sqlite3 dbm dbm_dumb
    wait3 openpty ioctl popen fileinput filecmp""".split()
SELECTED_ON_FUSE = "file fileio mmap fileinput gzip zipfile64".split()
LONG = """io selectors poll wait4 bz2 lzma bufio largefile threading threading_local signal subprocess tarfile zipfile
    zipfile64 dbm_gnu dbm_ndbm shelve concurrent_futures asyncio multiprocessing_fork multiprocessing_spawn
    multiprocessing_forkserver multiprocessing_main_handling posixpath genericpath glob pathlib linecache
    mailbox zipimport pipes eintr faulthandler socket socketserver import py_compile compileall cmd_line
    cmd_line_script tokenize univnewlines codecs array pickle resource memoryio logging atexit sys hashlib
    zlib marshal queue tracemalloc gc asyncore asynchat httpservers contextlib context codecencodings_cn pkg
    pkgutil runpy tools ctypes uuid netrc csv configparser plistlib xml_etree exceptions source_encoding
    utf8source wave aifc imghdr sndhdr syslog kqueue devpoll crypt pwd grp spwd robotparser urllib mimetypes
    getpass cgi site sysconfig trace profile cprofile""".split()


def missing(_build):
    probe = subprocess.run([PYTHON, "-c", "import test.test_os"], capture_output=True, check=False)
    return None if probe.returncode == 0 else f"{PYTHON} has no test suite (package libpython3.11-testsuite)"


def units(_build):
    names = SELECTED + [name for name in LONG if name not in SELECTED]
    folder = pathlib.Path(subprocess.run([PYTHON, "-c", "import test; print(test.__path__[0])"], check=True, text=True,
                                         capture_output=True).stdout.strip())
    for name in names:
        if not (folder / f"test_{name}.py").exists() and not (folder / f"test_{name}").is_dir():
            continue
        places = (("local",) if name in SELECTED else ()) + (("fuse",) if name in SELECTED_ON_FUSE else ())
        yield unit.Unit(f"test_{name}", runner(f"test_{name}"), unit.WRITABLE, None, places)


def runner(test):
    def run(work):
        report = work.scratch / "junit.xml"
        argv = [PYTHON, "-m", "test", "--timeout", str(SECONDS - 60), "--junit-xml", report,
                "--tempdir", work.folder, test]
        outcome = unit.keep(work, test, command.run(argv, work.folder, work.env, SECONDS))
        return {"(exit)": outcome.status} | (read_report(report) if report.exists() else {})
    return run


def read_report(path):
    """Returns case to verdict of regrtest's JUnit file. A name that occurs again gets a number."""
    seen, verdicts = collections.Counter(), {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = case.get("name").removeprefix("test.")
        seen[name] += 1
        verdicts[name if seen[name] == 1 else f"{name} #{seen[name]}"] = verdict_of(case)
    return verdicts


def verdict_of(case):
    for child in case:
        if child.tag in ("failure", "error"):
            return child.tag
        if child.tag == "skipped":
            # Reasons name temporary files, which have the process number in them.
            return f"skipped: {re.sub('@test_[0-9]+', '@test_N', child.text or '')}".strip()
    return "passed"
