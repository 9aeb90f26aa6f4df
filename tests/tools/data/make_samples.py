#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the .safetensors files beside this script with the reference implementation, for safetensors_file_test.
Made with safetensors 0.8.0, numpy 2.4.6, ml_dtypes 0.6.0 (pip install safetensors numpy ml_dtypes)."""
import pathlib

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

FOLDER = pathlib.Path(__file__).parent
special = [np.nan, np.inf, -np.inf, -0.0, 1.5]
save_file(
    {
        "f32": np.array(special, np.float32),
        "f64": np.array([special, [1e-310, 1e300, 0.1, 2, 3]], np.float64),
        "empty": np.zeros((0, 3), np.float32),
        "scalar": np.array(7.25, np.float64),
        "bf16": np.array([1.0, -2.5], ml_dtypes.bfloat16),
        "i64": np.array([-1, 2**62], np.int64),
        "flags": np.array([True, False, True]),
        'name "\\\n\u00f6': np.array([9], np.uint8),
    },
    FOLDER / "python_all.safetensors",
    metadata={"format": "np", "text": 'line\n"quoted" \u00f6'},
)
save_file({}, FOLDER / "python_nothing.safetensors")
