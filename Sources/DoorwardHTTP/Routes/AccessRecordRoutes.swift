internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// The access log, page after page by cursor.
enum AccessRecordRoutes {
    static let all: [Route] = [.get("/access-records", list), .get("/devices/:id/access-records", listOfDevice)]

    private static func list(_ call: Call) async throws -> Answer {
        try await answer(call) { query in query.id("deviceId") }
    }

    private static func listOfDevice(_ call: Call) async throws -> Answer {
        let id: DeviceID? = call.id("id")
        // Bad queries come before questions of right.
        _ = try Query(call) { _ in .some(id) }
        let device = try call.control.attachedDevices.device(id, for: call.caller)
        try call.control.attachedDevices.require(.viewAccessHistory, on: device, of: call.caller)
        return try await answer(call) { _ in .some(device.id) }
    }

    private struct Query {
        let deviceID: DeviceID??
        let order: RecordQuery.Order
        let limit: Int
        let after: RecordPlace?
        /// What a cursor of this list is bound to.
        let scope: String

        init(_ call: Call, device: (inout QueryReader) -> DeviceID??) throws(GatewayError) {
            let (caller, cursors, path) = (call.caller.userID, call.services.cursors, call.facts.path)
            self = try call.exchange.readQuery { query in
                Query(&query, device: device(&query), caller: caller, cursors: cursors, path: path)
            }
        }

        private init(_ query: inout QueryReader, device: DeviceID??, caller: UserID, cursors: Cursors, path: String) {
            deviceID = device
            order = query.word("order", of: [.newestFirst, .oldestFirst]) ?? .newestFirst
            limit = query.integer("limit", in: WireLimits.recordPageSize) ?? WireLimits.defaultRecordPageSize
            let filter = device.map { $0?.description ?? "?" } ?? "*"
            let scope = "\(caller)/\(path)/\(filter)/\(order.rawValue)"
            self.scope = scope
            let text = query.text("cursor")
            after = text.flatMap { cursors.place($0, scope: scope) }
            if text != nil, after == nil { query.mistakes.add("cursor", .badCursor) }
        }
    }

    private static func answer(_ call: Call, device: (inout QueryReader) -> DeviceID??) async throws -> Answer {
        let query = try Query(call, device: device)
        let (records, hasMore) = try await call.control.history.records(
            for: call.caller, deviceID: query.deviceID, order: query.order, after: query.after, limit: query.limit)
        let next = hasMore ? records.last.map { call.services.cursors.cursor(after: $0.place, scope: query.scope) } : nil
        let view = call.view
        return .success { writer in
            writer.field("accessRecords") { writer in writer.array(records) { view.record($1, into: &$0) } }
            writer.field("nextCursor", next)
        }
    }
}

extension AccessRecord {
    fileprivate var place: RecordPlace { RecordPlace(log: body.log, seq: seq, at: body.at) }
}
