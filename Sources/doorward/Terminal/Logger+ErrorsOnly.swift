import Logging

extension Logger {
    /// Logs only errors, to standard error, for commands that print everything else themselves.
    static var errorsOnly: Logger {
        var logger = Logger(label: "doorward") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        return logger
    }
}
