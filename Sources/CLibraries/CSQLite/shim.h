/* sqlite3.h for Swift. Functions replace the macros that Swift cannot import. */
#ifndef ERRAND_CSQLITE_SHIM_H
#define ERRAND_CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_bind_text of UTF-8 that SQLite copies. */
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* sqlite3_bind_blob of bytes that SQLite copies; an empty blob has no bytes and is not null. */
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return count == 0
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* Stops SQLite from counting the memory that it allocates, which takes a lock of the whole process for each allocation.
   Has an effect only before the first use of SQLite in the process; later it is refused with SQLITE_MISUSE. */
static inline int csqlite_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Lets the end of a connection leave the write-ahead log as it is, also if it is the last connection of the database,
   which otherwise moves the log into it and removes it. */
static inline int csqlite_leave_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
