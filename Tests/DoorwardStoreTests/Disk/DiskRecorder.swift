import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDBSQLite
import Synchronization

/// Records what is written to a database and flushed, in order, together with what the program was told meanwhile. Makes one write or
/// flush fail on request.
final class DiskRecorder: Sendable {
    enum File: CaseIterable, Sendable { case database, log }

    enum Event: Sendable {
        case write(File, at: Int, [UInt8])
        case truncate(File, to: Int)
        case flush(File)
        /// The store answered that these records are durable.
        case answered([RecordID])
        /// The store showed a log of this size, with this root, to a reader, which may sign them.
        case shown(LogID, size: UInt64, root: [UInt8])
        /// The store answered that the person's values are erased.
        case erased(UserID)
        /// The events from here on belong to this step.
        case step(String)
    }

    /// How an operation fails.
    enum Outcome: Hashable, Sendable {
        case none
        /// Nothing is written.
        case error(Int32)
        /// Half of the bytes are written.
        case torn(Int32)
        /// Nothing is written, and success is reported: a defect of the layer, which a campaign must find.
        case swallowed
    }

    private struct State {
        var events: [Event] = []
        var isRecording = true
        var fault: (number: Int, isFlush: Bool, outcome: Outcome)?
        var operations = 0
        var hits = 0
    }

    let path: String
    private let state = Mutex(State())
    private let base: DiskImage

    /// Watches the database at a path, which is closed.
    init(_ path: String) throws {
        guard DiskLayer.isInstalled else { throw CocoaError(.featureUnsupported) }
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
        base = try DiskImage(of: path)
        DiskLayer.watch(self.path, by: self)
    }

    /// Ends the recording. Operations are passed on from now on.
    func stop() {
        state.withLock { ($0.isRecording, $0.fault) = (false, nil) }
        DiskLayer.watch(path, by: nil)
    }

    /// Makes the write or flush with a number, from 1, and all later ones fail, until `recover`.
    func fail(_ number: Int, isFlush: Bool, _ outcome: Outcome) {
        state.withLock { ($0.fault, $0.operations) = ((number, isFlush, outcome), 0) }
    }

    func recover() { state.withLock { $0.fault = nil } }

    var hits: Int { state.withLock { $0.hits } }
    var events: [Event] { state.withLock { $0.events } }

    func note(_ event: Event) { state.withLock { if $0.isRecording { $0.events.append(event) } } }

    /// Notes an operation, and returns how it fails.
    func fault(in event: Event) -> Outcome {
        state.withLock { state in
            let isFlush = if case .flush = event { true } else { false }
            if let fault = state.fault, fault.isFlush == isFlush {
                state.operations += 1
                if state.operations >= fault.number {
                    state.hits += 1
                    return fault.outcome
                }
            }
            if state.isRecording { state.events.append(event) }
            return .none
        }
    }

    // MARK: - Images

    /// The files as a `kill -9` after the first `count` events leaves them: the system keeps everything that was written.
    func killed(after count: Int) -> DiskImage {
        var image = base
        for event in events.prefix(count) { image.apply(event) }
        return image
    }

    /// The files as a power cut after the first `count` events leaves them: what was flushed, and any part of the rest.
    ///
    /// - Parameter unflushed: a file whose flushes count as left out: a defect of the store, which a campaign must find.
    func cutPower(after count: Int, unflushed: File? = nil, using random: inout SeededGenerator) -> (image: DiskImage, lost: Int)
    {
        var (image, pending, lost) = (base, [File: [Event]](), 0)
        for event in events.prefix(count) {
            switch event {
            case .write(let file, _, _), .truncate(let file, _): pending[file, default: []].append(event)
            case .flush(let file) where file != unflushed:
                for event in pending.removeValue(forKey: file) ?? [] { image.apply(event) }
            default: break
            }
        }
        for file in File.allCases {
            // Everything, nothing, or each sector by itself.
            let chance = [0, 1, 2, 2].randomElement(using: &random) ?? 0
            for event in pending[file] ?? [] { lost += image.applyPart(of: event, chance: chance, using: &random) }
        }
        return (image, lost)
    }

    /// What the program was told within the first `count` events.
    func promises(after count: Int) -> Promises {
        var promises = Promises()
        for event in events.prefix(count) { promises.add(event) }
        return promises
    }

    /// The numbers of events of each step: a crash may come after each of them.
    var steps: [String: [Int]] {
        var (steps, step) = ([String: [Int]](), "begin")
        for (index, event) in events.enumerated() {
            if case .step(let name) = event { step = name }
            steps[step, default: []].append(index + 1)
        }
        return steps
    }
}

/// The content of a database and its write-ahead log.
struct DiskImage: Sendable {
    private var files: [DiskRecorder.File: [UInt8]]
    private static let sector = 512

    init(of path: String) throws {
        let names = [DiskRecorder.File.database: path, .log: path + "-wal"]
        files = try names.mapValues {
            try FileManager.default.fileExists(atPath: $0) ? Array(Data(contentsOf: URL(filePath: $0))) : []
        }
    }

    mutating func apply(_ event: DiskRecorder.Event) {
        switch event {
        case .write(let file, let offset, let bytes): write(bytes[...], at: offset, to: file)
        case .truncate(let file, let size): truncate(file, to: size)
        default: break
        }
    }

    /// Applies an operation that was not flushed.
    ///
    /// - Parameter chance: 0 for all of it, 1 for nothing, 2 for each sector with a chance of one half.
    /// - Returns: the number of sectors that are lost.
    mutating func applyPart(of event: DiskRecorder.Event, chance: Int, using random: inout SeededGenerator) -> Int {
        func isKept() -> Bool { chance == 0 || chance == 2 && Bool.random(using: &random) }
        switch event {
        case .write(let file, let offset, let bytes):
            var (start, lost) = (0, 0)
            while start < bytes.count {
                let end = min(bytes.count, ((offset + start) / Self.sector + 1) * Self.sector - offset)
                if isKept() { write(bytes[start..<end], at: offset + start, to: file) } else { lost += 1 }
                start = end
            }
            return lost
        case .truncate(let file, let size):
            guard isKept() else { return 1 }
            truncate(file, to: size)
            return 0
        default: return 0
        }
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int, to file: DiskRecorder.File) {
        let missing = offset + bytes.count - files[file, default: []].count
        if missing > 0 { files[file, default: []] += Array(repeating: 0, count: missing) }
        // Copies memory: a loop over the elements takes most of a campaign's time in a debug build.
        files[file, default: []].withUnsafeMutableBytes { content in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: content[offset...]).copyMemory(from: $0) }
        }
    }

    private mutating func truncate(_ file: DiskRecorder.File, to size: Int) {
        let content = files[file, default: []]
        if content.count > size {
            files[file] = Array(content[..<size])
        } else {
            files[file, default: []] += Array(repeating: 0, count: size - content.count)
        }
    }

    /// Writes the files, in place of those that are there.
    func write(to path: String) throws {
        for (file, suffix) in [(DiskRecorder.File.database, ""), (.log, "-wal")] {
            try Data(files[file] ?? []).write(to: URL(filePath: path + suffix))
        }
        try? FileManager.default.removeItem(atPath: path + "-shm")
    }
}
