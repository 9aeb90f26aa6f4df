// SPDX-License-Identifier: Apache-2.0
// Giving the GIL up while computing, and taking it back. A daemon thread that wants it back while the interpreter ends is ended
// by Python before 3.14, through pthread_exit(), which unwinds C++ frames like an exception that nothing may stop: the process
// aborted at the first noexcept one, such as a destructor that takes the GIL. Such a thread waits here for the end of the
// process instead, as Python 3.14 lets it.
#pragma once

#include <nanobind/nanobind.h>

#include <unistd.h>

namespace bitstep::python {

/// take() takes the GIL. It throws nothing, so that whatever is caught is the thread's end; to ask before whether the interpreter
/// is ending would miss the end that comes while the thread waits for the GIL.
template <class Take>
void take_gil_or_wait(Take take) noexcept {
    try {
        take();
    } catch (...) {
        for (;;) pause();
    }
}

class without_gil {
public:
    without_gil() = default;
    without_gil(const without_gil&) = delete;
    without_gil& operator=(const without_gil&) = delete;
    ~without_gil() {
        take_gil_or_wait([this] { PyEval_RestoreThread(thread_); });
    }

private:
    PyThreadState* const thread_ = PyEval_SaveThread();
};

/// Within without_gil or not.
class with_gil {
public:
    with_gil() {
        take_gil_or_wait([this] { state_ = PyGILState_Ensure(); });
    }
    with_gil(const with_gil&) = delete;
    with_gil& operator=(const with_gil&) = delete;
    ~with_gil() { PyGILState_Release(state_); }

private:
    PyGILState_STATE state_;
};

} // namespace bitstep::python
