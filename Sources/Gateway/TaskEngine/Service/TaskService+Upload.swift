import ErrandBodyFiles
import ErrandCryptography
package import ErrandTaskStore
import ErrandTransfer

/// The creation of uploads together with their content.
extension TaskService {
    /// Runs a request that has a task and its content, if one more may be received now.
    ///
    /// - Parameter body: Gets the identifier of the arriving content. The task has a newer one: identifiers are in the
    ///   order of creation.
    /// - Returns: `nil` if too many contents are being received; nothing was read.
    package func receivingUpload<Response>(_ body: (TaskID) async -> Response) async -> Response? {
        let arrival = context.ids.next()
        guard context.contentsUnderWay.begin(arrival) == .admitted else { return nil }
        defer { context.contentsUnderWay.end(arrival) }
        return await body(arrival)
    }

    /// Creates an upload with its content: nothing is left of both unless the task is created.
    ///
    /// - Parameters:
    ///   - task: The task, decoded by ``TaskDecoder/decodeUpload(_:contentType:key:)``.
    ///   - parts: The content. It is not read if it is refused at once.
    ///   - arrival: The identifier of the arriving content, from ``receivingUpload(_:)``.
    ///   - maxBytes: The size limit; `nil` for none.
    ///   - trace: The trace that the task continues.
    /// - Throws: The failure of the store, which is logged; nothing is stored.
    package func create<Parts: AsyncSequence>(
        _ task: AcceptedTask, with parts: Parts, arrivingAs arrival: TaskID, maxBytes: Int?,
        in trace: TraceContext? = nil
    ) async throws(TaskStoreError) -> UploadOutcome where Parts.Element == [UInt8] {
        guard let contents = context.storage.contents else { return .notReceived(.unavailable) }
        let content: TaskContent
        do throws(ContentReceiver.Failure) {
            content = try await ContentReceiver(
                contents: contents, id: arrival, maxBytes: maxBytes.map { Int64($0) }
            ).receive(parts, expecting: nil)
        } catch {
            return .notReceived(ContentOutcome(error))
        }
        return try await create(task.receiving(content), from: arrival, contents, in: trace)
    }

    /// Creates a task whose content is complete, and removes the file of the arriving content.
    private func create(
        _ task: AcceptedTask, from arrival: TaskID, _ contents: BodyFiles, in trace: TraceContext?
    ) async throws(TaskStoreError) -> UploadOutcome {
        let id = context.ids.next()
        if case .arrived(let content)? = task.content, let size = content.storedSize, size > 0 {
            if let failure = await move(arrival, to: id, in: contents) {
                // The new name may exist although it may not be on the medium.
                await context.removeContent(of: id)
                return .notReceived(.notWritten(failure))
            }
        }
        let outcome = await services.intake.create(
            TaskIntake.Order(task: task, origin: AcceptedTask.Origin(trace: trace), id: id), by: caller.tokenName)
        if case .success(.created) = outcome {} else { await context.removeContent(of: id) }
        return .answered(try visible(outcome).get())
    }

    private func move(_ arrival: TaskID, to id: TaskID, in contents: BodyFiles) async -> TransferError? {
        do throws(BodyFilesError) {
            try await contents.move(arrival, to: id)
            return nil
        } catch {
            await context.removeContent(of: arrival)
            return TransferError(.cannotWrite, error.description)
        }
    }

    /// Returns the earlier outcome of a task that would no longer be accepted, and of its content.
    ///
    /// - Parameters:
    ///   - document: The document of the client.
    ///   - type: The media type that the client has declared for the content; `nil` for none.
    ///   - parts: The content, of which only the digest is needed. It is not read if the key is new.
    ///   - maxBytes: The size limit; `nil` for none.
    ///   - key: The key of the request.
    /// - Returns: `nil` if the key has not created a task of this document and content, or if the content is incomplete
    ///   or too large.
    package func earlier<Parts: AsyncSequence>(
        _ document: [UInt8], contentType type: String?, _ parts: Parts, maxBytes: Int?, key: IdempotencyKey
    ) async throws(TaskStoreError) -> TaskCreationOutcome? where Parts.Element == [UInt8] {
        guard let upload = try? UploadDocument(document, contentType: type, maxDepth: services.maxDepth),
            // Without an earlier task there is nothing to compare the content with.
            await services.intake.isUsed(
                key, on: upload.bytes, maxDepth: services.maxDepth, by: caller.tokenName),
            let sha256 = await Self.digest(of: parts, maxBytes: maxBytes ?? .max)
        else { return nil }
        let outcome = await services.intake.earlier(
            upload.bytes, content: sha256, key: key, maxDepth: services.maxDepth, by: caller.tokenName)
        guard let outcome else { return nil }
        return try visible(outcome).get()
    }

    private static func digest<Parts: AsyncSequence>(
        of parts: Parts, maxBytes: Int
    ) async -> [UInt8]? where Parts.Element == [UInt8] {
        var digest = SHA256()
        var rest = maxBytes
        do {
            for try await part in parts {
                guard part.count <= rest else { return nil }
                rest -= part.count
                digest.update(part)
            }
        } catch {
            return nil
        }
        return digest.finish()
    }
}

/// The outcome of a request that creates a task and has its content.
package enum UploadOutcome: Sendable {
    /// The content is complete; the request has this outcome.
    case answered(TaskCreationOutcome)
    /// The content was not received, for the reason that a separate request would have met; nothing is stored.
    case notReceived(ContentOutcome)
}
