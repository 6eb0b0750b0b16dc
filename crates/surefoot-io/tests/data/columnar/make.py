"""Writes the tables of this folder: python make.py, with pyarrow 26.0.1."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

COLUMNS = [
    ("y", pa.int8(), [1, 0, 1, 0]),
    ("b", pa.bool_(), [True, False, None, True]),
    ("i8", pa.int8(), [-128, 127, 0, None]),
    ("i16", pa.int16(), [-32768, 32767, 0, 1]),
    ("i32", pa.int32(), [-(2**31), 2**31 - 1, 0, 1]),
    ("i64", pa.int64(), [-(2**53), 2**53 + 1, 0, 1]),
    ("u8", pa.uint8(), [0, 255, 1, 2]),
    ("u16", pa.uint16(), [0, 65535, 1, 2]),
    ("u32", pa.uint32(), [0, 2**32 - 1, 1, 2]),
    ("u64", pa.uint64(), [0, 2**64 - 1, 1, 2]),
    ("f16", pa.float16(), [0.5, -2.0, 65504.0, None]),
    ("f32", pa.float32(), [0.1, -2.5, None, 1e30]),
    ("f64", pa.float64(), [0.1, -2.5, None, 1e300]),
    ("dec", pa.decimal128(10, 2), [Decimal("1.10"), Decimal("-0.07"), None, Decimal("12345678.99")]),
    ("big", pa.decimal256(60, 5), [Decimal("123456789012345678901234567890.12345"), Decimal("0.1"), None, Decimal(-1)]),
    ("s", pa.string(), ["red", "green", None, ""]),
    ("ls", pa.large_string(), ["a=b", "c*d", "e^f", "g\\h"]),
    ("bin", pa.binary(), [b"red", b"\xff", None, b""]),
    ("d", pa.dictionary(pa.int8(), pa.string()), ["x", "y", "x", None]),
    ("l", pa.list_(pa.float32()), [[1, 2, 3], None, [4, None, 6], [0, 0, 7]]),
    ("fl", pa.list_(pa.float64(), 2), [[1, 2], [3, 4], None, [5, 6]]),
    ("ts", pa.timestamp("us", "UTC"), [datetime(1970, 1, 1, 0, 0, 1), datetime(2024, 2, 29), None, datetime(1969, 12, 31)]),
    ("day", pa.date32(), [date(1970, 1, 2), date(2024, 2, 29), None, date(1969, 12, 31)]),
    ("t", pa.time64("us"), [time(0, 0, 1), time(12), None, time(0)]),
    ("dur", pa.duration("ms"), [timedelta(seconds=1), timedelta(0), None, timedelta(days=-1)]),
    ("st", pa.struct([("p", pa.int8())]), [{"p": 1}, {"p": 2}, None, {"p": 3}]),
]

table = pa.table({name: pa.array(cells, type) for name, type, cells in COLUMNS})
plain = {"use_dictionary": ["s"], "write_statistics": False, "write_page_checksum": True}
pq.write_table(table, "types.parquet", row_group_size=3, compression="snappy", **plain)
with ipc.new_file("types.arrow", table.schema) as out:
    out.write_table(table, max_chunksize=3)
small = table.select(["y", "f64", "s"])
with ipc.new_stream("types.arrows", small.schema, options=ipc.IpcWriteOptions(compression="zstd")) as out:
    out.write_table(small)
for codec in ["gzip", "brotli", "zstd", "lz4"]:
    pq.write_table(small, f"{codec}.parquet", compression=codec, data_page_version="2.0", store_schema=False, **plain)

# Missing cells in row groups of three rows.
nulls = pa.table({
    "y": pa.array([1, 0, 1, 0, 1, None, 1, 0], pa.int8()),
    "z": pa.array([1, 0, 1, 0, 1, 0, 1, 0], pa.int8()),
    "a": pa.array([0.5, None, 1.5, -1, 0.25, 1, None, 2], pa.float64()),
    "s": pa.array(["u", "v", None, "u", "v", "u", "v", "u"]),
})
pq.write_table(nulls, "nulls.parquet", row_group_size=3, write_page_checksum=True)

# Rows without gaps that any loss can learn: labels 1 and 2, weights, exposures, two numbers and a category.
plain_rows = pa.table({
    "y": pa.array([1, 2, 2, 1, 2, 1, 2, 2, 1, 1, 2, 1], pa.float64()),
    "w": pa.array([1, 2, 1, 3, 1, 1, 2, 1, 1, 4, 1, 1], pa.int32()),
    "e": pa.array([1, 2, 4, 1, 1, 2, 3, 1, 2, 1, 1, 5], pa.int32()),
    "a": pa.array([-1, 0.5, 1, -0.25, 2, -2, 1, 0.25, -1, 0.5, 1.5, -0.5], pa.float64()),
    "b": pa.array([1, 0.25, 1, 0.5, -1, 2, -0.5, 1, 0.75, -1, 0.5, 1], pa.float64()),
    "c": ["red", "blue", "red", "green", "blue", "red", "green", "blue", "red", "green", "blue", "red"],
})
pq.write_table(plain_rows, "rows.parquet")
with ipc.new_file("rows.arrow", plain_rows.schema) as out:
    out.write_table(plain_rows)

# Lists of words, and vectors as Spark stores them: the label follows from both.
vector = pa.struct([
    ("type", pa.int8()),
    ("size", pa.int32()),
    ("indices", pa.list_(pa.int32())),
    ("values", pa.list_(pa.float64())),
])
several = pa.table({
    "y": pa.array([n % 2 for n in range(40)], pa.int8()),
    "tags": [[f"t{n % 2}", f"s{n % 5}", f"s{n % 5}"][: 1 + n % 3] for n in range(40)],
    "note": [f"Number {n % 7}, {['even', 'odd'][n % 2]}!" for n in range(40)],
    "v": pa.array([
        {"type": 0, "size": 3, "indices": [n % 3], "values": [1.5]} if n % 4 else {"type": 1, "values": [0.5, 0, -n]}
        for n in range(40)
    ], vector),
})
pq.write_table(several, "several.parquet")
