import DoorwardAPI
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Messages of refused requests") struct RefusalWordsTests {
    private let pipe = OutputStyle(isTerminal: false, environment: [:])

    private func lines(_ refusal: APIError) -> [String] {
        CommandFailure(.refused(refusal), style: pipe).sentence.split(separator: "\n").map(String.init)
    }

    @Test("the gateway's message comes first, without references to its JSON, and the request id comes last")
    func sentence() {
        var denial = Doorward.Denial()
        denial.opensAt = "2030-01-01T00:00:00.000Z"
        let refusal = APIError(
            status: 403, code: "x", message: "The guest access has not begun yet; see details.opensAt.", denial: denial,
            requestID: "r-1")
        #expect(
            lines(refusal) == ["The guest access has not begun yet.", "  opens 2030-01-01T00:00:00.000Z", "  request r-1"])
    }

    @Test("a missing role, operation, capability or module is named in words")
    func missing() {
        var denial = Doorward.Denial()
        denial.missing = Doorward.Denial.Missing(
            role: "PROPERTY_MANAGER", operation: "UNLATCH", capability: "DOOR", module: "guestLinks")
        #expect(
            lines(APIError(status: 403, code: "x", message: "No.", denial: denial)) == [
                "No.", "  needs the role property manager or a higher one", "  needs the operation unlatch",
                "  the lock has no door",
                "  needs guestLinks in the subscription",
            ])
    }

    @Test("if only a super admin has the right, the message says so and names no higher role")
    func superAdmin() {
        var denial = Doorward.Denial()
        denial.missing = Doorward.Denial.Missing(role: "SUPER_ADMIN")
        #expect(
            lines(APIError(status: 403, code: "x", message: "No.", denial: denial)) == ["No.", "  only a super admin may"])
    }

    @Test("the end of a window is shown as `ended` if it is past, else as `ends`")
    func windows() {
        var denial = Doorward.Denial()
        (denial.reason, denial.closesAt) = ("guest_window_ended", "2030-01-01T00:00:00.000Z")
        #expect(
            lines(APIError(status: 403, code: "x", message: "No.", denial: denial)).contains("  ended 2030-01-01T00:00:00.000Z"))
        denial.reason = "outside_schedule"
        #expect(
            lines(APIError(status: 403, code: "x", message: "No.", denial: denial)).contains("  ends 2030-01-01T00:00:00.000Z"))
    }

    @Test(
        "the message of a refused command says whether the command was sent to the lock",
        arguments: [
            (true, "  the command was sent to the lock"), (false, "  nothing was sent to the lock"),
            (nil, "  it is not known whether the command was sent to the lock"),
        ])
    func commands(_ sent: Bool?, _ line: String) {
        var command = Doorward.Command(id: "c-1", deviceId: "d", operation: "UNLOCK")
        (command.sent, command.outcomeDetail) = (sent, "low_power")
        #expect(
            lines(APIError(status: 502, code: "x", message: "No.", command: command)) == [
                "No.", "  command c-1: low power", line,
            ])
    }

    @Test(
        "a field is shown under its command-line name, with the wrong value and the most similar known one",
        arguments: [
            ("end_not_after_start", FieldOption("--until"), "  --until is not after the start"),
            (
                "unknown", FieldOption("--profile", value: "zigbe", candidates: ["zigbee", "homie"]),
                "  --profile: `zigbe` is not known. Did you mean `zigbee`?"
            ),
            (
                "unknown_value", FieldOption("--profile", value: "x", candidates: ["zigbee", "homie"]),
                "  --profile: `x` is not known; known are zigbee, homie"
            ),
            ("unknown_value", FieldOption("--operations"), "  --operations has an unknown value"),
            (
                "unknown_zone", FieldOption("--time-zone", value: "Hamburg"),
                "  --time-zone: `Hamburg` is not a time zone; one is Europe/Berlin"
            ),
            ("unknown_zone", nil, "  field is not a time zone; one is Europe/Berlin"),
            (
                "unknown_key", FieldOption("--address sed", value: "sed", candidates: ["seed"]),
                "  --address sed is not known here. Did you mean `seed`?"
            ),
            ("unknown_key", nil, "  field is not known here"),
            ("not_in_bulk", nil, "  field cannot be part of a bulk; send this request by itself"),
        ] as [(String, FieldOption?, String)])
    func options(_ problem: String, _ option: FieldOption?, _ line: String) {
        let refusal = APIError(status: 400, code: "x", message: "No.", fields: [.init(field: "field", problem: problem)])
        let text = refusal.sentence(pipe, option: { $0 == "field" ? option : nil })
        #expect(text == "No.\n\(line)")
    }

    @Test("only an error with wrong fields is rewritten with the names of the command line")
    func naming() async throws {
        func failing(_ refusal: APIError) async throws {
            try await namingOptions({ _ in FieldOption("--until") }) { throw ClientError.refused(refusal) }
        }
        let wrong = APIError(status: 400, code: "x", message: "No.", fields: [.init(field: "validUntil", problem: "blank")])
        await #expect(throws: CommandFailure("No.\n  --until is blank")) { try await failing(wrong) }
        let denied = APIError(status: 403, code: "x", message: "No.")
        await #expect(throws: ClientError.refused(denied)) { try await failing(denied) }
    }

    @Test("a message contains no terminal control characters")
    func hostile() {
        let refusal = APIError(
            status: 400, code: "x", message: "a\u{1B}[2Jb", fields: [.init(field: "f\u{1B}", problem: "p\u{1B}")],
            requestID: "r\u{1B}")
        #expect(!CommandFailure(.refused(refusal), style: pipe).sentence.contains("\u{1B}"))
    }

    @Test(
        "each kind of failed request exits with its documented code",
        arguments: [
            (ClientError.noConnection(server: "s", why: "w"), 3), (.noResponse(server: "s", why: "w"), 3),
            (.notAGateway(server: "s"), 1),
            (.tlsFailed(server: "s", why: "w"), 3), (.authorityFile(path: "p", why: "w"), 1),
            (.sessionExpired(server: "s", email: "e", name: .default), 1),
            (.notSignedIn(server: nil), 1), (.badAddress("x", why: "w"), 2), (.sessionFile(path: "p", why: "w"), 1),
            (.refused(APIError(status: 403, code: "forbidden", message: "No.")), 1),
        ] as [(ClientError, Int32)])
    func codes(_ error: ClientError, _ code: Int32) {
        let exit = Exit(of: error)
        #expect(exit.code == code)
        #expect(exit.message.hasPrefix("doorward: "))
    }

    @Test("an expired session is reported with the command that signs in again")
    func expired() throws {
        func sentence(_ email: String?, _ name: SessionName) -> String {
            CommandFailure(.sessionExpired(server: "https://doors.example", email: email, name: name)).sentence
        }
        #expect(
            sentence("a@b.example", .default)
                == "The session has expired; sign in again: doorward login --server https://doors.example --email a@b.example")
        let work = try #require(SessionName("work"))
        #expect(
            sentence("a@b.example", work)
                == "The session has expired; sign in again: doorward login --as work --server https://doors.example "
                + "--email a@b.example")
        #expect(
            sentence(nil, work)
                == "The API key is no longer valid; sign in again: doorward login --as work --server https://doors.example "
                + "--api-key-stdin")
    }

    @Test("every problem code of the API has a text of its own", arguments: FieldProblemCode.allCases)
    func problems(_ word: FieldProblemCode) {
        #expect(!DisplayText.problem(word.rawValue).contains("_"))
        #expect(!DisplayText.problem(word.rawValue).isEmpty)
    }
}
