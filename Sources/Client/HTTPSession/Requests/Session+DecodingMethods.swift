public import ErrandSessionCore
public import FoundationEssentials
import HTTPTypes

// The methods of HTTP as calls that decode the content of the response.

extension Session {
    /// Gets a resource (RFC 9110 §9.3.1), and decodes the response.
    ///
    /// ```swift
    /// let users = try await api.get("users", parameters: ["page": 2], as: [User].self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: Sent in the query of the URL, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: those of the session.
    ///   - type: The type of the result.
    ///   - decoder: Default: a `JSONDecoder` with its own defaults.
    /// - Throws: As ``get(_:parameters:headers:options:)``, and ``SessionErrorCode/unparsableBody`` if the content does
    ///   not decode as the type.
    public func get<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions(), as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .get, path, parameters: parameters, headers: headers, options: options, as: type, decoder: decoder)
    }

    /// Sends content for a resource to process (RFC 9110 §9.3.3), and decodes the response.
    ///
    /// ```swift
    /// let user = try await api.post("users", body: .encoding(NewUser(name: "Ada")), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: Sent in the content, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Content to send instead of parameters. Default: `nil`, none.
    ///   - options: Default: those of the session.
    ///   - type: The type of the result.
    ///   - decoder: Default: a `JSONDecoder` with its own defaults.
    /// - Throws: As ``post(_:parameters:headers:body:options:)``, and ``SessionErrorCode/unparsableBody`` if the
    ///   content does not decode as the type.
    public func post<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions(), as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .post, path, parameters: parameters, headers: headers, body: body, options: options, as: type,
            decoder: decoder)
    }

    /// Creates or replaces a resource (RFC 9110 §9.3.4), and decodes the response.
    ///
    /// ```swift
    /// let user = try await api.put("users/1", body: .encoding(user), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: Sent in the content, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Content to send instead of parameters. Default: `nil`, none.
    ///   - options: Default: those of the session.
    ///   - type: The type of the result.
    ///   - decoder: Default: a `JSONDecoder` with its own defaults.
    /// - Throws: As ``put(_:parameters:headers:body:options:)``, and ``SessionErrorCode/unparsableBody`` if the content
    ///   does not decode as the type.
    public func put<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions(), as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .put, path, parameters: parameters, headers: headers, body: body, options: options, as: type,
            decoder: decoder)
    }

    /// Changes a part of a resource (RFC 5789), and decodes the response.
    ///
    /// ```swift
    /// let user = try await api.patch("users/1", parameters: ["name": "Ada"], as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: Sent in the content, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Content to send instead of parameters. Default: `nil`, none.
    ///   - options: Default: those of the session.
    ///   - type: The type of the result.
    ///   - decoder: Default: a `JSONDecoder` with its own defaults.
    /// - Throws: As ``patch(_:parameters:headers:body:options:)``, and ``SessionErrorCode/unparsableBody`` if the
    ///   content does not decode as the type.
    public func patch<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions(), as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .patch, path, parameters: parameters, headers: headers, body: body, options: options, as: type,
            decoder: decoder)
    }

    /// Deletes a resource (RFC 9110 §9.3.5), and decodes the response.
    ///
    /// ```swift
    /// let left = try await api.delete("users/1", as: Quota?.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: Sent in the query of the URL, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: those of the session.
    ///   - type: The type of the result.
    ///   - decoder: Default: a `JSONDecoder` with its own defaults.
    /// - Throws: As ``delete(_:parameters:headers:options:)``, and ``SessionErrorCode/unparsableBody`` if the content
    ///   does not decode as the type.
    public func delete<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions(), as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .delete, path, parameters: parameters, headers: headers, options: options, as: type, decoder: decoder)
    }
}
