import Glibc

/// Ends this process by `SIGALRM` if it still runs after ten minutes.
///
/// To be called first in the body of an exit test: the time limit of a suite does not hold in its process, whose end
/// the test awaits even after its own task was canceled.
package func endInTime() {
    alarm(600)
}
