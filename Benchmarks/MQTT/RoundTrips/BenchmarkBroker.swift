import BenchmarkSupport
import DoorwardMQTT
import Foundation

/// A mosquitto on a free loopback port for the time of a benchmark.
final class BenchmarkBroker {
    let port: Int
    private let process = Process()
    private let configuration: URL

    /// Starts the broker, and returns when it accepts connections.
    init() throws {
        port = try Self.freePort()
        configuration = FileManager.default.temporaryDirectory.appendingPathComponent(
            "doorward-benchmark-\(UUID().uuidString).conf")
        let lines = ["listener \(port) 127.0.0.1", "allow_anonymous true", "log_dest none", "set_tcp_nodelay true", ""]
        try lines.joined(separator: "\n").write(to: configuration, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/mosquitto")
        process.arguments = ["-c", configuration.path]
        try process.run()
        waitUntilConnected()
    }

    /// The processor time that the broker has used so far, in seconds.
    var processorSeconds: Double { processorTime(of: process.processIdentifier) }

    func end() {
        process.killNow()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: configuration)
    }

    private func waitUntilConnected() {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "waiting")
        (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(10), .milliseconds(10))
        let connected = DispatchSemaphore(value: 0)
        let connection = MQTTConnection(settings) { if case .connected = $0 { connected.signal() } }
        connection.start()
        connected.wait()
        Task { await connection.stop() }
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard result else { throw POSIXError(.EADDRNOTAVAIL) }
        return Int(address.sin_port.bigEndian)
    }
}
