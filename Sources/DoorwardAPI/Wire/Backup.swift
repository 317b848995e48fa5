extension Wire {
    /// A backup of a gateway's database.
    package struct Backup: Decodable, Equatable, Sendable {
        /// The absolute path on the gateway's host.
        package var file: String
        /// The size of the file in bytes.
        package var bytes: Int
        /// The instant of the backup. The backup contains every change that was acknowledged before this instant.
        package var at: String
        /// Each log with the number of its records in the backup.
        package var logs: [LogSize]

        /// The size of one log in the backup.
        package struct LogSize: Decodable, Equatable, Sendable {
            /// `gateway`, or a portfolio's id.
            package var id: String
            /// The number of records.
            package var size: UInt64
        }
    }

    /// `data` of `POST /store/backup`.
    package struct BackupAnswer: Decodable, Sendable {
        /// The backup, which is complete and on disk when the response is sent.
        package var backup: Backup
    }
}
