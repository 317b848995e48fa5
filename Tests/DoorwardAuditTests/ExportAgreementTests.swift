import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

/// Damaged exports, verified by this module and by the second implementation in `examples/verify-log.py`.
@Suite(.serialized) struct ExportAgreementTests {
    /// The number of damaged exports.
    private static let mutations = 600 * TestRounds.factor

    /// Runs the second implementation over files in one process.
    private struct SecondVerifier {
        let folder: URL
        let keys: URL

        let script: URL

        /// - Parameter defect: replaces a part of the program, to see whether the comparison finds the defect.
        init(_ key: VerifierKey, defect: (part: String, other: String)? = nil) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "doorward-exports-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            keys = folder.appending(path: "doors.key")
            try Data("\(key)\n".utf8).write(to: keys)
            let program = Files.fixtures.appending(path: "../../../examples/verify-log.py").standardizedFileURL
            guard let defect else {
                script = program
                return
            }
            script = folder.appending(path: "defective.py")
            let text = try String(contentsOf: program, encoding: .utf8)
            try #require(text.contains(defect.part), "\(defect.part) is not in the program")
            try Data(text.replacing(defect.part, with: defect.other).utf8).write(to: script)
        }

        func verdicts(on exports: [[UInt8]], origin: String) async throws -> [String] {
            var names = ""
            for (index, export) in exports.enumerated() {
                let file = folder.appending(path: "\(index).ndjson")
                try Data(export).write(to: file)
                names += file.path + "\n"
            }
            let list = folder.appending(path: "names")
            try Data(names.utf8).write(to: list)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", script.path, "--many", "--log", origin, "--public-key", keys.path]
            process.standardInput = try FileHandle(forReadingFrom: list)
            let (status, output) = try await process.output()
            #expect(status == 0)
            return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        func clear() { try? FileManager.default.removeItem(at: folder) }
    }

    private func verdict(_ export: [UInt8], _ fixture: ExportFixture) async throws -> String {
        let fault = try await fixture.fault(export)
        // Blocks that are read on several cores have the same first fault.
        #expect(try await fixture.fault(export, block: 1 + export.count / 7, width: 3) == fault)
        guard let fault else { return "whole" }
        return "\(fault.isIncomplete ? "incomplete" : "changed") \(fault.line)"
    }

    private func compare(_ exports: [[UInt8]], _ fixture: ExportFixture) async throws -> [String] {
        let second = try SecondVerifier(fixture.signer.verifierKey)
        defer { second.clear() }
        let others = try await second.verdicts(on: exports, origin: fixture.origin)
        try #require(others.count == exports.count)
        var verdicts: [String] = []
        for (export, other) in zip(exports, others) {
            let own = try await verdict(export, fixture)
            #expect(own == other, "\(String(decoding: export, as: UTF8.self))")
            verdicts.append(own)
        }
        return verdicts
    }

    @Test(
        "the comparison of damaged exports finds a verifier that leaves out a check",
        arguments: [
            ("        self.authenticate(seq, leaf, proof)\n", ""),
            ("        require(dumps(value) == line, ", "        require(True, "),
        ])
    func planted(part: String, other: String) async throws {
        var random = SeededGenerator(seed: 7)
        let fixture = try ExportFixture(seed: 24, count: 12)
        let export = try fixture.complete()
        let forged = try ExportFixture(seed: 25, count: 12).complete().lines
        var exports: [[UInt8]] = []
        for _ in 0..<60 {
            exports.append(Mutation.mutate(export, using: &random))
            exports.append(Self.change(export.lines, forged, kinds: 7, using: &random).joinedLines)
        }
        let second = try SecondVerifier(fixture.signer.verifierKey, defect: (part, other))
        defer { second.clear() }
        let others = try await second.verdicts(on: exports, origin: fixture.origin)
        var differences = 0
        for (export, other) in zip(exports, others) where try await verdict(export, fixture) != other { differences += 1 }
        #expect(differences > 0)
    }

    @Test("both verifiers accept complete and partial exports with records of all shapes")
    func whole() async throws {
        for seed in 0..<4 as Range<UInt64> {
            let fixture = try ExportFixture(seed: seed, count: 120, log: seed % 2 == 0 ? .gateway : Samples.portfolioLog)
            let exports = [
                try fixture.complete(), try fixture.complete(17..<93), try fixture.complete(119..<120),
                try fixture.partial([0, 1, 7, 64, 119]), try fixture.partial([]), try fixture.partial(Array(0..<120)),
            ]
            #expect(try await compare(exports, fixture).allSatisfy { $0 == "whole" })
        }
    }

    @Test("both verifiers find every change of any byte, and name the same line")
    func bytes() async throws {
        var random = SeededGenerator(seed: 2026)
        let fixture = try ExportFixture(seed: 21, count: 9)
        let originals = [try fixture.complete(), try fixture.complete(3..<8), try fixture.partial([1, 2, 5, 8])]
        var exports: [[UInt8]] = []
        while exports.count < Self.mutations * 2 / 3 {
            let original = originals[exports.count % originals.count]
            let changed = Mutation.mutate(original, using: &random)
            if changed != original { exports.append(changed) }
        }
        let verdicts = try await compare(exports, fixture)
        #expect(!verdicts.contains("whole"))
        // The mutations reach every part of the file.
        #expect(Set(verdicts).count > 15)
    }

    @Test("both verifiers find lines that are removed, doubled, moved, exchanged or forged, and name the same one")
    func lines() async throws {
        var random = SeededGenerator(seed: 62026)
        let fixture = try ExportFixture(seed: 22, count: 12)
        let forgery = try ExportFixture(seed: 23, count: 12)
        var exports: [[UInt8]] = []
        while exports.count < Self.mutations - Self.mutations * 2 / 3 {
            let isPartial = Bool.random(using: &random)
            let seqs = (0..<12 as Range<UInt64>).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
            let original = try (isPartial ? fixture.partial(seqs) : fixture.complete()).lines
            let other = try (isPartial ? forgery.partial(seqs) : forgery.complete()).lines
            // A partial export does not show that no record is missing at its end.
            let changed = Self.change(original, other, kinds: isPartial ? 6 : 7, using: &random)
            if changed != original { exports.append(changed.joinedLines) }
        }
        #expect(try await !compare(exports, fixture).contains("whole"))
    }

    private static func change(
        _ lines: [[UInt8]], _ other: [[UInt8]], kinds: Int, using random: inout SeededGenerator
    ) -> [[UInt8]] {
        var lines = lines
        let line = Int.random(in: lines.indices, using: &random)
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0: lines.remove(at: line)
        case 1: lines.insert(lines[line], at: Int.random(in: 0...lines.count, using: &random))
        case 2: lines.swapAt(line, Int.random(in: lines.indices, using: &random))
        // A whole record of another history, with hashes, values and fields that agree with each other.
        // Its header would be valid: the same key has signed it.
        case 3: if line > 0 { lines[line] = other[line] }
        case 4: if line > 0 { lines.replaceSubrange(line..., with: other[line...]) }
        case 5: lines.removeSubrange(line..<lines.count)
        // The tail is cut, and the end adapted.
        default:
            let kept = max(1, line)
            lines.removeSubrange(kept...)
            lines.append(Array("{\"records\":\(kept - 1)}".utf8))
        }
        return lines
    }
}
