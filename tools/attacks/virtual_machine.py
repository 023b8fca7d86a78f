"""Attack the referee on machines with other control groups.

    python -m tools.attacks.virtual_machine [--machine NAME]... [--only WORD]...
                                           [--run COMMAND]...

We emulate each machine with qemu, in software, with a Debian kernel. It sees the files of this
machine, but keeps its changes in memory. In each one we run the COMMANDs, one after the other. By
default these are `referee doctor`, `tools.attacks.hostile` and the tests of limits:

    root-v2   root, control groups v2
    user-v2   an ordinary user in `systemd-run --user --scope -p Delegate=yes`, groups v2
    user      an ordinary user, no control groups
    root-v1   root, control groups v1

Prints for each command the exit code, the seconds, and the relevant lines. The whole output and the
console are in `DIR/NAME`, where DIR is the folder of `--cache`. The kernel is downloaded to DIR
once, with `apt-get download`. The exit code is 1 if a command fails.

You need Debian on x86-64 with qemu-system-x86 and, for user-v2, systemd, but you don't have to be
root. A virtual machine is about 8 times slower than this one, so `hostile` gets `--slower`.
"""

from __future__ import annotations

import argparse
import lzma
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from referee.errors import UsageError
from tests.support.live import ROOT

QEMU = "qemu-system-x86_64"
SYSTEMD = "/lib/systemd/systemd"
# A metapackage for the newest kernel.
KERNEL = "linux-image-amd64"
BUSYBOX = "busybox-static"
# Debian's kernel needs these modules to mount shared files.
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
USER = 65534
HOME = "/run/attack"
# The folder for output. It's shared with the real machine, and writable.
OUTPUT = "/mnt/output"
# We skip tests of CPU limits, because just starting a bot takes too long in an emulator.
TESTS = "-k 'not cpu_time' tests/bots/processes/test_cgroups.py tests/test_limits.py"
# Only these lines of the output are printed.
MATTERS = re.compile(r"control groups|WRONG|^(none|bwrap): |^(FAILED|ERROR) |^\d+ (passed|failed)")

# Mounts the files of this machine below a writable overlay.
INIT = """\
#!/busybox sh
/busybox mount -t devtmpfs dev /dev
for module in {modules}; do /busybox insmod /$module.ko; done
/busybox ifconfig lo up
share="trans=virtio,version=9p2000.L,msize=524288"
/busybox mount -t 9p -o ro,cache=loose,$share files /files
/busybox mount -t tmpfs memory /memory
/busybox mkdir /memory/files /memory/work
/busybox mount -t overlay -o lowerdir=/files,upperdir=/memory/files,workdir=/memory/work all /root
/busybox mkdir -p /root{output}
/busybox mount -t 9p -o $share output /root{output}
/busybox mount --move /dev /root/dev
/busybox mount -t proc proc /root/proc
/busybox mount -t sysfs sys /root/sys
/busybox mount -t tmpfs run /root/run
exec /busybox switch_root /root /bin/sh {output}/start
"""

ALL = """\
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME={home} TMPDIR={home} LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
mkdir -p {home} && chown {user}:{user} {home} && cd {project}
chmod a+rx {readable}
ulimit -Hn 1048576
"""
BARE = """\
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
"""
BY_SYSTEMD = """\
services=/run/systemd/system
mkdir -p $services
cat >$services/attack.service <<END
[Unit]
Wants=dbus.socket systemd-logind.service
After=dbus.service systemd-logind.service systemd-user-sessions.service
[Service]
Type=oneshot
ExecStart=/bin/sh {output}/attack
END
# They change files, which takes long and means nothing here.
for service in journal-flush random-seed tmpfiles-clean tmpfiles-setup; do
    ln -s /dev/null $services/systemd-$service.service
done
exec {systemd} --unit=attack.service
"""
AS_USER = f"setpriv --reuid {USER} --regid {USER} --clear-groups"
V1 = """\
mount -t tmpfs groups /sys/fs/cgroup
for name in memory pids cpu,cpuacct freezer; do
    mkdir /sys/fs/cgroup/$name && mount -t cgroup -o $name $name /sys/fs/cgroup/$name
done
"""


class Machine(NamedTuple):
    """A virtual machine.

    Attributes:
        setup: lines for its shell, as root.
        prefix: words before each command.
        has_systemd: True if systemd starts it.
    """

    setup: str
    prefix: str
    has_systemd: bool = False


