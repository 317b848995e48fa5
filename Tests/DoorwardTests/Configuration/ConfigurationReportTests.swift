import DoorwardTesting
import Foundation
import Testing

@testable import doorward

@Suite("doorward config check") struct ConfigurationReportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = try folder.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Checks a configuration file with this text and a database path in the test's folder.
    private func report(_ yaml: String) throws -> ConfigurationReport {
        let file = try write("store: { path: \(folder.path)/doorward.db }\n\(yaml)", to: "doorward.yaml")
        return try ConfigurationReport(of: ConfigurationSources(file: file).load(), file: file)
    }

    private func refusal(_ yaml: String) throws -> String {
        let error = try #require(throws: (any Error).self) { _ = try report(yaml) }
        return try #require(CommandFailure(of: error)).sentence
    }

    private func openssl(_ arguments: String...) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.start()
        try #require(await process.exitCode() == 0)
    }

    /// Makes a certificate and its key.
    private func pair(_ name: String) async throws -> (file: String, key: String) {
        let (file, key) = ("\(folder.path)/\(name).pem", "\(folder.path)/\(name).key")
        try await openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-subj", "/CN=\(name)", "-keyout",
            key,
            "-out", file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        return (file, key)
    }

    @Test("the resulting settings are listed, and no file is created")
    func summary() throws {
        let report = try report(
            """
            gateway: { publicUrl: "https://doors.example" }
            http: { host: "::1", port: 8443 }
            log: { level: debug, format: json }
            mqtt:
              - { name: home, url: "mqtt://127.0.0.1" }
              - { name: away, url: "mqtts://[::2]:9000" }
            """)
        let path = folder.path
        let pipe = OutputStyle(isTerminal: false, environment: [:])
        #expect(
            report.lines(pipe) == [
                "\(path)/doorward.yaml: ok", "listens on\thttp://[::1]:8443", "public URL\thttps://doors.example",
                "database\t\(path)/doorward.db (made by the first start)",
                "signing key\t\(path)/doorward.db.signing-key (made by the first start)",
                "audit key\t\(path)/doorward.db.audit-key (made by the first start)",
                "person keys\t\(path)/doorward.db.person-keys (made by the first start)",
                "checkpoints\t\(path)/doorward.db.checkpoints", "backups\t-",
                "brokers\thome (mqtt://127.0.0.1:1883), away (mqtts://[::2]:9000)", "profiles\t-", "log\tdebug, json",
            ])
        let json = String(decoding: report.json, as: UTF8.self)
        #expect(
            json.hasPrefix(
                #"{"configuration":{"address":"http://[::1]:8443","auditKey":{"exists":false,"path":"\#(path)/doorward.db.audit-key"},"#
            ), "\(json)")
        #expect(json.contains(#","brokers":[{"name":"home","url":"#) && json.contains(#","checkpoints":"\#(path)/doorward.db."#))
        #expect(json.contains(#""isOk":true"#) && json.contains(#""warnings":[]"#))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["doorward.yaml"])
    }

    @Test("backups are listed, and a folder into which they cannot be written is a warning")
    func backups() throws {
        let path = folder.path
        let missing = try report(
            "gateway: { publicUrl: \"https://doors.example\" }\nbackup: { folder: \(path)/none, keepDays: 3 }")
        #expect(
            missing.warnings == [
                "backup.folder: \(path)/none: The folder of the backup does not exist on the gateway's machine; create it first."
            ])
        let pipe = OutputStyle(isTerminal: false, environment: [:])
        #expect(missing.lines(pipe).contains("backups\t\(path)/none, daily at 03:30, kept for 3 days"))
        #expect(
            String(decoding: missing.json, as: UTF8.self).contains(
                #""backup":{"at":"03:30","folder":"\#(path)/none","keepDays":3},"#))
        #expect(try report("gateway: { publicUrl: \"https://doors.example\" }\nbackup: { folder: \(path) }").warnings == [])
    }

    @Test("without a file the environment and the defaults are checked")
    func noFile() throws {
        var configuration = GatewayConfiguration()
        configuration.store.path = "\(folder.path)/doorward.db"
        let report = try ConfigurationReport(of: configuration, file: nil)
        #expect(report.lines(OutputStyle(isTerminal: false, environment: [:])).first == "no file: ok")
        #expect(report.warnings == ["gateway.publicUrl is not set: links for new passwords lack the gateway's address"])
    }

    @Test("a key file that others can read or that contains no key is an error, as for `serve`")
    func signingKey() throws {
        let key = try write(Data(repeating: 7, count: 32).base64EncodedString() + "\n", to: "key", mode: 0o644)
        let yaml = "gateway: { publicUrl: 'https://doors.example' }\nauth: { signingKeyFile: \(key) }\n"
        #expect(try refusal(yaml).hasPrefix("\(key): others than its owner can read this key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        #expect(try report(yaml).warnings == [])
        _ = try write("nonsense", to: "key")
        #expect(try refusal(yaml).hasPrefix("\(key): this file contains no key"))
    }

    @Test("a database without its key, or readable by others, is a warning, because only opening it shows more")
    func database() throws {
        _ = try write("", to: "doorward.db", mode: 0o640)
        let warnings = try report("gateway: { publicUrl: 'https://doors.example' }").warnings
        #expect(warnings.count == 2)
        #expect(warnings[0].hasPrefix("\(folder.path)/doorward.db.signing-key does not exist: `serve` does not start if"))
        #expect(warnings[1].hasPrefix("\(folder.path)/doorward.db: others than its owner can read the database"))
    }

    @Test("a database in a missing folder is an error, as for `serve`")
    func databaseFolder() throws {
        let path = "\(folder.path)/none/doorward.db"
        var configuration = GatewayConfiguration()
        configuration.store.path = path
        let error = try #require(throws: (any Error).self) { _ = try ConfigurationReport(of: configuration, file: nil) }
        #expect(
            try #require(CommandFailure(of: error)).sentence.hasPrefix("\(path): the database could not be opened: its folder "))
    }

    @Test("the certificate and its key are checked: both are readable, valid and belong together")
    func certificates() async throws {
        let (own, other) = (try await pair("own"), try await pair("other"))
        func yaml(_ certificate: String, _ key: String) -> String {
            "gateway: { publicUrl: 'https://doors.example' }\nhttp:\n  tls:\n    certificate: \(certificate)\n    privateKey: \(key)\n"
        }
        let file = "\(folder.path)/doorward.yaml"
        #expect(try report(yaml(own.file, own.key)).warnings == [])
        #expect(
            try report(yaml(own.file, own.key)).lines(OutputStyle(isTerminal: false, environment: [:])).contains(
                "listens on\thttps://127.0.0.1:8080"))
        #expect(
            try refusal(yaml("/none.pem", own.key))
                == "\(file), line 5: `http.tls.certificate`: the file `/none.pem` cannot be read: there is no such file or folder; create it, or correct the path"
        )
        #expect(try refusal(yaml(own.key, own.key)).hasSuffix("the file `\(own.key)` contains no certificate in PEM"))
        #expect(
            try refusal(yaml(own.file, own.file))
                == "\(file), line 6: `http.tls.privateKey`: the file `\(own.file)` contains no unencrypted private key in PEM")
        #expect(
            try refusal(yaml(own.file, other.key)).hasSuffix(
                "the key `\(other.key)` does not belong to the certificate `\(own.file)`"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: own.key)
        #expect(
            try report(yaml(own.file, own.key)).warnings == [
                "\(own.key): others than its owner can read this key; run `chmod 600 \(own.key)`"
            ])
    }

    @Test("the root certificate of purchases is read: a PEM file with certificates, and nothing else")
    func purchases() async throws {
        let own = try await pair("own")
        func yaml(_ root: String) -> String {
            "gateway: { publicUrl: 'https://doors.example' }\niap:\n  bundleId: com.example.doors\n  rootCertificate: \(root)\n"
        }
        let place = "\(folder.path)/doorward.yaml, line 5: `iap.rootCertificate`: the file"
        #expect(try report(yaml(own.file)).warnings == [])
        #expect(
            try refusal(yaml("/none.cer"))
                == "\(place) `/none.cer` cannot be read: there is no such file or folder; create it, or correct the path")
        #expect(try refusal(yaml(own.key)) == "\(place) `\(own.key)` contains no certificate in DER or PEM")
    }

    @Test("the token of the metrics is read: one line of a file that only its owner can read, which no message repeats")
    func metricsToken() throws {
        func yaml(_ file: String) -> String {
            "gateway: { publicUrl: 'https://doors.example' }\nmetrics:\n  tokenFile: \(folder.path)/\(file)\n"
        }
        let place = "\(folder.path)/doorward.yaml, line 4: `metrics.tokenFile`: the file"
        _ = try write("topsecret\n", to: "token")
        _ = try write("topsecret\n", to: "open", mode: 0o644)
        _ = try write("topsecret\ntopsecret\n", to: "two")
        #expect(try report(yaml("token")).warnings == [])
        #expect(
            try refusal(yaml("open"))
                == "\(place) `\(folder.path)/open` can be read by others than its owner; run `chmod 600 \(folder.path)/open`")
        #expect(try refusal(yaml("two")) == "\(place) `\(folder.path)/two` must contain exactly one line")
        #expect(
            try refusal(yaml("none"))
                == "\(place) `\(folder.path)/none` cannot be read: there is no such file or folder; create it, or correct the path"
        )
    }

    @Test("a broker's files are checked as for `serve`; an invalid profile is a warning, because `serve` starts without it")
    func brokers() throws {
        let broker =
            "mqtt: [{ name: home, url: 'mqtt://127.0.0.1', usernameFile: \(folder.path)/name, passwordFile: \(folder.path)/password }]"
        #expect(try refusal(broker).contains("`mqtt.0.usernameFile`: the file `\(folder.path)/name` cannot be read"))
        _ = try write("doors\n", to: "name")
        _ = try write("secret\n", to: "password", mode: 0o644)
        #expect(try refusal(broker).contains("`\(folder.path)/password` can be read by others than its owner"))
        try FileManager.default.createDirectory(atPath: "\(folder.path)/profiles", withIntermediateDirectories: false)
        _ = try write("profile: bad\ncomands: {}\n", to: "profiles/bad.yaml")
        let report = try report(
            "gateway: { publicUrl: 'https://doors.example' }\nprofiles: { directories: ['\(folder.path)/profiles'] }")
        #expect(!report.warnings.isEmpty)
        for warning in report.warnings {
            #expect(warning.hasPrefix("a profile is left out: \(folder.path)/profiles/bad.yaml:"), "\(warning)")
        }
    }
}
