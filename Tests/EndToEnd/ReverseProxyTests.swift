import Foundation
import NIOCore
import NIOPosix
import Testing

extension EndToEnd {
    /// The configurations of docs/reverse-proxies.md, each added to the defaults of Debian's package, with TLS. The reverse proxies are
    /// installed by `scripts/test`.
    @Suite("Reverse proxies", .timeLimit(.minutes(30))) struct ReverseProxyTests {
        enum Proxy: String, CaseIterable, Sendable {
            case nginx, haproxy, apache, caddy

            var executable: String {
                switch self {
                case .nginx: "/usr/sbin/nginx"
                case .haproxy: "/usr/sbin/haproxy"
                case .apache: "/usr/sbin/apache2"
                case .caddy: "/usr/bin/caddy"
                }
            }
        }

        @Test("changes arrive at once, commands work, and the client returns after a restart", arguments: Proxy.allCases)
        func proxied(_ kind: Proxy) async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let house = try await House.build(on: gateway)
            let door = try await house.lock("Front door", address: #""latencyMs":0"#)
            let proxy = try await RunningProxy.start(kind, to: gateway)
            let shell = try Shell(gateway, ["DOORWARD_CA_FILE": proxy.certificate])
            let login = try await shell.run(
                "login", "--server", proxy.address, "--email", "owner@doors.example", "--password-stdin",
                input: RunningGateway.password + "\n")
            try #require(login.code == 0, "\(login.errors)")
            let errors = shell.folder.file("follow.errors")
            let locks = try shell.start("locks", "--follow", "--json", errors: errors)
            func expect(_ state: String) async throws {
                var found = JSON.null
                while found != .string(state) {
                    let line = try #require(await locks.nextLine(), "it ended before \(state)")
                    found = try JSONDecoder().decode(JSON.self, from: Data(line.utf8))["state"]
                }
            }
            try await expect("LOCKED")
            // The first change can be in the snapshot; the later ones are events of the open stream.
            for (command, state) in [("unlock", "UNLOCKED"), ("lock", "LOCKED"), ("unlock", "UNLOCKED")] {
                let result = try await shell.run(command, door)
                #expect(result.code == 0, "\(result.errors)")
                try await expect(state)
            }
            for path in ["/metrics", "/healthz", "/readyz"] {
                let answer = try await Program.run(
                    "/usr/bin/env",
                    ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", proxy.certificate, proxy.address + path],
                    in: proxy.folder)
                #expect(answer.output == "404\n", "\(path)")
            }
            #expect(await gateway.stop() == 0)
            let again = try await gateway.startAgain()
            #expect(try await house.owner.at(again).post("/devices/\(door)/lock", "{}").status == 200)
            try await expect("LOCKED")
            locks.signal(SIGINT)
            #expect(await locks.exitCode == 0)
            #expect(try await shell.run("logout").code == 0)
            await proxy.stop()
        }
    }
}

/// A reverse proxy in front of a gateway.
private struct RunningProxy: Sendable {
    typealias Proxy = EndToEnd.ReverseProxyTests.Proxy

    let program: Program
    let address: String
    let folder: TemporaryFolder
    /// The proxy's certificate, which is its own authority.
    var certificate: String { folder.file("proxy.pem") }

    /// Starts the proxy on free ports, and waits until it accepts connections. Begins anew if another process has taken a port.
    static func start(_ kind: Proxy, to gateway: RunningGateway) async throws -> RunningProxy {
        let folder = try TemporaryFolder()
        let made = try await Program.run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder.file("proxy.key"), "-out",
                folder.file("proxy.pem"),
            ], in: folder)
        try #require(made.code == 0, "\(made.errors)")
        let both = try ["proxy.pem", "proxy.key"].map { try String(contentsOfFile: folder.file($0), encoding: .utf8) }
        _ = try folder.write(both.joined(), to: "both.pem")
        while true {
            try Task.checkCancellation()
            let (plain, secure) = (try await freePort(), try await freePort())
            let setup = Setup(kind: kind, folder: folder, gateway: gateway.port, plain: plain, secure: secure)
            let errors = folder.file("proxy-\(secure).log")
            let program = try Program(
                kind.executable, try setup.arguments(), environment: ["HOME": folder.path, "XDG_DATA_HOME": folder.path],
                errors: errors)
            while program.isRunning {
                try Task.checkCancellation()
                let connecting = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                guard let channel = try? await connecting.connect(host: "127.0.0.1", port: secure).get() else { continue }
                try await channel.close()
                return RunningProxy(program: program, address: "https://localhost:\(secure)", folder: folder)
            }
            let why = try String(contentsOfFile: errors, encoding: .utf8) + (await program.rest())
            let isTaken = ["in use", "cannot bind"].contains { why.lowercased().contains($0) }
            try #require(isTaken, "\(kind.rawValue) has ended: \(why)")
        }
    }

    func stop() async {
        program.signal(SIGTERM)
        _ = await program.exitCode
    }

    /// A port that no process uses now.
    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}

