#!/usr/bin/env python3
"""Measures what callers without access, and one excessive reader, can cost a gateway, alternately for each given program.

    Benchmarks/Strangers/strangers.py FOLDER PROGRAM [PROGRAM]

Each PROGRAM is a release build of doorward; give an older one first to compare. FOLDER must be on the disk to be measured.
Needs only Python 3.9. Each measured value is one line of JSON: {"benchmark", "figure", "program", "value", "unit"}. Load comes from 127.0.0.1 (the users)
and other loopback addresses (the strangers), and ends by itself.
"""
import asyncio, json, os, resource, secrets, shutil, signal, statistics, subprocess, sys, tempfile, time

SECONDS = float(os.environ.get("STRANGERS_SECONDS", "8"))
RECORDS = int(os.environ.get("STRANGERS_RECORDS", "150000"))
PASSWORD = "a long password of " + secrets.token_urlsafe(12)
STRANGER = "127.0.0.66"
COMBINING = "\u0301\u0323"  # not in canonical order: normalising must sort the whole run


class Connection:
    """One HTTP/1.1 connection that sends requests and reads responses."""

    def __init__(self, port, token=None, source="127.0.0.1", headers=None):
        self.port, self.token, self.source, self.headers = port, token, source, headers or {}
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.source, 0), limit=1 << 26)
        return self

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None

    async def ask(self, method, path, body=None, timeout=120.0):
        """Returns (status, body as bytes); status 0 if the connection was refused, closed or timed out."""
        try:
            return await asyncio.wait_for(self._ask(method, path, body), timeout)
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError):
            self.close()
            return 0, b""

    async def _ask(self, method, path, body):
        if not self.writer:
            await self.open()
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        target = path if isinstance(path, bytes) else path.encode()
        head = [method.encode() + b" " + target + b" HTTP/1.1", b"Host: doors"]
        if self.token:
            head.append(b"Authorization: Bearer " + self.token.encode())
        if body is not None:
            head += [b"Content-Type: application/json", b"Content-Length: %d" % len(raw)]
        head += [f"{name}: {value}".encode() for name, value in self.headers.items()]
        self.writer.write(b"\r\n".join(head) + b"\r\n\r\n" + raw)
        await self.writer.drain()
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
        status = int(head[0].split(" ")[1])
        fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in head[1:] if ":" in line}
        if fields.get("transfer-encoding") == "chunked":
            answer = b""
            while size := int((await self.reader.readline()).split(b";")[0], 16):
                answer += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readline()
        else:
            answer = await self.reader.readexactly(int(fields.get("content-length", "0")))
        if fields.get("connection") == "close":
            self.close()
        return status, answer