MACHINES = {
    "root-v2": Machine("mount -t cgroup2 groups /sys/fs/cgroup\n", ""),
    "user-v2": Machine(
        f"systemctl start user@{USER}.service\n",
        f"{AS_USER} env XDG_RUNTIME_DIR=/run/user/{USER} "
        "systemd-run --quiet --user --scope -p Delegate=yes",
        has_systemd=True,
    ),
    "user": Machine("", AS_USER),
    "root-v1": Machine(V1, ""),
}


class Ended(NamedTuple):
    """The result of a command: exit code, duration in seconds, and its output."""

    code: int
    seconds: int
    output: str


# --- The kernel -----------------------------------------------------------------------------------


def run(*words: str, folder: Path | None = None) -> str:
    """Return the output of a program.

    Raises:
        UsageError: it is not installed, or fails.
    """
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UsageError(f"{words[0]} is not installed: this needs Debian") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise UsageError(f"{shlex.join(words)}: {said[-1]}; do: apt-get update")
    return done.stdout


def unpacked(package: str, cache: Path) -> Path:
    """Return the folder with a package's files. Download the package if it isn't there yet."""
    folder = cache / package
    if not folder.is_dir():
        for old in cache.glob(f"{package}_*.deb"):
            old.unlink()
        run("apt-get", "download", package, folder=cache)
        (archive,) = cache.glob(f"{package}_*.deb")
        new = cache / f"{package}.new"
        shutil.rmtree(new, ignore_errors=True)
        run("dpkg-deb", "-x", str(archive), str(new))
        new.rename(folder)
    return folder


def newest_kernel() -> str:
    for line in run("apt-cache", "depends", KERNEL).splitlines():
        word, _, name = line.strip().partition(": ")
        if word == "Depends" and name.startswith("linux-image-"):
            return name
    raise UsageError(
        f"apt has no package {KERNEL}: this needs Debian on x86-64; do: apt-get update"
    )


def modules(kernel: Path) -> dict[str, bytes]:
    found = {
        file.name.partition(".ko")[0].replace("-", "_"): file
        for file in kernel.glob("**/modules/*/kernel/**/*.ko*")
    }
    chosen: dict[str, bytes] = {}

    def choose(name: str) -> None:
        # Drivers that are built into the kernel aren't files.
        if name in chosen or name not in found:
            return
        content = found[name].read_bytes()
        if found[name].suffix == ".xz":
            content = lzma.decompress(content)
        needed = re.search(rb"\0depends=([^\0]*)\0", content)
        for other in needed[1].decode().split(",") if needed else ():
            choose(other.replace("-", "_"))
        chosen[name] = content

    for name in MODULES:
        choose(name)
    return chosen


def archive(files: Iterable[tuple[str, int, bytes]]) -> bytes:
    """Make a cpio archive for the kernel from paths, modes and contents."""
    packed = bytearray()
    for number, (path, mode, content) in enumerate([*files, ("TRAILER!!!", 0, b"")], 1):
        name = path.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
        packed += b"070701" + b"".join(b"%08X" % field for field in fields) + name
        packed += bytes(-len(packed) % 4) + content
        packed += bytes(-len(packed) % 4)
    return bytes(packed)


def first_files(kernel: Path, busybox: Path) -> bytes:
    """Return the archive from which the kernel starts."""
    needed = modules(kernel)
    init = INIT.format(modules=" ".join(needed), output=OUTPUT)
    files = [(name, 0o40755, b"") for name in ("dev", "files", "memory", "root")]
    files += [("init", 0o100755, init.encode())]
    files += [("busybox", 0o100755, (busybox / "bin" / "busybox").read_bytes())]
    files += [(f"{name}.ko", 0o100644, content) for name, content in needed.items()]
    return archive(files)


# --- The machines ---------------------------------------------------------------------------------


def scripts(machine: Machine, commands: Iterable[str]) -> tuple[str, str]:
    tools = {*Path(sys.executable).parents, *Path(sys.base_prefix, "bin").parents}
    readable = shlex.join(map(str, sorted(tools | {ROOT, *ROOT.parents})))
    attack = ALL.format(home=HOME, user=USER, project=shlex.quote(str(ROOT)), readable=readable)
    attack += machine.setup
    for number, command in enumerate(commands):
        words = f"{machine.prefix} sh -c {shlex.quote(command)}".strip()
        attack += f"begin=$(date +%s)\n{words} >{OUTPUT}/{number}.output 2>&1\n"
        attack += f"echo $? $(($(date +%s) - begin)) >{OUTPUT}/{number}.ended\n"
    attack += "exec sleep infinity\n"  # the kernel panics if its first program exits
    start = BY_SYSTEMD if machine.has_systemd else BARE + f"exec /bin/sh {OUTPUT}/attack\n"
    return start.format(output=OUTPUT, systemd=SYSTEMD), attack


