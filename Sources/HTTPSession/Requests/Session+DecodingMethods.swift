public import FoundationEssentials
import HTTPTypes
public import SessionCore

// The methods of HTTP as calls whose responses become values of Swift.

extension Session {
    /// Gets a resource (RFC 9110 §9.3.1), and decodes what is answered.
    ///
    /// ```swift
    /// let users = try await api.get("users", parameters: ["page": 2], as: [User].self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: In the query of the URL, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: nothing.
    ///   - type: What the content becomes.
    ///   - decoder: Default: a new one, without any strategy.
    /// - Throws: As ``get(_:parameters:headers:options:)``, and
    ///   ``SessionErrorCode/unparsableBody`` when the content is another value.
    public func get<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions(), as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .get, path, parameters: parameters, headers: headers, options: options, as: type, decoder: decoder)
    }

    /// Has a resource process content (RFC 9110 §9.3.3), and decodes what is answered.
    ///
    /// ```swift
    /// let user = try await api.post("users", body: .encoding(NewUser(name: "Ada")), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: In the content, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Instead of parameters. Default: `nil`, none.
    ///   - options: Default: nothing.
    ///   - type: What the content becomes.
    ///   - decoder: Default: a new one, without any strategy.
    /// - Throws: As ``post(_:parameters:headers:body:options:)``, and
    ///   ``SessionErrorCode/unparsableBody`` when the content is another value.
    public func post<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions(), as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .post, path, parameters: parameters, headers: headers, body: body, options: options, as: type,
            decoder: decoder)
    }

    /// Makes content the state of a resource (RFC 9110 §9.3.4), and decodes what is answered.
    ///
    /// ```swift
    /// let user = try await api.put("users/1", body: .encoding(user), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: In the content, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Instead of parameters. Default: `nil`, none.
    ///   - options: Default: nothing.
    ///   - type: What the content becomes.
    ///   - decoder: Default: a new one, without any strategy.
    /// - Throws: As ``put(_:parameters:headers:body:options:)``, and
    ///   ``SessionErrorCode/unparsableBody`` when the content is another value.
    public func put<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions(), as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .put, path, parameters: parameters, headers: headers, body: body, options: options, as: type,
            decoder: decoder)
    }

    /// Changes a part of a resource (RFC 5789), and decodes what is answered.
    ///
    /// ```swift
    /// let user = try await api.patch("users/1", parameters: ["name": "Ada"], as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: In the content, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Instead of parameters. Default: `nil`, none.
    ///   - options: Default: nothing.
    ///   - type: What the content becomes.
    ///   - decoder: Default: a new one, without any strategy.
    /// - Throws: As ``patch(_:parameters:headers:body:options:)``, and
    ///   ``SessionErrorCode/unparsableBody`` when the content is another value.
    public func patch<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions(), as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .patch, path, parameters: parameters, headers: headers, body: body, options: options, as: type,
            decoder: decoder)
    }

    /// Removes a resource (RFC 9110 §9.3.5), and decodes what is answered.
    ///
    /// ```swift
    /// let left = try await api.delete("users/1", as: Quota?.self)
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:as:decoder:)``, like the following.
    ///   - parameters: In the query of the URL, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: nothing.
    ///   - type: What the content becomes.
    ///   - decoder: Default: a new one, without any strategy.
    /// - Throws: As ``delete(_:parameters:headers:options:)``, and
    ///   ``SessionErrorCode/unparsableBody`` when the content is another value.
    public func delete<Value: Decodable & Sendable>(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions(), as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(
            .delete, path, parameters: parameters, headers: headers, options: options, as: type, decoder: decoder)
    }
}
