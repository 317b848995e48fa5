#!/usr/bin/env python3
"""Measures what the long work of owners, and streams that all connect again, cost everybody else.

    Benchmarks/Strangers/owners.py FOLDER PROGRAM [PROGRAM]

As strangers.py, of which it takes the gateway and the unlocks. Exports are read by curl.
"""
import asyncio, secrets, time

from strangers import RECORDS, SECONDS, Connection, Gateway, beside, main, percentile, unlocks


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
                assert await process.wait() == 0, "an export failed"
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


if __name__ == "__main__":
    main((long_work, reconnects), "OWNERS_ONLY", __doc__)
