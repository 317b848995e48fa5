internal import DoorwardAPI
internal import DoorwardDomain
internal import HTTPTypes

// Writes the document in the format of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html).

extension APIDocument {
    var openAPI: JSONValue {
        let paths = Dictionary(grouping: operations, by: \.path).mapValues { operations in
            JSONValue.object(Dictionary(operations.map { ($0.method.rawValue.lowercased(), $0.openAPI) }) { $1 })
        }
        return [
            "openapi": "3.1.1",
            "info": ["title": "Doorward", "version": "1", "description": .string(Self.introduction)],
            "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "bearer": [
                        "type": "http", "scheme": "bearer",
                        "description": "The token of a sign-in, or the secret of an API key.",
                    ]
                ],
                "schemas": .object(Dictionary(Self.schemas.map { ($0.name, $0.schema.json) }) { $1 }),
                "responses": .object(Dictionary(Self.errorStatuses.map { ("Error\($0)", Self.errorResponse($0)) }) { $1 }),
            ],
        ]
    }

    /// The rules that apply to all operations.
    static let introduction = """
        Success is `{"status":"success","data":{…}}`. An error has a stable `code`, a `message` for a person, and the `requestId` \
        that the gateway's log names; with `Accept: application/problem+json` it has the form of RFC 9457. An object contains the \
        fields that the caller's level sees, and `viewLevel` names the level. Unknown keys are rejected.
        """

    private static func errorResponse(_ status: Int) -> JSONValue {
        let codes = ErrorCode.allCases.filter { $0.status == status }.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return [
            "description": .string(status == 403 ? "\(codes), or the reason of a denial" : codes),
            "content": [
                "application/json": ["schema": JSONSchema.reference("Error\(status)").json],
                "application/problem+json": ["schema": ["type": "object"]],
            ],
        ]
    }
}

extension APIDocument.Operation {
    fileprivate var openAPI: JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .string(id), "summary": .string(description.summary), "tags": [.string(group)],
            "responses": .object(responses), "security": needsSignIn ? [["bearer": []]] : [],
        ]
        if !parameters.isEmpty { members["parameters"] = .array(parameters.map(\.openAPI)) }
        if let body = input.body {
            members["requestBody"] = [
                "required": .bool(body.hasRequiredMember),
                "content": ["application/json": ["schema": body.json, "example": body.example()]],
            ]
        }
        return .object(members)
    }

    private var responses: [String: JSONValue] {
        var responses: [String: JSONValue] = [:]
        for status in errors { responses["\(status)"] = ["$ref": .string("#/components/responses/Error\(status)")] }
        for answer in description.answers { responses["\(answer.status)"] = answer.openAPI }
        return responses
    }
}

extension APIDocument.Operation.Parameter {
    fileprivate var openAPI: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "in": .string(place.rawValue), "schema": schema.json,
        ]
        if place == .path || isRequired { members["required"] = true }
        if let summary { members["description"] = .string(summary) }
        return .object(members)
    }
}

extension DocumentedAnswer {
    fileprivate var openAPI: JSONValue {
        var members: [String: JSONValue] = ["description": .string(summary)]
        if let schema {
            members["content"] = ["application/json": ["schema": schema.json, "example": schema.example(for: "success")]]
        }
        if !mediaTypes.isEmpty {
            members["content"] = .object(Dictionary(mediaTypes.map { ($0, ["schema": ["type": "string"]]) }) { $1 })
        }
        if !headers.isEmpty {
            members["headers"] = .object(
                Dictionary(headers.map { ($0, ["required": true, "schema": ["type": "string"]]) }) { $1 })
        }
        return .object(members)
    }

    /// The form of the body; `nil` for a response without one.
    var schema: JSONSchema? { data.map { .fields(["status": .words(["success"]), "data": $0]) } }
}

extension JSONSchema {
    /// Whether the empty object does not have this form.
    var hasRequiredMember: Bool {
        switch self {
        case .object(let members): members.contains(where: \.isRequired)
        case .oneOf(let forms): forms.allSatisfy(\.hasRequiredMember)
        default: false
        }
    }
}
