#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes corpus/safetensors/: the inputs that fuzzing starts from. Each: the size of the data (8 bytes little-endian),
then the JSON of a header. good_...: the parser accepts it, bad_...: it refuses it; fuzz_corpus_test checks that."""
import pathlib
import struct


def tensor(dtype, shape, begin, end):
    return f'{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}'


CORPUS = {
    "good_nothing": (0, "{}"),
    "good_one": (8, '{"w":' + tensor("F32", [2], 0, 8) + "}"),
    "good_two_out_of_order": (20, '{"b":' + tensor("F64", [1], 12, 20) + ',"a":' + tensor("F32", [3], 0, 12) + "}  "),
    "good_scalar_and_empty": (2, '{"s":' + tensor("BF16", [], 0, 2) + ',"e":' + tensor("I64", [0, 9], 2, 2) + "}"),
    "good_metadata": (0, '{"__metadata__":{"format":"pt","\u00f6\\n":"\\u00e4"}}'),
    "good_packed": (4, '{"x":' + tensor("F4", [2], 0, 1) + ',"y":' + tensor("F6_E2M3", [4], 1, 4) + "}"),
    "bad_wrap_64": (4, '{"w":' + tensor("F32", [4294967296, 4294967296, 4], 0, 4) + "}"),
    "bad_wrap_bits": (0, '{"w":' + tensor("F64", [2305843009213693952], 0, 0) + "}"),
    "bad_overlap": (8, '{"a":' + tensor("U8", [8], 0, 8) + ',"b":' + tensor("U8", [4], 4, 8) + "}"),
    "bad_gap": (8, '{"a":' + tensor("U8", [2], 0, 2) + ',"b":' + tensor("U8", [4], 4, 8) + "}"),
    "bad_reversed": (8, '{"a":' + tensor("U8", [8], 8, 0) + "}"),
    "bad_negative": (8, '{"a":' + tensor("U8", [8], -8, 0) + "}"),
    "bad_float": (8, '{"a":' + tensor("U8", "[8.0]", 0, 8) + "}"),
    "bad_twice": (8, '{"a":' + tensor("U8", [8], 0, 8) + ',"\\u0061":' + tensor("U8", [0], 0, 0) + "}"),
    "bad_member": (0, '{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"data":[]}}'),
    "bad_nesting": (0, '{"a":' + "[" * 200),
    "bad_metadata": (0, '{"__metadata__":{"a":{"b":1}}}'),
    "bad_after_the_end": (0, "{}\0{}"),
}

FOLDER = pathlib.Path(__file__).parent / "corpus" / "safetensors"
FOLDER.mkdir(parents=True, exist_ok=True)
for name, (data_bytes, text) in CORPUS.items():
    (FOLDER / name).write_bytes(struct.pack("<Q", data_bytes) + text.encode())
