/// A queue that the first caller drains while the others append: a value, guarded by the lock of its owner.
///
/// A thread that decides under a lock and acts after releasing it can be overtaken: a "suspend" would then be carried
/// out after a later "resume". So decisions are queued under the same lock, and the caller that finds the queue idle
/// drains it, performing each element without the lock:
///
/// ```swift
/// guard state.withLock({ $0.steps.append(step) }) else { return }
/// while let step = state.withLock({ $0.steps.next() }) { perform(step) }
/// ```
///
/// At most one caller drains the queue at a time, and it takes the elements in the order of their appending.
@usableFromInline
package struct DrainQueue<Element> {
    /// The elements that were appended before those of ``later``, in reverse: the next one is the last.
    ///
    /// Each element gets here at most once, so that taking one has a constant cost on average. A single waiting
    /// element, which is the usual case, does not get here at all.
    @usableFromInline var sooner: [Element] = []
    /// The elements that were appended last, in order.
    @usableFromInline var later: [Element] = []
    /// True from the first element until the queue was found empty; the queue is empty while it is false.
    @usableFromInline var isDraining = false

    /// Creates an idle queue.
    @inlinable
    package init() {}

    /// The number of elements that were not taken yet.
    @inlinable
    package var count: Int { sooner.count + later.count }

    /// Adds an element after all others.
    ///
    /// - Returns: True if the caller must drain the queue: take elements until there are none. If false, another caller
    ///   is draining the queue and will also take this element.
    @inlinable
    package mutating func append(_ element: Element) -> Bool {
        later.append(element)
        defer { isDraining = true }
        return !isDraining
    }

    /// Adds several elements after all others, next to each other.
    ///
    /// - Returns: True if the caller must drain the queue, as after ``append(_:)``; false if there are no elements.
    @inlinable
    package mutating func append(contentsOf elements: some Collection<Element>) -> Bool {
        guard !elements.isEmpty else { return false }
        later.append(contentsOf: elements)
        defer { isDraining = true }
        return !isDraining
    }

    /// Removes and returns the next element; `nil` ends the draining.
    @inlinable
    package mutating func next() -> Element? {
        let element = removeFirst()
        isDraining = element != nil
        return element
    }

    /// Removes and returns the next elements, at most a number of them; `nil` ends the draining.
    @inlinable
    package mutating func next(atMost limit: Int) -> [Element]? {
        let size = min(count, limit)
        isDraining = count > 0
        guard isDraining else { return nil }
        if sooner.isEmpty, later.count == size {
            defer { later = [] }
            return later
        }
        var elements: [Element] = []
        elements.reserveCapacity(size)
        while elements.count < size, let element = removeFirst() { elements.append(element) }
        return elements
    }

    /// Removes and returns the next element, if there is one.
    @inlinable
    mutating func removeFirst() -> Element? {
        if sooner.isEmpty, later.count > 1 {
            later.reverse()
            swap(&sooner, &later)
        }
        return sooner.popLast() ?? later.popLast()
    }
}

extension DrainQueue: Sendable where Element: Sendable {}
