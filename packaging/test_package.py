"""Installs the Debian package into roots of their own and tests it; see scripts/test-package.

    test_package.py BASE PACKAGE NEXT

BASE is a root of Debian without the package; NEXT is the same program with a higher version. Runs as root, in a mount namespace of
its own. There is no systemd in a root: the command of a unit is run with the unit's user, folder, environment, limits and writable
folders, without capabilities; `systemd-analyze` checks the unit file, and `strace` that the system-call filter permits what the
program does.
"""
import gzip, json, os, pathlib, re, resource, shlex, shutil, signal, socket, stat, subprocess, sys, tempfile, time

BASE, PACKAGE, NEXT = (pathlib.Path(path).resolve() for path in sys.argv[1:])
PROJECT = pathlib.Path(__file__).resolve().parent.parent
UNITS = "usr/lib/systemd/system"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PASSWORD = "a long password for the package"
CONFIGURATION = "/etc/doorward/doorward.yaml"
# Open files of a container: as many as this machine permits, at most.
LIMIT = min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
passed = 0


def check(what, holds, detail=""):
    global passed
    if not holds:
        raise AssertionError(f"{what}\n{detail}")
    passed += 1
    print(f"  {what}", flush=True)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def blocks(page, section):
    """The `sh` blocks in a section of a page."""
    text = (PROJECT / page).read_text()
    return re.findall(r"```sh\n(.*?)```", text.split(f"\n## {section}\n")[1].split("\n## ")[0], re.S)


