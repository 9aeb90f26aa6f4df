# SPDX-License-Identifier: Apache-2.0
"""What slows a rival (or bitstep) when it is set in the environment, and changes no result that a benchmark is about."""
import os

NAMES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS", "OPENBLAS_MAIN_FREE",
         "OPENBLAS_DEFAULT_NUM_THREADS", "OPENBLAS_THREAD_TIMEOUT", "GOTO_NUM_THREADS", "BLIS_ARCH_TYPE",
         "BLIS_NUM_THREADS", "BLIS_JC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT", "OMP_NUM_THREADS",
         "OMP_THREAD_LIMIT", "OMP_DYNAMIC", "OMP_WAIT_POLICY", "OMP_PROC_BIND", "OMP_PLACES", "OMP_SCHEDULE",
         "OMP_MAX_ACTIVE_LEVELS", "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA",
         "NPY_DISABLE_CPU_FEATURES", "BITSTEP_ARCH", "BITSTEP_NUM_THREADS")
FAMILIES = ("MKL_", "KMP_")  # threads, affinity, reproducible modes


def unset_slowing(environment=os.environ):
    """Takes them out of this environment; returns a line for each that was set."""
    lines = []
    for name in sorted(environment):
        if name in NAMES or name.startswith(FAMILIES):
            lines.append(f"{name}={environment.pop(name)} in the environment slows a rival or bitstep: unset for this run")
    return lines
