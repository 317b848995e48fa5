import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardAudit
import DoorwardDomain
import Foundation
import NIOCore
import NIOHTTP1

/// Measures the proofs of a portfolio's log over HTTP: inclusion proofs, an export of the whole log, and its verification.
struct LogBenchmark {
    private static let proofs = 1_000
    /// The size of a log from which three exports take long enough to be measured.
    private static let recordsOfLargeLog: UInt64 = 300_000

    let calls: OwnersCalls
    let estate: Estate
    let gateway: ServedGateway
    let folder: URL

    func run() async throws {
        guard let portfolio = estate.fleet.devices.first?.portfolioID else { return }
        let note = String(decoding: try await calls.send(.GET, "/audit/logs/\(portfolio)/checkpoint").body, as: UTF8.self)
        let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 2, let size = UInt64(lines[1]), size > 0 else { return }
        try await measureProofs(portfolio, size)

        let file = folder.appendingPathComponent("export.ndjson")
        let path = "/access-records/export?format=ndjson&logId=\(portfolio)"
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
        let handle = try FileHandle(forWritingTo: file)
        try await calls.download(path) { try handle.write(contentsOf: Data($0.readableBytesView)) }
        try handle.close()

        // The measured exports are not written to a file: the disk would be measured, too.
        let exports = size < Self.recordsOfLargeLog ? 9 : 3
        let (used, usedHere) = (gateway.processorSeconds, processorTime())
        var times: [UInt64] = []
        for _ in 0..<exports {
            let watch = Stopwatch()
            try await calls.download(path) { _ in }
            times.append(watch.wall)
        }
        let processor = (gateway.processorSeconds - used) / Double(exports)
        let client = Double(processorTime() - usedHere) / 1e9 / Double(exports)
        let records = Double(size)
        let detail = "\(size) records, median of \(exports), client \(Int(client * 1e9 / records)) ns a record"
        Figure(
            "audit", "an export of a portfolio's log over HTTP", records / Double(percentile(0.5, of: &times)) * 1e9, "records/s",
            goal: 100_000, cpu: records / processor, note: detail
        ).report()
        let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        Figure("audit", "bytes of an exported record", Double(bytes ?? 0) / records, "bytes").report()
        let key = String(decoding: try await calls.send(.GET, "/audit/public-key").body, as: UTF8.self).split(separator: "\n")
        try await verify(file, origin: String(lines[0]), key: key.first.map(String.init) ?? "")
    }

    private func measureProofs(_ portfolio: PortfolioID, _ size: UInt64) async throws {
        var times: [UInt64] = []
        for number in 0..<Self.proofs {
            let seq = UInt64(number) * 7_919_993 % size
            times.append(
                try await calls.send(.GET, "/audit/logs/\(portfolio)/proof/inclusion?seq=\(seq)&size=\(size)").time)
        }
        let note = "among \(size) records"
        Figure("audit", "an inclusion proof, p50", Double(percentile(0.5, of: &times)) / 1e6, "ms", note: note).report()
        Figure("audit", "an inclusion proof, p99", Double(percentile(0.99, of: &times)) / 1e6, "ms", goal: 5, note: note).report()
    }

    private func verify(_ file: URL, origin: String, key: String) async throws {
        guard let key = VerifierKey(parsing: key) else { return }
        for width in [1, ProcessInfo.processInfo.activeProcessorCount] {
            let (used, watch) = (processorTime(), Stopwatch())
            var verifier = ExportVerifier(origin: origin, keys: [key], width: width)
            let handle = try FileHandle(forReadingFrom: file)
            while let block = try handle.read(upToCount: 4 << 20), !block.isEmpty { try await verifier.add(Array(block)) }
            let count = Double(try await verifier.finish().count)
            let seconds = Double(watch.wall) / 1e9
            Figure(
                "audit", "verification of the export, \(width == 1 ? "one core" : "\(width) cores")", count / seconds,
                "records/s", goal: width == 1 ? nil : 300_000, cpu: count / (Double(processorTime() - used) / 1e9)
            ).report()
        }
    }
}
