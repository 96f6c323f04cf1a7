/* claims_pack: the claims of one batch as bytes, which is how stores keep them: one row instead of hundreds.
 *
 *     u8 format (1)   u32 workers   u32 claims
 *     each worker:    u16 length, bytes of its name
 *     each claim:     u64 trigger, u64 job, u32 number, u32 version, u8 kind, i64 scheduled_ms, i64 started_ms,
 *                     u32 which worker, from 0
 *
 * Numbers are little-endian. A name stands there once, however many claims its worker has.
 *
 * Owns:  nothing. What is unpacked lives in the caller's arena.
 * Rules: (1) unpacking gives back exactly what was packed.
 *        (2) bytes that make no sense are ERR_CORRUPT; the reader never looks behind them nor reserves memory
 *            that they do not account for.
 *        (3) a format that was released is read for ever.
 * See:   model/record.h, tests/store/test_claims_pack.c
 */
#ifndef STORE_CLAIMS_PACK_H
#define STORE_CLAIMS_PACK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/record.h"

/* Claims in one row: far more than a batch makes. */
#define CLAIMS_PACK_MAX 1000000
/* A worker's name. */
#define CLAIMS_PACK_NAME_BYTES_MAX 65535
/* What out should be born with. */
#define CLAIMS_PACK_BYTES_MAX (128 * 1024 * 1024)

/* Appends to out. ERR_TOO_LARGE where a maximum is passed; out is of no use then. */
enum err claims_pack(const struct claims_row *row, struct buf *out, struct error *reterr) MUST_CHECK;

/* Fills claims and count. */
enum err claims_unpack(struct str bytes, struct arena *arena, struct claims_row *row, struct error *reterr) MUST_CHECK;

#endif
