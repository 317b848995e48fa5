extension Wire {
    /// A copy of a gateway's database that it has written.
    package struct Backup: Decodable, Equatable, Sendable {
        /// Absolute, on the gateway's host.
        package var file: String
        /// The size of the file.
        package var bytes: Int
        /// Everything that was answered before this instant is in it.
        package var at: String
        /// Each log, and how many records the copy holds of it.
        package var logs: [LogSize]

        /// How far one log goes in the copy.
        package struct LogSize: Decodable, Equatable, Sendable {
            /// `gateway`, or a portfolio's id.
            package var id: String
            /// In records.
            package var size: UInt64
        }
    }

    /// `data` of `POST /store/backup`.
    package struct BackupAnswer: Decodable, Sendable {
        /// The copy, which is whole and on disk by the time of the answer.
        package var backup: Backup
    }
}
