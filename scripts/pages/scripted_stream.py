"""A gateway behind a proxy whose live stream a test writes, event by event."""
import http.client, http.server, json, queue, threading


class ScriptedStream:
    """Passes everything on to a gateway, but answers `/api/v1/stream` itself."""

    def __init__(self, gateway):
        self.gateway, self.streams, self.opened, self.changes = gateway, [], [], []
        self.refusals = []  # statuses of the next attempts to open a stream
        script = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                script.answer(self)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.end_streams()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        path = request.path.split("?")[0]
        if path == "/api/v1/stream":
            return self.stream(request, json.loads(body))
        if path.startswith("/api/v1/stream/"):
            self.changes.append((request.command, path.rsplit("/", 1)[1]))
            return self.send(request, 204, [], b"")
        connection = http.client.HTTPConnection(self.gateway.url.split("//")[1])
        try:
            headers = {name: value for name, value in request.headers.items() if name.lower() not in ("connection", "accept-encoding")}
            connection.request(request.command, request.path, body or None, headers)
            response = connection.getresponse()
            self.send(request, response.status, response.getheaders(), response.read())
        except OSError:
            request.close_connection = True
        finally:
            connection.close()

    def send(self, request, status, headers, body):
        request.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                request.send_header(name, value)
        if status != 204:
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def stream(self, request, wish):
        self.opened.append({"names": wish["subscriptions"], "lastId": request.headers.get("Last-Event-ID"), "token": request.headers.get("Authorization")})
        if self.refusals:
            return self.send(request, self.refusals.pop(0), [("Content-Type", "application/json")], b'{"status":"error"}')
        events = queue.Queue()
        self.streams.append(events)
        request.send_response_only(200)
        request.send_header("Content-Type", "text/event-stream; charset=utf-8")
        request.send_header("Connection", "close")
        request.end_headers()
        request.close_connection = True
        number = 0
        write_next = [("stream", {"streamId": f"s{len(self.opened)}", "resumed": False}), ("position", {"at": "2026-11-25T12:00:00.000Z"})]
        for name, need in wish["subscriptions"].items():
            objects = self.devices(request.headers["Authorization"]) if need["type"] == "device" else []
            write_next += [("snapshot", {"name": name, "type": need["type"], "objects": objects, "last": True}), ("ready", {"name": name})]
        try:
            while True:
                for event, data in write_next:
                    number += 1
                    request.wfile.write(f"id: e{len(self.opened)}-{number}\nevent: {event}\ndata: {json.dumps(data)}\n\n".encode())
                    request.wfile.flush()
                item = events.get()
                if item is None:
                    return
                write_next = [item]
        except OSError:
            pass
        finally:
            if events in self.streams:
                self.streams.remove(events)

    def devices(self, token):
        return self.gateway.call("GET", "/devices?limit=200", token=token.removeprefix("Bearer "))["devices"]

    def push(self, event, data):
        for events in list(self.streams):
            events.put((event, data))

    def end_streams(self):
        for events in list(self.streams):
            events.put(None)
