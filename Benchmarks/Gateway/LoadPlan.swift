package import DoorwardDomain

/// What the load's process is told on its standard input.
package struct LoadPlan: Codable {
    package var port: Int
    /// How long it sends; what was sent then is still waited for.
    package var seconds: Double
    /// For each connection the requests that it sends in turn, each as its bytes; the next one when the last is answered.
    package var connections: [[String]]
    /// Requests in a second, of all connections together; `nil`: as many as are answered.
    package var rate: Double?

    package init(port: Int, seconds: Double, connections: [[String]], rate: Double? = nil) {
        (self.port, self.seconds, self.connections, self.rate) = (port, seconds, connections, rate)
    }

    /// An order to a device: `unlock` or `lock`.
    ///
    /// - Parameter headers: further ones, each with its line's end.
    package static func order(
        _ word: String, _ device: DeviceID, token: String, port: Int, headers: String = ""
    ) -> String {
        "POST /api/v1/devices/\(device)/\(word) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: application/json\r\n"
            + "Authorization: Bearer \(token)\r\n\(headers)Content-Length: 0\r\n\r\n"
    }

    /// Where this stands in a request, the number of the request takes its place, with as many digits.
    package static let numberMark = "################"
}

/// What the load's process says on its standard output.
package struct LoadResult: Codable {
    /// Answers with any status.
    package var answered = 0
    /// Answers with a status other than 200.
    package var failed = 0
    /// From the first connection to the last answer.
    package var seconds = 0.0
    /// From sending a request to its whole answer, in microseconds; with a given rate, from when it was to be sent.
    package var p50 = 0.0
    /// As `p50`.
    package var p99 = 0.0
    /// The longest of all, in microseconds.
    package var longest = 0.0

    /// Answers in a second.
    package var rate: Double { seconds > 0 ? Double(answered) / seconds : 0 }
}