def emulate(
    name: str, kernel: Path, commands: list[str], cache: Path, minutes: float
) -> Iterator[Ended]:
    folder = cache / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file, text in zip(("start", "attack"), scripts(MACHINES[name], commands), strict=True):
        (folder / file).write_text(text)
    first = cache / "first-files"
    (image,) = kernel.glob("boot/vmlinuz-*")
    words = [QEMU, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(os.cpu_count() or 1)]
    words += ["-m", "4096", "-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"]
    words += ["-kernel", str(image), "-initrd", str(first)]
    words += ["-append", "console=ttyS0 quiet panic=-1 systemd.show_status=0"]
    share = "local,mount_tag={},path={},security_model=none,multidevs=remap"
    words += ["-virtfs", share.format("files", "/") + ",readonly=on"]
    words += ["-virtfs", share.format("output", str(folder).replace(",", ",,"))]
    console, until = folder / "console", time.monotonic() + minutes * 60
    with (
        open(console, "wb") as output,
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output) as qemu,
    ):
        try:
            for number in range(len(commands)):
                yield wait_for(folder / str(number), qemu, until, console)
        finally:
            qemu.kill()


def wait_for(command: Path, qemu: subprocess.Popen[bytes], until: float, console: Path) -> Ended:
    ended = command.with_suffix(".ended")
    while True:
        is_over = qemu.poll() is not None or time.monotonic() > until
        text = ended.read_text() if ended.exists() else ""
        if text.endswith("\n"):
            code, seconds = map(int, text.split())
            output = command.with_suffix(".output").read_text(errors="replace")
            return Ended(code, seconds, output)
        if is_over:
            what = f"{QEMU} has" if qemu.poll() is not None else "the time is over, it has not"
            return Ended(-1, 0, f"ERROR {what} ended; its console: {console}")
        time.sleep(0.5)


def usual(slower: float, words: Iterable[str]) -> list[str]:
    python = shlex.quote(sys.executable)
    only = "".join(f" --only {shlex.quote(word)}" for word in words)
    return [
        f"{python} -m referee doctor",
        f"{python} -m tools.attacks.hostile --slower {slower:g}{only}",
        f"{python} -m pytest -q -n 0 -p no:cacheprovider {TESTS}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--machine", action="append", choices=MACHINES, help="these alone (all)")
    parser.add_argument("--only", action="append", metavar="WORD", help="behaviours with it")
    parser.add_argument("--slower", type=float, default=8, help="longer time limits (8 times)")
    parser.add_argument("--run", action="append", metavar="COMMAND", help="in place of all others")
    parser.add_argument("--minutes", type=float, default=120, help="most for a machine (120)")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="for downloads and output")
    options = parser.parse_args()
    cache: Path = options.cache or Path.home() / ".cache" / "referee-virtual-machine"
    commands = options.run or usual(options.slower, options.only or ())
    try:
        if shutil.which(QEMU) is None:
            raise UsageError(f"{QEMU} is not installed; do: apt-get install qemu-system-x86")
        cache.mkdir(parents=True, exist_ok=True)
        cache = cache.resolve()
        kernel = unpacked(newest_kernel(), cache)
        (cache / "first-files").write_bytes(first_files(kernel, unpacked(BUSYBOX, cache)))
    except (UsageError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that we get to terminate qemu
    failed = False
    print(f"{'machine':8}  {'command':52}  {'code':4}  seconds")
    for name in options.machine or MACHINES:
        if MACHINES[name].has_systemd and not os.path.exists(SYSTEMD):
            print(f"{name:8}  left out: no systemd; do: apt-get install libpam-systemd")
            continue
        ended = emulate(name, kernel, commands, cache, options.minutes)
        for command, (code, seconds, output) in zip(commands, ended, strict=True):
            failed |= code != 0
            shown = command.replace(f"{sys.executable} -m ", "")[:52]
            print(f"{name:8}  {shown:52}  {code:4}  {seconds:7}")
            for line in output.splitlines():
                if options.run or MATTERS.search(line):
                    print(f"    {line.strip()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
