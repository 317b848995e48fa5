import DoorwardClient
import Foundation
import Observation

/// Shows the doors of a person in a terminal, and keeps them current: `door-board SERVER EMAIL [PROPERTY-ID]`. The password is
/// read from `DOOR_BOARD_PASSWORD`, or else asked for; a line with the number of a door unlocks it, and `q` ends.
@main @MainActor struct DoorBoard {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let server = arguments.first, let email = arguments.dropFirst().first else {
            print("usage: door-board SERVER EMAIL [PROPERTY-ID]")
            exit(2)
        }
        do {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("door-board-\(getuid())").path
            let doorward = try Doorward(server: server, session: .folder(folder))
            if !doorward.isSignedIn { try await doorward.signIn(email: email, password: password()) }
            try await doorward.start()
            try await Board(doorward, property: arguments.dropFirst(2).first).run()
        } catch {
            print(sentence(error))
            exit(1)
        }
    }

    private static func password() -> String {
        if let password = ProcessInfo.processInfo.environment["DOOR_BOARD_PASSWORD"] { return password }
        print("Password: ", terminator: "")
        return readLine() ?? ""
    }

    /// What to say to a person about an error.
    static func sentence(_ error: any Error) -> String {
        guard let error = error as? DoorwardError else { return "\(error)" }
        return switch error {
        case .notConnected(let why), .noResponse(let why), .unusable(let why), .unreadable(let why): why
        case .refused(let refusal): refusal.message.isEmpty ? refusal.code : refusal.message
        case .notSignedIn, .sessionEnded: "The session has ended; sign in again."
        case .revoked, .notLoaded: "There is nothing here for you."
        case .timedOut: "The gateway did not answer in time."
        case .nameInUse, .undeclared: "\(error)"
        }
    }
}

/// The model of the screen: what it needs, and what it shows.
@MainActor final class Board: DataNeeds {
    private let doorward: Doorward
    private let query: LiveQuery<Doorward.LockDevice>
    private let doors: WatchedResult<[Doorward.LockDevice]>
    private var message = ""

    nonisolated var needs: [Need] { [.devices(query)] }

    init(_ doorward: Doorward, property: String?) {
        self.doorward = doorward
        query = property.map { .property($0) } ?? .all
        doors = doorward.devices.watched(query)
    }

    /// Draws the board whenever something that it shows has changed.
    func run() async throws {
        let (redraw, needsRedraw) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let input = Task.detached { while let line = readLine() { if await !self.entered(line) { break } } }
        let status = Task {
            for await _ in doorward.live.statuses { needsRedraw.yield() }
        }
        defer {
            input.cancel()
            status.cancel()
        }
        while !input.isCancelled, !isFinished {
            withObservationTracking {
                draw()
            } onChange: {
                needsRedraw.yield()
            }
            self.needsRedraw = { needsRedraw.yield() }
            for await _ in redraw { break }
            if let error = doors.error, doors.value == nil { throw error }
        }
    }

    private var isFinished = false
    private var needsRedraw: () -> Void = {}

    /// - Returns: whether to read another line.
    private func entered(_ line: String) async -> Bool {
        if line == "q" {
            isFinished = true
        } else if let number = Int(line),
            let door = doors.value.flatMap({ $0.indices.contains(number - 1) ? $0[number - 1] : nil })
        {
            await unlock(door)
        }
        needsRedraw()
        return !isFinished
    }

    /// The screen has hidden or disabled what is not permitted; the action asks again.
    private func unlock(_ door: Doorward.LockDevice) async {
        guard doorward.permissions.canUnlock(door) else { return message = "You may not unlock \(door.name)." }
        do {
            let command = try await doorward.devices.unlock(door.id)
            let outcome = try await command.outcome()
            message = "\(door.name): \(outcome.state?.rawValue.lowercased() ?? "unknown")"
        } catch {
            message = "\(door.name): \(DoorBoard.sentence(error))"
        }
    }

    // MARK: - Drawing

    private func draw() {
        var lines = ["\u{1B}[2J\u{1B}[H" + "Doors" + (doors.isStale ? "  (no news from the gateway; may have changed)" : "")]
        if doors.isLoading { lines.append("  loading …") }
        for (number, door) in (doors.value ?? []).enumerated() {
            let name = printable(door.name).padding(toLength: 24, withPad: " ", startingAt: 0)
            let state = (door.state ?? .unknown).rawValue.lowercased().padding(toLength: 10, withPad: " ", startingAt: 0)
            lines.append("\(door.isSecure ? " " : "!") \(number + 1)  \(name) \(state) \(action(door))")
        }
        lines.append("\(status)  \(message)")
        FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// A right that the person does not have is not shown; one that they have, but not now, is explained.
    private func action(_ door: Doorward.LockDevice) -> String {
        switch doorward.permissions.availability(of: .unlock, on: door) {
        case .available: "unlock"
        case .unavailable(let reason, let opensAt): "(\(reason)" + (opensAt.map { ", opens \($0)" } ?? "") + ")"
        case .hidden: ""
        }
    }

    private var status: String {
        switch doorward.live.status {
        case .idle, .connecting: "connecting …"
        case .live: "live"
        case .stale(let since): "silent since \(since)"
        case .ended(let error): DoorBoard.sentence(error)
        }
    }

    /// Names may contain anything; control characters would move the cursor.
    private func printable(_ text: String) -> String {
        String(text.filter { !$0.unicodeScalars.contains { $0.value < 32 || $0.value == 127 } })
    }
}