class Root:
    """A copy of the base, in which programs run."""

    def __init__(self, folder, name):
        self.path = pathlib.Path(folder, name)
        subprocess.run(["cp", "-a", "--reflink=auto", BASE, self.path], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", self.path / "proc"], check=True)
        (self.path / "srv/packages").mkdir()
        # debootstrap makes no such file; an installed system has one.
        (self.path / "etc/hosts").write_text("127.0.0.1 localhost\n")

    def __truediv__(self, path):
        return self.path / str(path).lstrip("/")

    def command(self, arguments, user=None, **environment):
        """The arguments with which a program runs in the root."""
        switch = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        values = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": "/root"} | environment
        return ["chroot", str(self.path), *switch, "env", "-i", *(f"{name}={value}" for name, value in values.items()), *arguments]

    def run(self, *arguments, user=None, input="", code=0, **environment):
        """Runs a program and returns its output; the exit code must be `code`."""
        done = subprocess.run(
            self.command(arguments, user, **environment), input=input, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != code:
            raise AssertionError(f"{shlex.join(map(str, arguments))}: exit code {done.returncode}, expected {code}\n{done.stdout}")
        return done.stdout

    def apt(self, *arguments):
        return self.run("apt-get", "-qq", "-y", "--no-install-recommends", *arguments, DEBIAN_FRONTEND="noninteractive")

    def install(self, package):
        shutil.copy(package, self / "srv/packages")
        return self.apt("install", f"/srv/packages/{package.name}")

    def facts(self, path):
        """Owner, group and mode of a file, as in `doorward:doorward 700`."""
        return self.run("stat", "--format=%U:%G %a", path).strip()


class Unit:
    """The settings of a unit file that the test applies."""

    def __init__(self, root, name):
        self.root, self.values = root, {}
        for line in (root / UNITS / name).read_text().splitlines():
            if "=" in line and not line.startswith("#"):
                key, value = line.split("=", 1)
                self.values.setdefault(key, []).append(value)

    def one(self, key):
        (value,) = self.values[key]
        return value

    def words(self, key):
        return [word for value in self.values.get(key, []) for word in value.split()]

    def command(self, traced=None):
        """The arguments that run the unit's command as systemd would."""
        root, user = self.root.path, self.one("User")
        writable = [f"/var/lib/{name}" for name in self.words("StateDirectory")] + [path.removeprefix("-") for path in self.words("ReadWritePaths")]
        mounts = [f"mount --bind {root} {root}", f"mount -t proc proc {root}/proc"]
        mounts += [f"mount --bind {root}{folder} {root}{folder}" for folder in writable]
        mounts += [f"mount -o remount,bind,ro {root}", f"mount -t tmpfs tmpfs {root}/tmp", 'exec "$@"']
        limits = [f"--core={self.one('LimitCORE')}"] + [
            f"--nofile={min(int(limit), resource.getrlimit(resource.RLIMIT_NOFILE)[1])}" for limit in self.values.get("LimitNOFILE", [])]
        trace = ["strace", "-f", "-qq", "-s", "0", "-e", "signal=none", "-o", str(traced)] if traced else []
        start = f'umask {self.one("UMask")}; cd {self.one("WorkingDirectory")}; exec "$@"'
        return [
            "unshare", "--mount", "--propagation", "private", "sh", "-ec", "\n".join(mounts), "sh", "prlimit", *limits, *trace,
            "chroot", str(root), "setpriv", f"--reuid={user}", f"--regid={self.one('Group')}", "--init-groups", "--no-new-privs",
            "--bounding-set=-all", "--inh-caps=-all", "env", "-i", f"PATH={PATH}", "HOME=/var/lib/doorward",
            *self.values.get("Environment", []), "sh", "-ec", start, "sh", *shlex.split(self.one("ExecStart")),
        ]

    def allowed_calls(self):
        """The system calls that SystemCallFilter permits."""
        sets, name = {}, None
        listing = subprocess.run(["systemd-analyze", "syscall-filter"], check=True, text=True, stdout=subprocess.PIPE).stdout
        for line in listing.splitlines():
            if line.startswith("@"):
                name = line.strip()
                sets[name] = []
            elif name and line.startswith("    ") and not line.strip().startswith("#"):
                sets[name].append(line.strip())

        def expanded(word):
            return set().union(*(expanded(inner) for inner in sets[word])) if word.startswith("@") else {word}

        allowed = expanded("@default")
        for value in self.values["SystemCallFilter"]:
            calls = set().union(*(expanded(word) for word in value.lstrip("~").split()))
            allowed = allowed - calls if value.startswith("~") else allowed | calls
        return allowed


class Service:
    """A running gateway, and the commands of a person who is signed in."""

    def __init__(self, root, command, log):
        self.root = root
        self.log = open(log, "a")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.address = line.split()[-1]
                return
        self.process.wait()
        raise AssertionError(f"The gateway did not start: exit code {self.process.returncode}\n{pathlib.Path(log).read_text()}")

    @property
    def pid(self):
        """The process of the program itself, also under strace."""
        candidates = [self.process.pid]
        while candidates:
            pid = candidates.pop()
            # After an upgrade the kernel says that the file of the running program is deleted.
            if os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)").endswith("/usr/bin/doorward"):
                return pid
            candidates += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        raise AssertionError("The program does not run.")

    def stop(self):
        os.kill(self.pid, signal.SIGTERM)
        self.process.stdout.read()
        code = self.process.wait()
        self.log.close()
        if code != 0:
            raise AssertionError(f"The gateway stopped with exit code {code}\n{pathlib.Path(self.log.name).read_text()}")

    def kill(self):
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.process.wait()


class Test:
    def __init__(self, folder):
        self.folder, self.log, self.service = folder, folder / "gateway.log", None
        self.root = Root(folder, "root")
        self.port = free_port()

    def start(self, traced=None):
        self.service = Service(self.root, Unit(self.root, "doorward.service").command(traced), self.log)

    def stop(self):
        self.service.stop()
        self.service = None

    def doorward(self, *arguments, **options):
        return self.root.run("doorward", *arguments, **options)

    def unlocks(self, what):
        check(what, self.doorward("unlock", "Front door") == "Front door\tunlocked\n")

    def installation(self):
        root = self.root
        root.apt("update")
        printed = root.install(PACKAGE)
        check("a first installation prints how to create the super admin", "doorward admin create --config" in printed, printed)
        check("the program needs nothing but its dependencies", self.doorward("--version").strip() == version(PACKAGE))
        missing = [line for line in root.run("ldd", "/usr/bin/doorward").splitlines() if "not found" in line or "swift" in line]
        check("the Swift runtime is part of the program", not missing, missing)
        facts = {
            "/etc/doorward": "root:doorward 750", CONFIGURATION: "root:doorward 640", "/usr/bin/doorward": "root:root 755",
            "/var/lib/doorward": "doorward:doorward 700", "/var/backups/doorward": "doorward:doorward 700",
        }
        found = {path: root.facts(path) for path in facts}
        check("owners and modes are those of the page", found == facts, found)
        user = root.run("getent", "passwd", "doorward").split(":")
        check("the user has no shell", user[5:] == ["/var/lib/doorward", "/usr/sbin/nologin\n"], user)
        check("the configuration is a file of the administrator's", CONFIGURATION in root.run("dpkg-query", "-W", "-f", "${Conffiles}", "doorward"))
        check("no file differs from the package", root.run("dpkg", "--verify", "doorward") == "")
        check("the shipped configuration is valid", root.run("doorward", "config", "check", "--config", CONFIGURATION, user="doorward") != "")
        licences = os.listdir(root / "usr/share/doc/doorward/licenses")
        check("the licences of the libraries are there", {"swift-LICENSE", "GRDB.swift-LICENSE"} <= set(licences), licences)
        page = gzip.decompress((root / "usr/share/man/man1/doorward.1.gz").read_bytes())
        rendered = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, check=True)
        check("the manual page explains the commands", b"who-can" in rendered.stdout and not rendered.stderr, rendered.stderr)
        scripts = [root / f"usr/share/{name}" for name in ("bash-completion/completions/doorward", "zsh/vendor-completions/_doorward")]
        check("shells complete commands", all("unlock" in script.read_text() for script in scripts))

    def units(self):
        name = "doorward.service"
        verified = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", f"--root={self.root.path}", f"/{UNITS}/{name}"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        findings = [line for line in verified.stdout.splitlines() if "doorward" in line]
        check("systemd-analyze verify has no finding", verified.returncode == 0 and not findings, verified.stdout)
        rated = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=25", self.root / UNITS / name],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        figure = [line for line in rated.stdout.splitlines() if "Overall exposure" in line]
        check(f"{name}: {figure[0].lstrip('→ ') if figure else 'no rating'}", rated.returncode == 0, rated.stdout)

    def first_start(self):
        root = self.root
        shipped = (root / CONFIGURATION).read_text()
        (root / CONFIGURATION).write_text(shipped.replace("port: 8080", f"port: {self.port}"))
        self.doorward(
            "admin", "create", "--config", CONFIGURATION, "--email", "root@example.org", "--password-stdin", user="doorward",
            input=PASSWORD + "\n")
        trace = self.folder / "trace"
        self.start(trace)
        status = pathlib.Path(f"/proc/{self.service.pid}/status").read_text()
        for line in ("NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"):
            assert line in status, status
        check("the gateway runs without privileges, with only its folders writable", self.service.address.endswith(f":{self.port}"))
        self.doorward(
            "login", "--server", self.service.address, "--email", "root@example.org", "--password-stdin", "--as", "root",
            input=PASSWORD + "\n")
        self.doorward(
            "user", "create", "olga@example.org", "--first-name", "Olga", "--last-name", "Owner", "--password-stdin", "--as", "root",
            input=PASSWORD + "\n")
        self.doorward("portfolio", "create", "Harbour Homes", "--owner", "olga@example.org", "--as", "root")
        self.doorward(
            "login", "--server", self.service.address, "--email", "olga@example.org", "--password-stdin", input=PASSWORD + "\n")
        self.doorward("property", "create", "Quay 1", "--portfolio", "Harbour Homes", "--time-zone", "Europe/Berlin")
        self.doorward("attach", "Front door", "--adapter", "simulator", "--property", "Quay 1")
        self.unlocks("a simulated door is unlocked by command line")
        self.doorward("grant", "Gus", "Front door", "--label", "--from", "now", "--until", "+1h", "--hours", "00:00-24:00")
        self.stop()
        calls, started = set(), False
        with open(trace) as lines:
            for line in lines:
                started = started or 'execve("/usr/bin/doorward"' in line
                call = re.match(r"\d+ +([a-z0-9_]+)\(", line)
                if started and call:
                    calls.add(call[1])
        allowed = Unit(root, "doorward.service").allowed_calls()
        check(f"the system-call filter permits the {len(calls)} calls that the gateway made", calls <= allowed, calls - allowed)
        check("and the call that reads whether the clock is synchronised", "adjtimex" in allowed, allowed)

    def backup(self):
        root = self.root
        folder = root / "var/backups/doorward"
        (first,) = [path for path in folder.iterdir() if path.suffix == ".db"]
        first.unlink()
        day = time.strftime("%Y%m%dT000000Z", time.gmtime(time.time() - 2 * 86_400))
        kept = {f"doorward-{day}.db", "notes.txt"}
        for name in kept | {"doorward-20200101T000000Z.db"}:
            (folder / name).touch()
        self.start()
        deadline = time.monotonic() + 60
        while (folder / "doorward-20200101T000000Z.db").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        found = {path.name for path in folder.iterdir()}
        check("a gateway whose backup is overdue makes it at its start, and deletes the old one alone", len(found) == 3 and kept < found, found)
        (self.backup_name,) = found - kept
        checked = self.doorward("store", "check", "--store-path", f"/var/backups/doorward/{self.backup_name}")
        check("the backup is whole", "\twhole\n" in checked, checked)
        check("a backup is readable for the gateway alone", root.facts(f"/var/backups/doorward/{self.backup_name}") == "doorward:doorward 600")
        self.doorward("grant", "Late guest", "Front door", "--label", "--from", "now", "--until", "+1h")
        self.stop()

    def restore(self):
        (block,) = blocks("docs/installation.md", "Restore")
        script = f"set -e\nbackup=/var/backups/doorward/{self.backup_name}\n{block}"
        self.root.run("sh", "-c", script)
        self.start()
        guests = self.doorward("grants")
        check("a restore by the page has the state of the backup", "Gus\t" in guests and "Late guest" not in guests, guests)
        self.unlocks("the restored gateway unlocks the door")

    def tls(self):
        """A certificate by the page, served by the gateway and trusted by the command line."""
        root = self.root
        block = blocks("docs/tls.md", "From an authority of your own")[0].replace("name=doors.example", "name=localhost")
        root.run("sh", "-c", f"set -e\n{block}")
        check("the key can be read by the gateway, and by nobody else", root.facts("/etc/doorward/key.pem") == "root:doorward 640")
        self.stop()
        plain = (root / CONFIGURATION).read_text()
        files = "tls: { certificate: /etc/doorward/chain.pem, privateKey: /etc/doorward/key.pem }"
        (root / CONFIGURATION).write_text(plain.replace(f"port: {self.port} }}", f"port: {self.port}, {files} }}"))
        self.start()
        check("the gateway serves TLS", self.service.address.startswith("https://"), self.service.address)
        login = ("login", "--server", f"https://localhost:{self.port}", "--email", "olga@example.org", "--password-stdin", "--as", "tls")
        refused = self.doorward(*login, input=PASSWORD + "\n", code=3)
        check("a certificate of an unknown authority is refused", "certificate not trusted" in refused, refused)
        self.doorward(*login, "--ca-file", "/root/authority/authority.pem", input=PASSWORD + "\n")
        done = self.doorward("unlock", "Front door", "--as", "tls")
        check("and accepted with the authority's file", done == "Front door\tunlocked\n", done)
        self.stop()
        (root / CONFIGURATION).write_text(plain)
        self.start()

    def upgrade(self):
        root = self.root
        # What earlier versions have left: an enabled timer, the session that it used, and a configuration without backups.
        configured = (root / CONFIGURATION).read_text()
        changed = re.sub("(?m)^backup:.*\n", "", configured)
        (root / CONFIGURATION).write_text(changed)
        timer = root / "etc/systemd/system/timers.target.wants/doorward-backup.timer"
        timer.parent.mkdir(parents=True, exist_ok=True)
        timer.symlink_to(f"/{UNITS}/doorward-backup.timer")
        session = root / "var/lib/doorward/config/doorward/session.json"
        session.parent.mkdir(parents=True)
        session.write_text("{}")
        records = self.doorward("log", "--limit", "50").splitlines()
        printed = root.install(NEXT)
        check("an upgrade has no first steps to print", "admin create" not in printed, printed)
        check("the package has the higher version", root.run("dpkg-query", "-W", "-f", "${Version}", "doorward") == version(NEXT))
        check("an upgrade keeps the changed configuration", (root / CONFIGURATION).read_text() == changed)
        check("it says how the gateway backs itself up from now on", "backup: { folder: /var/backups/doorward" in printed, printed)
        check("the timer and its session are gone", not timer.is_symlink() and not session.parent.parent.exists())
        (root / CONFIGURATION).write_text(configured)
        check("and its owner and mode", root.facts(CONFIGURATION) == "root:doorward 640")
        self.unlocks("the old process still works until the restart")
        self.stop()
        self.start()
        self.unlocks("the new one knows sessions, doors and people")
        found = self.doorward("log", "--limit", "100")
        check(f"and the {len(records)} records from before", len(records) > 5 and set(records) <= set(found.splitlines()), found)
        self.stop()

    def removal(self):
        root = self.root
        root.apt("remove", "doorward")
        check("a removal takes the program away", not (root / "usr/bin/doorward").exists() and not (root / UNITS / "doorward.service").exists())
        keys = [f"doorward.db.{name}" for name in ("signing-key", "audit-key", "person-keys")]
        kept = ["var/lib/doorward/doorward.db", CONFIGURATION] + [f"var/lib/doorward/{name}" for name in keys]
        check("and keeps data, keys and configuration", all((root / path).exists() for path in kept))
        root.install(NEXT)
        self.start()
        self.unlocks("the package that is installed again continues with them")
        self.stop()
        root.apt("purge", "doorward")
        gone = ["/var/lib/doorward", CONFIGURATION, "/usr/share/doc/doorward"]
        check("a purge removes them", not any((root / path).exists() for path in gone), [p for p in gone if (root / p).exists()])
        check("and keeps the administrator's certificate", sorted(os.listdir(root / "etc/doorward")) == ["chain.pem", "key.pem"])
        left = [f"/var/backups/doorward/{self.backup_name}"] + [f"/var/backups/doorward-keys/{name}" for name in keys]
        check("and leaves the backups and their keys to root", {root.facts(path) for path in left} == {"root:root 600"}, left)

    def container(self):
        """Builds the container file with podman and runs its image. Stand-ins for the two images that it is based on are made of this
        root and of this machine's toolchain, so no registry is asked. The options for podman let it run in a machine that is itself
        a container: no private network, no cgroups, no user namespaces."""
        text = (PROJECT / "Containerfile").read_text()
        toolchain_image, base_image = re.findall(r"^FROM (\S+)", text, re.M)
        release = re.search("VERSION_CODENAME=(.*)", (BASE / "etc/os-release").read_text())[1]
        check("the container is of the root's release", base_image == f"debian:{release}-slim", base_image)
        check("and is built on the same", toolchain_image.endswith(f"-{release}"), toolchain_image)
        podman = ["podman", f"--root={BASE.parent}/containers", f"--runroot={BASE.parent}/containers-run", "--runtime=runc"]

        def run(*arguments, input="", code=0):
            done = subprocess.run([*podman, *arguments], input=input, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if code is not None and done.returncode != code:
                raise AssertionError(f"podman {shlex.join(arguments)}: exit code {done.returncode}\n{done.stdout[-4000:]}")
            return done

        def stand_in(image, *changes):
            with subprocess.Popen(["tar", "-C", BASE, "-c", "."], stdout=subprocess.PIPE) as tar:
                subprocess.run(
                    [*podman, "import", *(f"--change={change}" for change in changes), "-", f"docker.io/library/{image}"],
                    stdin=tar.stdout, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        build = ["build", "--isolation=chroot", "--network=host", "--pull=never", f"--ulimit=nofile={LIMIT}:{LIMIT}"]
        toolchain = pathlib.Path(shutil.which("swift")).resolve().parents[1]
        stand_in(base_image)
        stand_in("toolchain:stand-in", f"ENV PATH={toolchain}/bin:{PATH}")
        # What the image of the toolchain contains, according to its own description.
        parts = "binutils libc6-dev libcurl4-openssl-dev libedit2 libgcc-12-dev libncurses-dev libpython3-dev libsqlite3-dev " \
            "libstdc++-12-dev libxml2-dev libz3-dev git ca-certificates pkg-config tzdata zlib1g-dev"
        recipe = f"FROM toolchain:stand-in\nRUN apt-get update -qq && apt-get install -qq -y --no-install-recommends {parts}\n"
        nothing = self.folder / "nothing"
        nothing.mkdir()
        run(*build, "--tag", f"docker.io/library/{toolchain_image}", "--file=-", str(nothing), input=recipe)
        # Where this machine has the packages from, if not from their addresses.
        mounts = {toolchain} | {path for path in (pathlib.Path("/etc/gitconfig"), pathlib.Path.home() / ".gitconfig") if path.exists()}
        replaced = subprocess.run(
            ["git", "config", "--get-regexp", r"^url\./.*\.insteadof$"], text=True, stdout=subprocess.PIPE).stdout
        mounts |= {pathlib.Path(line.split()[0].removeprefix("url.").removesuffix(".insteadof")) for line in replaced.splitlines()}
        built = run(*build, *(f"--volume={path}:{path}:ro" for path in mounts), "--format=docker", "--tag=doorward", str(PROJECT))
        check("podman builds the container from the sources", "COMMIT doorward" in built.stdout, built.stdout[-4000:])

        # As on the page, with a network of its own instead of a published port.
        limits = [f"--ulimit=nofile={LIMIT}:{LIMIT}", "--ulimit=nproc=4096:4096"]
        confined = ["--network=none", "--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges", *limits]
        volumes = ["--volume=data:/var/lib/doorward", "--volume=backups:/var/backups/doorward"]
        try:
            account = ["--config", CONFIGURATION, "--email", "root@example.org", "--password-stdin"]
            run("run", "--rm", "-i", *confined, *volumes, "doorward", "admin", "create", *account, input=PASSWORD + "\n")
            check("the container creates its super admin", True)
            run("run", "-d", "--name=gateway", *confined, *volumes, "doorward")
            ready = ["exec", "gateway", *json.loads(re.search(r"^HEALTHCHECK.*?CMD (\[.*?\])$", text, re.M | re.S)[1])]
            wait_until(lambda: run(*ready, code=None).returncode == 0, lambda: run("logs", "gateway").stdout)
            check("its health check succeeds", run("healthcheck", "run", "gateway", code=None).returncode == 0)
            check("it has no privileges", "CapBnd:\t0000000000000000" in run("exec", "gateway", "cat", "/proc/1/status").stdout)
            login = ["login", "--server", "http://127.0.0.1:8080", "--email", "root@example.org", "--password-stdin"]
            run("exec", "-i", "gateway", "doorward", *login, input=PASSWORD + "\n")
            check("and a person signs in", True)
            run("stop", "--time=20", "gateway")
            check("it stops by itself", run("inspect", "--format={{.State.ExitCode}}", "gateway").stdout.strip() == "0")
            run("run", "-d", "--name=demo", "--network=none", *limits, "doorward", "demo")
            wait_until(lambda: "#sign-in=" in run("logs", "demo").stdout, lambda: run("logs", "demo").stdout)
            check("the demo shows its links", True)
            run("stop", "--time=20", "demo")
            check("and ends when it is told to", "The demo is over" in run("logs", "demo").stdout, run("logs", "demo").stdout)
        finally:
            run("rm", "--force", "--volumes", "gateway", "demo", code=None)
            run("volume", "rm", "--force", "data", "backups", code=None)


def wait_until(holds, detail):
    """Waits for at most a minute."""
    deadline = time.monotonic() + 60
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"Nothing after a minute\n{detail()}")
        time.sleep(0.5)


def version(package):
    return subprocess.run(["dpkg-deb", "-f", package, "Version"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def main():
    assert stat.S_ISDIR(BASE.stat().st_mode)
    failed = 0
    with tempfile.TemporaryDirectory(dir=BASE.parent) as folder:
        os.chmod(folder, 0o755)
        test = Test(pathlib.Path(folder))
        try:
            for step in ("installation", "units", "first_start", "backup", "restore", "tls", "upgrade", "removal", "container"):
                print(step.replace("_", " "), flush=True)
                getattr(test, step)()
        except AssertionError as failure:
            failed = 1
            print(f"FAILED: {failure}", file=sys.stderr)
        finally:
            try:
                if test.service:
                    test.service.kill()
            finally:
                for root in pathlib.Path(folder).glob("*/proc"):
                    subprocess.run(["umount", "--lazy", root], check=False)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed)


main()
