#!/usr/bin/env python3
"""Measures what the long work of owners, and streams that all connect again, cost everybody else.

    Benchmarks/LongWork/long_work.py FOLDER PROGRAM [PROGRAM]

Each PROGRAM is a release build of doorward; give an older one first to compare. FOLDER must be on the disk to be measured. Needs Python 3.9
and curl, which reads the exports. Each measured value is one line of JSON: {"benchmark", "figure", "program", "value", "unit"}.
LONG_WORK_ONLY chooses the parts.
"""
import asyncio, json, os, resource, secrets, shutil, signal, subprocess, sys, tempfile, time

SECONDS = float(os.environ.get("LONG_WORK_SECONDS", "8"))
RECORDS = int(os.environ.get("LONG_WORK_RECORDS", "150000"))
PASSWORD = "a long password of " + secrets.token_urlsafe(12)


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

    def __init__(self, program, folder, **settings):
        self.program = program
        self.folder = tempfile.mkdtemp(dir=folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("DOORWARD_")}
        self.environment |= {
            "DOORWARD_STORE_PATH": f"{self.folder}/doorward.db", "DOORWARD_AUTH_PASSWORD_COST": "14", "DOORWARD_LOG_LEVEL": "critical",
            "DOORWARD_HTTP_TRUSTED_PROXIES": "127.0.0.99", "DOORWARD_LIMITS_DENIED_PER_MINUTE": "100000",
        } | settings

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--http-port", "0"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
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
        """Returns the seconds of processor time that the process has used."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

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
        line = {"benchmark": "long work", "figure": figure, "program": self.label, "value": round(value, 4), "unit": unit}
        print(json.dumps(line | more), flush=True)


async def beside(report, gateway, what, work, pause):
    """Reports unlocks while `work` (coroutines) runs; each is cancelled at the end."""
    tasks = [asyncio.create_task(part) for part in work]
    await asyncio.sleep(2)
    times, failures = await unlocks(gateway, SECONDS, pause=pause)
    report(f"unlock p99 beside {what}", percentile(times, 0.99), "ms", p50=round(percentile(times, 0.5), 2),
           unlocks=len(times), failed=failures, alive=gateway.process.poll() is None)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def long_work(report, folder, program):
    gateway = await Gateway(program, folder).seed()
    made = 0
    while made < RECORDS:
        times, _ = await unlocks(gateway, 5, side=1, connections=48)
        made += 2 * len(times)
    root = await gateway.sign_in("root@example.org")
    done = {"erasures": 0, "exports": 0}

    async def leaving():
        """Deletes the accounts of ten people, and returns the calls that erase them, one after the other in the time of a measurement."""
        connection = Connection(gateway.port, root)
        people = []
        for _ in range(10):
            person = await gateway.make(
                connection, "/users", {"email": f"leaving-{secrets.token_hex(4)}@example.org", "firstName": "L", "lastName": "L"})
            status, answer = await connection.ask("DELETE", f"/api/v1/users/{person}")
            assert status == 204, answer
            people.append(person)

        async def erase(n):
            await asyncio.sleep(2 + n * SECONDS / 11)
            status, answer = await Connection(gateway.port, root).ask("DELETE", f"/api/v1/users/{people[n]}/personal-data")
            assert status == 204, answer
            done["erasures"] += 1

        return [erase(n) for n in range(10)]

    async def export():
        # Read by another process, which takes no time from the one that measures the unlocks.
        while True:
            process = await asyncio.create_subprocess_exec(
                "curl", "-sf", "-o", "/dev/null", "-H", f"Authorization: Bearer {gateway.owners[1]}",
                f"http://127.0.0.1:{gateway.port}/api/v1/access-records/export?format=ndjson")
            try:
                # An erasure ends the exports that are being sent (curl: 18, a partial file); they begin again.
                assert await process.wait() in (0, 18), "an export failed"
            except asyncio.CancelledError:
                process.kill()
                raise
            done["exports"] += 1

    for _ in range(3):
        times, _ = await unlocks(gateway, SECONDS, pause=0.01)
        report("unlock p99 alone", percentile(times, 0.99), "ms", p50=round(percentile(times, 0.5), 2), unlocks=len(times), records=made)
        await beside(report, gateway, "two exports", [export() for _ in range(2)], 0.01)
        await beside(report, gateway, "ten erasures", await leaving(), 0.01)
        await beside(report, gateway, "ten erasures and two exports", await leaving() + [export() for _ in range(2)], 0.01)
        report("erasures and exports that ended", done["erasures"], "", exports=done["exports"])
    gateway.stop()


async def reconnects(report, folder, program):
    gateway = await Gateway(
        program, folder, DOORWARD_HTTP_MAX_CONNECTIONS="12000", DOORWARD_HTTP_MAX_CONNECTIONS_PER_ADDRESS="12000").seed()
    root = Connection(gateway.port, await gateway.sign_in("root@example.org"))
    owner, tokens = Connection(gateway.port, gateway.owners[0]), []
    for n in range(320):
        email = f"resident{n}@example.org"
        person = await gateway.person(root, email)
        unit = await gateway.make(owner, "/units", {"name": f"flat {n}", "propertyId": gateway.properties[0]})
        status, answer = await owner.ask("POST", f"/api/v1/units/{unit}/tenants", {"userId": person, "role": "TENANT"})
        assert status == 200, answer
        tokens.append(await gateway.sign_in(email))

    async def stream(n, last=None):
        """Opens a stream and returns it with the id at which both names are complete."""
        connection = await Connection(gateway.port).open()
        resume = f"Last-Event-ID: {last}\r\n" if last else ""
        connection.writer.write(
            f"GET /api/v1/stream?subscribe=doors:device:&subscribe=me:permissions HTTP/1.1\r\nHost: d\r\n{resume}"
            f"Authorization: Bearer {tokens[n % len(tokens)]}\r\n\r\n".encode())
        identity, waiting = None, 2
        while True:
            line = await connection.reader.readline()
            assert line, "the stream ended"
            if line.startswith(b"id: "):
                identity = line[4:].strip().decode()
            waiting -= line.startswith(b"event: ready")
            if not waiting:
                return connection, identity
            if line.startswith(b"data: ") and b'"resumed":false' in line and last:
                raise AssertionError("a stream was not resumed")

    async def all_of(count, last):
        gate = asyncio.Semaphore(64)

        async def one(n):
            async with gate:
                return await stream(n, last[n] if last else None)

        return await asyncio.gather(*(one(n) for n in range(count)))

    for count in (500, 1000, 2000, 4000):
        streams = await all_of(count, None)
        await asyncio.sleep(1)
        for _ in range(3):
            before, begin = gateway.cpu(), time.monotonic()
            for connection, _ in streams:
                connection.writer.transport.abort()
            await asyncio.sleep(1)  # as clients do, and so that the gateway has seen that they are gone
            streams = await all_of(count, [identity for _, identity in streams])
            report(f"processor time of one of {count} streams that connect again at once", (gateway.cpu() - before) / count * 1e6, "µs",
                   seconds=round(time.monotonic() - begin, 2))
        for connection, _ in streams:
            connection.writer.transport.abort()
        await asyncio.sleep(3)
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
    main((long_work, reconnects), "LONG_WORK_ONLY", __doc__)