/// The files of a proxy: the configuration of the page, with the ports and the certificate of the test.
private struct Setup {
    let kind: EndToEnd.ReverseProxyTests.Proxy
    let folder: TemporaryFolder
    let gateway: String
    let plain: Int
    let secure: Int

    /// The configuration on the page.
    private func block() throws -> String {
        let page = try String(contentsOf: Page.file("reverse-proxies"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```\(kind.rawValue)\n")
        try #require(blocks.count == 2, "the page has one configuration of \(kind.rawValue)")
        let block = blocks[1].components(separatedBy: "```")[0]
        return try changed(
            block,
            [
                "127.0.0.1:8080": "127.0.0.1:\(gateway)",
                "/etc/letsencrypt/live/doors.example/fullchain.pem": folder.file("proxy.pem"),
                "/etc/letsencrypt/live/doors.example/privkey.pem": folder.file("proxy.key"),
                "/etc/haproxy/doors.example.pem": folder.file("both.pem"),
            ].filter { block.contains($0.key) })
    }

    /// Replaces texts, each of which must be there.
    private func changed(_ text: String, _ changes: [String: String]) throws -> String {
        try changes.reduce(text) { text, change in
            try #require(text.contains(change.key), "`\(change.key)` is missing in the configuration of \(kind.rawValue)")
            return text.replacing(change.key, with: change.value)
        }
    }

    /// Writes the files, and returns the arguments with which the proxy runs in the foreground.
    func arguments() throws -> [String] {
        switch kind {
        case .nginx: ["-c", try nginx(), "-p", folder.path, "-e", "stderr"]
        case .haproxy: ["-db", "-f", try haproxy()]
        case .apache: ["-DFOREGROUND", "-f", try apache()]
        case .caddy: ["run", "--adapter", "caddyfile", "--config", try caddy()]
        }
    }

    private func nginx() throws -> String {
        let own = try folder.write(
            changed(
                block(), ["listen 80;": "listen 127.0.0.1:\(plain);", "listen 443 ssl;": "listen 127.0.0.1:\(secure) ssl;"]),
            to: "doorward.conf")
        let packaged = try String(contentsOfFile: "/etc/nginx/nginx.conf", encoding: .utf8)
        // The package's file with the paths of the test; a worker that is not root reads them.
        let text = try changed(
            packaged,
            [
                "user www-data;": "daemon off;", "worker_processes auto;": "worker_processes 1;",
                "pid /run/nginx.pid;": "pid \(folder.file("nginx.pid"));", "error_log /var/log/nginx/error.log;": "",
                "include /etc/nginx/modules-enabled/*.conf;": "", "access_log /var/log/nginx/access.log;": "access_log off;",
                "include /etc/nginx/conf.d/*.conf;": "include \(own);", "include /etc/nginx/sites-enabled/*;": "",
            ].filter { packaged.contains($0.key) })
        let bodies = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.file("nginx-\($0)"));"
        }
        let user = getuid() == 0 ? "user root;\n" : ""
        return try folder.write(
            user + text.replacing("http {", with: "http {\n" + bodies.joined(separator: "\n")), to: "nginx.conf")
    }

    private func haproxy() throws -> String {
        let own = try changed(block(), ["bind :80": "bind 127.0.0.1:\(plain)", "bind :443": "bind 127.0.0.1:\(secure)"])
        let packaged = try String(contentsOfFile: "/etc/haproxy/haproxy.cfg", encoding: .utf8)
        // What needs root or the package's folders.
        let omitted = ["chroot", "stats socket", "user", "group", "daemon", "log /dev/log", "log\tglobal", "option\thttplog"]
        let lines = packaged.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !omitted.contains { line.trimmingCharacters(in: .whitespaces).hasPrefix($0) }
        }
        return try folder.write(lines.joined(separator: "\n") + "\n" + own, to: "haproxy.cfg")
    }

    private func apache() throws -> String {
        let modules = [
            "mpm_event", "authz_core", "alias", "filter", "deflate", "socache_shmcb", "ssl", "headers", "proxy", "proxy_http",
        ]
        let loading = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n")
        let own = try changed(block(), ["<VirtualHost *:443>": "<VirtualHost 127.0.0.1:\(secure)>"])
        // The values of the package's apache2.conf, which is not part of `apache2-bin`.
        return try folder.write(
            """
            \(loading)
            DefaultRuntimeDir \(folder.path)
            PidFile \(folder.file("apache.pid"))
            ServerName localhost
            Listen 127.0.0.1:\(secure)
            ErrorLog /dev/stderr
            DocumentRoot /srv
            Timeout 300
            KeepAlive On
            MaxKeepAliveRequests 100
            KeepAliveTimeout 5
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            AddOutputFilterByType DEFLATE text/html text/plain text/xml text/css text/javascript application/json
            \(own)
            """, to: "apache.conf")
    }

    private func caddy() throws -> String {
        let tls = "localhost:\(secure) {\n\ttls \(folder.file("proxy.pem")) \(folder.file("proxy.key"))\n"
        let own = try changed(block(), ["doors.example {\n": tls])
        return try folder.write("{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + own, to: "Caddyfile")
    }
}
