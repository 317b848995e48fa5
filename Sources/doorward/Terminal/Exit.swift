import ArgumentParser
import DoorwardClient
import Glibc

/// How a command ends when it does not simply end: what it says, on which stream, and with which code.
struct Exit: Equatable {
    let message: String
    let code: Int32

    init(of error: any Error) {
        if let failure = error as? CommandFailure ?? (error as? ClientError).map({ CommandFailure($0) }) {
            (message, code) = ("doorward: \(failure.sentence)", failure.code)
        } else {
            message = Doorward.fullMessage(for: error)
            switch Doorward.exitCode(for: error) {
            case .success: code = 0
            case .validationFailure: code = 2
            default: code = 1
            }
        }
    }

    /// Prints the message, help on standard output and everything else on standard error, and ends the process.
    func leave() -> Never {
        if !message.isEmpty { (code == 0 ? StandardStream.output : .error).line(message) }
        exit(code)
    }
}

/// What a command could not do, as a sentence that says what to do next.
struct CommandFailure: Error, Equatable {
    let sentence: String
    /// 1 for what was refused or failed, 2 for wrong usage, 3 for no connection.
    let code: Int32

    init(_ sentence: String, code: Int32 = 1) { (self.sentence, self.code) = (sentence, code) }
}