class Gateway:
    """Runs a gateway of a program with its own database, with two portfolios of people and locks."""

    def __init__(self, program, folder, soft_limit=None, **settings):
        self.program, self.soft_limit = program, soft_limit
        self.folder = tempfile.mkdtemp(dir=folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("DOORWARD_")}
        self.environment |= {
            "DOORWARD_STORE_PATH": f"{self.folder}/doorward.db", "DOORWARD_AUTH_PASSWORD_COST": "14", "DOORWARD_LOG_LEVEL": "critical",
            "DOORWARD_HTTP_TRUSTED_PROXIES": "127.0.0.99", "DOORWARD_LIMITS_DENIED_PER_MINUTE": "100000",
        } | settings

    def start(self):
        def limit():
            if self.soft_limit:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.soft_limit, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

        self.process = subprocess.Popen(
            [self.program, "serve", "--http-port", "0"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=limit)
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])

    async def seed(self):
        subprocess.run(
            [self.program, "admin", "create", "--email", "root@example.org", "--first-name", "R", "--last-name", "R", "--password-stdin"],
            input=PASSWORD.encode(), env=self.environment, check=True, stdout=subprocess.DEVNULL)
        self.start()
        root = Connection(self.port, await self.sign_in("root@example.org"))
        self.owners, self.tenants, self.doors, self.properties = [], [], [], []
        for side in "ab":
            owner = await self.person(root, f"owner-{side}@example.org")
            portfolio = await self.make(root, "/portfolios", {"name": side, "administratorUserIds": [owner]})
            hand = Connection(self.port, await self.sign_in(f"owner-{side}@example.org"))
            house = await self.make(hand, "/properties", {"name": side, "portfolioId": portfolio, "defaultTimeZone": "UTC"})
            unit = await self.make(hand, "/units", {"name": "1", "propertyId": house})
            tenant = await self.person(root, f"tenant-{side}@example.org")
            status, answer = await hand.ask("POST", f"/api/v1/units/{unit}/tenants", {"userId": tenant, "role": "TENANT"})
            assert status == 200, answer
            doors = [
                await self.make(hand, "/devices", {
                    "name": f"{side}{n}", "adapter": "simulator", "address": {"latencyMs": 0}, "propertyId": house, "unitId": unit})
                for n in range(48)]
            self.owners.append(hand.token)
            self.tenants.append(await self.sign_in(f"tenant-{side}@example.org"))
            self.doors.append(doors)
            self.properties.append(house)
        return self

    async def person(self, root, email):
        return await self.make(root, "/users", {"email": email, "firstName": "P", "lastName": "P", "password": PASSWORD})

    async def make(self, connection, path, body):
        status, answer = await connection.ask("POST", "/api/v1" + path, body)
        assert status == 201, (path, status, answer)
        return next(iter(json.loads(answer)["data"].values()))["id"]

    async def sign_in(self, email, source="127.0.0.1"):
        status, answer = await Connection(self.port, source=source).ask(
            "POST", "/api/v1/auth/login", {"email": email, "password": PASSWORD})
        return json.loads(answer)["data"]["token"] if status == 200 else None

    def cpu(self):
        """Returns the seconds of processor time that the process has used; None after it has ended."""
        try:
            with open(f"/proc/{self.process.pid}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return None

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

    def disk(self):
        return sum(os.path.getsize(f"{self.folder}/{name}") for name in os.listdir(self.folder) if name.startswith("doorward.db"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


async def unlocks(gateway, seconds, side=0, connections=4, pause=0):
    """Unlocks as a tenant; returns (milliseconds of each, number of responses other than 200)."""
    times, failures, end = [], 0, time.monotonic() + seconds

    async def one(n):
        nonlocal failures
        connection = Connection(gateway.port, gateway.tenants[side])
        turn = n
        while time.monotonic() < end:
            begin = time.monotonic()
            status, _ = await connection.ask("POST", f"/api/v1/devices/{gateway.doors[side][turn % 48]}/unlock", {}, timeout=20)
            times.append((time.monotonic() - begin) * 1000)
            failures += status != 200
            turn += connections
            if pause or status == 0:
                await asyncio.sleep(pause or 0.05)
        connection.close()

    await asyncio.gather(*(one(n) for n in range(connections)))
    return times, failures


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


class Report:
    def __init__(self, label):
        self.label = label

    def __call__(self, figure, value, unit, **more):
        line = {"benchmark": "strangers", "figure": figure, "program": self.label, "value": round(value, 4), "unit": unit}
        print(json.dumps(line | more), flush=True)


async def beside(report, gateway, what, strangers, pause=0):
    """Returns p99 of unlocks while `strangers` (coroutines) attack; each is cancelled at the end."""
    tasks = [asyncio.create_task(stranger) for stranger in strangers]
    await asyncio.sleep(2)
    before, begin = gateway.cpu(), time.monotonic()
    times, failures = await unlocks(gateway, SECONDS, pause=pause)
    after, seconds = gateway.cpu(), time.monotonic() - begin
    report(f"unlock p99 beside {what}", percentile(times, 0.99), "ms", p50=round(percentile(times, 0.5), 2),
           unlocks=len(times), failed=failures, alive=gateway.process.poll() is None)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return (after - before) / seconds if before is not None and after is not None else float("nan")


# --- A long run of combining characters ---------------------------------------------------------------------------------

def bombs():
    run = (COMBINING * 16000)[:31500]
    return {
        "in a query": ("GET", b"/healthz?" + b"%CC%81%CC%A3" * 650, None),
        "in a path": ("GET", b"/api/v1/devices/" + b"%CC%81%CC%A3" * 650 + b"?x=y", None),
        "as an e-mail address": ("POST", "/api/v1/auth/login", ('{"email":"e%s","password":"x"}' % run).encode()),
        "as the keys of an object": (
            "POST", "/api/v1/auth/login", ("{%s}" % ",".join(f'"e{run[:1000]}{n}":1' for n in range(31))).encode()),
        "as one key": ("POST", "/api/v1/auth/login", ('{"e%s":1}' % run).encode()),
    }


async def unicode_bomb(report, folder, program):
    gateway = await Gateway(program, folder).seed()
    for name, (method, path, body) in bombs().items():
        connection, rounds = Connection(gateway.port, source=STRANGER), 5
        begin = gateway.cpu()
        statuses = [(await connection.ask(method, path, body))[0] for _ in range(rounds)]
        report(f"processor time of a request with combining characters {name}", (gateway.cpu() - begin) / rounds, "s",
               statuses=sorted(set(statuses)))
        connection.close()

    async def bomber():
        connection = Connection(gateway.port, source=STRANGER)
        while True:
            await connection.ask(*bombs()["as one key"])
            await asyncio.sleep(0.01)

    times, _ = await unlocks(gateway, SECONDS)
    report("unlock p99 alone", percentile(times, 0.99), "ms", p50=round(percentile(times, 0.5), 2), unlocks=len(times))
    await beside(report, gateway, "six clients that send combining characters", [bomber() for _ in range(6)])
    gateway.stop()


# --- Connections --------------------------------------------------------------------------------------------------------

async def idle(gateway, count):
    kept = []
    try:
        for _ in range(count):
            try:
                kept.append(await asyncio.wait_for(Connection(gateway.port, source=STRANGER).open(), 2))
            except (OSError, asyncio.TimeoutError):
                pass
        await asyncio.sleep(3600)
    finally:
        for connection in kept:
            connection.close()


async def trickle(gateway):
    while True:
        connection = Connection(gateway.port, source=STRANGER)
        try:
            await connection.open()
            connection.writer.write(b"POST /api/v1/auth/login HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{")
            while True:
                await asyncio.sleep(15)
                connection.writer.write(b" ")
                await connection.writer.drain()
                if connection.reader.at_eof():
                    break
        except OSError:
            await asyncio.sleep(1)
        finally:
            connection.close()


async def descriptors(report, folder, program):
    gateway = await Gateway(program, folder, soft_limit=1024).seed()
    busy = await beside(report, gateway, "1,250 idle connections, soft limit of 1,024 descriptors", [idle(gateway, 1250)])
    report("cores that the gateway keeps busy meanwhile", busy, "")
    gateway.stop()
    gateway = await Gateway(program, folder).seed()
    await beside(report, gateway, "4,200 bodies that trickle from one address", [trickle(gateway) for _ in range(4200)])
    gateway.stop()


# --- Readers ------------------------------------------------------------------------------------------------------------

async def slow_reader(gateway, token):
    while True:
        connection = Connection(gateway.port, token, source=STRANGER)
        try:
            await connection.open()
            for _ in range(4):
                connection.writer.write(
                    f"GET /api/v1/devices?limit=200 HTTP/1.1\r\nHost: d\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            await connection.writer.drain()
            while await connection.reader.read(512):
                await asyncio.sleep(0.5)
        except OSError:
            await asyncio.sleep(1)
        finally:
            connection.close()


async def readers(report, folder, program):
    gateway = await Gateway(program, folder).seed()
    owner = Connection(gateway.port, gateway.owners[1])
    # The maximum metadata that the program accepts, so that each program is measured at its own limit.
    for size in (60000, 8000, 4000):
        status, _ = await owner.ask("PUT", f"/api/v1/devices/{gateway.doors[1][0]}", {"metadata": {"m": "m" * size}})
        if status == 200:
            break
    for door in gateway.doors[1]:
        await owner.ask("PUT", f"/api/v1/devices/{door}", {"metadata": {"m": "m" * size}})
    before = gateway.memory()
    await beside(report, gateway, f"300 slow readers of pages of locks with {size} bytes of metadata",
                 [slow_reader(gateway, gateway.owners[1]) for _ in range(300)])
    report("memory that these readers take", gateway.memory() - before, "MiB")
    gateway.stop()

    gateway = await Gateway(program, folder).seed()
    made = 0
    while made < RECORDS:
        times, _ = await unlocks(gateway, 5, side=1, connections=48)
        made += 2 * len(times)
    token = gateway.owners[1]

    async def empty_filter(n):
        connection = Connection(gateway.port, token, source=STRANGER)
        while True:
            await connection.ask("GET", f"/api/v1/access-records?kind=COMMAND_INTENT&operation=LOCK&outcome=CONFIRMED&limit=500&order={'asc' if n % 2 else 'desc'}")
            await asyncio.sleep(0.001)

    await beside(report, gateway, f"32 readers whose filters match nothing of {made} records", [empty_filter(n) for n in range(32)])
    tasks, signed = [asyncio.create_task(empty_filter(n)) for n in range(32)], []
    await asyncio.sleep(1)
    for _ in range(10):
        begin = time.monotonic()
        await gateway.sign_in("owner-a@example.org")
        signed.append((time.monotonic() - begin) * 1000)
    report("sign-in of another portfolio beside them", statistics.median(signed), "ms", worst=round(max(signed), 1))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    gateway.stop()


# --- Guessing -----------------------------------------------------------------------------------------------------------

async def guessing(report, folder, program):
    gateway = await Gateway(program, folder).seed()
    proxy = {"source": "127.0.0.99"}

    async def guess(email, address, password="wrong but long enough"):
        connection = Connection(gateway.port, headers={"X-Forwarded-For": address}, **proxy)
        status, _ = await connection.ask("POST", "/api/v1/auth/login", {"email": email, "password": password})
        connection.close()
        return status

    async def taken(seconds):
        count, end, n = 0, time.monotonic() + seconds, 0
        while time.monotonic() < end:
            n += 1
            count += await guess("tenant-a@example.org", f"10.9.{n // 250 % 250}.{n % 250}") == 401
            await asyncio.sleep(0.02)
        return count

    for _ in range(14):  # until the account has to wait for minutes, as fast as the program allows
        await guess("tenant-a@example.org", "10.8.0.1")
        await asyncio.sleep(0.2)
    base = await taken(5)
    before, started, sent = gateway.disk(), time.monotonic(), 0

    async def flood(part):
        nonlocal sent
        connection = Connection(gateway.port, **proxy)
        for n in range(part, 12000, 16):
            connection.headers = {"X-Forwarded-For": f"10.{n // 60000}.{n // 250 % 250}.{n % 250}"}
            await connection.ask("POST", "/api/v1/auth/login", {"email": f"nobody{n}@example.org", "password": "x" * 1100})
            sent += 1
        connection.close()

    await asyncio.gather(*(flood(part) for part in range(16)))
    spent, grown = time.monotonic() - started, gateway.disk() - before
    report("guesses at one account in 5 s, its waits standing", base, "")
    report("guesses at it in 5 s after a flood of 12,000 failures", await taken(5), "")
    report("disk written by a failed sign-in of the flood", grown / sent, "B")
    report("disk written in a day at that pace", grown / spent * 86400 / 1e9, "GB", failuresPerSecond=round(sent / spent))
    count = 0
    for n in range(60):  # one IPv6 network, with a different address and account for each guess
        count += await guess(f"other{n}@example.org", f"2001:db8:1:1::{n + 1:x}", "x" * 1100) == 401
    report("failures let through from one /64 in a minute (limit 20)", count, "")
    gateway.stop()


async def measure(parts, variable):
    """Runs the parts that an environment variable names, by default all, for each program of the command line."""
    folder, programs = sys.argv[1], sys.argv[2:]
    chosen = os.environ.get(variable, " ".join(part.__name__ for part in parts)).split()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for part in parts:
        if part.__name__ in chosen:
            for program in programs:
                await part(Report(program), folder, program)


def main(parts, variable, usage):
    if len(sys.argv) < 3:
        sys.exit(usage)
    asyncio.run(measure(parts, variable))


if __name__ == "__main__":
    main((unicode_bomb, descriptors, readers, guessing), "STRANGERS_ONLY", __doc__)
